"""Running the IR: the program that is proved is the program that runs."""

from __future__ import annotations

from lapwing.kernel.program import ir
from lapwing.kernel.run import draws
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.machine import Drawing, Program, made

__all__ = ["STEPS", "Meter", "Program", "program"]

#: Steps (statements, rounds, work on very long numbers) after which a run is given up.
STEPS = 10_000_000


def program(module: ir.Module, name: str, draw: Drawing = draws.draw) -> Program:
    """A function that runs a mechanism on exact inputs (one per parameter) and gives its exact answer.

    The answer may hold noisy numbers, whose digits are still open: it is for whoever floors it at once, or drops it.
    ``draw`` is another noise for tests that compare a run with Python's own; nothing else passes one.
    """
    return made(module, name, draw)
