"""Z3, asked such that Ctrl-C is never taken for an answer.

The one idea: left to itself, Z3 catches the signal while it thinks and answers *unknown*, and nobody else hears it.
Here it does not listen; whoever does listen can stop it.
"""

from __future__ import annotations

import z3  # type: ignore[import-untyped]  # z3 ships no type information


def limited_solver(milliseconds: int, *, small_cores: bool = False) -> z3.Solver:
    """A solver that gives up on a question in time, and leaves Ctrl-C to Python."""
    found = z3.Solver()
    found.set("timeout", milliseconds)
    found.set("ctrl_c", False)
    if small_cores:
        found.set("core.minimize", True)
    return found


def stop_thinking() -> None:
    """End the question that is being asked, from another thread; the next one is heard as usual."""
    z3.main_ctx().interrupt()
