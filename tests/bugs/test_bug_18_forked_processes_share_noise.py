"""Forked workers that inherit a generator's state add the same noise: subtracting two answers removes it."""

import multiprocessing
import os

import numpy as np
import pytest

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

NOISE = [Laplace(2**30), Gaussian(2**30)]


def one_by_one(noise):
    return [noise.sample() for _ in range(5)]


def short_vector(noise):
    return noise.sample(5).tolist()


def long_vector(noise):
    return noise.sample(5000)[-5:].tolist()


def release(noise):
    return noise.release(np.zeros(5, dtype=np.int64)).tolist()


@pytest.mark.parametrize("draw", [one_by_one, short_vector, long_vector, release])
@pytest.mark.parametrize("noise", NOISE, ids=repr)
def test_children_differ_from_each_other_and_from_their_parent(noise, draw):
    draw(noise)  # the parent's keystream and pool are warm, as they would be in a server
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    children = [context.Process(target=lambda: queue.put(draw(noise))) for _ in range(3)]
    for child in children:
        child.start()
    drawn = [queue.get() for _ in children] + [draw(noise)]
    for child in children:
        child.join()
    numbers = [number for one in drawn for number in one]
    # Twenty numbers among billions: two equal ones happen by chance once in ten million runs.
    assert len(set(numbers)) == len(numbers) == 20


def test_a_grandchild_differs_too():
    noise = Laplace(2**30)
    noise.sample()
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        grandchild = os.fork()
        os.write(writer, f"{noise.sample()} ".encode())
        if grandchild:
            os.waitpid(grandchild, 0)
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        numbers = [*map(int, pipe.read().split()), noise.sample()]
    assert len(set(numbers)) == 3
