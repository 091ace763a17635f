"""Proving what is computed from records: the price is read off the program, and the kernel confirms it.

The one idea: the dearest pair of records lies where some condition on a record turns, or where a square is at its
highest. Those places are formulas in the public parameters; the price at the dearest pair of them, at a few sample
parameters, is a formula that is likely to be the supremum. The kernel asks whether it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, islice, pairwise, product

from lapwing.kernel.boundary import SECONDS, Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Fold, Measure
from lapwing.kernel.folds.polynomial_cells import Cell
from lapwing.kernel.folds.release_prices import Cost, Folds
from lapwing.kernel.folds.values import LEFT, RIGHT
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Polynomial, Quotient
from lapwing.kernel.prices.prices import claimed
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import COMPARED
from lapwing.kernel.program.printer import show
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.terms import Term, unknowns
from lapwing.search.privacy.outcome import Failed, Found
from lapwing.search.privacy.quotient_text import written
from lapwing.search.privacy.suspects import Suspect, of_records

#: Sample parameters, pairs of places looked at, and milliseconds for one question of the search.
SAMPLES, PAIRS, MILLISECONDS = 10, 200, 1500
#: Places of a record that are looked at.
PLACES = 12
#: Cells that tell nothing new, after which no others are looked at.
IDLE = 12
#: Pairs as dear as any whose formulas are looked at.
CLOSE = 8
#: Pairs dearer than the claim that are told to whoever looks for a violation.
SUSPECTS = 4


def by_folds(mechanism: ir.Mechanism, seconds: float = SECONDS) -> Iterator[Found | Failed]:
    """Proofs from what one record adds to each total, the tightest bound first; given up after some seconds."""
    measure = measure_of(mechanism)
    if measure is None:
        yield Failed("sums over records give ε and ρ, not (ε, δ)", mechanism.claim.span)  # type: ignore[union-attr]  # a claim
        return
    try:
        folds = Folds(Terms(milliseconds=MILLISECONDS, limit=Limit(seconds)), mechanism, measure)
        costs = list(folds.costs())
    except Unproved as doubt:
        yield Failed(doubt.problem, doubt.span)
        return
    claim = claimed(mechanism)
    tried = [] if claim is None else [show(claim)]
    derivation = Derivation(folds, costs)
    with suppress(Unproved, KeyError):  # the claim itself may do
        tried = derivation.bounds(claim)
    for bound in dict.fromkeys(tried):
        try:
            folds.confirm(formula(bound), claim, costs)
        except Unproved:
            continue
        yield Found(measure, bound, Fold())
        return
    draws = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample)]
    lines = sorted({each.span.line for each in draws} - {0})
    noise = f"the noise of lines {', '.join(map(str, lines))} together" if len(lines) > 1 else "the noise"
    yield Failed(
        f"one record may move the answers without bound, or by more than {noise} pays for: clip each record's part",
        draws[0].span if draws else mechanism.span,
        tuple(derivation.suspects),
    )


def measure_of(mechanism: ir.Mechanism) -> Measure | None:
    """The measure that a claim, or the noise, asks for; None for (ε, δ)."""
    match mechanism.claim:
        case ir.PureClaim():
            return "epsilon"
        case ir.ZcdpClaim():
            return "rho"
        case None:
            draws = (each for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample))
            return "rho" if any("gaussian" in each.kind for each in draws) else "epsilon"
    return None


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a record may be dear: all places, and those of each of its fields."""

    any: list[Term]
    own: dict[str, list[Term]]


@dataclass(slots=True)
class Derivation:
    """Formulas that may be the largest of some prices."""

    folds: Folds
    costs: list[Cost]
    seed: int = 1
    #: pairs of records that cost more than is claimed
    suspects: list[Suspect] = field(default_factory=list)

    def bounds(self, claim: ir.Expression | None) -> list[str]:
        """Candidates: the dearest formula, and the larger of two; the claim alone where it is as dear everywhere."""
        stated = None if claim is None else self.folds.parameters.public(claim)
        found: dict[str, Quotient] = {}
        wins: dict[str, int] = {}
        reached = stated is not None
        for cost in self.costs:
            places = self._places(cost)
            for number in range(SAMPLES):
                sample = self._sample(cost, ordinary=number == 0)
                if sample is None:
                    continue
                priced = self._priced(cost, places, sample)
                if priced and stated is not None and priced[0][0] > _number(stated, sample):
                    self._suspect(priced[0][1], sample)
                best = self._dearest(cost, priced, sample)
                if best is not None:
                    reached = reached and stated is not None and best[0] >= _number(stated, sample)
                    text = written(best[1])
                    found[text] = best[1]
                    wins[text] = wins.get(text, 0) + 1
        texts = sorted(found, key=lambda text: (text == "0", -wins[text]))[:4]  # nothing at all is seldom the most
        pairs = [f"max({one}, {two})" for one, two in pairwise(texts)]
        own = [] if claim is None else [show(claim)]
        return own if reached else [*texts, *pairs, *own]

    # --- where to look --------------------------------------------------------------------------------------

    def _places(self, cost: Cost) -> _Places:
        """Values of a record at which a condition turns, or a square is at its highest."""
        found: dict[str, Term] = {}
        names = _of_records(cost.total)
        own: dict[str, dict[str, Term]] = {_field(name): {} for name in names}
        questions, symbols = self.folds.questions, self.folds.extraction.symbols
        idle = 0  # cells in a row that told nothing new
        for cell, value in questions.cells(cost.total, Cell(), symbols):
            quotients = [each.value for each in cell.conditions if each.value is not None]
            before = len(found)
            for quotient in (*quotients, value):
                for name in names:
                    for place in _turns(quotient.above, name):
                        found.setdefault(show(place), place)
                        own[_field(name)].setdefault(show(place), place)
            idle = idle + 1 if len(found) == before else 0
            if len(found) > PLACES or idle > IDLE:
                break
        return _Places(_and_beside(found), {name: _and_beside(each) for name, each in own.items()})

    def _priced(
        self, cost: Cost, places: _Places, sample: dict[str, Fraction | bool]
    ) -> list[tuple[Fraction, dict[str, Term]]]:
        """Pairs of places with their prices at the sample, the dearest first."""
        priced: list[tuple[Fraction, dict[str, Term]]] = []
        for meant in islice(chain(self._as_far_apart(places.any), self._pairs(cost, places)), PAIRS):
            try:
                here = _placed(meant, sample)
                if all(_truth(each, here) for each in cost.known):
                    priced.append((_number(cost.total, here), meant))
            except (ZeroDivisionError, KeyError):
                continue
        return sorted(priced, key=lambda each: -each[0])

    def _dearest(
        self, cost: Cost, priced: list[tuple[Fraction, dict[str, Term]]], sample: dict[str, Fraction | bool]
    ) -> tuple[Fraction, Quotient] | None:
        """The largest price, as a number at the sample and as a formula."""
        for price, meant in priced[:CLOSE]:
            formulas = {name: _quotient(place, sample) for name, place in meant.items()}
            quotient = _quotient(cost.total, _placed(meant, sample), formulas)
            inside = {name for part in (quotient.above, quotient.below) for m in part.terms for name, _ in m}
            if price == priced[0][0] and not any(name.startswith("%") or "[" in name for name in inside):
                return price, quotient
        return None

    def _suspect(self, meant: dict[str, Term], sample: dict[str, Fraction | bool]) -> None:
        found = of_records(self.folds.mechanism, self.folds.records, _placed(meant, sample))
        if found is not None and len(self.suspects) < SUSPECTS:
            self.suspects.append(found)

    def _pairs(self, cost: Cost, places: _Places) -> Iterator[dict[str, Term]]:
        """Two records: all pairs of places, or of records with several fields some, each field at its own or at any."""
        names = _of_records(cost.total)
        if len(names) <= 2:
            yield from (dict(zip(names, each, strict=True)) for each in product(places.any, repeat=len(names)))
            return
        while True:
            yield {name: self._one(places.own[_field(name)]) for name in names}
            yield {name: self._one(places.any) for name in names}

    def _as_far_apart(self, places: list[Term]) -> Iterator[dict[str, Term]]:
        """Pairs at the declared distance."""
        if self.folds.records.distance is not None:
            far = self.folds.parameters.public(self.folds.records.distance)
            for place in places:
                yield {LEFT: place, RIGHT: ir.Arithmetic("+", place, far)}
                yield {LEFT: ir.Arithmetic("+", place, far), RIGHT: place}

    def _one(self, places: list[Term]) -> Term:
        return places[self._any(len(places))]

    def _any(self, count: int) -> int:
        """A number below ``count``; sample points need to be spread out, not random."""
        self.seed = self.seed * 48271 % (2**31 - 1)
        return self.seed // 7 % count

    def _sample(self, cost: Cost, *, ordinary: bool) -> dict[str, Fraction | bool] | None:
        """Parameters and released values with which this way is taken, as far as that is about public ones."""
        symbols = self.folds.extraction.symbols
        terms = [cost.total, *cost.known, *self.folds.questions.facts]
        names = sorted({name for term in terms for name in unknowns(term) if not _is_of_record(name)})
        facts = [each for each in (*cost.known, *self.folds.questions.facts) if not _of_records(each)]
        for _ in range(1 if ordinary else 200):
            sample: dict[str, Fraction | bool] = {}
            for name in names:
                if ordinary:
                    sample[name] = True if name in symbols.truths else Fraction(1)
                elif name in symbols.truths:
                    sample[name] = self._any(2) == 0
                elif name in symbols.whole or name.startswith("len("):
                    sample[name] = Fraction(self._any(10))
                else:
                    sample[name] = Fraction(1 + self._any(99), 10)
            try:
                if all(_truth(each, sample) for each in facts):
                    return sample
            except ZeroDivisionError:
                continue
        return None


def _is_of_record(name: str) -> bool:
    """Whether this is of one of the two: a field, or what is in a list of its own at some place."""
    return re.split(r"[.\[]", name)[0] in (LEFT, RIGHT)


def _field(name: str) -> str:
    """Which part of a record it is, of either."""
    return name.removeprefix(LEFT).removeprefix(RIGHT)


def _and_beside(found: Mapping[str, Term]) -> list[Term]:
    """Some places and 0, and what lies 1 beside them."""
    places = list({**found, "0": ir.ZERO}.values())
    return [*places, *(ir.Arithmetic(symbol, place, ir.ONE) for place in places for symbol in ("+", "-"))]


def _of_records(term: Term) -> list[str]:
    """The unknowns that are of one of the two records."""
    return sorted(set(filter(_is_of_record, unknowns(term))))


def _turns(polynomial: Polynomial, name: str) -> Iterator[Term]:
    """Where a polynomial of degree one in ``name`` is 0, or one of degree two is level."""
    by_power: dict[int, dict[tuple[tuple[str, int], ...], Fraction]] = {}
    for monomial, factor in polynomial.terms.items():
        powers = dict(monomial)
        power = powers.pop(name, 0)
        if any(map(_is_of_record, powers)):
            return
        by_power.setdefault(power, {})[tuple(sorted(powers.items()))] = factor
    top = max(by_power, default=0)
    if top == 1:
        yield _over(by_power.get(0, {}), by_power[1], Fraction(-1))
    elif top == 2:  # a square
        yield _over(by_power.get(1, {}), by_power[2], Fraction(-1, 2))


def _over(
    above: Mapping[tuple[tuple[str, int], ...], Fraction],
    below: Mapping[tuple[tuple[str, int], ...], Fraction],
    by: Fraction,
) -> Term:
    top, bottom = _sum(above, by), _sum(below, Fraction(1))
    return top if bottom == ir.ONE else ir.Arithmetic("/", top, bottom)


def _sum(terms: Mapping[tuple[tuple[str, int], ...], Fraction], by: Fraction) -> Term:
    total: Term | None = None
    for monomial, factor in terms.items():
        value = factor * by
        part: Term = ir.number(value)
        for name, power in monomial:
            for _ in range(power):
                part = ir.Name(name) if part == ir.ONE else ir.Arithmetic("*", part, ir.Name(name))
        total = part if total is None else ir.Arithmetic("+", total, part)
    return ir.ZERO if total is None else total


# --- terms at a sample -----------------------------------------------------------------------------------------


def _placed(meant: Mapping[str, Term], sample: Mapping[str, Fraction | bool]) -> dict[str, Fraction | bool]:
    """The sample with the fields of two records."""
    return {**sample, **{name: _number(place, sample) for name, place in meant.items()}}


def _number(term: Term, sample: Mapping[str, Fraction | bool]) -> Fraction:
    match term:
        case ir.Number(value):
            return value
        case ir.Name() | ir.Index():
            return Fraction(sample[show(term)])
        case ir.Negate(operand):
            return -_number(operand, sample)
        case ir.Arithmetic(symbol, left, right):
            a, b = _number(left, sample), _number(right, sample)
            return a + b if symbol == "+" else a - b if symbol == "-" else a * b if symbol == "*" else a / b
        case ir.Builtin("//", (left, right)):
            return Fraction(_number(left, sample) // _number(right, sample))
        case ir.Conditional(condition, then, otherwise):
            return _number(then if _truth(condition, sample) else otherwise, sample)
    raise KeyError(term)


def _truth(term: Term, sample: Mapping[str, Fraction | bool]) -> bool:
    match term:
        case ir.Truth(value):
            return value
        case ir.Name() | ir.Index():
            return bool(sample[show(term)])
        case ir.Not(operand):
            return not _truth(operand, sample)
        case ir.And(operands):
            return all(_truth(each, sample) for each in operands)
        case ir.Or(operands):
            return any(_truth(each, sample) for each in operands)
        case ir.Compare(symbol, left, right):
            return bool(COMPARED[symbol](_number(left, sample), _number(right, sample)))
        case ir.Conditional(condition, then, otherwise):
            return _truth(then if _truth(condition, sample) else otherwise, sample)
    raise KeyError(term)


def _quotient(
    term: Term, sample: Mapping[str, Fraction | bool], meant: Mapping[str, Quotient] | None = None
) -> Quotient:
    """The formula that a term is in the cell of the sample; ``meant`` says what some names stand for."""
    match term:
        case ir.Number(value):
            return Quotient.of(value)
        case ir.Name() | ir.Index():
            name = show(term)
            if meant is not None and name in meant:
                return meant[name]
            return Quotient(Polynomial.unknown(name), Polynomial.of(1))
        case ir.Negate(operand):
            return -_quotient(operand, sample, meant)
        case ir.Arithmetic(symbol, left, right):
            a, b = _quotient(left, sample, meant), _quotient(right, sample, meant)
            return a + b if symbol == "+" else a - b if symbol == "-" else a * b if symbol == "*" else a / b
        case ir.Builtin("//"):  # a number here, which is a guess: the kernel asks about all
            return Quotient.of(_number(term, sample))
        case ir.Conditional(condition, then, otherwise):
            return _quotient(then if _truth(condition, sample) else otherwise, sample, meant)
    raise KeyError(term)
