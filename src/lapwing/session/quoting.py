"""What an answer would cost and how exact it would be, before anything is spent.

The one idea: the error of an answer is known before the answer is, at worst or for an answer that is expected. Groups
are made up and answered; their largest margin is the one quoted, and the price that makes it small enough is found.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.release import NoisyMeasurement, Price
from lapwing.kernel.evidence.release import price_to_json as measure
from lapwing.ledger import Remaining
from lapwing.query.answers import answer
from lapwing.query.expressions import Expression, columns_of
from lapwing.query.plan import Function, Query, Statistic
from lapwing.session.expecting import Expected, expectations
from lapwing.session.made_up_groups import at_worst, imagine
from lapwing.session.pricing import Priced
from lapwing.session.rendering import quote_text
from lapwing.session.replaying import imagined_noise
from lapwing.session.sizes import MOST_ROWS, sized

#: Prices that a quote shows when none is asked for.
USUAL = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))
#: Derived prices are rounded up to so many steps in each doubling, and are at most 2^LARGEST.
_STEPS, _SMALLEST, _LARGEST = 64, -20, 10
Pricing = Callable[[PureDP | ZCDP], Priced]


@dataclass(frozen=True, slots=True)
class Offer:
    """A price and the margin of each column for it; None where nothing in the column's units is known."""

    price: Mapping[str, str]
    margins: Mapping[str, float | None]
    affordable: bool


@dataclass(frozen=True, slots=True)
class Wish:
    """What a quote is asked for: a price, or an accuracy, and what the analyst takes for granted."""

    price: PureDP | ZCDP | None
    within: Number | None
    rows: int
    confidence: Fraction
    expect: Mapping[str, Number]


@dataclass(frozen=True, slots=True, repr=False)
class Quote:
    """Offers for one query, for groups of ``rows`` rows, at ``confidence``. ``threshold``: people a group must have.

    A margin holds for the answers in ``expected``; those of the columns in ``at_worst`` hold whatever the values are.
    ``ranked`` columns are quantiles, which are off by ranks. ``measurements`` are the shares of the price: what is
    measured, and the part of the price it gets.
    """

    query: str
    rows: int
    confidence: float
    expected: Mapping[str, float]
    at_worst: tuple[str, ...]
    ranked: tuple[str, ...]
    offers: tuple[Offer, ...]
    measurements: tuple[tuple[str, Mapping[str, str]], ...]
    threshold: int | None
    notes: tuple[str, ...]

    @property
    def price(self) -> Mapping[str, str]:
        """The price of the first offer: the one asked for, or the one derived."""
        return self.offers[0].price

    @property
    def margins(self) -> Mapping[str, float | None]:
        """The margins of the first offer."""
        return self.offers[0].margins

    def to_json(self) -> dict[str, object]:
        """The quote as one JSON object."""
        return {
            "query": self.query,
            "rows": self.rows,
            "confidence": self.confidence,
            "expected": dict(self.expected),
            "at_worst": list(self.at_worst),
            "offers": [
                {"price": dict(each.price), "margins": dict(each.margins), "affordable": each.affordable}
                for each in self.offers
            ],
            "measurements": [{"what": what, "price": dict(share)} for what, share in self.measurements],
            "threshold": self.threshold,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return quote_text(self)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Asked:
    """A query to be quoted: how it is priced, and what is taken for granted of its groups."""

    priced: Pricing
    rows: int
    confidence: Fraction
    expected: Expected

    def margins(self, plan: Priced, names: Collection[str] | None = None) -> dict[str, tuple[float, float]]:
        """For each column with noise its margin (infinite where none is known), and its value at that margin."""
        wanted = ((name, output) for name, output in noisy_outputs(plan.query) if names is None or name in names)
        return {name: self._margin(plan, name, output) for name, output in wanted}

    def _margin(self, plan: Priced, name: str, output: Expression) -> tuple[float, float]:
        """The largest margin among groups that are made up for this column."""
        groups = imagine(plan, output, self.rows, self.confidence, self.expected)
        if groups is None:
            return math.inf, math.nan
        asked = replace(plan.query, outputs=((name, output),), having=None, order=(), limit=None, offset=0, sheet=None)
        noise = imagined_noise(plan, self.confidence)
        cells = answer(asked, groups.keys, groups.measured, groups.count, noise).columns[0]
        margins = cells.margins()
        if margins is None:
            return math.inf, math.nan
        margins = np.where(cells.missing, -1.0, np.where(np.isnan(margins), np.inf, margins))
        largest = int(np.argmax(margins))
        if margins[largest] < 0:  # there is no answer in any of the groups
            return math.inf, math.nan
        return float(margins[largest]), float(cells.numbers[largest])


def quote(priced: Pricing, query: Query, wish: Wish, left: Remaining) -> Quote:
    """The offers: for the price wanted, for the accuracy wanted, or for some usual prices."""
    if wish.price is not None and wish.within is not None:
        raise InvalidInput("S139", "both a price and an accuracy are given", "Give one; the other is derived from it")
    if isinstance(wish.rows, bool) or not isinstance(wish.rows, int) or not 1 <= wish.rows <= MOST_ROWS:
        raise InvalidInput("S139", "the guessed number of rows is not a count", "Give a whole number from 1")
    asked = Asked(priced, wish.rows, wish.confidence, expectations(query, wish.expect, wish.rows))
    prices: list[PureDP | ZCDP]
    if wish.within is not None:
        prices = [_price_within(asked, query, wish.within)]
    elif wish.price is not None:
        prices = [wish.price]
    else:
        prices = [PureDP(epsilon) for epsilon in USUAL]
    plans = [priced(price) for price in prices]
    first = plans[0]
    noisy = noisy_outputs(query)
    return Quote(
        query.text,
        wish.rows,
        float(wish.confidence),
        {name: float(value) for name, value in asked.expected.stated.items()},
        tuple(name for name, output in noisy if at_worst(first, output, asked.expected)),
        tuple(name for name, output in noisy if is_ranked(output, query)),
        tuple(
            Offer(measure(plan.price), known_margins(asked.margins(plan)), is_affordable(plan.price, left))
            for plan in plans
        ),
        tuple((_what(first, family), measure(family[0].claim)) for family in first.families),
        None if first.selection is None else first.selection.threshold,
        query.notes,
    )


def noisy_outputs(query: Query) -> list[tuple[str, Expression]]:
    """The columns of a release that are not about keys alone."""
    known = {each.name for each in query.answers if each.statistic is Statistic.KEY}
    return [(name, output) for name, output in query.outputs if not set(columns_of(output)) <= known]


def known_margins(margins: Mapping[str, tuple[float, float]]) -> dict[str, float | None]:
    """The margins by column; None where none is known."""
    return {name: margin if math.isfinite(margin) else None for name, (margin, _) in margins.items()}


def is_ranked(output: Expression, query: Query) -> bool:
    """Whether a column is made of quantiles alone, which are off by ranks."""
    names = set(columns_of(output))
    return all(each.statistic in (Statistic.QUANTILE, Statistic.KEY) for each in query.answers if each.name in names)


def is_affordable(price: Price, left: Remaining) -> bool:
    """Whether one more question may cost so much."""
    if isinstance(price, ZCDP):
        return price.rho <= left.rho
    return price.epsilon <= left.epsilon and (isinstance(price, PureDP) or price.delta <= left.delta)


def _price_within(asked: Asked, query: Query, within: Number) -> PureDP:
    """The smallest ε, up to rounding, for which every margin is small enough: margins shrink as ε grows."""
    relative = isinstance(within, str) and within.strip().endswith("%")
    target = sized(str(within).strip().rstrip("%"), "the accuracy") / (100 if relative else 1)
    if target <= 0:
        raise InvalidInput("S139", "the accuracy asked for is not above 0", "Give a positive number, or '2%'")
    names = [name for name, output in noisy_outputs(query) if not is_ranked(output, query)]
    if not names:
        raise InvalidInput(
            "S139", "no column of this query has a margin in its own units", "Give a price instead of an accuracy"
        )
    if relative:
        check_known(asked.expected, query)
    limit = float(target)

    def enough(step: int) -> bool:
        found = asked.margins(asked.priced(PureDP(lattice(step))))
        return all(found[name][0] <= limit * (abs(found[name][1]) if relative else 1) for name in names)

    low, high = _SMALLEST * _STEPS, _LARGEST * _STEPS
    if not enough(high):
        raise InvalidInput(
            "S139",
            f"no price up to epsilon {2**_LARGEST} is exact enough for groups of {asked.rows} rows",
            "Ask for less accuracy, or guess more rows in a group",
        )
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return PureDP(lattice(low))


def check_known(expected: Expected, query: Query, names: Collection[str] | None = None) -> None:
    """A part of an answer means something only where the answer is expected."""
    for name, output in noisy_outputs(query):
        used = [each for each in query.answers if each.name in set(columns_of(output))]
        if (names is None or name in names) and not all(expected.knows(each, query) for each in used):
            raise InvalidInput(
                "S144",
                f"a part of {name!r} means nothing while nobody says how large {name!r} is",
                f"Say what you expect (--expect {shlex.quote(name)}=VALUE, in Python expect={{{name!r}: VALUE}});"
                " or give the accuracy as a number",
            )


def lattice(step: int) -> Fraction:
    """The steps divide each doubling evenly: 2^whole · (1 + part/STEPS)."""
    whole, part = divmod(step, _STEPS)
    return Fraction(2) ** whole * (1 + Fraction(part, _STEPS))


def _what(plan: Priced, family: Sequence[NoisyMeasurement]) -> str:
    """What a share of the price tells, in words."""
    words = {
        Function.ROWS: "count of rows",
        Function.TOTAL: "sum",
        Function.SQUARES: "sum of squares",
        Function.UNITS: "count of people",
        Function.DISTINCT: "count of different values",
        Function.QUANTILE: "quantile",
    }
    names = {part.measurement.name for part in family}
    told = [told for told in plan.told if names & {part.measurement.name for weight, part in told.parts if weight}]
    return " and ".join(dict.fromkeys(words[each.measurement.function] for each in told))
