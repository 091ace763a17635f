import itertools
import os
import threading

import numpy as np
import pytest

from lapwing.noise.laplace import Laplace
from lapwing.noise.pool import BATCH, SHORT, Pool
from tests.noise.test_source import from_child


def counting_pool():
    counter = itertools.count()
    return Pool(lambda n: np.array([next(counter) for _ in range(n)], dtype=np.int64))


def test_every_number_is_used_once():
    pool = counting_pool()
    taken = [pool.one() for _ in range(BATCH + 10)]
    taken += pool.many(SHORT).tolist() + pool.many(5 * SHORT).tolist() + [pool.one()]
    assert len(set(taken)) == len(taken)


def test_long_vectors_do_not_drain_the_pool():
    pool = counting_pool()
    pool.one()
    assert pool.many(SHORT + 1).tolist() == list(range(BATCH, BATCH + SHORT + 1))


def test_threads_never_share_a_number():
    pool = counting_pool()
    taken = []

    def work():
        taken.extend([pool.one() for _ in range(2 * BATCH)])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(taken)) == len(taken) == 12 * BATCH


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_children_drop_their_parent_s_numbers():
    noise = Laplace(10**9)
    noise.sample()  # fills this thread's pool

    def draw():
        return " ".join(str(noise.sample()) for _ in range(3)).encode()

    drawn = [from_child(os.fork, draw) for _ in range(3)] + [draw()]
    assert len(set(drawn)) == 4
