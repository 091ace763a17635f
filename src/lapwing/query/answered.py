"""A SELECT whose rows are answers: nothing that happens to them afterwards touches a person's row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.query.expressions import Column, Expression
from lapwing.query.names import Binding, Scope
from lapwing.query.plan import Aggregate, Answer, Order
from lapwing.query.sheets import Base, Gather, Meet, Sheet, View
from lapwing.query.typed import Typed


@dataclass(frozen=True, slots=True)
class Told:
    """An aggregate of people, its answers, and what a reader must know of them."""

    aggregate: Aggregate
    answers: tuple[Answer, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """Aggregates, their answers, and what is made of them so far.

    Without a ``sheet`` there is one aggregate, and outputs are expressions over its answers. With one, outputs are
    columns of the sheet, and everything else has happened there.
    """

    parts: tuple[Told, ...]
    outputs: tuple[tuple[str, Typed], ...]
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    alias: str = ""
    sheet: Sheet | None = None
    #: what names mean on a sheet that was joined; empty: the outputs, under the alias
    bindings: tuple[Binding, ...] = ()
    merged: frozenset[str] = frozenset()

    def called(self, alias: str) -> Answered:
        """The same answers under another name."""
        return replace(self, alias=alias, bindings=(), merged=frozenset())

    @property
    def cut(self) -> bool:
        """Whether only some of the groups are left, by their order."""
        return self.limit is not None or self.offset > 0

    @property
    def scope(self) -> Scope:
        """What names mean on the columns of its sheet."""
        own = Binding(self.alias, tuple((name, name) for name, _ in self.outputs))
        return Scope(self.bindings or (own,), {name: value.type for name, value in self.outputs}, self.merged)

    @property
    def single(self) -> bool:
        """Whether there is one row at most, whatever the data are."""
        sheet = self.on_sheet().sheet
        assert sheet is not None  # noqa: S101  # it is on one now
        return one_row(sheet, self.parts)

    def on_sheet(self) -> Answered:
        """The same with everything that was made of the answers on a sheet."""
        if self.sheet is not None:
            return self
        outputs = tuple((name, value.expression) for name, value in self.outputs)
        sheet = View(Base(0), self.having, (), outputs, None, self.order, self.limit, self.offset)
        return replace(
            self,
            sheet=sheet,
            outputs=tuple((name, Typed(Column(name), value.type)) for name, value in self.outputs),
            having=None,
            order=(),
            limit=None,
            offset=0,
        )


def one_row(sheet: Sheet, parts: tuple[Told, ...]) -> bool:
    """Whether a sheet has one row at most."""
    match sheet:
        case Base(part):
            return not parts[part].aggregate.keys
        case View(source):
            return sheet.limit in (0, 1) or one_row(source, parts)
        case Gather():
            return not sheet.keys
        case Meet(first, second):
            return one_row(first, parts) and one_row(second, parts)
        case _:
            return False


def put_together(first: tuple[Told, ...], second: tuple[Told, ...]) -> tuple[tuple[Told, ...], dict[int, int]]:
    """The aggregates of two, each once, and the numbers that those of the second have among them."""
    found = list(first)
    numbers = {}
    for at, each in enumerate(second):
        if each not in found:
            found.append(each)
        numbers[at] = found.index(each)
    return tuple(found), numbers
