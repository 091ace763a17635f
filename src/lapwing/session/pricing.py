"""What a query costs and how exact it will be, decided before anything is charged.

The one idea: the price asked for is shared equally among the families of measurements, each share buys the mechanisms
of its family, and what is charged is the composition of what mechanisms claim, never the wish they were made from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import isqrt, prod
from typing import Any

from numpy.typing import NDArray

from lapwing.algebra.composition import sequential
from lapwing.algebra.exact import float_up
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.release import Change, NoisyMeasurement, Price, Selection
from lapwing.noise import Exponential, Gaussian, Laplace
from lapwing.noise.threshold import group_threshold
from lapwing.query.plan import Function, Measurement, Query
from lapwing.query.sensitivity import change
from lapwing.session.noise_reach import reach_of_sum
from lapwing.session.shown_units import unit_of
from lapwing.session.spreading import Arranged, arranged

Additive = Laplace | Gaussian
#: Noise of this width is 0 but for one draw in 10^27.
_NARROW = Fraction(1, 64)
#: A query's quantiles are so many at most, in all groups together.
MOST_CHOICES = 100_000


@dataclass(frozen=True, slots=True)
class Priced:
    """A query with the mechanisms that will answer it: ``parts`` are what is measured, and ``way`` is how it tells."""

    query: Query
    parts: tuple[NoisyMeasurement, ...]
    selection: Selection | None
    way: Arranged

    @property
    def asked(self) -> Query:
        """The query with what is measured for it, as an engine is asked."""
        return replace(self.query, aggregate=self.way.aggregate)

    @property
    def noisy(self) -> tuple[NoisyMeasurement, ...]:
        """Everything that has noise: what is measured, and the people that chose a group."""
        return self.parts if self.selection is None else (*self.parts, self.selection.part)

    @property
    def told(self) -> tuple[Combined, ...]:
        """Everything that answers are made of: the measurements of the query, and the people that chose a group."""
        by_name = {part.measurement.name: part for part in self.parts}
        wanted = self.query.aggregate.measurements
        made = [Combined(each, tuple((w, by_name[of]) for w, of in self.way.told[each.name])) for each in wanted]
        chosen = [] if self.selection is None else [self.selection.part]
        return (*made, *(Combined(part.measurement, ((Fraction(1), part),)) for part in chosen))

    @property
    def families(self) -> list[list[NoisyMeasurement]]:
        """What one price pays for, each; the choice of groups last."""
        by_name = {part.measurement.name: part for part in self.parts}
        within = {name for family in self.way.together for name in family}
        found = [[by_name[name] for name in family] for family in self.way.together]
        found += [[part] for name, part in by_name.items() if name not in within]
        return found if self.selection is None else [*found, [self.selection.part]]

    @property
    def price(self) -> Price:
        """The composition of all claims: ε or ρ of families add up, and the choice of groups adds its δ."""
        claims = [max((part.claim for part in family), key=_amount) for family in self.families]
        total = sequential(claims)
        assert isinstance(total, PureDP | ZCDP)  # noqa: S101  # all claims are of one of these kinds
        if self.selection is None:
            return total
        assert isinstance(total, PureDP)  # noqa: S101  # groups are chosen at a price in ε
        return ApproxDP(total.epsilon, self.selection.delta)


@dataclass(frozen=True, slots=True)
class Combined:
    """A measurement of the query as a sum of noisy ones: how often each counts, in the units of both."""

    measurement: Measurement
    parts: tuple[tuple[Fraction, NoisyMeasurement], ...]

    def of(self, values: Callable[[NoisyMeasurement], NDArray[Any]]) -> NDArray[Any]:
        """The sum, from the values of its parts in their units; of one part, as it is."""
        (weight, first), *others = self.parts
        total = values(first)
        if weight == 1 and not others:
            return total
        total = total * float(weight)
        for weight, part in others:
            total = total + values(part) * float(weight)
        return total


def reach(told: Combined, confidence: Fraction) -> float | None:
    """How far noise moves the measurement at most, in its own units, with this probability.

    None for a choice: its error is a matter of ranks, which no bound of values follows from.
    """
    weight, part = told.parts[0]
    if isinstance(part.mechanism, Exponential):
        return None
    if len(told.parts) == 1:
        steps = _interval(part.mechanism, confidence)
        return float_up(abs(weight) * steps * unit_of(part.measurement) / part.measurement.weight_steps)
    widths = [
        (abs(weight) * unit_of(part.measurement) / part.measurement.weight_steps, part.mechanism)
        for weight, part in told.parts
        if weight and not isinstance(part.mechanism, Exponential)
    ]
    return reach_of_sum(tuple(widths), confidence)


def rank_error(part: NoisyMeasurement, confidence: Fraction) -> Fraction | None:
    """For a quantile: how many rows' weight the chosen value is at most from the wanted rank, when noise is fair.

    Pr[score <= best - t] <= m·e^(-t/scale) for m candidates, [MT07] Thm 6, and some candidate has score 0.
    """
    if not isinstance(part.mechanism, Exponential) or part.measurement.fraction is None:
        return None
    beyond = _log_up(part.measurement.buckets / (1 - confidence)) * part.mechanism.scale
    return beyond / (part.measurement.fraction.denominator * part.measurement.weight_steps)


def price(query: Query, neighbours: Neighbours, wanted: PureDP | ZCDP, delta: Fraction | None) -> Priced:
    """The mechanisms that ``wanted`` buys. ``delta`` is for choosing groups whose keys are unknown."""
    selecting = query.aggregate.selection is not None
    if _amount(wanted) == 0:
        raise InvalidInput("S131", "the price is 0, and an answer for nothing says nothing", "Give an epsilon above 0")
    if selecting and isinstance(wanted, ZCDP):
        raise InvalidInput(
            "S132",
            "groups with unknown keys are chosen at a price in epsilon and delta, not in rho",
            "Pay in epsilon instead of rho, or declare the keys in the policy",
        )
    _check_size(query)
    way = arranged(query, neighbours, pure=isinstance(wanted, PureDP))
    share = _divided(wanted, way.shares)
    within = {name for family in way.together for name in family}
    grouped = bool(query.aggregate.keys)
    parts = tuple(
        _known(each, share)
        if each.name == way.known
        else _part(each, neighbours, share, grouped=grouped or each.name in within)
        for each in way.aggregate.measurements
    )
    return Priced(query, parts, _selection(query, neighbours, share, delta), way)


def _check_size(query: Query) -> None:
    """Quantiles are chosen group by group: in so many that this would not end they are refused."""
    groups = prod(len(key.values) for key in query.aggregate.keys if key.values is not None)
    asked = sum(each.function is Function.QUANTILE for each in query.aggregate.measurements)
    if groups * asked > MOST_CHOICES:
        raise InvalidInput(
            "S146",
            f"{asked} quantiles in {groups:,} groups are more than the {MOST_CHOICES:,} choices that are made at most",
            "Group by fewer or coarser keys, or ask for fewer quantiles",
        )


def _selection(query: Query, neighbours: Neighbours, share: PureDP | ZCDP, delta: Fraction | None) -> Selection | None:
    """The choice of groups: (ε, δ)-DP because a group that only one person is in stays hidden but with chance δ.

    A person is in at most k of the counts, with 1 in each. Groups that exist without the person follow from noisy
    counts, ε by post-processing; those that exist only with the person have a count of 1, and any is shown with
    probability at most δ [KKMN09]. When a person is *changed*, the new one's groups count too: half the δ each.
    """
    wanted = query.aggregate.selection
    if wanted is None:
        return None
    if not delta:
        raise InvalidInput(
            "S133",
            "the groups are not known in advance, and choosing them privately needs a delta",
            "Declare the keys in the policy (--keys COLUMN=A,B), list them with WHERE ... IN, or protect with --delta",
        )
    part = _part(wanted, neighbours, share, grouped=True)
    assert isinstance(part.mechanism, Laplace)  # noqa: S101  # a price in ε buys Laplace
    groups = wanted.rows_per_unit * (2 if neighbours is Neighbours.REPLACED else 1)
    threshold = group_threshold(part.mechanism, delta, contribution=wanted.weight_steps, groups=groups)
    return Selection(part, threshold, delta)


def _part(measurement: Measurement, neighbours: Neighbours, share: PureDP | ZCDP, *, grouped: bool) -> NoisyMeasurement:
    moved = change(measurement, grouped=grouped, neighbours=neighbours)
    if moved.l1 == 0:
        raise InvalidInput(
            "S140",
            "a number asked for is the same whatever the data say",
            "Check the ranges in the policy and in CLIP",
        )
    if measurement.function is Function.QUANTILE:
        epsilon = share.epsilon if isinstance(share, PureDP) else root_down(8 * share.rho)
        choice = Exponential.for_epsilon(epsilon, Linf(moved.l1))
        claim = choice.claim(Linf(moved.l1)) if isinstance(share, PureDP) else choice.zcdp_claim(Linf(moved.l1))
        return NoisyMeasurement(measurement, moved, choice, claim)
    if isinstance(share, PureDP):
        laplace = Laplace.for_epsilon(share.epsilon, L1(moved.l1))
        return NoisyMeasurement(measurement, moved, laplace, laplace.claim(L1(moved.l1)))
    gaussian = Gaussian.for_rho(share.rho, L2(squared=moved.l2_squared))
    return NoisyMeasurement(measurement, moved, gaussian, gaussian.claim(L2(squared=moved.l2_squared)))


def _known(measurement: Measurement, share: PureDP | ZCDP) -> NoisyMeasurement:
    """A number that is the same on all neighbours: noise so narrow that it is none, and costs nothing."""
    if isinstance(share, PureDP):
        return NoisyMeasurement(measurement, Change(0, 0), Laplace(_NARROW), PureDP(0))
    return NoisyMeasurement(measurement, Change(0, 0), Gaussian(_NARROW), ZCDP(0))


def _divided(wanted: PureDP | ZCDP, shares: int) -> PureDP | ZCDP:
    return PureDP(wanted.epsilon / shares) if isinstance(wanted, PureDP) else ZCDP(wanted.rho / shares)


def _amount(price: PureDP | ZCDP) -> Fraction:
    return price.epsilon if isinstance(price, PureDP) else price.rho


def root_down(value: Fraction) -> Fraction:
    """A rational a little below √value."""
    digits = 10**12
    return Fraction(isqrt(value.numerator * digits * digits // value.denominator), digits)


def _log_up(value: Fraction) -> Fraction:
    """A rational above ln(value), for value >= 1: ln 2 < 0.694 times the number of bits."""
    return Fraction(694, 1000) * (value.numerator // value.denominator).bit_length()


@lru_cache(maxsize=1024)
def _interval(mechanism: Additive, confidence: Fraction) -> int:
    return mechanism.interval(confidence)
