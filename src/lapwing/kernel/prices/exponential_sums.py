"""Inequalities between public formulas with exponentials and logarithms: is one at most the other, for all parameters.

The one idea: a formula is a sum of numbers times powers of parameters times e to a sum of such products; so products of
exponentials are one exponential, and e^ln(x) is x. In an inequality the exponents are written over a few directions d,
and e^(d/n) is an unknown y of which only true things are said: y > 0, y >= 1 + d/n, y (1 - d/n) <= 1, and on which side
of 1 it is where the sign of d is known. What is left is a polynomial inequality, which the solver decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from flint import arb

from lapwing.algebra.balls import ball, enclose
from lapwing.kernel.coefficients import added
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.directions import Vector, spanned
from lapwing.kernel.prices.named_powers import about_named
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term

#: Names of parameters, ``ln:`` of them or of primes, and primes after ``#``, to rational powers, in order.
Powers = tuple[tuple[str, Fraction], ...]
#: What e is raised to: numbers by powers.
Exponent = tuple[tuple[Powers, Fraction], ...]
#: Larger formulas than any bound has, and larger numbers to take apart into primes.
MAX_TERMS, MAX_POWER, MAX_PRIME = 60, 60, 10**6
#: Higher powers than the solver decides in its time: of a question, and of a root in it.
MAX_DEGREE = 36
#: The same of the degree of a question times its unknowns: the solver's own limit of time does not always end it.
MAX_SIZE = 48
#: Larger powers of e than any bound has; to compute with them would take the checker's time and memory.
MAX_EXPONENT = 10_000
NOTHING: Exponent = ()


@dataclass(frozen=True, slots=True)
class Exponentials:
    """A sum of number · powers · e^exponent."""

    terms: Mapping[tuple[Powers, Exponent], Fraction]

    @staticmethod
    def of(value: Fraction | int) -> Exponentials:
        """A number."""
        return Exponentials({((), NOTHING): Fraction(value)} if value else {})

    @staticmethod
    def power(name: str, power: Fraction | int = 1) -> Exponentials:
        """An unknown to a power."""
        return Exponentials({(((name, Fraction(power)),), NOTHING): Fraction(1)})

    @property
    def single(self) -> tuple[Powers, Exponent, Fraction]:
        """The one product that it is; refuses sums and 0."""
        if len(self.terms) != 1:
            raise Unproved("a formula divides by a sum, or takes its logarithm or root")
        (((powers, exponent), factor),) = self.terms.items()
        return powers, exponent, factor

    def __add__(self, other: Exponentials) -> Exponentials:
        return Exponentials(added(self.terms, other.terms))

    def __neg__(self) -> Exponentials:
        return Exponentials({each: -factor for each, factor in self.terms.items()})

    def __sub__(self, other: Exponentials) -> Exponentials:
        return self + -other

    def __mul__(self, other: Exponentials) -> Exponentials:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise Unproved("a formula is larger than any bound should be")
        found: dict[tuple[Powers, Exponent], Fraction] = {}
        for (powers, exponent), factor in self.terms.items():
            for (others, more), by in other.terms.items():
                product, size = _times(powers, others)
                both = product, tuple(sorted(added(dict(exponent), dict(more)).items()))
                found[both] = found.get(both, Fraction(0)) + factor * by * size
        return Exponentials({each: factor for each, factor in found.items() if factor})

    def to(self, power: Fraction) -> Exponentials:
        """One product to a power; whether that is defined is the caller's care."""
        powers, exponent, factor = self.single
        if factor < 0 and power != -1:
            raise Unproved("a formula takes a root of a number below 0")
        raised = {name: each * power for name, each in powers}
        size = Exponentials.of(factor ** int(power)) if power.denominator == 1 else _of_primes(factor, power)
        more = tuple((each, by * power) for each, by in exponent)
        return Exponentials({(tuple(sorted(raised.items())), more): Fraction(1)}) * size

    def exp(self) -> Exponentials:
        """The power of e: a logarithm alone, times a number, becomes what it was taken of to that power."""
        found = Exponentials.of(1)
        exponent: dict[Powers, Fraction] = {}
        for (powers, inner), factor in self.terms.items():
            if inner:
                raise Unproved("a formula has an exponential of an exponential")
            match powers:
                case ((name, power),) if name.startswith("ln:") and power == 1:
                    found = found * Exponentials.power(name.removeprefix("ln:"), factor)
                case _:
                    exponent[powers] = factor
        return found * Exponentials({((), tuple(sorted(exponent.items()))): Fraction(1)})

    def logarithm(self) -> Exponentials:
        """The logarithm of one product, whose parts the caller knows to be above 0."""
        powers, exponent, factor = self.single
        if factor < 0:
            raise Unproved("a formula takes the logarithm of a number that is not above 0")
        found = Exponentials({(each, NOTHING): by for each, by in exponent})
        for name, power in (*powers, *_primes(factor)):
            found = found + Exponentials.of(power) * Exponentials.power(f"ln:{name}")
        return found


def _times(left: Powers, right: Powers) -> tuple[Powers, Fraction]:
    """The product, and a number that it is to be multiplied with: whole powers of primes."""
    powers, size = added(dict(left), dict(right)), Fraction(1)
    if any(abs(power) > MAX_POWER or power.denominator > MAX_POWER for power in powers.values()):
        raise Unproved("a formula has larger powers than any bound should")
    for name, power in list(powers.items()):
        if name.startswith("#"):
            whole = power.numerator // power.denominator
            size *= Fraction(int(name[1:])) ** whole
            powers[name] = power - whole
    return tuple(sorted((name, power) for name, power in powers.items() if power)), size


def _primes(value: Fraction) -> list[tuple[str, Fraction]]:
    """A number above 0 as powers of primes."""
    found: list[tuple[str, Fraction]] = []
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        if number > MAX_PRIME:
            raise Unproved("a number under a root or a logarithm is larger than any bound has")
        prime, left = 2, number
        while left > 1:
            prime = next(each for each in range(prime, left + 1) if left % each == 0)
            count = 0
            while left % prime == 0:
                left, count = left // prime, count + 1
            found.append((f"#{prime}", Fraction(sign * count)))
    return found


def _of_primes(value: Fraction, power: Fraction) -> Exponentials:
    found = Exponentials.of(1)
    for name, count in _primes(value):
        found = found * Exponentials.power(name, count * power)
    return found


@dataclass(slots=True)
class Comparing:
    """Formulas of one mechanism, and questions about them. ``positive`` are known to be above 0 besides."""

    parameters: Parameters
    positive: tuple[Quotient, ...] = ()
    #: what further words stand for, such as ``width(2)``
    words: Mapping[ir.Expression, Exponentials] = field(default_factory=dict)

    def read(self, node: ir.Expression) -> Exponentials:
        """A formula over public parameters, with ``exp``, ``ln`` and ``sqrt``."""
        known = self.words.get(node)
        if known is not None:
            return known
        match node:
            case ir.Number(value):
                return Exponentials.of(value)
            case ir.Negate(operand):
                return -self.read(operand)
            case ir.Arithmetic("+", left, right):
                return self.read(left) + self.read(right)
            case ir.Arithmetic("-", left, right):
                return self.read(left) - self.read(right)
            case ir.Arithmetic("*", left, right):
                return self.read(left) * self.read(right)
            case ir.Arithmetic("/", left, right):
                return self.read(left) * self.defined(self.read(right), node).to(Fraction(-1))
            case ir.Builtin("exp", (operand,)):
                return self.read(operand).exp()
            case ir.Builtin("ln" | "log", (operand,)):
                return self.defined(self.read(operand), node).logarithm()
            case ir.Builtin("sqrt", (operand,)):
                return self.defined(self.read(operand), node).to(Fraction(1, 2))
            case ir.Builtin("len", (ir.Name(name),)) if f"len({name})" in self.parameters.names:
                return Exponentials.power(f"len({name})")
            case ir.Name(name) if name in self.parameters.names:
                return Exponentials.power(name)
        raise at(node, "this is not a formula over public parameters")

    def of(self, value: Quotient) -> Exponentials:
        """A quotient of polynomials; its divisor is one product of parameters above 0."""
        above, below = (
            Exponentials({(tuple((n, Fraction(p)) for n, p in each), NOTHING): f for each, f in part.terms.items()})
            for part in (value.above, value.below)
        )
        return above * self.defined(below, None).to(Fraction(-1))

    def defined(self, value: Exponentials, node: ir.Node | None) -> Exponentials:
        """``value``, a product whose parameters are all above 0: it may be divided by, and have a logarithm or root."""
        for name, _ in value.single[0]:
            if not name.startswith("#") and not self.at_least_zero(Exponentials.power(name), strictly=True):
                problem = f"'{name}' is not known to be above 0: say so with an assert"
                raise Unproved(problem) if node is None else at(node, problem)
        return value

    def at_most(self, left: Exponentials, right: Exponentials) -> bool:
        """Whether ``left`` is at most ``right`` for all public parameters that satisfy the asserts."""
        return self.at_least_zero(right - left)

    def at_least_zero(self, value: Exponentials, *, strictly: bool = False) -> bool:
        """Whether ``value`` is at least 0, or above it."""
        if not value.terms:
            return not strictly
        terms = self.parameters.terms
        for order in (1, 3):  # a question with few facts is answered sooner
            unknowns = self.parameters.unknowns()
            facts = [*self.parameters.known(unknowns, self.positive)]
            polynomial = self._without_exponentials(value, unknowns, facts, order)
            goal = terms.compare(">" if strictly else ">=", terms.polynomial(polynomial, unknowns), terms.number(0))
            if terms.entailed(facts, goal, "QF_NRA"):
                return True
            if not any(exponent for _, exponent in value.terms):
                return False
        return False

    # --- polynomials ----------------------------------------------------------------------------------------

    def _without_exponentials(
        self, value: Exponentials, unknowns: dict[str, Term], facts: list[Term], order: int = 1
    ) -> dict[tuple[tuple[str, int], ...], Fraction]:
        """A polynomial in further ``unknowns``, of the same sign; what is known of these goes to ``facts``."""
        first = next(iter(value.terms))[1]
        # multiplied by a power of e, which is above 0
        value = value * Exponentials({((), tuple((each, -by) for each, by in first)): Fraction(1)})
        basis, combined = spanned([dict(exponent) for _, exponent in value.terms])
        parts: list[tuple[dict[str, Fraction], Fraction]] = []
        for ((powers, _), factor), weights in zip(value.terms.items(), combined, strict=True):
            found = dict(powers)
            for number, weight in enumerate(weights):
                if weight:
                    found[f"exp:{number}"] = weight
            parts.append((found, factor))
        names = {name for found, _ in parts for name in found}
        for name in sorted(names):
            powers_of = [found.get(name, Fraction(0)) for found, _ in parts]
            shared = lcm(*(each.denominator for each in powers_of))
            least = min(powers_of)
            if least < 0 or shared > 1:
                self._is_positive(name)
            least = min(least, Fraction(0)) if not name.startswith("exp:") else least
            if shared > MAX_DEGREE or (max(powers_of) - least) * shared > MAX_DEGREE:
                raise Unproved("a price has larger powers than are decided; use simpler fractions")
            root = self._root(name, shared, basis, unknowns, facts, order)
            for (found, _), power in zip(parts, powers_of, strict=True):
                found.pop(name, None)
                raised = (power - least) * shared
                if raised:
                    found[root] = raised
        total: dict[tuple[tuple[str, int], ...], Fraction] = {}
        for found, factor in parts:
            monomial = tuple(sorted((name, int(power)) for name, power in found.items()))
            total[monomial] = total.get(monomial, Fraction(0)) + factor
        degree = max((sum(power for _, power in monomial) for monomial in total), default=0)
        if degree * len({name for monomial in total for name, _ in monomial}) > MAX_SIZE:
            raise Unproved("a price has larger powers than are decided; use simpler fractions")
        return total

    def _is_positive(self, name: str) -> None:
        if name.startswith(("#", "exp:")):
            return
        if not self.at_least_zero(Exponentials.power(name), strictly=True):
            raise Unproved(f"'{name}' is not known to be above 0: say so with an assert")

    def _root(
        self, name: str, degree: int, basis: list[Vector], unknowns: dict[str, Term], facts: list[Term], order: int
    ) -> str:
        """The name of an unknown for that root of a parameter, a prime, a logarithm or e to a direction."""
        terms, zero = self.parameters.terms, self.parameters.terms.number(0)
        if name in unknowns and degree == 1:
            return name
        root = f"{name} root {degree}"
        if root in unknowns:
            return root
        here = unknowns[root] = terms.fresh(ir.Real(), "root")
        if name.startswith("exp:"):
            direction = basis[int(name.removeprefix("exp:"))]
            facts += list(self._about_power(direction, degree, here, unknowns, facts, order))
            return root
        if name.startswith("ln:"):
            if degree > 1:
                raise Unproved("a formula has a root of a logarithm")
            facts += self._about_logarithm(name.removeprefix("ln:"), here, unknowns)
            return root
        if name.startswith("#"):
            facts += self._enclosed(here, lambda: ball(Fraction(int(name[1:]))).root(degree))
            return root
        raised = terms.polynomial({((root, degree),): Fraction(1)}, unknowns)
        facts += [terms.compare(">", here, zero), terms.compare("==", raised, unknowns[name])]
        return root

    def _enclosed(self, here: Term, value: Callable[[], arb]) -> list[Term]:
        """That an unknown lies between rational numbers around a value."""
        terms, interval = self.parameters.terms, enclose(value)
        ends = terms.number(interval.lower, real=True), terms.number(interval.upper, real=True)
        return [terms.compare("<=", ends[0], here), terms.compare("<=", here, ends[1])]

    def _about_logarithm(self, name: str, here: Term, unknowns: dict[str, Term]) -> Iterable[Term]:
        terms, zero, one = self.parameters.terms, self.parameters.terms.number(0), self.parameters.terms.number(1)
        if name.startswith("#"):
            return self._enclosed(here, lambda: ball(Fraction(int(name[1:]))).log())
        base = unknowns[name]
        return [
            terms.implies(terms.compare(">=", base, one), terms.compare(">=", here, zero)),
            terms.implies(terms.compare("<=", base, one), terms.compare("<=", here, zero)),
        ]

    def _about_power(
        self, direction: Vector, degree: int, here: Term, unknowns: dict[str, Term], facts: list[Term], order: int
    ) -> Iterable[Term]:
        """What is true of y = e^(d / degree): convexity, and its side of 1."""
        terms, zero, one = self.parameters.terms, self.parameters.terms.number(0), self.parameters.terms.number(1)
        yield terms.compare(">", here, zero)
        if set(direction) == {()}:
            if abs(direction[()]) > MAX_EXPONENT:
                raise Unproved("a formula has a larger power of e than any bound has")
            yield from self._enclosed(here, lambda: ball(direction[()] / degree).exp())
            return
        yield from about_named(self.parameters, direction, degree, here, unknowns)
        scaled = Exponentials({(powers, NOTHING): factor / degree for powers, factor in direction.items()})
        plain = all(power.denominator == 1 and power > 0 for powers in direction for _, power in powers)
        rising = self.at_least_zero(scaled)
        if rising:
            yield terms.compare(">=", here, one)
        elif self.at_least_zero(-scaled):
            yield terms.compare("<=", here, one)
        if plain:
            amount = terms.polynomial(self._without_exponentials(scaled, unknowns, facts), unknowns)
            yield terms.compare(">=", here, terms.arithmetic("+", one, amount))
            less = terms.arithmetic("-", one, amount)
            if rising and order > 1:  # e^(-x) is at least 1 - x + x²/2 - x³/6 for x >= 0
                square = terms.arithmetic("*", amount, amount)
                cube = terms.arithmetic("*", square, amount)
                less = terms.arithmetic("+", less, terms.arithmetic("*", terms.number(Fraction(1, 2)), square))
                less = terms.arithmetic("-", less, terms.arithmetic("*", terms.number(Fraction(1, 6)), cube))
            yield terms.compare("<=", terms.arithmetic("*", here, less), one)
