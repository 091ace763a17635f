"""Two things an attack found: a variable that met the checker's own unknown, and a deadline lost in a binding."""

import ctypes
import gc
import sys
import time

import pytest

from lapwing.decide.privacy import decide
from lapwing.decide.time_limits import OutOfTime, time_limit

HEAD = "from lapwing import choose, flip, mechanism, replaced\n\n\n"
PROGRAMS = {
    "local": """@mechanism(b=replaced(), claim="epsilon")
def local(b: bool, epsilon: float) -> int:
    growth = 1
    i = choose([3 if b else 0, 0 if b else 3], 1 / epsilon)
    c = flip(growth)
    return i if c else 0
""",
    "contradiction": """@mechanism(b=replaced(), claim="epsilon")
def contradiction(b: bool, p: float, epsilon: float) -> int:
    i = choose([3 if b else 0, 0 if b else 3], 1 / epsilon)
    c = flip(p)
    d = flip(p + 2)
    return i if c and d else 0
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_follows_from_a_name_or_a_contradiction(name, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(HEAD + PROGRAMS[name])
    assert decide(str(file), name, 20.0).verdict != "proved"


def busy(seconds):
    started = time.process_time()
    while time.process_time() - started < seconds:
        pass


def wrapped():
    try:
        busy(5)
    except OutOfTime as late:
        raise ctypes.ArgumentError("argument 1: OutOfTime:") from late


def swallowed():
    try:
        busy(5)
    except OutOfTime:
        busy(30)


@pytest.mark.parametrize("body", [wrapped, swallowed])
def test_a_deadline_lost_in_a_binding_is_still_a_deadline(body):
    started = time.process_time()
    with pytest.raises(OutOfTime), time_limit(0.05):
        body()
    assert time.process_time() - started < 4


def test_other_errors_pass_through():
    with pytest.raises(KeyError), time_limit(5):
        raise KeyError


def test_waiting_for_others_costs_no_time():
    with time_limit(0.2):
        time.sleep(0.5)


def test_nothing_is_raised_where_the_solver_tells_of_an_error():
    """It calls back from C, where Python can only print what is raised; the deadline is kept right after it."""
    names, reached = {"busy": busy}, []
    exec(compile("def z3_error_handler():\n    busy(0.3)", "z3.py", "exec"), names)  # noqa: S102  # called as z3 calls it

    def body():
        names["z3_error_handler"]()
        reached.append("the end of the call")
        busy(5)

    with pytest.raises(OutOfTime), time_limit(0.05):
        body()
    assert reached


class Slow:
    def __del__(self):
        busy(0.3)


def test_nothing_is_raised_in_a_destructor_and_the_deadline_holds(monkeypatch):
    """Python can only print what a destructor raises; the deadline is kept right after it."""
    unraised = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    reached = []

    def body():
        Slow()
        reached.append("the end of the destructor")
        busy(5)

    with pytest.raises(OutOfTime), time_limit(0.05):
        body()
    assert reached
    assert unraised == []


def test_nor_in_what_listens_to_the_collection_of_garbage(monkeypatch):
    """Hypothesis has such a listener; what was raised in it ended as a warning of the whole suite."""
    unraised, heard = [], []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)

    def listening(phase, _):
        heard.append(phase)
        busy(0.2)

    def body():
        gc.collect()
        busy(5)

    gc.callbacks.append(listening)
    try:
        with pytest.raises(OutOfTime), time_limit(0.05):
            body()
    finally:
        gc.callbacks.remove(listening)
    assert heard
    assert unraised == []
