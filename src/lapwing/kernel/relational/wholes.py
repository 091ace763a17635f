"""Whole numbers on a path through a program with private values: multiples of draws, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lapwing.kernel.doubt import at
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir
from lapwing.kernel.relational.unfollowed import Unfollowed
from lapwing.kernel.solver import Term

ONE = Quotient.of(1)
#: What is computed of numbers that are known.
_COMPUTED: Mapping[str, Callable[..., int]] = {
    "abs": abs, "min": min, "max": max, "clip": lambda number, low, high: max(low, min(number, high)),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Whole:
    """A number: multiples of draws, and the rest, which no draw has a part in."""

    rest: Term
    draws: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Later:
    """An expression in the state it was assigned in. It is read where it is used: what nobody uses tests nothing."""

    expression: ir.Expression
    state: Mapping[str, Value | Later]


Value = bool | Whole
#: A value that is told, or what is done with the next ones told.
Told = Value | str
#: A condition that was taken, and the value under it.
Case = tuple[tuple[Term, ...], Value]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A uniform draw: its unknown, and the number of its outcomes as a term and as a formula."""

    unknown: Term
    count: Term
    outcomes: Quotient


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program so far."""

    state: Mapping[str, Value | Later]
    facts: tuple[Term, ...] = ()
    chance: Quotient = ONE
    #: formulas that are at least 0 where the path is taken: a run refuses what is no probability
    natural: tuple[Quotient, ...] = ()
    draws: Mapping[str, Drawn] = field(default_factory=dict)
    #: what was told so far
    told: tuple[Told, ...] = ()


@dataclass(slots=True)
class Wholes(Unfollowed):
    """Computes with numbers."""

    def _not_followed(self, kind: str, values: Sequence[Whole], path: Path) -> Whole:
        """A function of numbers, as a secret of its own: the same wherever it is of the same."""
        return Whole(self.unknown((kind, *(self.term(each, path) for each in values))))

    def _multiplied(self, left: Whole, right: Whole, path: Path) -> Whole:
        for one, other in ((left, right), (right, left)):
            if not one.draws and one.rest.isIntegerValue():
                return self._times(other, one.rest.getIntegerValue())
        if left.draws or right.draws:
            return self._not_followed("*", [left, right], path)
        return Whole(self.terms.arithmetic("*", left.rest, right.rest))

    def _divided(self, symbol: str, parts: Sequence[Whole]) -> Whole | None:
        """A quotient or rest of two numbers that are known, rounded down as Python does; None of others."""
        if any(each.draws or not each.rest.isIntegerValue() for each in parts):
            return None
        value, divisor = (each.rest.getIntegerValue() for each in parts)
        if divisor == 0:
            return None
        return Whole(self.terms.number(value // divisor if symbol == "//" else value % divisor))

    def _of(self, function: str, values: list[Whole], node: ir.Expression) -> Whole:
        if any(value.draws for value in values):
            raise at(node, f"{function}(…) of a draw is outside what proofs by enumeration cover")
        rests, terms = [value.rest for value in values], self.terms
        if all(each.isIntegerValue() for each in rests) and (function == "abs" or len(rests) > 1):
            known = [each.getIntegerValue() for each in rests]
            return Whole(terms.number(_COMPUTED[function](*known)))
        match function, rests:
            case "clip", [number, low, high]:
                return Whole(terms.larger(low, terms.smaller(number, high)))
            case "abs", [number]:
                return Whole(terms.magnitude(number))
            case "min", [first, second, *others]:
                return Whole(terms.smaller(first, second, *others))
            case "max", [first, second, *others]:
                return Whole(terms.larger(first, second, *others))
        raise at(node, f"{function} of a list is outside what proofs by enumeration cover")

    def term(self, value: Whole, path: Path) -> Term:
        """A number as a term."""
        found = value.rest
        for key, factor in value.draws:
            product = self.terms.arithmetic("*", self.terms.number(factor), path.draws[key].unknown)
            found = self.terms.arithmetic("+", found, product)
        return found

    def _plus(self, left: Whole, right: Whole) -> Whole:
        draws = dict(left.draws)
        for key, factor in right.draws:
            draws[key] = draws.get(key, 0) + factor
        kept = tuple((key, factor) for key, factor in draws.items() if factor)
        return Whole(self._computed_number("+", left.rest, right.rest), kept)

    def _times(self, value: Whole, factor: int) -> Whole:
        draws = tuple((key, own * factor) for key, own in value.draws if factor)
        return Whole(self._computed_number("*", self.terms.number(factor), value.rest), draws)

    def _computed_number(self, symbol: str, left: Term, right: Term) -> Term:
        """A sum or product; of numbers that stand in the source, the number."""
        if left.isIntegerValue() and right.isIntegerValue():
            one, two = left.getIntegerValue(), right.getIntegerValue()
            return self.terms.number(one + two if symbol == "+" else one * two)
        return self.terms.arithmetic(symbol, left, right)

    def _whole(self, value: Value, node: ir.Expression) -> Whole:
        if not isinstance(value, Whole):
            raise at(node, "a number is expected here")
        return value

    def _truth(self, value: Value, node: ir.Expression) -> bool:
        if not isinstance(value, bool):
            raise at(node, "a truth value is expected here")
        return value
