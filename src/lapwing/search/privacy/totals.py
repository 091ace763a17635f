"""How much a site may shift in all: the few forms worth trying, and what they cost together.

The one idea: scales make prices non-linear, so each site's total is bounded by a linear form (0, d, 2d, N·d, n·d …)
inside the solver, and only the sum of total / scale is compared with the claim, outside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import lcm

from lapwing.errors import LapwingError
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.relational.proof_parts import SHIFTED
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.search.privacy.bookkeeping import change
from lapwing.search.privacy.bounds import divided, products
from lapwing.search.privacy.linear import linear, number, times, word, written

#: Draws whose shifts are added up together: (site, weight) pairs, where weight · scale is the same for all.
Meter = tuple[tuple[int, int], ...]
Totals = Mapping[Meter, ir.Expression]
#: Written factors and limits of counters that are looked at, and the largest limit.
FEW, LARGEST = 2, 50


def scales(mechanism: ir.Mechanism) -> dict[int, ir.Expression]:
    """The scale of every additive draw."""
    return {
        each.site: _public(mechanism, each.arguments[0])
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Sample) and each.kind in SHIFTED
    }


def _public(mechanism: ir.Mechanism, scale: ir.Expression) -> ir.Expression:
    """A scale over parameters: a variable that is set once is what it was set to."""
    try:
        return over_parameters(mechanism, scale)
    except Unproved:
        return scale


def alone(mechanism: ir.Mechanism) -> tuple[Meter, ...]:
    """Every additive draw with a meter of its own."""
    return tuple(((site, 1),) for site in scales(mechanism))


def together(mechanism: ir.Mechanism) -> tuple[Meter, ...]:
    """Draws whose scales have a rational ratio share a meter, so that one may spend what another saved."""
    groups: list[dict[int, Fraction]] = []
    for site, scale in scales(mechanism).items():
        for group in groups:
            first = next(iter(group))
            ratio = divided(products(scales(mechanism)[first]), products(scale))
            if ratio is not None and set(ratio) == {()} and ratio[()] > 0:
                group[site] = ratio[()]
                break
        else:
            groups.append({site: Fraction(1)})
    meters = []
    for group in groups:
        below = lcm(*(weight.denominator for weight in group.values()))
        meters.append(tuple((site, int(weight * below)) for site, weight in group.items()))
    return tuple(meters)


def in_loops(mechanism: ir.Mechanism) -> set[int]:
    """The draws that may happen more than once."""
    return {
        inner.site
        for statement in walk.statements(mechanism.body)
        if isinstance(statement, ir.For | ir.While)
        for inner in walk.statements(statement.body)
        if isinstance(inner, ir.Sample)
    }


def spent(meter: Meter) -> ir.Expression:
    """What a meter shows, as a formula: ``cost(2) + 2 * cost(3)``."""
    return written({word("cost", site): Fraction(weight) for site, weight in meter})


def forms(mechanism: ir.Mechanism, meter: Meter) -> tuple[ir.Expression, ...]:
    """Candidate totals of one meter; outside loops a draw happens at most once."""
    in_loop = any(site in in_loops(mechanism) for site, _ in meter)
    found: list[ir.Expression] = [number(0)]
    for distance in reaches(mechanism):
        factors: list[ir.Expression] = [number(1), number(2)]
        if in_loop:
            for size in sizes(mechanism):
                less = ir.Arithmetic("-", size, number(1))
                factors += [less] if isinstance(size, ir.Name) else []
                most = 2 * max(weight for _, weight in meter)
                factors += [times(number(factor), size) for factor in range(1, most + 1)]
        found += [times(factor, distance) for factor in factors]
    return tuple(dict.fromkeys(found))


def reaches(mechanism: ir.Mechanism) -> list[ir.Expression]:
    """How far private numbers may be apart: the declared distances, and those times numbers they are multiplied by."""
    distances = list(dict.fromkeys(each.distance for each in mechanism.parameters if each.distance is not None))
    private = {each.name for each in mechanism.parameters if each.private}
    private |= {each.name for each in mechanism.variables if not each.public}
    inputs = _read(mechanism)
    factors: dict[Fraction, None] = {}
    for part in walk.parts(mechanism.body):
        match part:
            case ir.Arithmetic("*", ir.Number(factor), other) | ir.Arithmetic("*", other, ir.Number(factor)):
                factors |= {factor: None} if factor > 0 and walk.names(other) & private else {}
            case ir.Arithmetic("/", other, ir.Number(divisor)):
                factors |= {1 / divisor: None} if divisor > 0 and walk.names(other) & private else {}
            case ir.Arithmetic("+" | "-"):
                factors |= {_together(part, inputs): None}
    factors.pop(Fraction(0), None)
    factors.pop(Fraction(1), None)
    return [*distances, *(times(ir.Number(each), distance) for each in list(factors)[:FEW] for distance in distances)]


def _read(mechanism: ir.Mechanism) -> set[str]:
    """Private parameters, and what loops walk over their elements with."""
    found = {each.name for each in mechanism.parameters if each.private}
    for each in walk.statements(mechanism.body):
        if isinstance(each, ir.For) and isinstance(each.source, ir.Over):
            found |= {name for name, value in each.source.items if walk.names(value) & found}
    return found


def _together(total: ir.Expression, inputs: set[str]) -> Fraction:
    """How many times a distance a sum moves in which several private numbers stand: 2 for ``q[i + 1] - q[i]``."""
    form = linear(total) or {}
    moving = {atom: value for atom, value in form.items() if atom is not None and _is_read(atom, inputs)}
    return sum(map(abs, moving.values()), Fraction(0))


def _is_read(atom: ir.Expression, inputs: set[str]) -> bool:
    match atom:
        case ir.Name(name) | ir.Index(ir.Name(name)):
            return name in inputs
    return False


def limits(mechanism: ir.Mechanism) -> list[ir.Expression]:
    """Small whole numbers that counters are compared with or begin at, and how far a larger step takes them."""
    counters = {each.name for each in mechanism.variables if isinstance(each.type, ir.Integer)}
    assigned = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Assign)]
    found = [each.value.value for each in assigned if each.target in counters and isinstance(each.value, ir.Number)]
    steps = [by[1].value for by in map(change, assigned) if by is not None and isinstance(by[1], ir.Number)]
    beyond = max(steps, default=Fraction(1)) - 1  # the last step may go so far beyond a limit
    for part in walk.parts(mechanism.body):
        if isinstance(part, ir.Compare) and walk.names(part) & counters:
            named = [each.value for each in (part.left, part.right) if isinstance(each, ir.Number)]
            found += [*named, *(each + beyond for each in named)]
    small = dict.fromkeys(each for each in found if 1 < each <= LARGEST and each.denominator == 1)
    return [ir.Number(each) for each in list(small)[:FEW]]


def sizes(mechanism: ir.Mechanism) -> list[ir.Expression]:
    """Public whole numbers, lengths and written limits: what a number of rounds may be bounded by."""
    whole: list[ir.Expression] = [
        ir.Name(each.name) for each in mechanism.parameters if isinstance(each.type, ir.Integer) and not each.private
    ]
    lists = [each.name for each in mechanism.parameters if isinstance(each.type, ir.List) and each.as_long]
    whole += [ir.Builtin("len", (ir.Name(each),)) for each in lists]
    return whole + limits(mechanism)


@dataclass(frozen=True, slots=True)
class Point:
    """Values of the public parameters and lengths, at which prices are compared."""

    values: Mapping[str, object]
    #: what has been computed here: thousands of combinations are priced, of a few formulas each
    known: dict[object, Fraction | None] = field(default_factory=dict, compare=False, repr=False)
    #: the same for what one site costs, by which formulas these are, with the formulas
    parts: dict[tuple[int, int, int], tuple[Fraction | None, ir.Expression, ir.Expression]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def value(self, expression: ir.Expression) -> Fraction | None:
        """The expression's value here, if it has one."""
        if expression not in self.known:
            self.known[expression] = self._computed(expression)
        return self.known[expression]

    def _computed(self, expression: ir.Expression) -> Fraction | None:
        try:
            return Fraction(evaluate(expression, dict(self.values)))
        except (LapwingError, ZeroDivisionError, ValueError, TypeError, KeyError):
            return None

    def price(self, totals: Totals, scale: Mapping[int, ir.Expression]) -> Fraction | None:
        """The sum of total / (weight · scale)."""
        price = Fraction(0)
        for ((site, weight), *_), total in totals.items():
            part = self._part(total, weight, scale[site])
            if part is None:
                return None
            price += part
        return price

    def _part(self, total: ir.Expression, weight: int, scale: ir.Expression) -> Fraction | None:
        asked = id(total), weight, id(scale)  # formulas are long to hash; those asked about are kept alive beside
        if asked not in self.parts:
            a, b = self.value(total), self.value(scale)
            part = None if a is None or b is None or b <= 0 else a / (weight * b)
            self.parts[asked] = part, total, scale
        return self.parts[asked][0]

    def most(self, claim: ir.Expression) -> Fraction | None:
        """No less than what a claim allows here, if it has a value."""
        asked = "at most", claim
        if asked not in self.known:
            try:
                self.known[asked] = enclosed(claim, dict(self.values)).upper
            except (LapwingError, ZeroDivisionError):
                self.known[asked] = None
        return self.known[asked]


def points(mechanism: ir.Mechanism) -> list[Point]:
    """Points that satisfy the preconditions, most telling first: lengths well above limits."""
    found = []
    choices: list[list[object]] = []
    names = []
    named = _named(mechanism)
    for each in mechanism.parameters:
        names.append(each.name)
        match each.type:
            case ir.List():
                choices.append([(Fraction(0),) * n for n in (100, *named, 1)])
            case ir.Integer():
                choices.append([5, 1, 2, *named])
            case ir.Boolean():
                choices.append([True, False])
            case _:
                ordinary = [Fraction(1), Fraction(1, 2), Fraction(9, 10), Fraction(1, 10), Fraction(7, 3)]
                choices.append([*ordinary, *_below_named(mechanism)])
    for values in _some(choices):
        point = Point(dict(zip(names, values, strict=True)))
        try:
            if all(evaluate(each, dict(point.values)) for each in mechanism.preconditions if not is_irrational(each)):
                found.append(point)
        except (LapwingError, ZeroDivisionError, KeyError):
            continue
    return found


def _named(mechanism: ir.Mechanism) -> list[int]:
    """Whole numbers that preconditions name, and their neighbours: lengths and limits that may be asked for."""
    numbers = [
        int(part.value)
        for condition in mechanism.preconditions
        for part in walk.nodes(condition)
        if isinstance(part, ir.Number) and part.value.denominator == 1 and part.value <= 100
    ]
    return list(dict.fromkeys(each + step for each in numbers for step in (0, 1, -1) if each + step > 1))[:4]


def _below_named(mechanism: ir.Mechanism) -> list[Fraction]:
    """Numbers below the fractions that preconditions name: a delta below 1 / 1000."""
    parts = [part for condition in mechanism.preconditions for part in walk.nodes(condition)]
    quotients = [
        Fraction(part.left.value, part.right.value)
        for part in parts
        if isinstance(part, ir.Arithmetic)
        and part.operator == "/"
        and isinstance(part.left, ir.Number)
        and isinstance(part.right, ir.Number)
        and part.right.value
    ]
    numbers = [part.value for part in parts if isinstance(part, ir.Number)]
    return list(dict.fromkeys(each / 2 for each in (*quotients, *numbers) if 0 < each < 1))[:2]


def _some(choices: list[list[object]], most: int = 400) -> Iterator[tuple[object, ...]]:
    for count, values in enumerate(product(*choices)):
        if count == most:
            return
        yield values
