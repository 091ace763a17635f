"""What private inputs and noise can influence: the value of an expression, and the length of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.program import ir, walk

#: Whether private inputs or noise can influence a value; whether the length of a list (which implies the first).
Secret = tuple[bool, bool]
PUBLIC: Secret = (False, False)
SECRET: Secret = (True, True)


@dataclass(slots=True)
class Influence:
    """What is known of the variables so far; everything else follows from it."""

    #: parameters and variables of the mechanism
    secrets: dict[str, Secret] = field(default_factory=dict)
    #: variables of the comprehensions being looked at
    bound: dict[str, Secret] = field(default_factory=dict)

    def countable(self, sequence: ir.Expression) -> ir.Expression | None:
        """The length of a list as an expression that a check can evaluate; ``None`` if there is none.

        It is public, and reads no variable set where private data decide: those may not be there at the check.
        """
        length: ir.Expression
        match sequence:
            case ir.ListOf(elements):
                length = ir.Number(Fraction(len(elements)))
            case ir.Comprehension(_, source, condition):
                ones = ir.Comprehension(ir.ONE, source, condition)
                length = ir.Builtin("len", (ones,))
            case _:
                length = ir.Builtin("len", (sequence,))
        there = not any(all(self.secret(ir.Name(name))) for name in walk.names(length))
        return length if there and not self.secret(sequence)[1] else None

    def secret(self, expression: ir.Expression) -> Secret:
        """What of ``expression`` private inputs or noise can influence."""
        match expression:
            case ir.Name(name):
                return self.bound.get(name) or self.secrets.get(name, SECRET)
            case ir.Builtin("len", (operand,)):
                return (self.secret(operand)[1], False)
            case ir.Index(sequence, index):
                value, length = self.secret(sequence)
                hidden = value or length or self.secret(index)[0]
                return (hidden, hidden)
            case ir.Item(record, _):
                value, _ = self.secret(record)
                return (value, value)
            case ir.Slice(sequence, start, stop):
                value, length = self.secret(sequence)
                moved = any(end is not None and self.secret(end)[0] for end in (start, stop))
                return (value or length or moved, length or moved)
            case ir.ListOf(elements):
                return (any(any(self.secret(element)) for element in elements), False)
            case ir.Comprehension(element, source, condition):
                outer = self.bound
                self.bound = {**outer, **self.steps(source)}
                filtered = condition is not None and self.secret(condition)[0]
                hidden = any(self.secret(element))
                self.bound = outer
                length = self.length(source) or filtered
                return (hidden or length, length)
            case ir.Conditional(condition, then, otherwise):
                picked = self.secret(condition)[0]
                a, b = self.secret(then), self.secret(otherwise)
                return (picked or a[0] or b[0], picked or a[1] or b[1])
        parts = [self.secret(child) for child in walk.children(expression)]  # type: ignore[arg-type]  # expressions
        hidden = any(any(part) for part in parts)
        return (hidden, hidden)

    def steps(self, source: ir.Over | ir.Range) -> Mapping[str, Secret]:
        """What of the variables that ``source`` sets is secret."""
        if isinstance(source, ir.Range):
            start = self.secret(source.start)[0]
            return {source.target: (start, start)}
        found: dict[str, Secret] = {} if source.index is None else {source.index: PUBLIC}
        found.update({name: (SECRET if any(self.secret(value)) else PUBLIC) for name, value in source.items})
        return found

    def length(self, source: ir.Over | ir.Range) -> bool:
        """Whether private data decide how often ``source`` goes round."""
        if isinstance(source, ir.Range):
            return self.secret(source.start)[0] or self.secret(source.stop)[0]
        return any(self.secret(value)[1] for _, value in source.items)


def is_update(target: str, value: ir.Expression) -> bool:
    """Whether a variable gets a list made of its own, element by element: so is ``xs[i] = v`` written."""
    match value:
        case ir.Comprehension(_, ir.Over(((_, ir.Name(name)),)), None):
            return name == target
    return False
