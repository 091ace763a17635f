"""A process killed at any moment leaves the ledger intact, and no receipt without its charge."""

import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

import lapwing.ledger
from lapwing.algebra.measures import PureDP
from lapwing.errors import InvalidInput, LapwingError
from lapwing.ledger import Ledger, Part
from lapwing.ledger.stores import sqlite as store_module
from tests.ledger.making import ask, fresh_ledger, own_folder, policy

#: The files that touch the database; between two of their lines the others only compute.
FILES = {str(Path(lapwing.ledger.__file__).parent / name) for name in ("ledger.py", "charging.py", "store.py")}
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")


def at_line(number, act):
    """A trace function that acts when that many lines of the ledger's code are about to run."""
    seen = 0

    def trace(frame, event, _):
        nonlocal seen
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            seen += 1
            if seen == number:
                act()
        return trace

    trace.seen = lambda: seen
    return trace


def lines_of(action):
    counter = at_line(-1, None)
    sys.settrace(counter)
    try:
        action()
    finally:
        sys.settrace(None)
    return counter.seen()


def killed_at(number, action):
    """Runs the action in a child that is killed at that line; returns what it had said before: b"" or b"done"."""
    listen, speak = os.pipe()
    child = os.fork()
    if child == 0:
        sys.settrace(at_line(number, lambda: os.kill(os.getpid(), signal.SIGKILL)))
        action()
        sys.settrace(None)
        os.write(speak, b"done")
        os._exit(0)
    os.close(speak)
    _, status = os.waitpid(child, 0)
    with os.fdopen(listen, "rb") as pipe:
        said = pipe.read()
    assert said == b"done" or os.WTERMSIG(status) == signal.SIGKILL
    return said


def test_killed_at_every_line_of_a_charge():
    part = Part("people", "city", "Ghent", parent=Part("people", "sex", "F"))
    with fresh_ledger(1000, "1e-6", [("ann", 1000, "1e-6")]) as ledger:
        ask(ledger, PureDP("0.25"), partition=part)
        count = lines_of(lambda: ask(ledger, PureDP("0.25"), partition=part))
        assert count > 50
        outcomes = set()
        for number in range(1, count + 2):
            before = len(ledger.entries())
            said = killed_at(number, lambda: ask(ledger, PureDP("0.001"), partition=part))
            chain = ledger.verify()
            assert chain.intact, chain.reason
            charged = chain.entries - before
            assert charged in (0, 1)
            assert charged == 1 or said == b""  # a receipt means a charge; a charge need not mean a receipt
            outcomes.add((charged, said))
        assert outcomes == {(0, b""), (1, b""), (1, b"done")}
        spent = ledger.accounts()[0].spent.epsilon
        assert spent == Fraction(1, 2) + Fraction(len(ledger.entries()) - 3, 1000)


def test_killed_at_every_line_of_a_look_and_of_keeping_its_release():
    with fresh_ledger() as ledger:
        for action in ("redeem", "keep"):
            perform = {"redeem": Ledger.redeem, "keep": lambda ledger, receipt: ledger.keep(receipt, "{}")}[action]
            first = ask(ledger, PureDP("1/1000"))
            count = lines_of(lambda perform=perform, first=first: perform(ledger, first))
            for number in range(1, count + 1):
                receipt = ask(ledger, PureDP("1/1000"))
                killed_at(number, lambda perform=perform, receipt=receipt: perform(ledger, receipt))
                assert ledger.verify().intact
                assert ledger.confirms(receipt)


def test_killed_at_every_line_of_its_making():
    with own_folder() as folder:
        path = folder / "first"
        count = lines_of(lambda: Ledger.create(path, policy()))
        for number in range(1, count + 1, 3):
            path = folder / f"{number}.lapwing.ledger"
            killed_at(number, lambda path=path: Ledger.create(path, policy()))
            try:
                ledger = Ledger.open(path)
            except InvalidInput:  # no file, or an empty one, which may be made again
                ledger = Ledger.create(path, policy())
            assert ledger.verify().intact
            assert ask(ledger, PureDP(1)).remaining.epsilon == 0


def test_killed_at_any_moment_inside_the_database():
    with fresh_ledger(1, 0, [("ann", 1, 0)]) as ledger:
        given = 0
        for round_number in range(40):
            listen, speak = os.pipe()
            child = os.fork()
            if child == 0:
                while True:
                    ask(ledger, PureDP("1/100000"))
                    os.write(speak, b".")
            os.close(speak)
            time.sleep(0.02 + 0.00137 * round_number)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            with os.fdopen(listen, "rb") as pipe:
                given += len(pipe.read())
        chain = ledger.verify()
        assert chain.intact
        charges = chain.entries - 1
        assert given > 40
        assert given <= charges <= given + 40
        assert ledger.accounts()[0].spent.epsilon == Fraction(charges, 100000)


def half_written(path):
    """A child writes a large transaction into the file itself and dies before it commits."""
    child = os.fork()
    if child == 0:
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA cache_size = 2")
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE secret SET key = zeroblob(32)")
        db.executemany("INSERT INTO releases VALUES (?, ?)", [(1000 + number, "x" * 4000) for number in range(300)])
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_write_that_was_cut_short_is_undone_by_the_next_to_come():
    with fresh_ledger() as ledger:
        ask(ledger, PureDP("0.1"))
        size = ledger.path.stat().st_size
        secret = ledger.secret("x")
        half_written(ledger.path)
        assert ledger.path.stat().st_size > size  # the file holds half of it
        assert ledger.path.with_name(ledger.path.name + "-journal").stat().st_mode & 0o077 == 0
        assert ledger.verify().intact
        assert ledger.secret("x") == secret
        assert ledger.remaining("ann").epsilon == Fraction(9, 10)


def test_a_reader_who_may_not_write_says_so_instead_of_reading_half(monkeypatch):
    with fresh_ledger() as ledger:
        half_written(ledger.path)
        monkeypatch.setattr(store_module.os, "access", lambda *_: False)
        with pytest.raises(LapwingError, match="L106"):
            ledger.verify()
        monkeypatch.undo()
        assert ledger.verify().intact


def test_an_error_in_the_middle_leaves_nothing_behind(monkeypatch):
    with fresh_ledger() as ledger:
        before = ledger.entries()
        part = Part("people", "sex", "F")

        def failing(*_):
            raise MemoryError

        monkeypatch.setattr("lapwing.ledger.charging.append", failing)
        with pytest.raises(MemoryError):
            ask(ledger, PureDP("0.1"), partition=part)
        monkeypatch.undo()
        assert ledger.entries() == before
        assert ledger.verify().intact
        with closing(sqlite3.connect(ledger.path)) as db:
            assert db.execute("SELECT count(*) FROM balances").fetchone() == (0,)
