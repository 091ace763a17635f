"""Unknowns: what both neighbours share and nothing more is known of, such as released values and public parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lapwing.kernel.folds.values import RECORD, ROUND, Items, Lost, Number, Parts, Truth, Value
from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.terms import Term


@dataclass(slots=True)
class Symbols:
    """Unknowns, and which of them are whole numbers or truth values; those made on the way are counted."""

    whole: set[str] = field(default_factory=set)
    truths: set[str] = field(default_factory=set)
    #: truth values that nothing is known of, but that each record has its own
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
        return Lost(f"'{name}' is a list of lists, which is not followed")

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
