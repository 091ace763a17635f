"""What a proof has to show: formulas that follow where they stand, and invariants that hold wherever a loop begins."""

from __future__ import annotations

from dataclasses import dataclass

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program.spans import Span
from lapwing.search.privacy.encoding import Scope


@dataclass(frozen=True, slots=True)
class Obligation:
    """``formula`` must follow from ``facts``."""

    facts: tuple[z3.BoolRef, ...]
    formula: z3.BoolRef
    reason: str
    span: Span
    #: the loop whose invariant may be assumed
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A way to the head of ``loop``: given ``facts`` and the invariant of ``after``, its own must hold in ``scope``.

    With the name of a list: a way to append to it, of which what holds of its elements must hold.
    """

    loop: int | str
    facts: tuple[z3.BoolRef, ...]
    scope: Scope
    after: int | None
