"""Inequalities between public formulas with logarithms: is one margin at least another, for all parameters.

The one idea: a logarithm of a product is a sum, so every formula becomes a sum of products of parameters, their
logarithms and powers, and equal formulas become equal sums. What is left of a difference is often nothing, or a sum of
terms that are not negative; otherwise a solver is asked, to which a logarithm is a number of known sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, isqrt, lcm

from lapwing.algebra.balls import ball, enclose
from lapwing.kernel.coefficients import added, multiplied
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.solver import Term, Terms

#: Names of unknowns to powers, in order.
Monomial = tuple[tuple[str, int], ...]
#: Larger formulas than any bound has.
MAX_TERMS, MAX_POWER = 300, 8
#: Numbers up to this are taken apart into primes; the logarithm of a larger one is an unknown of its own.
MAX_FACTORED = 10**6


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of monomials with coefficients other than 0."""

    terms: Mapping[Monomial, Fraction]

    @staticmethod
    def of(value: Fraction | int) -> Sum:
        """A number."""
        return Sum({(): Fraction(value)} if value else {})

    @staticmethod
    def name(name: str, power: int = 1) -> Sum:
        """An unknown to a power."""
        return Sum({((name, power),): Fraction(1)})

    @property
    def number(self) -> Fraction | None:
        """The number it is, if it is one."""
        return None if set(self.terms) - {()} else self.terms.get((), Fraction(0))

    @property
    def key(self) -> str:
        """The same text for the same sum."""
        return " + ".join(f"{self.terms[each]}*{each}" for each in sorted(self.terms))

    def __add__(self, other: Sum) -> Sum:
        return Sum(added(self.terms, other.terms))

    def __neg__(self) -> Sum:
        return Sum({monomial: -factor for monomial, factor in self.terms.items()})

    def __sub__(self, other: Sum) -> Sum:
        return self + -other

    def __mul__(self, other: Sum) -> Sum:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise Unproved("a formula is larger than any bound should be")
        return Sum(multiplied(self.terms, other.terms, _times))


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    if any(abs(power) > MAX_POWER for power in powers.values()):
        raise Unproved("a formula has larger powers than any bound should")
    return tuple(sorted((name, power) for name, power in powers.items() if power))


@dataclass(slots=True)
class Logarithms:
    """Public formulas of one mechanism as sums, and questions about them."""

    terms: Terms
    #: unknowns by name, with whether they are whole numbers
    names: Mapping[str, bool]
    #: what the names of sums, logarithms, roots and exponentials stand for
    _facts: list[tuple[str, Sum]] = field(default_factory=list)
    _meaning: dict[str, tuple[str, Sum]] = field(default_factory=dict)
    _signs: dict[str, int] = field(default_factory=dict)
    #: what logarithms were taken of
    _taken: list[Sum] = field(default_factory=list)

    def know(self, symbol: str, value: Sum) -> None:
        """State that ``value symbol 0``, with symbol ``>`` or ``>=``."""
        self._facts.append((symbol, value))
        self._signs.clear()

    # --- reading --------------------------------------------------------------------------------------------

    def read(self, node: ir.Expression, meanings: Callable[[ir.Expression], Sum | None] = lambda _: None) -> Sum:
        """A formula as a sum; ``meanings`` may know better what a part of it is."""
        known = meanings(node)
        if known is not None:
            return known
        match node:
            case ir.Number(value):
                return Sum.of(value)
            case ir.Name(name) if name in self.names:
                return Sum.name(name)
            case ir.Builtin("len", (ir.Name(name),)) if f"len({name})" in self.names:
                return Sum.name(f"len({name})")
            case ir.Negate(operand):
                return -self.read(operand, meanings)
            case ir.Arithmetic("+", left, right):
                return self.read(left, meanings) + self.read(right, meanings)
            case ir.Arithmetic("-", left, right):
                return self.read(left, meanings) - self.read(right, meanings)
            case ir.Arithmetic("*", left, right):
                return self.read(left, meanings) * self.read(right, meanings)
            case ir.Arithmetic("/", left, right):
                return self.read(left, meanings) * self.inverse(self.read(right, meanings))
            case ir.Builtin("ln", (operand,)):
                return self.logarithm(self.read(operand, meanings))
            case ir.Builtin("exp", (operand,)):
                return Sum.name(self._name("exp", self.read(operand, meanings)))
            case ir.Builtin("sqrt", (operand,)):
                return self.root(self.read(operand, meanings))
        raise Unproved(f"{show(node)[:60]!r} is not a formula over public parameters")

    def inverse(self, value: Sum) -> Sum:
        """1 / value."""
        if not value.terms:
            raise Unproved("a formula divides by zero")
        factor, monomial, rest = _factored(value)
        inverse = Sum({tuple((name, -power) for name, power in monomial): 1 / factor})
        return inverse if rest.number == 1 else inverse * Sum.name(self._name("sum", rest), -1)

    def logarithm(self, value: Sum) -> Sum:
        """ln(value), taken apart into logarithms of primes, parameters and sums."""
        if not value.terms:
            raise Unproved("a formula takes the logarithm of 0")
        factor, monomial, rest = _factored(value)
        if factor < 0:
            raise Unproved("a formula takes the logarithm of a number that is not above 0")
        self._taken += [rest, *(Sum.name(name) for name, _ in monomial)]
        total = self._of_number(factor.numerator) - self._of_number(factor.denominator)
        if rest.number != 1:
            total = total + Sum.name(self._name("ln", rest))
        for name, power in monomial:
            kind, inner = self._meaning.get(name, ("", Sum.name(name)))
            part = inner if kind == "exp" else Sum.name(self._name("ln", inner if kind == "sum" else Sum.name(name)))
            total = total + Sum.of(power) * part
        return total

    def _of_number(self, value: int) -> Sum:
        if value > MAX_FACTORED:
            return Sum.name(self._name("ln", Sum.of(value)))
        total = Sum.of(0)
        for prime in range(2, isqrt(value) + 1):
            while value % prime == 0:
                total, value = total + Sum.name(self._name("ln", Sum.of(prime))), value // prime
        return total if value == 1 else total + Sum.name(self._name("ln", Sum.of(value)))

    def root(self, value: Sum) -> Sum:
        """The square root of value."""
        return Sum.name(self._name("sqrt", value))

    def _name(self, kind: str, inner: Sum) -> str:
        name = f"{kind}:{inner.key}"
        self._meaning[name] = (kind, inner)
        return name

    # --- asking ---------------------------------------------------------------------------------------------

    def confirm_logarithms(self) -> None:
        """Refuse unless everything a logarithm was taken of is above 0, so that products could be taken apart."""
        for each in {value.key: value for value in self._taken}.values():
            cleared, _ = self._cleared(each)
            if not self.holds(each, above=True):
                raise Unproved(f"a formula takes the logarithm of what may not be above 0: {_shown(cleared)}")

    def holds(self, value: Sum, *, above: bool = False) -> bool:
        """Whether ``value`` is at least 0 (or ``above`` it) wherever the known facts hold and formulas are defined."""
        cleared, divisors = self._cleared(value)
        if divisors and not all(self.holds(each, above=True) for each in divisors):
            return False
        if not cleared.terms:
            return not above
        if not above and all(self._is_positive(monomial, factor) for monomial, factor in cleared.terms.items()):
            return True
        return self._entailed(cleared, ">" if above else ">=")

    def _is_positive(self, monomial: Monomial, factor: Fraction) -> bool:
        """Whether a product is not negative, as the signs of its factors show."""
        sign = 1 if factor > 0 else -1
        for name, power in monomial:
            if power % 2:
                sign *= self._sign(name)
        return sign == 1

    def _sign(self, name: str) -> int:
        """1 or -1 for an unknown that is known to be at least or at most 0; 0 if neither is known."""
        if name not in self._signs:
            up = self._entailed(Sum.name(name), ">=")
            self._signs[name] = 1 if up else -1 if self._entailed(-Sum.name(name), ">=") else 0
        return self._signs[name]

    def _entailed(self, value: Sum, symbol: str) -> bool:
        unknowns, facts = self._unknowns([value])
        goal = self.terms.compare(symbol, self.terms.polynomial(value.terms, unknowns), self.terms.number(0))
        return self.terms.entailed(facts, goal, "QF_NRA")

    def _cleared(self, value: Sum) -> tuple[Sum, list[Sum]]:
        """``value`` times its divisors, and these, as often as they occur: the same sign where all are above 0."""
        divisors: list[Sum] = []
        while True:
            lowest: dict[str, int] = {}
            for monomial in value.terms:
                for name, power in monomial:
                    if power < 0:
                        lowest[name] = min(power, lowest.get(name, 0))
            if not lowest:
                return value, divisors
            name, power = min(lowest.items())
            kind, inner = self._meaning.get(name, ("", Sum.name(name)))
            base = inner if kind == "sum" else Sum.name(name)
            divisors += [base] * -power
            total = Sum.of(0)
            for monomial, factor in value.terms.items():
                part = Sum({tuple(each for each in monomial if each[0] != name): factor})
                for _ in range(dict(monomial).get(name, 0) - power):
                    part = part * base
                total = total + part
            value = total

    def _unknowns(self, sums: list[Sum]) -> tuple[dict[str, Term], list[Term]]:
        """A term for every name, and what is known of all of them."""
        stated: list[tuple[str, Sum]] = []
        for symbol, fact in self._facts:
            whole, divisors = self._cleared(fact)
            for each in divisors:  # v and v·d² have one sign
                whole = whole * each
            stated.append((symbol, whole))
        found: dict[str, Term] = {}
        waiting = [*sums, *(fact for _, fact in stated)]
        while waiting:
            for name in _names(waiting.pop()):
                if name not in found:
                    found[name] = self.terms.fresh(ir.Real(), name.split(":")[0])
                    if name in self._meaning:
                        waiting.append(self._meaning[name][1])
        terms, zero = self.terms, self.terms.number(0)
        facts = [terms.compare(symbol, self.terms.polynomial(fact.terms, found), zero) for symbol, fact in stated]
        for name, term in found.items():
            facts += self._about(name, term, found)
            if name.startswith("len("):
                facts.append(terms.compare(">=", term, zero))
        return found, facts

    def _about(self, name: str, term: Term, found: dict[str, Term]) -> list[Term]:
        """What is known of a logarithm, root, exponential or sum."""
        terms, zero, one = self.terms, self.terms.number(0), self.terms.number(1)
        kind, inner = self._meaning.get(name, ("", Sum.of(0)))
        if kind in ("sqrt", "exp"):
            return [terms.compare(">=" if kind == "sqrt" else ">", term, zero)]
        if kind == "sum":
            return [terms.compare("==", term, self.terms.polynomial(inner.terms, found))]
        if kind != "ln":
            return []
        value = inner.number
        if value is not None:
            interval = enclose(lambda: ball(value).log())
            return [
                terms.compare("<=", terms.number(interval.lower, real=True), term),
                terms.compare("<=", term, terms.number(interval.upper, real=True)),
            ]
        if any(power < 0 for monomial in inner.terms for _, power in monomial):
            return []
        argument = self.terms.polynomial(inner.terms, found)
        return [
            terms.implies(terms.compare(">=", argument, one), terms.compare(">=", term, zero)),
            terms.implies(terms.compare("<=", argument, one), terms.compare("<=", term, zero)),
        ]


def _names(value: Sum) -> list[str]:
    return [name for monomial in value.terms for name, _ in monomial]


def _factored(value: Sum) -> tuple[Fraction, Monomial, Sum]:
    """A number, a product of unknowns and a sum with nothing in common, whose product is ``value``."""
    powers = [dict(monomial) for monomial in value.terms]
    common = {name: min(each.get(name, 0) for each in powers) for name in {n for each in powers for n in each}}
    monomial = tuple(sorted((name, power) for name, power in common.items() if power))
    first = value.terms[min(value.terms)]
    factors = list(value.terms.values())
    size = Fraction(gcd(*(each.numerator for each in factors)), lcm(*(each.denominator for each in factors)))
    factor = size if first > 0 else -size
    undo = Sum({tuple((name, -power) for name, power in monomial): 1 / factor})
    return factor, monomial, value * undo


def _shown(value: Sum) -> str:
    return ", ".join(sorted({name.split(":")[0] for name in _names(value)})) or "a number"
