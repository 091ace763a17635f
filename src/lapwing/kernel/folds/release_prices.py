"""The price of everything a program releases about its records, as one inequality for each public way through it.

Claim: if for all public parameters, all released values and all pairs of records the sum of the prices is at most the
bound, the mechanism has that bound. Noise of scale b on totals that move by Δ costs |Δ|/b in ε ([DR14] Thm 3.6), or
Δ²/2σ² in ρ ([BS16] Prop. 1.6; pure noise ε²/2, Prop. 1.4); prices of answers that depend on earlier ones add up
([DR14] Thm 3.14, [BS16] Lemma 1.7), and *one* pair of records moves them all, so the supremum is over the sum.

* ``replaced``, ``one(d)``, a private number: Δ = g(y) - g(x). ``added``: Δ = ±g(x).
* ``each(d)`` and its one-sided kin: every record may change, so ε is len · that of one, and ρ len² · (the norms add).
* a loop of n public rounds costs n times the dearest round; if of one record at most one round sees anything (each
  record falls into one bin, which is asked of the solver), the rounds cost what two bins cost; if a pair of records is
  seen by w rounds in a row at most (:mod:`spread`, asked as well), they cost w times the dearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.folds.bins import Bins
from lapwing.kernel.folds.clipped_fields import never_below_zero
from lapwing.kernel.folds.expressions import Look
from lapwing.kernel.folds.extraction import Extraction
from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.spread import SeenRounds
from lapwing.kernel.folds.symbols import fields
from lapwing.kernel.folds.values import LEFT, RECORD, RIGHT, UNKNOWN, Noisy, Number, of_record, replaced
from lapwing.kernel.folds.ways import Released, Rounds, Way
from lapwing.kernel.program import ir, walk
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.terms import (
    ONE,
    ZERO,
    Term,
    arithmetic,
    both,
    choose,
    compare,
    either,
    extreme,
    implies,
    magnitude,
    minus,
    negate,
    plus,
    times,
    within,
)

HALF = ir.Number(Fraction(1, 2))
#: More parts than a bound has, with its cases written out.
MAX_LIMIT = 2000
#: Relations in which every record may change, with how far each may fall and rise.
EVERY = ("each", "rises", "falls", "monotone")


@dataclass(frozen=True, slots=True)
class Cost:
    """A sum of prices on one way, and what is known there."""

    total: Term
    known: tuple[Term, ...]


@dataclass(slots=True)
class Folds:
    """The prices of one mechanism in one measure."""

    terms: Terms
    mechanism: ir.Mechanism
    measure: str
    records: ir.Parameter = field(init=False)
    questions: Cells = field(init=False)
    extraction: Extraction = field(init=False)
    parameters: Look = field(init=False)

    def __post_init__(self) -> None:
        private = [each for each in self.mechanism.parameters if each.private]
        if len(private) != 1 or private[0].relation is None:
            raise Unproved("sums over records are about one private parameter")
        self.records = private[0]
        if not _apart_in_name(self.mechanism):
            raise Unproved("a name means two things")
        self.questions = Cells(self.terms)
        self.extraction = Extraction(self.mechanism, self.records, self.questions)
        self.parameters = Look(self.extraction.symbols, self.extraction.parameters(), _no_noise, self.extraction.places)
        self.questions.facts = tuple(self._facts())

    def confirm(self, bound: ir.Expression, claim: ir.Expression | None, costs: Iterable[Cost] | None = None) -> None:
        """Refuse unless no way through the mechanism costs more than the bound, or than the claim.

        Whoever has read the mechanism here before may give what its ways cost.
        """
        limits = [self.parameters.public(each) for each in (bound, claim) if each is not None]
        # a largest of largest ones doubles at each level: no more of it is looked at than is needed to refuse it
        if any(next(islice(walk.nodes(each), MAX_LIMIT, None), None) is not None for each in limits):
            raise Unproved("the bound has more cases than any bound should")
        for cost in self.costs() if costs is None else costs:
            for limit in limits:
                # no loss is below 0, so a limit below 0 says what 0 says
                room = minus(extreme("max", [limit, ZERO]), cost.total)
                if not never_below_zero(self.questions, room, self.extraction.symbols, cost.known):
                    raise Unproved("one record may move the answers by more than the bound pays for")

    def costs(self) -> Iterator[Cost]:
        """What each way through the mechanism costs."""
        for way in self.extraction.run():
            for cost in self._added(way):
                yield Cost(self._for_all_records(cost.total), (*cost.known, *self._apart()))

    def _added(self, way: Way) -> Iterator[Cost]:
        """The sum of all prices on a way, for each choice of what loops on it do."""
        for parts in product(*(list(self._options(each)) for each in way.released)):
            known = (*way.known, *(fact for cost in parts for fact in cost.known))
            yield Cost(_flat_sum([cost.total for cost in parts]), known)

    # --- what is known --------------------------------------------------------------------------------------

    def _facts(self) -> Iterator[Term]:
        for condition in self.mechanism.preconditions:
            for part in condition.operands if isinstance(condition, ir.And) else (condition,):
                try:
                    yield self.parameters.truth(part)
                except Unproved:
                    continue  # knowing less proves no more
        for number in ir.claimed(self.mechanism):  # a run refuses a claim below 0
            try:
                yield compare(">=", self.parameters.public(number), ZERO)
            except Unproved:
                continue
        if self.records.distance is not None:
            yield compare(">=", self.parameters.public(self.records.distance), ZERO)

    def _apart(self) -> Iterator[Term]:
        """How far the two records of a pair of neighbours are apart."""
        relation, distance = self.records.relation, self.records.distance
        if distance is None or relation is None:
            return
        most = self.parameters.public(distance)
        low, high = minus(ZERO, most), most
        if relation.kind == "rises":
            low = ZERO
        if relation.kind == "falls":
            high = ZERO
        yield within(minus(ir.Name(RIGHT), ir.Name(LEFT)), low, high)

    @property
    def changes_all(self) -> Term | None:
        """How many records may change at once, if every one may."""
        if self.records.relation is None or self.records.relation.kind not in EVERY:
            return None
        return ir.Name(f"len({self.records.name})")

    def moved(self, each: Term) -> tuple[Term, tuple[Term, ...]]:
        """How far one record moves a total, and what is known of the pair of records."""
        return self._moved(each), tuple(self._apart())

    def _for_all_records(self, total: Term) -> Term:
        length = self.changes_all
        if length is None:
            return total
        return times(total, length if self.measure == "epsilon" else times(length, length))

    # --- prices ---------------------------------------------------------------------------------------------

    def _options(self, part: Released | Rounds) -> Iterator[Cost]:
        if isinstance(part, Released):
            yield self._price(part)
            return
        some = compare(">=", part.count, ONE)
        yield Cost(ZERO, (negate(some),))
        spread = SeenRounds.of(part)
        seen = self._seen(spread) if spread.by_place else None
        joint = self._in_one_bin(part) if seen != ONE else None
        if joint is not None:
            yield Cost(joint.total, (some, *joint.known))
            if any(isinstance(each, Rounds) for way in part.ways for each in way.released):
                yield Cost(ZERO, (some,))  # no loop inside makes a round: then nothing is known of one
            return
        seen = self._seen(spread) if seen is None else seen
        if isinstance(seen, ir.Name) and seen.name.startswith(UNKNOWN) and spread.is_private:
            raise Unproved("a record has a part in every round of a loop, and nothing public bounds their number")
        for way in part.ways:
            for cost in self._added(way):
                yield Cost(times(seen, cost.total), (some, *cost.known))

    def _price(self, released: Released) -> Cost:
        draw, scale = released.draw, released.scale
        moved = self._moved(released.each)
        if released.other is not None:  # a choice: how far two scores move against each other
            other = self._moved(released.other)
            moved = plus(magnitude(moved), magnitude(other)) if released.loose else minus(moved, other)
        return Cost(self._paid(draw, moved, scale, signed=released.other is not None), (compare(">", scale, ZERO),))

    def _paid(self, draw: ir.Sample, moved: Term, scale: Term, *, signed: bool = False) -> Term:
        normal = draw.kind in ("gaussian", "discrete_gaussian")
        if self.measure == "epsilon":
            if normal:
                raise at(draw, "Gaussian noise has no bound on ε alone")
            return arithmetic("/", moved if signed else magnitude(moved), scale)
        return times(HALF, arithmetic("/", times(moved, moved), times(scale, scale)))

    def _moved(self, each: Term) -> Term:
        """How far a total moves when one record is another, or is not there."""
        if isinstance(each, ir.Conditional) and not of_record(each.condition):  # the same for both neighbours
            return choose(each.condition, self._moved(each.then), self._moved(each.otherwise))
        left = replaced(each, self._as(LEFT))
        if any(name.startswith(RECORD) for name in walk.names(left)):
            raise Unproved("something of a record would be the same for two records")
        return left if self._alone else minus(replaced(each, self._as(RIGHT)), left)

    @property
    def _alone(self) -> bool:
        return self.records.relation is not None and self.records.relation.kind == "added"

    def _as(self, side: str) -> dict[str, Term]:
        """The names of a record, as those of one of the two."""
        kind = self.records.type.element if isinstance(self.records.type, ir.List) else self.records.type
        found: dict[str, Term] = {}
        symbols = self.extraction.symbols
        for name in (*fields(RECORD, kind), *symbols.own):
            other = side + name.removeprefix(RECORD)
            found[name] = ir.Name(other)
            for those in (symbols.whole, symbols.truths):
                those |= {other} if name in those else set()
        return found

    def _in_one_bin(self, rounds: Rounds) -> Cost | None:
        """The price of all rounds together, if a record has a part in one of them at most."""
        bins = Bins.of(rounds)
        if bins is None or self.records.relation is None or self.records.relation.kind in EVERY:
            return None
        symbols = self.extraction.symbols
        symbols.whole |= bins.names
        symbols.whole |= {f"{name}.{side}" for name in symbols.whole.intersection(bins.own) for side in "xy"}
        for apart, known in bins.apart():
            sees = [
                either(compare("!=", replaced(each.each, {**self._as(LEFT), **at}), ZERO) for each in bins.released)
                for at in apart
            ]
            if not self.questions.always(negate(both(sees)), symbols, known):
                return None
        (first, second), known = bins.two()
        known = (*known, *(compare(">", each.scale, ZERO) for each in bins.released))
        left = [replaced(each.each, {**self._as(LEFT), **first}) for each in bins.released]
        right = [replaced(each.each, {**self._as(RIGHT), **second}) for each in bins.released]
        if self._alone:
            return Cost(self._sum(bins.released, left), known)
        alike = both(compare("==", first[name], second[name]) for name in bins.numbers)
        changed = [minus(new, old) for old, new in zip(left, right, strict=True)]
        seen = both(either(compare("!=", each, ZERO) for each in side) for side in (left, right))
        if self.questions.always(implies(seen, alike), symbols, (*known, *self._apart())):
            return Cost(self._sum(bins.released, changed), (*known, alike))  # its place decides, which both share
        if self.measure == "epsilon":  # what one bin gains and one loses: in one bin, the difference is no more
            return Cost(times(ir.Number(Fraction(2)), self._sum(bins.released, left)), known)
        two = plus(self._sum(bins.released, left), self._sum(bins.released, right))
        return Cost(choose(alike, self._sum(bins.released, changed), two), known)

    def _seen(self, spread: SeenRounds) -> Term:
        """How many rounds one pair of records has a part in at most: all, or so many in a row that were asked about."""
        rounds, symbols = spread.rounds, self.extraction.symbols
        records = (self._as(LEFT),) if self._alone else (self._as(LEFT), self._as(RIGHT))
        first, gap = symbols.number("round", whole=True), symbols.number("gap", whole=True)
        for width in spread.widths(symbols.whole) if spread.depends else ():
            one, beside = spread.sees("x", first, records, symbols)
            two, later = spread.sees("y", plus(plus(first, width), gap), records, symbols)
            drawn = tuple(compare(">", each, ZERO) for each in spread.scales)
            known = (*drawn, compare(">=", rounds.count, ONE))
            apart = (*known, compare(">=", gap, ZERO), *beside, *later)
            if self.questions.always(compare(">=", width, ONE), symbols, known) and self.questions.always(
                negate(both((one, two))), symbols, apart
            ):
                return ONE if width == ONE else extreme("min", [width, rounds.count])
        return rounds.count

    def _sum(self, released: Sequence[Released], moved: Sequence[Term]) -> Term:
        """What all these cost, where they move so far."""
        total: Term = ZERO
        for each, distance in zip(released, moved, strict=True):
            total = plus(total, self._paid(each.draw, distance, each.scale))
        return total


def _flat_sum(terms: Sequence[Term]) -> Term:
    """The sum, halves of it first: one term after the other would nest as deep as there are terms."""
    if len(terms) < 2:
        return terms[0] if terms else ZERO
    half = len(terms) // 2
    return plus(_flat_sum(terms[:half]), _flat_sum(terms[half:]))


def _no_noise(noisy: Noisy) -> Number:
    raise at(noisy.draw, "noise has no place here")


def _apart_in_name(mechanism: ir.Mechanism) -> bool:
    """Whether no parameter is set, and no variable of a comprehension has another meaning in it: readers need that."""
    taken = set(walk.assigned(mechanism.body))
    parameters = {each.name for each in mechanism.parameters}
    inner = [part for part in walk.nodes(mechanism) if isinstance(part, ir.Comprehension)]
    for each in inner:
        below = (part for part in walk.nodes(each) if isinstance(part, ir.Comprehension) and part is not each)
        others = (taken | parameters).union(*(part.source.targets for part in below))
        if others.intersection(each.source.targets):
            return False
    return not taken & parameters
