"""What an answer would cost and how exact it would be, before anything is spent.

The one idea: the error of an answer is known before the answer is. A table is answered that nobody has, with groups
as large as the analyst guesses; its margins are those to expect, and the price that makes them small enough is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from lapwing.algebra.exact import Number, exact
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import InvalidInput
from lapwing.ledger import Remaining
from lapwing.query.answers import Measured, answer
from lapwing.query.answers.cells import Cells
from lapwing.query.expressions import Kind, columns_of
from lapwing.query.plan import Function, Key, Statistic
from lapwing.session.certificate import measure
from lapwing.session.pricing import Part, Priced

#: Prices that a quote shows when none is asked for.
USUAL = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))
#: Derived prices are rounded up to so many steps in each doubling, and are at most 2^LARGEST.
_STEPS, _SMALLEST, _LARGEST = 64, -20, 10
#: A margin is a float: more than this is asked of none.
_LARGEST_FLOAT = Fraction(10**300)
Pricing = Callable[[PureDP | ZCDP], Priced]


@dataclass(frozen=True, slots=True)
class Offer:
    """A price and the margin of each column for it; None where a margin in the column's units is not known."""

    price: Mapping[str, str]
    margins: Mapping[str, float | None]
    affordable: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """Offers for one query, for groups of ``rows`` rows, at ``confidence``. ``threshold``: people a group must have.

    ``measurements`` are the shares of the price: what is measured, and the part of the price it gets.
    """

    query: str
    rows: int
    confidence: float
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
            "offers": [
                {"price": dict(each.price), "margins": dict(each.margins), "affordable": each.affordable}
                for each in self.offers
            ],
            "measurements": [{"what": what, "price": dict(share)} for what, share in self.measurements],
            "threshold": self.threshold,
            "notes": list(self.notes),
        }


def quote(
    priced: Pricing,
    wanted: PureDP | ZCDP | None,
    within: Number | None,
    rows: int,
    confidence: Fraction,
    left: Remaining,
) -> Quote:
    """The offers: for the price wanted, for the accuracy wanted, or for some usual prices."""
    if wanted is not None and within is not None:
        raise InvalidInput("S139", "both a price and an accuracy are given", "Give one; the other is derived from it")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise InvalidInput("S139", "the guessed number of rows is not a count", "Give a whole number from 1")
    prices: list[PureDP | ZCDP]
    if within is not None:
        prices = [_price_within(priced, within, rows, confidence)]
    elif wanted is not None:
        prices = [wanted]
    else:
        prices = [PureDP(epsilon) for epsilon in USUAL]
    plans = [priced(price) for price in prices]
    first = plans[0]
    return Quote(
        first.query.text,
        rows,
        float(confidence),
        tuple(
            Offer(measure(plan.price), _margins(plan, rows, confidence)[0], _affordable(plan, left)) for plan in plans
        ),
        tuple((_what(part), measure(part.claim)) for part in first.parts),
        None if first.selection is None else first.selection.threshold,
        first.query.notes,
    )


def _affordable(plan: Priced, left: Remaining) -> bool:
    price = plan.price
    if isinstance(price, ZCDP):
        return price.rho <= left.rho
    return price.epsilon <= left.epsilon and (isinstance(price, PureDP) or price.delta <= left.delta)


def _price_within(priced: Pricing, within: Number, rows: int, confidence: Fraction) -> PureDP:
    """The smallest ε, up to rounding, for which every margin is small enough: margins shrink as ε grows."""
    relative = isinstance(within, str) and within.strip().endswith("%")
    target = exact(str(within).strip().rstrip("%"), "the accuracy") / (100 if relative else 1)
    if target <= 0:
        raise InvalidInput("S139", "the accuracy asked for is not above 0", "Give a positive number, or '2%'")

    def enough(step: int) -> bool:
        margins, values = _margins(priced(PureDP(_epsilon(step))), rows, confidence)
        known = {name: margin for name, margin in margins.items() if margin is not None}
        if not known:
            raise InvalidInput(
                "S139", "no column of this query has a margin in its own units", "Give a price instead of an accuracy"
            )
        limit = float(min(target, _LARGEST_FLOAT))
        return all(margin <= limit * (abs(values[name]) if relative else 1) for name, margin in known.items())

    low, high = _SMALLEST * _STEPS, _LARGEST * _STEPS
    if not enough(high):
        raise InvalidInput(
            "S139",
            f"no price up to epsilon {2**_LARGEST} is exact enough for groups of {rows} rows",
            "Ask for less accuracy, or about larger groups (rows=)",
        )
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return PureDP(_epsilon(low))


def _epsilon(step: int) -> Fraction:
    """The steps divide each doubling evenly: 2^whole · (1 + part/STEPS)."""
    whole, part = divmod(step, _STEPS)
    return Fraction(2) ** whole * (1 + Fraction(part, _STEPS))


def _margins(plan: Priced, rows: int, confidence: Fraction) -> tuple[dict[str, float | None], dict[str, float]]:
    """The margins, and the values, of a made-up group of this many rows."""

    def measured(part: Part) -> Measured:
        return Measured(
            part.measurement,
            np.array([_made_up(part, rows)]),
            lambda together: part.reach(1 - (1 - confidence) / together),
        )

    keys = {key.name: _made_up_key(key) for key in plan.query.aggregate.keys}
    parts = {part.measurement.name: measured(part) for part in plan.parts}
    whole = plan.query
    answers = answer(replace(whole, having=None, order=(), limit=None, offset=0), keys, parts, 1)
    margins: dict[str, float | None] = {}
    values: dict[str, float] = {}
    known = {each.name for each in whole.answers if each.statistic is Statistic.KEY}
    for (name, expression), cells in zip(whole.outputs, answers.columns, strict=True):
        if set(columns_of(expression)) <= known:
            continue
        margin = cells.margins()
        margins[name] = None if margin is None or not np.isfinite(margin[0]) else float(margin[0])
        values[name] = float(cells.numbers[0])
    return margins, values


def _made_up(part: Part, rows: int) -> float:
    """A group of ``rows`` rows in the middle of their range."""
    measurement = part.measurement
    match measurement.function:
        case Function.ROWS | Function.UNITS | Function.DISTINCT:
            return float(rows)
        case Function.TOTAL:
            middle = ((measurement.low or Fraction(0)) + (measurement.high or Fraction(0))) / 2
            return float(rows * (middle - measurement.centre * measurement.step))
        case Function.SQUARES:
            half = ((measurement.high or Fraction(0)) - (measurement.low or Fraction(0))) / 4
            return float(rows * half * half)
        case _:
            return float(((measurement.low or Fraction(0)) + (measurement.high or Fraction(0))) / 2)


def _made_up_key(key: Key) -> Cells:
    values = {Kind.INTEGER: 0, Kind.REAL: 0.0, Kind.BOOLEAN: True}
    return Cells.known([key.values[0] if key.values else values.get(key.type.kind, "")])


def _what(part: Part) -> str:
    words = {
        Function.ROWS: "count of rows",
        Function.TOTAL: "sum",
        Function.SQUARES: "sum of squares",
        Function.UNITS: "count of people",
        Function.DISTINCT: "count of different values",
        Function.QUANTILE: "quantile",
    }
    return words[part.measurement.function]
