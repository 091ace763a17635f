"""A plan: several questions under one price, each with the error that it may have; nothing is charged for it.

The one idea: the errors of all answers are known before any is paid for. So the price is divided where it is needed,
shown as a table, and paid, if at all, as one charge for everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lapwing.algebra.conversion import zcdp_at_delta, zcdp_within
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError, NotComparable
from lapwing.kernel.evidence.release import Price
from lapwing.kernel.evidence.release import price_to_json as measure
from lapwing.ledger import Remaining
from lapwing.query.plan import Query
from lapwing.session.compounding import Compound
from lapwing.session.dividing_prices import Costed, Division
from lapwing.session.estimating import Foreseen, Pricing, estimate
from lapwing.session.plan_table import plan_text
from lapwing.session.quoting import known_margins
from lapwing.session.showing import people_needed
from lapwing.session.wishing import Tolerance, Wished

if TYPE_CHECKING:
    from lapwing.session.reporting import Report


@dataclass(frozen=True, slots=True)
class Terms:
    """What a plan may cost: a price, or None for the smallest that meets all wishes.

    With a ``delta`` a price in ε may be kept by Gaussian noise, too: then all answers together are (ε, δ)-DP.
    """

    price: PureDP | ZCDP | None
    delta: Fraction | None
    confidence: Fraction


@dataclass(frozen=True, slots=True)
class Planned:
    """One question of a plan: its share of the price, and the error that this buys, beside the one it may have."""

    name: str
    query: str
    price: Mapping[str, str]
    limits: Mapping[str, str]
    margins: Mapping[str, float | None]
    #: the errors in parts of what they may be; None where none is known
    ratios: Mapping[str, float | None]
    rows: int
    expected: Mapping[str, float]
    at_worst: tuple[str, ...]
    ranked: tuple[str, ...]
    threshold: int | None
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The question as one JSON object."""
        return {
            "name": self.name,
            "query": self.query,
            "price": dict(self.price),
            "limits": dict(self.limits),
            "margins": dict(self.margins),
            "ratios": dict(self.ratios),
            "rows": self.rows,
            "expected": dict(self.expected),
            "at_worst": list(self.at_worst),
            "ranked": list(self.ranked),
            "threshold": self.threshold,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """Questions with their shares of one price. ``run()`` pays it, as one charge, and gives all answers or none.

    ``worth`` is what a price in ρ guarantees as (ε, δ). ``after`` is what would be left; None where the price is more
    than there is.
    """

    questions: tuple[Planned, ...]
    price: Mapping[str, str]
    worth: Mapping[str, str] | None
    confidence: float
    left: Mapping[str, str]
    after: Mapping[str, str] | None
    runner: Callable[[Any], Report] = field(compare=False)

    @property
    def affordable(self) -> bool:
        """Whether the price is not more than is left."""
        return self.after is not None

    @property
    def ratio(self) -> float | None:
        """The largest error in parts of what it may be; None where nothing was wished, or one is not known."""
        found = [ratio for each in self.questions for ratio in each.ratios.values()]
        known = [ratio for ratio in found if ratio is not None]
        return max(known) if found and len(known) == len(found) else None

    @property
    def meets(self) -> bool:
        """Whether every error is as small as was wished."""
        found = (ratio for each in self.questions for ratio in each.ratios.values())
        return all(ratio is not None and ratio <= 1 for ratio in found)

    def run(self, progress: Callable[[float], None] | None = None) -> Report:
        """Pay the price and get every answer; one charge, on disk before the data is read."""
        return self.runner(progress)

    def to_json(self) -> dict[str, object]:
        """The plan as one JSON object."""
        return {
            "questions": [each.to_json() for each in self.questions],
            "price": dict(self.price),
            "worth": None if self.worth is None else dict(self.worth),
            "ratio": self.ratio,
            "meets": self.meets,
            "affordable": self.affordable,
            "left": dict(self.left),
            "after": None if self.after is None else dict(self.after),
            "confidence": self.confidence,
        }

    def __str__(self) -> str:
        return plan_text(self)

    __repr__ = __str__


def read_planned(data: Mapping[str, Any], runner: Callable[[Any], Report]) -> Plan:
    """A plan as its JSON says it."""
    return Plan(
        tuple(_read_question(each) for each in data["questions"]),
        data["price"],
        data["worth"],
        float(data["confidence"]),
        data["left"],
        data["after"],
        runner,
    )


def _read_question(data: Mapping[str, Any]) -> Planned:
    lists = {name: tuple(data[name]) for name in ("at_worst", "ranked", "notes")}
    return Planned(**{**data, **lists})


@dataclass(frozen=True, slots=True)
class Bench:
    """What a plan is made with: queries read under a policy, prices of them, and what the ledger would have left."""

    query: Callable[[str], Query]
    pricing: Callable[[Query, Number | None], Pricing]
    #: what would be left after these prices; raises where they are too much
    after: Callable[[tuple[Price, ...]], Remaining]
    left: Remaining
    #: the table's δ; with none there is no ρ
    delta: Fraction

    def lines(self, wanted: Sequence[Wished], confidence: Fraction) -> list[Costed]:
        """The questions, read; refuses those that cannot be asked."""
        return [self._line(each, confidence) for each in wanted]

    def _line(self, wanted: Wished, confidence: Fraction) -> Costed:
        try:
            query = self.query(wanted.sql)
            priced = self.pricing(query, wanted.delta)
            asked = estimate(query, priced, wanted.rows, confidence, wanted.expect)
            line = Costed(wanted, asked, _limits(wanted, asked))
            if any(limit.relative for limit in line.limits.values()):
                asked.check_known(line.limits)
        except LapwingError as refused:
            refused.problem = f"{wanted.name!r}: {refused.problem}"
            raise
        return line


def divided(bench: Bench, wanted: Sequence[Wished], terms: Terms) -> list[tuple[Costed, Compound]]:
    """Every question with what it is given of the price, in whichever currency this is cheaper."""
    if terms.price in (PureDP(0), ZCDP(0)):
        raise InvalidInput("S131", "the price is 0, and answers for nothing say nothing", "Give a price above 0")
    lines = bench.lines(wanted, terms.confidence)
    found, refusals = [], []
    for in_rho in _currencies(terms, bench):
        try:
            total = _total(lines, terms, in_rho=in_rho)
            found.append(_shared(lines, total, in_rho=in_rho))
        except InvalidInput as refused:
            refusals.append(refused)
    if not found:
        raise refusals[0]
    return min(found, key=lambda plans: _dearness(plans, terms, bench))


def prices(plans: Sequence[tuple[Costed, Compound]]) -> tuple[Price, ...]:
    """What the questions cost, one by one."""
    return tuple(plan.price for _, plan in plans)


def presented(
    bench: Bench, plans: Sequence[tuple[Costed, Compound]], terms: Terms, runner: Callable[[Any], Report]
) -> Plan:
    """The plan as it is shown."""
    charged = prices(plans)
    total = summed(charged)
    try:
        after: dict[str, str] | None = amounts_left(bench.after(charged))
    except (BudgetExceeded, NotComparable):
        after = None
    delta = terms.delta or bench.delta / 2
    worth = None
    if "rho" in total and delta:
        worth = measure(_worth(charged, delta))
    questions = tuple(_planned(*each) for each in plans)
    return Plan(questions, total, worth, float(terms.confidence), amounts_left(bench.left), after, runner)


def summed(charged: Sequence[Price]) -> dict[str, str]:
    """Prices added up by currency."""
    total: dict[str, Fraction] = {}
    for each in charged:
        for name, amount in measure(each).items():
            total[name] = total.get(name, Fraction(0)) + Fraction(amount)
    return {name: str(total[name]) for name in ("epsilon", "rho", "delta") if name in total}


def amounts_left(left: Remaining) -> dict[str, str]:
    """What one more question may cost, in the currencies that there are."""
    found = {"epsilon": left.epsilon, "rho": left.rho, "delta": left.delta}
    return {name: str(amount) for name, amount in found.items() if name == "epsilon" or left.rho or left.delta}


def _limits(wanted: Wished, asked: Foreseen) -> dict[str, Tolerance]:
    """How far off each column may be; refuses columns that are not there, or that have no ± of their own."""
    noisy, ranked = asked.columns, asked.ranked
    sized = [name for name in noisy if name not in ranked]
    if not wanted.limits:
        return {}
    if None in wanted.limits:
        if not sized:
            raise InvalidInput(
                "S171", "no column has a ± in its own units", "Give the question a weight, or a price of its own"
            )
        return dict.fromkeys(sized, wanted.limits[None])
    found = {}
    for name, limit in wanted.limits.items():
        column = next((each for each in noisy if each.lower() == str(name).lower()), None)
        if column is None:
            listed = f"Name one of {', '.join(sized)}" if sized else "Leave it out"
            raise InvalidInput("S170", f"the answer has no column {name!r} that could be off", listed)
        if column not in sized:
            raise InvalidInput(
                "S171", f"{column!r} is a quantile, which is off by ranks", "Give the question a weight, or a price"
            )
        found[column] = limit
    return found


def _currencies(terms: Terms, bench: Bench) -> list[bool]:
    """Whether to try ε (False) and ρ (True): a price says which, unless a δ lets a price in ε be kept by either."""
    if isinstance(terms.price, ZCDP):
        return [True]
    by_tail = terms.delta is not None if terms.price is not None else bool(terms.delta or bench.delta)
    return [False, True] if by_tail else [False]


def _total(lines: Sequence[Costed], terms: Terms, *, in_rho: bool) -> Fraction | None:
    """The price in this currency; None where none was given."""
    price = terms.price
    if price is None or isinstance(price, ZCDP):
        return None if price is None else price.rho
    if not in_rho:
        return price.epsilon
    assert terms.delta is not None  # noqa: S101  # or ρ would not be tried
    for_tail = terms.delta - sum((_chosen_delta(line) for line in lines if line.chooses), Fraction(0))
    found = zcdp_within(ApproxDP(price.epsilon, for_tail)).rho if for_tail > 0 else Fraction(0)
    if not found:
        raise InvalidInput(
            "S172", "the delta leaves nothing for Gaussian noise", "Give a larger delta, or leave it out"
        )
    return found


def _chosen_delta(line: Costed) -> Fraction:
    price = line.asked.priced(PureDP(1)).price
    assert isinstance(price, ApproxDP)  # noqa: S101  # the line chooses
    return price.delta


def _shared(lines: Sequence[Costed], total: Fraction | None, *, in_rho: bool) -> list[tuple[Costed, Compound]]:
    """Prices of their own first, then wishes, then what is left by weight; wishes alone share all there is."""
    fixed = [line for line in lines if line.wanted.price is not None]
    wishing = Division([line for line in lines if line.limits and line.wanted.price is None], in_rho)
    weighed = Division([line for line in lines if line.wanted.weight is not None], in_rho)
    if weighed.lines and total is None:
        raise InvalidInput(
            "S172",
            f"{weighed.lines[0].wanted.name!r} has a weight, and the plan has no price to share",
            "Give the plan a price, or say how far off each answer may be",
        )
    found = {line.wanted.name: line.asked.priced(line.wanted.price) for line in fixed if line.wanted.price is not None}
    left = None
    if total is not None:
        left = total - sum((_in_currency(plan.price, in_rho=in_rho) for plan in found.values()), Fraction(0))
        if wishing.lines or weighed.lines:
            _check_left(left, total, "the questions with prices of their own")
    if wishing.lines:
        shares = wishing.within(left) if left is not None and not weighed.lines else wishing.cheapest()
        found |= _bought(wishing, shares)
        left = None if left is None else left - sum(shares, Fraction(0))
    if weighed.lines and left is not None:
        _check_left(left, total, "the wishes")
        weights = [line.wanted.weight or Fraction(0) for line in weighed.lines]
        found |= _bought(weighed, [left * weight / sum(weights) for weight in weights])
    return [(line, found[line.wanted.name]) for line in lines]


def _check_left(left: Fraction | None, total: Fraction | None, what: str) -> None:
    if left is not None and total is not None and left <= 0:
        raise InvalidInput(
            "S172",
            f"{what} alone cost {float(total - left):.4g} of a price of {float(total):.4g}: the others get nothing",
            "Pay more, or wish for less",
        )


def _bought(division: Division, shares: Sequence[Fraction]) -> dict[str, Compound]:
    pairs = zip(division.lines, shares, strict=True)
    return {line.wanted.name: line.asked.priced(division.measure(at, share)) for at, (line, share) in enumerate(pairs)}


def _in_currency(price: Price, *, in_rho: bool) -> Fraction:
    if isinstance(price, ZCDP):
        if not in_rho:
            raise InvalidInput("S172", "a question is paid in rho, and the plan in epsilon", "Give the plan a rho")
        return price.rho
    return price.epsilon**2 / 2 if in_rho else price.epsilon


def _dearness(plans: Sequence[tuple[Costed, Compound]], terms: Terms, bench: Bench) -> tuple[bool, float]:
    """By what a plan is chosen: whether it can be paid, then its errors for a price, or its price for the errors."""
    charged = prices(plans)
    try:
        bench.after(charged)
        too_dear = False
    except (BudgetExceeded, NotComparable):
        too_dear = True
    if terms.price is not None:
        ratios = [line.ratio(plan) for line, plan in plans if line.limits]
        return too_dear, max(ratios, default=0.0)
    delta = terms.delta or bench.delta / 2
    pure = all(not isinstance(each, ZCDP) for each in charged)
    if pure or not delta:
        return too_dear, float(sum(Fraction(measure(each).get("epsilon", "0")) for each in charged))
    return too_dear, float(_worth(charged, delta).epsilon)


def _worth(charged: Sequence[Price], delta: Fraction) -> ApproxDP:
    """What charges guarantee together as (ε, δ): in ρ, to which a pure ε adds ε²/2; their own δs are on top."""
    rho = sum((_in_currency(each, in_rho=True) for each in charged), Fraction(0))
    own = sum((each.delta for each in charged if isinstance(each, ApproxDP)), Fraction(0))
    found = zcdp_at_delta(ZCDP(rho), delta)
    return ApproxDP(found.epsilon, min(Fraction(1), delta + own))


def _planned(line: Costed, plan: Compound) -> Planned:
    return Planned(
        line.wanted.name,
        line.asked.query.text,
        measure(plan.price),
        {name: str(limit) for name, limit in line.limits.items()},
        known_margins(line.asked.margins(plan)),
        {name: ratio if math.isfinite(ratio) else None for name, ratio in line.ratios(plan).items()},
        line.wanted.rows,
        {name: float(value) for name, value in line.asked.stated.items()},
        line.asked.at_worst(plan),
        line.asked.ranked,
        people_needed(plan),
        plan.notes,
    )
