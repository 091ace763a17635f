"""Z3, asked such that Ctrl-C is never taken for an answer, and that a busy machine finds what a quiet one does.

Two ideas. Left to itself, Z3 catches the signal while it thinks and answers *unknown*, and nobody else hears it; here
it does not listen, and whoever does listen can stop it. And what limits a question is Z3's own count of its steps,
which is the same on every machine; the clock only ends what those steps do not count.
"""

from __future__ import annotations

import z3  # type: ignore[import-untyped]  # z3 ships no type information

#: Steps that a quiet machine makes in a millisecond at the most, as measured on the corpus: of the solver, of Spacer.
SOLVER, SPACER = 5000, 10000
#: How many times as long a busy machine may take.
PATIENCE = 3


def limited_solver(milliseconds: int, *, small_cores: bool = False) -> z3.Solver:
    """A solver that gives up on a question after what a quiet machine does in this time; Ctrl-C is left to Python."""
    found = z3.Solver()
    found.set("rlimit", SOLVER * milliseconds)
    found.set("timeout", PATIENCE * milliseconds)
    found.set("ctrl_c", False)
    if small_cores:
        found.set("core.minimize", True)
    return found


def limited_spacer(milliseconds: int, seed: int) -> z3.Fixedpoint:
    """Spacer, which gives up after what a quiet machine does in this time: its answer speaks of our own predicates."""
    found = z3.Fixedpoint()
    found.set("engine", "spacer", "spacer.random_seed", seed)
    found.set("rlimit", SPACER * milliseconds, "timeout", PATIENCE * milliseconds)
    found.set("xform.slice", False, "xform.inline_eager", False, "xform.inline_linear", False)
    return found


def stop_thinking() -> None:
    """End the question that is being asked, from another thread; the next one is heard as usual."""
    z3.main_ctx().interrupt()
