"""A SELECT whose rows are answers: nothing that happens to them afterwards touches a person's row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.query.expressions import Expression
from lapwing.query.plan import Aggregate, Answer, Order
from lapwing.query.typed import Typed


@dataclass(frozen=True, slots=True)
class Answered:
    """An aggregate, its answers, and what is made of them so far; outputs are expressions over the answers."""

    aggregate: Aggregate
    answers: tuple[Answer, ...]
    outputs: tuple[tuple[str, Typed], ...]
    having: Expression | None
    order: tuple[Order, ...]
    limit: int | None
    offset: int
    notes: tuple[str, ...]
    alias: str = ""

    def called(self, alias: str) -> Answered:
        """The same answers under another name."""
        return replace(self, alias=alias)

    @property
    def cut(self) -> bool:
        """Whether only some of the groups are left, by their order."""
        return self.limit is not None or self.offset > 0
