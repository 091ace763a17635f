"""What a query costs and how exact it will be, decided before anything is charged.

The one idea: the price asked for is shared equally among the measurements, each share buys its mechanism, and what is
charged is the composition of what those mechanisms claim, never the wish they were made from.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt, prod

from lapwing.algebra.composition import sequential
from lapwing.algebra.exact import float_up
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.noise import Exponential, Gaussian, Laplace
from lapwing.noise.threshold import group_threshold
from lapwing.query.plan import Function, Measurement, Query
from lapwing.query.sensitivity import Change, change

Additive = Laplace | Gaussian
#: A query's quantiles have at most so many buckets, in all groups together.
MOST_BUCKETS = 20_000_000
#: What is charged.
Price = PureDP | ApproxDP | ZCDP


@dataclass(frozen=True, slots=True)
class Part:
    """One measurement, how far one person can move it, the mechanism that hides this, and what that costs."""

    measurement: Measurement
    change: Change
    mechanism: Additive | Exponential
    claim: PureDP | ZCDP

    def reach(self, confidence: Fraction) -> float | None:
        """How far noise moves the measurement at most, in its own units, with this probability.

        None for a choice: its error is a matter of ranks, which no bound of values follows from.
        """
        if isinstance(self.mechanism, Exponential):
            return None
        steps = _interval(self.mechanism, confidence)
        return float_up(steps * self.measurement.step ** _power(self.measurement) / self.measurement.weight_steps)

    def rank_error(self, confidence: Fraction) -> Fraction | None:
        """For a quantile: how many rows' weight the chosen value is at most from the wanted rank, when noise is fair.

        Pr[score <= best - t] <= m·e^(-t/scale) for m candidates, [MT07] Thm 6, and some candidate has score 0.
        """
        if not isinstance(self.mechanism, Exponential) or self.measurement.fraction is None:
            return None
        beyond = _log_up(self.measurement.buckets / (1 - confidence)) * self.mechanism.scale
        return beyond / (self.measurement.fraction.denominator * self.measurement.weight_steps)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which groups may be shown: those in which so many different people are found, after noise."""

    part: Part
    threshold: int
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Priced:
    """A query with the mechanisms that will answer it."""

    query: Query
    parts: tuple[Part, ...]
    selection: Selection | None

    @property
    def price(self) -> Price:
        """The composition of all claims: ε or ρ add up, and the choice of groups adds its δ."""
        claims = [part.claim for part in self.parts]
        if self.selection is not None:
            claims.append(self.selection.part.claim)
        total = sequential(claims)
        assert isinstance(total, PureDP | ZCDP)  # noqa: S101  # all claims are of one of these kinds
        if self.selection is None:
            return total
        assert isinstance(total, PureDP)  # noqa: S101  # groups are chosen at a price in ε
        return ApproxDP(total.epsilon, self.selection.delta)


def price(query: Query, neighbours: Neighbours, wanted: PureDP | ZCDP, delta: Fraction | None) -> Priced:
    """The mechanisms that ``wanted`` buys. ``delta`` is for choosing groups whose keys are unknown."""
    selecting = query.aggregate.selection is not None
    if _nothing(wanted):
        raise InvalidInput("S131", "the price is 0, and an answer for nothing says nothing", "Give an epsilon above 0")
    if selecting and isinstance(wanted, ZCDP):
        raise InvalidInput(
            "S132",
            "groups with unknown keys are chosen at a price in epsilon and delta, not in rho",
            "Pay in epsilon instead of rho, or declare the keys in the policy",
        )
    _check_size(query)
    shares = len(query.aggregate.measurements) + selecting
    share = _divided(wanted, shares)
    parts = tuple(_part(each, query, neighbours, share) for each in query.aggregate.measurements)
    return Priced(query, parts, _selection(query, neighbours, share, delta))


def _check_size(query: Query) -> None:
    """Quantiles are chosen among all buckets in each group: so many that this would not end are refused."""
    groups = prod(len(key.values) for key in query.aggregate.keys if key.values is not None)
    buckets = sum(each.buckets for each in query.aggregate.measurements if each.function is Function.QUANTILE)
    if groups * buckets > MOST_BUCKETS:
        raise InvalidInput(
            "S146",
            f"quantiles in {groups:,} groups have {groups * buckets:,} buckets to choose from, and at most"
            f" {MOST_BUCKETS:,} are answered",
            "Group by fewer or coarser keys, ask for fewer quantiles, or CLIP to fewer values",
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
    part = _part(wanted, query, neighbours, share)
    assert isinstance(part.mechanism, Laplace)  # noqa: S101  # a price in ε buys Laplace
    groups = wanted.rows_per_unit * (2 if neighbours is Neighbours.REPLACED else 1)
    threshold = group_threshold(part.mechanism, delta, contribution=wanted.weight_steps, groups=groups)
    return Selection(part, threshold, delta)


def _part(measurement: Measurement, query: Query, neighbours: Neighbours, share: PureDP | ZCDP) -> Part:
    moved = change(measurement, grouped=bool(query.aggregate.keys), neighbours=neighbours)
    if moved.l1 == 0:
        raise InvalidInput(
            "S140",
            "a number asked for is the same whatever the data say",
            "Check the ranges in the policy and in CLIP",
        )
    if measurement.function is Function.QUANTILE:
        epsilon = share.epsilon if isinstance(share, PureDP) else _root_down(8 * share.rho)
        choice = Exponential.for_epsilon(epsilon, Linf(moved.l1))
        claim = choice.claim(Linf(moved.l1)) if isinstance(share, PureDP) else choice.zcdp_claim(Linf(moved.l1))
        return Part(measurement, moved, choice, claim)
    if isinstance(share, PureDP):
        laplace = Laplace.for_epsilon(share.epsilon, L1(moved.l1))
        return Part(measurement, moved, laplace, laplace.claim(L1(moved.l1)))
    gaussian = Gaussian.for_rho(share.rho, L2(squared=moved.l2_squared))
    return Part(measurement, moved, gaussian, gaussian.claim(L2(squared=moved.l2_squared)))


def _divided(wanted: PureDP | ZCDP, shares: int) -> PureDP | ZCDP:
    return PureDP(wanted.epsilon / shares) if isinstance(wanted, PureDP) else ZCDP(wanted.rho / shares)


def _nothing(wanted: PureDP | ZCDP) -> bool:
    return (wanted.epsilon if isinstance(wanted, PureDP) else wanted.rho) == 0


def _power(measurement: Measurement) -> int:
    """Squares are in squared steps; counts have no step (it is 1)."""
    return 2 if measurement.function is Function.SQUARES else 1


def _root_down(value: Fraction) -> Fraction:
    """A rational a little below √value."""
    digits = 10**12
    return Fraction(isqrt(value.numerator * digits * digits // value.denominator), digits)


def _log_up(value: Fraction) -> Fraction:
    """A rational above ln(value), for value >= 1: ln 2 < 0.694 times the number of bits."""
    return Fraction(694, 1000) * (value.numerator // value.denominator).bit_length()


@lru_cache(maxsize=1024)
def _interval(mechanism: Additive, confidence: Fraction) -> int:
    return mechanism.interval(confidence)
