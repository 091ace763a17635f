"""Proofs that need tails, intervals or pairs of draws: likely couplings, completed by the kernel's walk.

The one idea: alignments come from templates, few and good ones first; invariants, totals and counts from
:mod:`kernel_walk`; prices last. What is left of the claimed ε is what being moved onto an interval may cost: with m =
price · scale / extra the width scale · ln(m / (m - 1)) is wide enough, for 1 + m (y - 1) <= y^m is Bernoulli's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

from lapwing.kernel.boundary import DAMAGE, Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.approximate import Pairing, Spread, Subset, Tail
from lapwing.kernel.evidence.certificate import Alignment, Branch, Coupling, Joint, Site
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.chances import Prices, scales_known
from lapwing.kernel.relational.proof_parts import shifted_draws
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.relational.told_by_place import as_walked
from lapwing.kernel.solver import Terms
from lapwing.kernel.wellformed.certain import certain
from lapwing.search.privacy.bounds import added, divided, multiplied, price, products, read, text
from lapwing.search.privacy.exponential_text import shown_exponentials
from lapwing.search.privacy.kept_solver import KeptTerms
from lapwing.search.privacy.kernel_walk import Counted, learn, thinned
from lapwing.search.privacy.linear import DRAW, linear, number, plus, rewritten, scaled, times, word, written
from lapwing.search.privacy.outcome import ASSUMED, Failed, Found
from lapwing.search.privacy.tail_templates import Guess, between, definitions, in_words_of_parameters, lonely, releasing
from lapwing.search.privacy.templates import Flowing, every_draw, templates
from lapwing.search.privacy.totals import Point, forms, points, scales, sizes

#: Couplings that are tried, and the solver's time for one question while looking.
TRIES, MILLISECONDS = 60, 1500


@dataclass(frozen=True, slots=True)
class _Plan:
    """A coupling whose invariants and prices are open. ``extras`` is, by site, what an interval loses."""

    alignments: Mapping[int, Alignment]
    extras: Mapping[int, ir.Expression] = field(default_factory=dict)
    tails: tuple[Guess, ...] = ()
    pairs: tuple[Pairing, ...] = ()
    #: by entry of a tail: the earlier one that it is counted with
    beside: Mapping[int, int] = field(default_factory=dict)

    @property
    def counters(self) -> dict[int, frozenset[int]]:
        """The entries that count for themselves, with the sites of all that they count."""
        counted: dict[int, set[int]] = {}
        for entry, tail in enumerate(self.tails, 1):
            counted.setdefault(self.beside.get(entry, entry), set()).add(tail.site)
        return {entry: frozenset(sites) for entry, sites in counted.items()}


#: What is wrong with a proof, if anything is.
Doubt = Callable[[Found], str | None]


class _Hopeless(Exception):
    """A plan that comes to nothing."""


def by_walking(mechanism: ir.Mechanism, deadline: float, doubt: Doubt) -> Iterator[Found | Failed]:
    """Couplings of an (ε, δ) claim, and of any claim if draws part: the first of which there is no ``doubt``."""
    mechanism = as_walked(mechanism)
    approximate = isinstance(mechanism.claim, ir.ApproximateClaim)
    pairs = tuple(_pairs(mechanism))
    if not (approximate or pairs):
        return
    places = points(mechanism)
    if not places:
        yield Failed("none of the values that were tried for the public parameters satisfy the asserts", mechanism.span)
        return
    searching = _Searching(mechanism, places[0], deadline)
    told = "no coupling that was tried leads to the claim"
    for plan in searching.plans(pairs, approximate=approximate):
        try:
            for found in searching.completed(plan):
                if time.process_time() > deadline:
                    yield Failed("the time limit passed while looking for a coupling", mechanism.span)
                    return
                problem = doubt(found)
                if problem is None:
                    yield found
                    return
                if problem.startswith(ASSUMED):
                    yield Failed(problem, mechanism.span)
                    return
                told = f"no coupling that was tried leads to the claim: in the last, {problem}"
        except (_Hopeless, Unproved, *DAMAGE):
            continue
    yield Failed(told, mechanism.span)


@dataclass(slots=True)
class _Searching:
    mechanism: ir.Mechanism
    point: Point
    deadline: float
    scales: Mapping[int, ir.Expression] = field(init=False)

    def __post_init__(self) -> None:
        self.scales = scales(self.mechanism)

    # --- plans ----------------------------------------------------------------------------------------------

    def plans(self, pairs: tuple[Pairing, ...], *, approximate: bool) -> Iterator[_Plan]:
        """Couplings to try, the likeliest first."""
        draws = list(every_draw(self.mechanism))
        leaves = {each.site: each for each in templates(self.mechanism, ghost=False)}
        options: list[list[tuple[Alignment, tuple[Guess, ...]]]] = []
        for drawn in draws:
            mine: list[tuple[Alignment, tuple[Guess, ...]]] = []
            if approximate:
                mine += [
                    (self._onto(low.formula(), high.formula(), low.end, high.end), ())
                    for low, high in between(in_words_of_parameters(drawn, self.mechanism))
                ]
            shifts = _ordered(drawn, leaves[drawn.sample.site].leaves)
            mine += [(show(each), ()) for each in shifts]
            guards = [each for each in leaves[drawn.sample.site].guards if each in drawn.tests]
            mine += [
                (Branch(show(guard), show(each), "0"), ()) for guard in guards for each in shifts if each != number(0)
            ]
            options.append(mine)
        ranked = sorted(product(*(range(len(each)) for each in options)), key=lambda each: (sum(each), each))
        for chosen in ranked[:TRIES]:
            alignments = {
                drawn.sample.site: options[place][index][0]
                for place, (drawn, index) in enumerate(zip(draws, chosen, strict=True))
            }
            plan = _Plan(alignments, pairs=pairs)
            yield from self._with_tails(plan, draws) if approximate else [plan]

    def _onto(self, lower: ir.Expression, upper: ir.Expression, low: ir.Expression, high: ir.Expression) -> Alignment:
        ends = [show(ir.Builtin("other", (each,))) for each in (low, high)]
        return Branch(show(ir.And((lower, upper))), Subset((show(low), show(high)), (ends[0], ends[1])), "0")

    def _with_tails(self, plan: _Plan, draws: list[Flowing]) -> Iterator[_Plan]:
        intervals = {site: each.then for site, each in plan.alignments.items() if isinstance(each, Branch)}
        narrow: list[Guess] = []
        extras: dict[int, ir.Expression] = {}
        for site, leaf in intervals.items():
            if isinstance(leaf, Subset):
                guessed = self._narrowing(site, leaf, plan)
                if guessed is None or not (self.point.value(guessed[0]) or 0) > 0:
                    return
                extras[site] = guessed[0]
                narrow += guessed[1]
        plan = replace(plan, extras=extras, tails=tuple(narrow))
        for drawn in (in_words_of_parameters(each, self.mechanism) for each in draws):
            for guess in releasing(drawn, self.mechanism.parameters):
                yield replace(plan, tails=(*narrow, guess))
            for both in lonely(drawn, self.mechanism, self._loop_of(drawn)):
                apart = replace(plan, tails=(*narrow, *both))
                yield apart
                yield replace(apart, beside={len(apart.tails): len(apart.tails) - 1})
        yield plan

    def _loop_of(self, drawn: Flowing) -> ir.For | None:
        loops = [
            each
            for each in walk.statements(self.mechanism.body)
            if isinstance(each, ir.For) and any(inner is drawn.sample for inner in walk.statements(each.body))
        ]
        return loops[-1] if loops else None

    def _narrowing(self, site: int, leaf: Subset, plan: _Plan) -> tuple[ir.Expression, list[Guess]] | None:
        """What the second run's interval loses to the first's, and the tails in which it gets too narrow."""
        low, high = (rewritten(read(each), definitions(self.mechanism)) for each in leaf.inside)
        wide = linear(ir.Arithmetic("-", high, low))
        if wide is None:
            return None
        drawn = {each.target: each for each in shifted_draws(self.mechanism) if each in self.mechanism.body}
        narrowing = {atom: by for atom, by in wide.items() if isinstance(atom, ir.Name) and atom.name in drawn}
        lost = linear(number(0))
        for atom, by in narrowing.items():
            shift = plan.alignments[drawn[atom.name].site]
            moved = linear(read(shift)) if isinstance(shift, str) else None
            lost = plus(lost, scaled(moved, -by))
        if lost is None or any(isinstance(atom, ir.Builtin) and atom.function == "hat" for atom in lost):
            return None
        extra = written(lost)
        rest = {atom: by for atom, by in wide.items() if atom not in narrowing}
        slack = plus(plus(rest, scaled(lost, Fraction(-1))), {word("width", site): Fraction(-1)})
        guesses = []
        for atom, by in narrowing.items():
            start = written(scaled(slack, 1 / abs(by) / len(narrowing)) or {})
            side = "below" if by > 0 else "above"
            found = drawn[atom.name].site
            guesses.append(Guess(found, 1, ir.Truth(True), side, start, (start,)))  # type: ignore[arg-type]  # one of two
        return extra, guesses

    # --- prices ---------------------------------------------------------------------------------------------

    def completed(self, plan: _Plan) -> Iterator[Found]:
        """The plan with what loops keep, totals, counts and prices."""
        seconds = self.deadline - time.process_time()
        if seconds <= 0:
            return
        terms = KeptTerms(milliseconds=MILLISECONDS, limit=Limit(max(1.0, seconds)))
        bare = self._coupling(plan, {}, {}, {}, dict.fromkeys(plan.extras, ("1", "1", "1")), plan.tails, None)
        facts, holding = learn(terms, self.mechanism, bare, self._forms(plan))
        totals = {site: self._cheapest(holding, word("cost", site)) for site in plan.alignments if not plan.pairs}
        joint = self._cheapest(holding, self._together(plan)) if plan.pairs else None
        counts = {entry: self._cheapest(holding, word("tries", entry)) for entry in plan.counters}
        uses = {site: self._cheapest(holding, word("uses", site)) for site in plan.extras}
        spent = self._spent(totals, joint, plan)
        spreads: dict[int, tuple[str, str, str]] = {}
        bound = price(spent)
        for site, extra in plan.extras.items():
            left = self._left(spent)
            spreads[site] = self._interval(site, extra, uses[site], left)
            bound = show(self._claim().epsilon)
        for tails in _choices(plan.tails):
            proof = self._coupling(plan, totals, counts, facts, spreads, tails, joint)
            if isinstance(self.mechanism.claim, ir.ApproximateClaim):
                yield Found("approximate", bound, proof, self._delta(terms, proof))
            else:
                yield Found("epsilon", bound, proof)

    def _claim(self) -> ir.ApproximateClaim:
        if not isinstance(self.mechanism.claim, ir.ApproximateClaim):
            raise _Hopeless
        return self.mechanism.claim

    def _forms(self, plan: _Plan) -> dict[ir.Expression, Counted]:
        counts = (number(0), number(1), *sizes(self.mechanism))
        nearby = [each.nearby for each in self.mechanism.parameters if each.nearby is not None]
        costs = {site: dict.fromkeys((*forms(self.mechanism, ((site, 1),)), *nearby)) for site in plan.alignments}
        found = {word("cost", site): Counted(frozenset({site}), tuple(each)) for site, each in costs.items()}
        if plan.pairs:
            every = tuple(dict.fromkeys(each for limits in costs.values() for each in limits))
            found[self._together(plan)] = Counted(frozenset(costs), every)
        for entry, sites in plan.counters.items():
            found[word("tries", entry)] = Counted(sites, counts)
        return found | {word("uses", site): Counted(frozenset({site}), counts) for site in plan.extras}

    def _together(self, plan: _Plan) -> ir.Expression:
        total = None
        for site in plan.alignments:
            total = word("cost", site) if total is None else ir.Arithmetic("+", total, word("cost", site))
        return total or number(0)

    def _cheapest(self, holding: Mapping[ir.Expression, list[ir.Expression]], counted: ir.Expression) -> ir.Expression:
        """The smallest form that holds, where prices are compared."""
        values = [(value, each) for each in holding[counted] if (value := self.point.value(each)) is not None]
        if not values:
            raise _Hopeless
        return min(values, key=lambda each: each[0])[1]

    def _spent(
        self, totals: Mapping[int, ir.Expression], joint: ir.Expression | None, plan: _Plan
    ) -> list[tuple[ir.Expression, ir.Expression]]:
        if joint is not None:
            return [(joint, self.scales[next(iter(plan.alignments))])]
        return [(total, self.scales[site]) for site, total in totals.items()]

    def _left(self, spent: list[tuple[ir.Expression, ir.Expression]]) -> Mapping:  # type: ignore[type-arg]  # a sum of products
        whole = products(self._claim().epsilon)
        for total, scale in spent:
            whole = added(whole, multiplied({(): Fraction(-1)}, divided(products(total), products(scale))))
        if not whole:
            raise _Hopeless
        return whole

    def _interval(
        self,
        site: int,
        extra: ir.Expression,
        uses: ir.Expression,
        left: Mapping,  # type: ignore[type-arg]  # a sum of products
    ) -> tuple[str, str, str]:
        """The width, the uses and the price of an interval, if what is left pays for it."""
        each = divided(left, products(uses))
        ratio = divided(multiplied(each, products(self.scales[site])), products(extra))
        if each is None or ratio is None or set(ratio) != {()} or ratio[()] <= 1:
            raise _Hopeless
        factor = ratio[()] / (ratio[()] - 1)
        logarithm = ir.Builtin("ln", (_fraction(factor),))
        return show(times(self.scales[site], logarithm)), show(uses), text(each)

    def _delta(self, terms: Terms, proof: Coupling) -> str:
        setting = Setting(terms, self.mechanism, proof)
        every = {each.site: setting.parameters.of(each.arguments[0]) for each in shifted_draws(self.mechanism)}
        made = {each.site for each in certain(self.mechanism)}
        above = next(scales_known(every, made, widths=bool(proof.intervals)))
        first, *others = Prices(setting, every, above).bad()
        if others:  # nobody says which of them is the largest
            raise _Hopeless
        return shown_exponentials(first)

    def _coupling(
        self,
        plan: _Plan,
        totals: Mapping[int, ir.Expression],
        counts: Mapping[int, ir.Expression],
        facts: Mapping[int, list[ir.Expression]],
        spreads: Mapping[int, tuple[str, str, str]],
        tails: tuple[Guess, ...],
        joint: ir.Expression | None,
    ) -> Coupling:
        loops = [each.number for each in walk.statements(self.mechanism.body) if isinstance(each, ir.For | ir.While)]
        total = "0" if joint is None else "joint"
        weights = tuple((site, 1) for site in sorted(plan.alignments))
        return Coupling(
            "none",
            tuple(
                Site(site, plan.alignments[site], show(totals[site]) if site in totals else total)
                for site in sorted(plan.alignments)
            ),
            tuple(Invariant(loop, _conjunction(thinned(facts.get(loop, [])))) for loop in loops),
            () if joint is None else (Joint(weights, show(joint)),),
            tuple(
                Tail(
                    each.site, each.run, _shown(each.given), each.side, _shown(each.start), _shown(each.leasts[0]),
                    show(counts.get(plan.beside.get(entry, entry), number(1))), plan.beside.get(entry),
                )
                for entry, each in enumerate(tails, 1)
            ),
            tuple(
                Spread(site, show(extra), spreads[site][0], spreads[site][1], spreads[site][2])
                for site, extra in plan.extras.items()
            ),
            plan.pairs,
        )  # fmt: skip


def _choices(tails: tuple[Guess, ...]) -> Iterator[tuple[Guess, ...]]:
    """The tails with public beginnings that are guessed, alike for the two runs, the least probable first."""
    most = max((len(each.leasts) for each in tails), default=1)
    for place in range(most):
        yield tuple(replace(each, leasts=(each.leasts[min(place, len(each.leasts) - 1)],)) for each in tails)


def _ordered(drawn: Flowing, leaves: tuple[ir.Expression, ...]) -> list[ir.Expression]:
    """Shifts that level what is let out first, then the others, and none at all where nothing is let out."""
    levelling = [each for each in leaves if show(each).startswith("-hat(")]
    first = levelling if drawn.equal or drawn.tests else []
    return list(dict.fromkeys((*first, *leaves)))


def _pairs(mechanism: ir.Mechanism) -> Iterator[Pairing]:
    """Draws of the two sides of a branch, in order, that the runs may make in each other's place."""
    drawn = {each.sample.site: each for each in every_draw(mechanism)}
    private = {each.name for each in mechanism.parameters if each.private}
    private |= {each.name for each in mechanism.variables if not each.public}
    for statement in walk.statements(mechanism.body):
        if not isinstance(statement, ir.If) or not walk.names(statement.condition) & private:
            continue
        sides = [
            [each for each in block if isinstance(each, ir.Sample) and each.site in drawn]
            for block in (statement.then, statement.otherwise)
        ]
        if not all(sides):
            continue
        for one, two in zip(*sides, strict=False):
            for first, second in ((one, two), (two, one)):
                shift = _apart(drawn[first.site], drawn[second.site])
                if shift is not None:
                    yield Pairing(first.site, second.site, show(shift))


def _apart(first: Flowing, second: Flowing) -> ir.Expression | None:
    """The shift after which both draws, with what each is added to, come to the same."""
    values = []
    for each in (first, second):
        forms_of = [form for value in each.equal if (form := linear(value)) is not None and form.get(DRAW) == 1]
        if not forms_of:
            return None
        values.append({atom: by for atom, by in forms_of[0].items() if atom != DRAW})
    theirs: dict[ir.Expression | None, Fraction] = {
        atom if atom is None else ir.Builtin("other", (atom,)): by for atom, by in values[1].items()
    }
    return written(plus(values[0], scaled(theirs, Fraction(-1))) or {})


def _shown(node: ir.Expression) -> str:
    return show(node).replace("%", "")


def _conjunction(facts: list[ir.Expression]) -> str:
    if not facts:
        return "True"
    return _shown(facts[0] if len(facts) == 1 else ir.And(tuple(facts)))


def _fraction(value: Fraction) -> ir.Expression:
    if value.denominator == 1:
        return ir.Number(value)
    return ir.Arithmetic("/", ir.Number(Fraction(value.numerator)), ir.Number(Fraction(value.denominator)))
