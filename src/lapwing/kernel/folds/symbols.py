"""Unknowns: what both neighbours share and nothing more is known of, such as released values and public parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lapwing.kernel.folds.values import LEFT, POSITION, RECORD, RIGHT, ROUND, Items, Lost, Number, Parts, Truth, Value
from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.terms import Term


@dataclass(slots=True)
class Symbols:
    """Unknowns, and which of them are whole numbers or truth values; those made on the way are counted."""

    whole: set[str] = field(default_factory=lambda: {POSITION})
    truths: set[str] = field(default_factory=set)
    #: what nothing is known of, but that each record has its own of
    own: set[str] = field(default_factory=set)
    count: int = 0

    def named(self, name: str, kind: ir.Type) -> Value:
        """The unknown of this name and type."""
        match kind:
            case ir.Real() | ir.Integer():
                whole = kind == ir.Integer()
                if whole:
                    self.whole.add(name)
                return Number(ir.Name(name), whole=whole)
            case ir.Boolean():
                self.truths.add(name)
                return Truth(ir.Name(name))
            case ir.Tuple(elements):
                return Parts(tuple(self.named(f"{name}.{i}", each) for i, each in enumerate(elements)))
            case ir.List(element):
                self.whole.add(f"{name}.len")
                return Items(
                    ir.Name(f"{name}.len"), lambda at: self.placed(ir.Name(name), element, at), everywhere=True
                )
        return Lost(f"'{name}' is not followed")

    def placed(self, sequence: Term, kind: ir.Type, place: Term) -> Value:
        """What a list of unknowns has at a place, by which they are told apart; of a tuple, one for each part."""
        found = ir.Index(sequence, place, kind)
        match kind, sequence:
            case ((ir.Real() | ir.Integer()), _):
                return Number(found, whole=kind == ir.Integer())
            case ir.Boolean(), _:
                return Truth(found)
            case ir.Tuple(elements), ir.Name(name):
                parts = (self.placed(ir.Name(f"{name}.{at}"), each, place) for at, each in enumerate(elements))
                return Parts(tuple(parts))
            case ir.List(inner), ir.Name(name):
                length = ir.Index(ir.Name(f"{name}.len"), place, ir.Integer())
                return Items(length, lambda at: self.placed(found, inner, at), everywhere=True)
        return Lost("elements of this list of lists are not followed")

    def any(self, stem: str, kind: ir.Type | None) -> Value:
        """Any value of a type: whenever it is looked at, it may be another."""
        if isinstance(kind, ir.List):
            inner = kind.element
            return Items(self.number("length", whole=True), lambda _place: self.any(stem, inner), everywhere=True)
        self.count += 1
        return Lost(f"'{stem}' is not followed") if kind is None else self.named(f"%~{self.count}.{stem}.", kind)

    def number(self, stem: str, *, whole: bool = False) -> Term:
        """Any number."""
        self.count += 1
        name = f"%~{self.count}.{stem}"
        if whole:
            self.whole.add(name)
        return ir.Name(name)

    def truth(self, stem: str) -> Term:
        """Any truth value."""
        self.count += 1
        self.truths.add(name := f"%~{self.count}.{stem}")
        return ir.Name(name)

    def another(self, name: str) -> Term:
        """An unknown of the same type."""
        if name in self.truths:
            return self.truth("another")
        return self.number("another", whole=name in self.whole)

    def of_record(self) -> Term:
        """A truth value of a record, whichever: what it does that depends on the records before and after it."""
        self.count += 1
        name = f"{RECORD}.~{self.count}"
        self.truths.add(name)
        self.own.add(name)
        return ir.Name(name)

    def own_value(self, kind: ir.Type) -> Value:
        """Any value of a record's own: of another record it may be another, and so it may in another round."""
        self.count += 1
        self.own |= set(fields(name := f"{RECORD}.~{self.count}", kind))
        return self.named(name, kind)

    def like(self, value: Value) -> Value:
        """Any value of the same shape."""
        match value:
            case Number(whole=whole):
                return Number(self.number("some", whole=whole), whole=whole)
            case Truth():
                return self.any("some", ir.Boolean())
            case Parts(values):
                return Parts(tuple(map(self.like, values)))
        return Lost("an element of this list is not followed")

    def round(self) -> str:
        """The number of some round of a loop."""
        self.count += 1
        self.whole.add(f"{ROUND}{self.count}")
        return f"{ROUND}{self.count}"


def age(name: str) -> int:
    """When an unknown was made, also one of a record: a number that grows; 0 for those that were there before."""
    found = re.match(rf"(?:%|{RECORD}\.)[#~](\d+)", name)
    return 0 if found is None else int(found[1])


def is_length(name: str) -> bool:
    """Whether an unknown is how long a list is, so not below 0: a parameter, or one inside a record."""
    return name.startswith("len(") or (name.endswith(".len") and name.startswith((f"{LEFT}.", f"{RIGHT}.")))


def fields(name: str, kind: ir.Type) -> Iterator[str]:
    """The names of all that is in a record, as symbols have them: of a tuple, however deep, those of its parts."""
    match kind:
        case ir.Tuple(elements):
            for position, each in enumerate(elements):
                yield from fields(f"{name}.{position}", each)
        case ir.List(inner):
            yield f"{name}.len"
            yield from fields(name, inner)
        case _:
            yield name
