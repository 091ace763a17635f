"""Proving by listing: a private truth value and finite draws have few runs, each with a probability that is a formula.

The one idea: the privacy of randomized response is the largest ratio of two such formulas. Probabilities are quotients
of sums of products in the public parameters; ``choose`` adds e^(1/scale) as one more unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from lapwing.errors import LapwingError
from lapwing.kernel.boundary import SECONDS, Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Enumeration
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.responses import Pair, pairs
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.solver import Terms
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.bounds import Powers, Sum, added, divided, multiplied, products, text
from lapwing.search.privacy.linear import number, times
from lapwing.search.privacy.outcome import Failed, Found
from lapwing.search.privacy.totals import Point, points

#: e^(1/scale) of a ``choose``, as an unknown.
GROWTH = "e"
MOST_RUNS = 2000
State = Mapping[str, bool | int | Fraction]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two sums of products."""

    above: Sum
    below: Sum

    def __add__(self, other: Ratio) -> Ratio:
        if self.below == other.below:
            return Ratio(_known(added(self.above, other.above)), self.below)
        crossed = added(multiplied(self.above, other.below), multiplied(other.above, self.below))
        return Ratio(_known(crossed), _known(multiplied(self.below, other.below)))

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(_known(multiplied(self.above, other.above)), _known(multiplied(self.below, other.below)))

    def over(self, other: Ratio) -> Ratio:
        """The quotient, with common products taken out."""
        above, below = self.above, other.above
        if self.below != other.below:
            above, below = _known(multiplied(above, other.below)), _known(multiplied(below, self.below))
        if len(below) == 1 and (single := divided(above, below)) is not None:
            return Ratio(single, ONE)
        shared = _shared([*above, *below])
        factor = lcm(*(value.denominator for value in (*above.values(), *below.values())))
        unit: Sum = {tuple((name, -power) for name, power in shared): Fraction(factor)}
        return Ratio(_known(multiplied(above, unit)), _known(multiplied(below, unit)))


ONE: Sum = {(): Fraction(1)}
ONE_TO_ONE = Quotient.of(1)


def by_enumeration(mechanism: ir.Mechanism) -> Found | Failed:
    """The claim, or the largest ratio of probabilities of an answer as a formula, for the checker to confirm."""
    if is_of_numbers(mechanism):
        return _of_numbers(mechanism)
    try:
        rows, name, body, target = _shape(mechanism)
        answers = {truth: _answers(body, name, truth, target) for truth in (True, False)}
        claim = mechanism.claim
        bound = show(claim.epsilon) if isinstance(claim, ir.PureClaim) else _bound(mechanism, body, answers)
    except Blocked as blocked:
        return Failed(blocked.reason, blocked.span)
    return Found("epsilon", bound, Enumeration(rows))


def is_of_numbers(mechanism: ir.Mechanism) -> bool:
    """Whether what is private is a whole number, or a list of them."""
    return any(each.private and each.type in (ir.Integer(), ir.List(ir.Integer())) for each in mechanism.parameters)


def two_runs(mechanism: ir.Mechanism, rows: bool) -> list[tuple[str, str]]:
    """The probabilities that an answer can have in two runs on different whole numbers, as text."""
    terms = Terms(limit=Limit(SECONDS))
    found = pairs(terms, Parameters(terms, mechanism), mechanism, rows)
    return list(dict.fromkeys((_written(each.left), _written(each.right)) for each in found))


def _written(chance: Quotient) -> str:
    return _shown(Ratio(dict(chance.above.terms), ONE).over(Ratio(dict(chance.below.terms), ONE)))


def _of_numbers(mechanism: ir.Mechanism) -> Found | Failed:
    """The same for a private whole number: the checker's own pairs of probabilities, and the largest ratio of one."""
    if mechanism.claim is not None and not isinstance(mechanism.claim, ir.PureClaim):
        return Failed("listing runs gives a bound on ε", mechanism.claim.span)
    rows = any(each.private and isinstance(each.type, ir.List) for each in mechanism.parameters)
    try:
        terms = Terms(limit=Limit(SECONDS))
        found = list(pairs(terms, Parameters(terms, mechanism), mechanism, rows))
        if any(each.right.above.is_zero and not each.left.above.is_zero for each in found):
            return Failed("an answer is possible on one input and not on the other", mechanism.span)
        if isinstance(mechanism.claim, ir.PureClaim):
            return Found("epsilon", show(mechanism.claim.epsilon), Enumeration(rows))
        return Found("epsilon", _fewest(found, mechanism), Enumeration(rows))
    except Unproved as doubt:
        return Failed(str(doubt), mechanism.span)
    except Blocked as blocked:
        return Failed(blocked.reason, blocked.span)


def _fewest(found: Sequence[Pair], mechanism: ir.Mechanism) -> str:
    """``ln(max(…))`` of few ratios, of which one is the largest wherever all are defined and draws are possible."""
    ratios: dict[str, Ratio] = {}
    natural: list[Ratio] = []
    for pair in found:
        natural += [Ratio(dict(each.above.terms), dict(each.below.terms)) for each in pair.natural]
        if not pair.left.above.is_zero:
            quotient = ONE_TO_ONE if pair.left.agrees(pair.right) else pair.left / pair.right
            ratio = Ratio(dict(quotient.above.terms), ONE).over(Ratio(dict(quotient.below.terms), ONE))
            ratios[_shown(ratio)] = ratio
    best: list[set[str]] = []
    for point in points(mechanism):
        if any((value := _at(point, each)) is not None and value < 0 for each in natural):
            continue
        values = {shown: _at(point, ratio) for shown, ratio in ratios.items()}
        known = [value for value in values.values() if value is not None]
        if len(known) == len(values):
            best.append({shown for shown, value in values.items() if value == max(known)})
    tops: list[str] = []
    while best:  # the ratio that is the largest most often, of those the shortest
        top = max(ratios, key=lambda each: (sum(each in place for place in best), -len(each)))
        tops.append(top)
        best = [place for place in best if top not in place]
    if not tops:
        raise Blocked("no values of the public parameters satisfy the asserts", mechanism.span)
    return f"ln({tops[0]})" if len(tops) == 1 else f"ln(max({', '.join(tops)}))"


def _at(point: Point, ratio: Ratio) -> Fraction | None:
    above, below = (_sum_at(point, part) for part in (ratio.above, ratio.below))
    return None if above is None or not below else above / below


def _sum_at(point: Point, whole: Sum) -> Fraction | None:
    total = Fraction(0)
    for powers, factor in whole.items():
        for name, power in powers:
            value = point.value(formula(name))
            if value is None or (value == 0 and power < 0):
                return None
            factor *= value**power
        total += factor
    return total


def chances(mechanism: ir.Mechanism) -> list[tuple[str, str, str]]:
    """Every answer with its probability for both values of what is private, as text."""
    _, name, body, target = _shape(mechanism)
    found = {truth: _answers(body, name, truth, target) for truth in (True, False)}
    answers = dict.fromkeys([*found[True], *found[False]])
    return [(_plainly(each), _chance(found[True], each), _chance(found[False], each)) for each in answers]


def _plainly(answer: object) -> str:
    return ", ".join(map(str, answer)) if isinstance(answer, tuple) else str(answer)


def _chance(found: Mapping[object, Ratio], answer: object) -> str:
    return _shown(found[answer]) if answer in found else "0"


def _shape(mechanism: ir.Mechanism) -> tuple[bool, str, tuple[ir.Statement, ...], str | None]:
    """Whether rows are answered one by one, what is private, and the statements that answer it."""
    private = [each for each in mechanism.parameters if each.private]
    if mechanism.claim is not None and not isinstance(mechanism.claim, ir.PureClaim):
        raise Blocked("listing runs gives a bound on ε", mechanism.claim.span)
    if len(private) == 1 and private[0].relation is not None and private[0].relation.kind == "replaced":
        match private[0].type, mechanism.body:
            case ir.Boolean(), body:
                return False, private[0].name, body, None
            case ir.List(ir.Boolean()), (
                ir.Assign(start, ir.ListOf(())),
                ir.For(ir.Over(((name, ir.Name(over)),), None), body),
                ir.Return(ir.Name(answer)),
            ) if start == answer and over == private[0].name:
                return True, name, body, answer
    raise Blocked("runs can be listed only for one private truth value, or a list answered row by row", mechanism.span)


def _answers(body: Sequence[ir.Statement], name: str, truth: bool, target: str | None) -> dict[object, Ratio]:
    found: dict[object, Ratio] = {}
    for count, (answer, chance) in enumerate(_runs(tuple(body), {name: truth}, Ratio(ONE, ONE), target, None)):
        if count > MOST_RUNS:
            raise Blocked("there are too many runs to list")
        found[answer] = found[answer] + chance if answer in found else chance
    return found


def _runs(
    todo: tuple[ir.Statement, ...], state: State, chance: Ratio, target: str | None, given: object
) -> Iterator[tuple[object, Ratio]]:
    if not todo:
        yield given, chance
        return
    statement, rest = todo[0], todo[1:]
    match statement:
        case ir.Assign(name, value):
            yield from _runs(rest, {**state, name: _value(value, state)}, chance, target, given)
        case ir.If(condition, then, otherwise):
            side = then if _value(condition, state) else otherwise
            yield from _runs((*side, *rest), state, chance, target, given)
        case ir.Sample(name):
            for drawn, share in _draws(statement, state):
                yield from _runs(rest, {**state, name: drawn}, chance * share, target, given)
        case ir.Append(name, value) if name == target and given is None:
            yield from _runs(rest, state, chance, target, (_value(value, state),))
        case ir.Return(value) if target is None:
            yield (_value(value, state),), chance
        case _:
            raise Blocked("this statement has too many outcomes to list", statement.span)


def _draws(draw: ir.Sample, state: State) -> Iterator[tuple[bool | int, Ratio]]:
    match draw.kind, draw.arguments:
        case "flip", (probability,):
            heads = products(probability)
            if heads is None:
                raise Blocked("this probability is not a formula that is followed", draw.span)
            if set(heads) <= {()} and not 0 <= heads.get((), Fraction(0)) <= 1:
                raise Blocked("this is not a probability, so the mechanism never answers", draw.span)
            yield True, Ratio(heads, ONE)
            yield False, Ratio(_known(added(ONE, multiplied({(): Fraction(-1)}, heads))), ONE)
        case "uniform", (ir.Number(count),):
            for index in range(int(count)):
                yield index, Ratio({(): 1 / count}, ONE)
        case "choose", (ir.ListOf(elements), _):
            scores = [Fraction(_value(each, state)) for each in elements]
            powers = [score - min(scores) for score in scores]
            if any(power.denominator != 1 for power in powers):
                raise Blocked("these scores are not whole numbers apart", draw.span)
            weights: list[Sum] = [{((GROWTH, int(power)),) if power else (): Fraction(1)} for power in powers]
            total: Sum = {}
            for weight in weights:
                total = _known(added(total, weight))
            yield from ((index, Ratio(weight, total)) for index, weight in enumerate(weights))
        case _:
            raise Blocked(f"{draw.kind} has too many outcomes to list", draw.span)


def _value(node: ir.Expression, state: State) -> bool | int | Fraction:
    if not walk.names(node) <= set(state):
        raise Blocked("this depends on more than the private value and the draws", node.span)
    try:
        found = evaluate(node, dict(state))
    except LapwingError:
        found = None
    if not isinstance(found, bool | int | Fraction):
        raise Blocked("this is not a number or truth value", node.span)
    return found


def _bound(
    mechanism: ir.Mechanism, body: Sequence[ir.Statement], answers: Mapping[bool, Mapping[object, Ratio]]
) -> str:
    ratios: list[Ratio] = []
    for left in (True, False):
        for answer, chance in answers[left].items():
            other = answers[not left].get(answer)
            if other is None or not other.above:
                raise Blocked("an answer is possible on one input and not on the other", mechanism.span)
            ratios.append(chance.over(other))
    chosen = [each for each in walk.statements(body) if isinstance(each, ir.Sample) and each.kind == "choose"]
    if chosen:
        return _power(ratios, chosen[0].arguments[1], mechanism)
    return _largest(ratios, points(mechanism), mechanism)


def _power(ratios: list[Ratio], scale: ir.Expression, mechanism: ir.Mechanism) -> str:
    """The largest power of e^(1/scale), where all ratios are such powers."""
    powers = []
    for ratio in ratios:
        if ratio.below != ONE or len(ratio.above) != 1 or set(ratio.above.values()) != {Fraction(1)}:
            raise Blocked("the ratio of two probabilities is not a power of e^(1/scale)", mechanism.span)
        powers.append(dict(next(iter(ratio.above))).get(GROWTH, 0))
    quotient = divided({(): Fraction(max(powers))}, products(scale))
    if quotient is None:
        raise Blocked("the scale is not a formula that is followed", mechanism.span)
    return text(quotient)


def _largest(ratios: list[Ratio], places: list[Point], mechanism: ir.Mechanism) -> str:
    """``ln(max(…))`` of the ratios that are the largest somewhere."""
    written = {_shown(ratio): ratio for ratio in ratios}
    tops: dict[str, None] = {}
    for point in places:
        values = {}
        for shown, ratio in written.items():
            above, below = (point.value(_expression(part)) for part in (ratio.above, ratio.below))
            if above is not None and below:
                values[shown] = above / below
        if values:
            tops[max(values, key=lambda each: values[each])] = None
    if not tops:
        raise Blocked("no values of the public parameters satisfy the asserts", mechanism.span)
    return f"ln({next(iter(tops))})" if len(tops) == 1 else f"ln(max({', '.join(tops)}))"


def _shown(ratio: Ratio) -> str:
    if ratio.below == ONE:
        return text(ratio.above)
    return show(ir.Arithmetic("/", _expression(ratio.above), _expression(ratio.below)))


def _expression(whole: Sum) -> ir.Expression:
    """A sum of products with powers from 0 up, as an expression."""
    result: ir.Expression | None = None
    for powers, factor in sorted(whole.items(), key=lambda item: (item[1] < 0, len(item[0]), item[0])):
        term = number(abs(factor))
        for name, power in powers:
            for _ in range(power):
                term = times(term, ir.Name(name))
        if result is None:
            result = ir.Negate(term) if factor < 0 else term
        else:
            result = ir.Arithmetic("-" if factor < 0 else "+", result, term)
    return number(0) if result is None else result


def _shared(terms: list[Powers]) -> list[tuple[str, int]]:
    names = {name for powers in terms for name, _ in powers}
    return [(name, low) for name in sorted(names) if (low := min(dict(powers).get(name, 0) for powers in terms))]


def _known(value: Sum | None) -> Sum:
    if value is None:
        raise Blocked("a probability is not a formula that is followed")
    return value
