"""Ctrl-C: one line, exit code 130, soon, and never a verdict."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from lapwing import account
from tests.cli.invoke import ROOT, lapwing

#: Seconds within which an interrupted command is over, on a machine with much else to do.
SOON = 15
#: A question that Z3 would think about for much longer.
HARD = """
import z3
from lapwing.search.solving import limited_solver

def ask():
    at = [[z3.Bool(f"{bird} in {hole}") for hole in range(12)] for bird in range(13)]
    solver = limited_solver(120_000)
    solver.add(*(z3.Or(holes) for holes in at))
    solver.add(*(z3.Or(z3.Not(at[a][h]), z3.Not(at[b][h])) for h in range(12) for a in range(13) for b in range(a)))
    print("ready", flush=True)
    return str(solver.check())
"""
#: A command whose work is a function ``ask``.
ASKING = """
from lapwing.cli import compose, main

def account(*_, **__):
    print("answered", ask(), flush=True)

compose.account = account
main(["compose", "pure(1)"])
"""


@contextmanager
def running(*words):
    """A Python that runs ``words`` in its own group, which is ended with the test."""
    process = subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def interrupt(process, send=os.kill):
    """What was said on standard output after Ctrl-C; the rest is as it has to be."""
    start = time.monotonic()
    send(process.pid, signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors == "error interrupted; nothing was left half done\n"
    assert time.monotonic() - start < SOON
    return said


def to_every_process(group, number):
    """As a terminal does; here the others get it first, where the system shows them."""
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(each.read_text().rpartition(")")[2].split()[2]) == group != int(each.parent.name):
                os.kill(int(each.parent.name), number)
    time.sleep(0.5)
    os.killpg(group, number)


def test_interruption_is_quiet():
    words = ["compose", "100000 * poisson(0.001, gaussian(0.7))", "--delta", "1e-9"]
    script = f"from lapwing.cli import compose, main; print('ready', flush=True); main({words})"
    with running("-c", script) as process:
        assert process.stdout.readline() == "ready\n"  # imports are over, however long they took
        time.sleep(0.5)
        assert interrupt(process) == ""


def test_a_solver_that_thinks_is_stopped_and_its_answer_thrown_away():
    with running("-c", HARD + ASKING) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert interrupt(process) == ""


def test_a_library_hears_it_too():
    """Where no command listens, Python does, as soon as the solver's time is over."""
    script = HARD.replace("120_000", "1_000") + "try: print(ask())\nexcept KeyboardInterrupt: print('interrupted')"
    with running("-c", script) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"


def test_the_solver_answers_as_usual_after_it_was_stopped():
    z3 = pytest.importorskip("z3")
    from lapwing.search.solving import limited_solver, stop_thinking

    stop_thinking()
    solver = limited_solver(10_000)
    solver.add(z3.Int("x") > 0, z3.Int("x") < 1)
    assert solver.check() == z3.unsat


@pytest.mark.parametrize("place", ["__del__", "__init__"])
def test_it_waits_where_it_would_only_be_complained_about(place):
    """Python complains of an exception in a destructor, and Z3's context of not having been made."""
    script = f"""
import time
class Context:
    def {place}(self, *_):
        print("ready", flush=True)
        for _ in range(10):
            time.sleep(0.1)  # a signal ends a sleep early at most
        print("left in peace", flush=True)
def ask():
    Context()
    while True: time.sleep(0.1)
"""
    with running("-c", script + ASKING) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        assert interrupt(process) == "left in peace\n"


@pytest.mark.parametrize("send", [os.kill, to_every_process])
@pytest.mark.parametrize("lines", [1, 2])  # when the workers begin to read their code; after the first decision
def test_proving_ends_with_its_workers(lines, send):
    script = """
from lapwing.cli import main, prove
def as_completed(waiting, real=prove.as_completed):
    print("ready", flush=True)
    return real(waiting)
prove.as_completed = as_completed
files = [f"corpus/proved/{name}.py" for name in ("coin_toss", "adaptive_sparse_vector", "lyu_2")]  # one is quick
main(["prove", *files, "--jobs", "2", "--json"])
"""
    with running("-u", "-c", script) as process:
        for _ in range(lines):
            assert process.stdout.readline()
        interrupt(process, send)  # standard output is closed only when the workers are gone


def test_reading_the_code_is_interrupted_quietly():
    script = """
import importlib.abc, sys, time
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "lapwing.cli":
            print("ready", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
from lapwing_command import main
main()
"""
    with running("-c", script) as process:
        assert process.stdout.readline() == "ready\n"
        assert interrupt(process) == ""


def test_reading_the_package_as_a_module_is_interrupted_quietly():
    """``python -m lapwing`` reads the package before the command has a word in it."""
    script = """
import importlib.abc, runpy, sys, time
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "lapwing.algebra":
            print("ready", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
sys.argv[0], sys.orig_argv[1:] = "-m", ["-m", "lapwing"]
runpy._run_module_as_main("lapwing")
"""
    with running("-c", script) as process:
        assert process.stdout.readline() == "ready\n"
        assert interrupt(process) == ""


def test_it_is_repeated_while_others_swallow_it():
    script = """
import time
def ask():
    print("ready", flush=True)
    for _ in range(3):
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass  # as bindings to C do here and there
    time.sleep(60)
"""
    with running("-c", script + ASKING) as process:
        assert process.stdout.readline() == "ready\n"
        assert interrupt(process) == ""


def test_it_is_not_repeated_while_someone_tidies_up_because_of_it():
    script = """
import time
def ask():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        time.sleep(1)
        print("tidy", flush=True)
"""
    with running("-c", script + ASKING) as process:
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGINT)  # a hasty person does it twice
        time.sleep(0.3)
        assert interrupt(process) == "tidy\n"


def test_an_interruption_inside_bindings_is_an_interruption(monkeypatch):
    """Whatever exception comes of it."""

    def interrupted(*_, **__):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            raise ctypes.ArgumentError("argument 2: KeyboardInterrupt: ") from None

    monkeypatch.setattr("lapwing.cli.compose.account", interrupted)
    assert lapwing("compose", "pure(1)").exit_code == 130


def test_an_interruption_that_was_swallowed_is_still_one(monkeypatch):
    """Code without exceptions of its own may lose a KeyboardInterrupt; the command ends as interrupted all the same."""

    def deaf(*words, **named):
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        return account(*words, **named)

    monkeypatch.setattr("lapwing.cli.compose.account", deaf)
    run = lapwing("compose", "pure(1)")
    assert run.exit_code == 130, run.output


def test_afterwards_the_signal_is_handled_as_before():
    before = signal.getsignal(signal.SIGINT)
    lapwing("compose", "pure(1)")
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.set_wakeup_fd(-1) == -1
