"""A check runs apart: what it says and raises comes through, and what never ends is ended."""

import os
import time

import pytest

from lapwing.errors import InvalidInput
from lapwing.kernel import confined as room
from lapwing.kernel.confined import confined
from lapwing.kernel.rejected import Rejected


def endless():
    while True:
        pass


def test_what_a_check_gives_comes_through():
    assert confined(lambda: {"pid": os.getpid()})["pid"] != os.getpid()
    assert confined(lambda: b"x" * 1_000_000) == b"x" * 1_000_000


@pytest.mark.parametrize("closed", [(0, 2), (1, 2), (0, 1, 2)])
def test_what_a_check_gives_comes_through_where_streams_are_closed(closed):
    """The pipe takes their numbers."""
    kept = [os.dup(each) for each in closed]
    try:
        for each in closed:
            os.close(each)
        found = confined(lambda: "said")
    finally:
        for each, copy in zip(closed, kept, strict=True):
            os.dup2(copy, each)
            os.close(copy)
    assert found == "said"


def test_what_a_check_raises_comes_through():
    def refused():
        raise InvalidInput("C103", "a problem", "A remedy")

    with pytest.raises(InvalidInput, match="C103 a problem") as caught:
        confined(refused)
    assert (caught.value.code, caught.value.remedy) == ("C103", "A remedy")


def test_a_check_that_never_ends_is_ended_and_shows_nothing():
    verdict = confined(endless, 0.2)
    assert isinstance(verdict, Rejected)
    assert "more than 0.2 seconds" in verdict.reason


def test_a_check_that_waits_for_ever_is_ended(monkeypatch):
    monkeypatch.setattr(room, "WAITING", 1)
    assert isinstance(confined(lambda: time.sleep(3600), 0.2), Rejected)


def test_a_check_that_fills_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(room, "MEMORY", 64 << 20)
    with pytest.raises(MemoryError):
        confined(lambda: bytearray(1 << 30))


@pytest.mark.parametrize("ending", [lambda: os._exit(0), lambda: os._exit(1), lambda: os.kill(os.getpid(), 9)])
def test_an_answer_that_was_not_written_to_its_end_is_none(ending):
    assert isinstance(confined(ending), Rejected)


def test_no_child_and_no_pipe_is_left_behind(monkeypatch):
    children, fork = [], os.fork
    monkeypatch.setattr(os, "fork", lambda: children.append(fork()) or children[-1])
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    confined(int)
    confined(endless, 0.1)
    after = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    assert len(after) == len(before)
    assert len(children) == 2
    for child in children:  # others may be there, that another test started
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)
