"""One question of several aggregates: UNION ALL, ROLLUP, a sub-query beside. One price, one charge, one answer.

The one idea: the price is shared among all measurements alike, whichever aggregate they are of; the certificates are
checked together, and what a sheet makes of the answers is free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.release import Price, ReleaseCertificate, price_to_json
from lapwing.kernel.evidence.several import Several, added
from lapwing.ledger import Remaining
from lapwing.query.answers import Answers
from lapwing.query.answers.replay import Noise
from lapwing.query.answers.sheeting import Source
from lapwing.query.answers.table import on_one_sheet
from lapwing.query.plan import Query, Statistic
from lapwing.session.certificate import certificate
from lapwing.session.expecting import expectations
from lapwing.session.pricing import Priced, price
from lapwing.session.quoting import USUAL, Offer, Quote, Wish, is_affordable, quote

_EVERYBODY = "The number of all rows has no noise: it is the same whichever person is changed."


@dataclass(frozen=True, slots=True)
class Compound:
    """A question and its aggregates, each with the mechanisms that will answer it."""

    query: Query
    parts: tuple[Priced, ...]
    #: what tells besides what limits and ranges cut
    cut: tuple[Priced, ...] = ()

    @property
    def price(self) -> Price:
        """What all of them cost together."""
        total = added([each.price for each in (*self.parts, *self.cut)])
        assert total is not None  # noqa: S101  # all were bought in one currency
        return total

    @property
    def asked(self) -> tuple[Query, ...]:
        """What an engine is asked for: the query of each aggregate with what is measured for it."""
        return tuple(each.asked for each in (*self.parts, *self.cut))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the answers."""
        said = [note for each in (self.query, *self.query.beside) for note in each.notes]
        return tuple(dict.fromkeys([*said, *([_EVERYBODY] if any(map(_counts_all, self.parts)) else [])]))

    def certificate(self, neighbours: Neighbours) -> Several | ReleaseCertificate:
        """What is written beside the answers."""
        parts = tuple(certificate(each, neighbours) for each in (*self.parts, *self.cut))
        return parts[0] if len(parts) == 1 else Several(parts, self.price)


def _counts_all(part: Priced) -> bool:
    """Whether an answer is the number of all rows, told for nothing."""
    return any(each.statistic is Statistic.COUNT and each.parts == (part.way.known,) for each in part.query.answers)


def aggregates(query: Query) -> tuple[Query, ...]:
    """The query of each aggregate of a question."""
    return (query, *query.beside)


def shares(query: Query) -> list[Fraction]:
    """The part of the price that each aggregate gets: measurements are paid alike."""
    many = [len(each.aggregate.measurements) + (each.aggregate.selection is not None) for each in aggregates(query)]
    return [Fraction(each, sum(many)) for each in many]


def compound(query: Query, neighbours: Neighbours, wanted: PureDP | ZCDP, delta: Fraction | None) -> Compound:
    """The mechanisms that a price buys; a delta is shared by the aggregates that choose groups."""
    choosing = sum(each.aggregate.selection is not None for each in aggregates(query))
    parts = []
    for each, share in zip(aggregates(query), shares(query), strict=True):
        own = delta / choosing if delta is not None and each.aggregate.selection is not None else None
        parts.append(price(each, neighbours, scaled(wanted, share), own))
    return Compound(query, tuple(parts))


def scaled(wanted: PureDP | ZCDP, share: Fraction) -> PureDP | ZCDP:
    """A part of a price."""
    return PureDP(wanted.epsilon * share) if isinstance(wanted, PureDP) else ZCDP(wanted.rho * share)


def on_sheet_of(query: Query, sources: Sequence[Source], noises: Sequence[Noise | None]) -> Answers:
    """What the sheet of a question makes of the answers of its aggregates, each with noise of its own to draw again."""
    assert query.sheet is not None  # noqa: S101  # several aggregates meet on a sheet
    drawn = [_with_own_noise(source, noise) for source, noise in zip(sources, noises, strict=True)]
    return on_one_sheet(query.sheet, drawn, noises[0])


def _with_own_noise(source: Source, noise: Noise | None) -> Source:
    def replayed(_given: Noise, many: int) -> Any:  # noqa: ANN401  # the columns of the source
        assert noise is not None  # noqa: S101  # the first has noise, and so have all
        return source.replayed(noise, many)

    return replace(source, replayed=replayed)


def quoted(query: Query, wish: Wish, left: Remaining, priced: Callable[[PureDP | ZCDP], Compound]) -> Quote:
    """A quote of all aggregates: the columns of each, at its share of the price."""
    parts, weights = aggregates(query), shares(query)
    if len(parts) == 1:
        return quote(lambda at: priced(at).parts[0], query, wish, left)
    wishes = [replace(wish, expect=known_expectations(each, wish.expect, wish.rows)) for each in parts]
    _check_expected(wish.expect, wishes)

    def quotes(each_price: PureDP | ZCDP | None) -> list[Quote]:
        if each_price is None:
            return [quote(_pricing(priced, query, at), part, wishes[at], left) for at, part in enumerate(parts)]
        own = [replace(each, price=scaled(each_price, weights[at]), within=None) for at, each in enumerate(wishes)]
        return [quote(_pricing(priced, query, at), part, own[at], left) for at, part in enumerate(parts)]

    if wish.within is not None:
        needed = [Fraction(each.price["epsilon"]) / weights[at] for at, each in enumerate(quotes(None))]
        prices: list[PureDP | ZCDP] = [PureDP(max(needed))]
    else:
        prices = [wish.price] if wish.price is not None else [PureDP(epsilon) for epsilon in USUAL]
    found = [quotes(each) for each in prices]
    first = found[0]
    offers = []
    for each, listed in zip(prices, found, strict=True):
        total = priced(each).price
        offers.append(Offer(price_to_json(total), _merged([one.margins for one in listed]), is_affordable(total, left)))
    return replace(
        first[0],
        expected=_merged([one.expected for one in first]),
        at_worst=tuple(dict.fromkeys(name for one in first for name in one.at_worst)),
        ranked=tuple(dict.fromkeys(name for one in first for name in one.ranked)),
        offers=tuple(offers),
        measurements=tuple(each for one in first for each in one.measurements),
        threshold=max((one.threshold for one in first if one.threshold is not None), default=None),
        notes=tuple(dict.fromkeys(note for one in first for note in one.notes)),
    )


def _pricing(priced: Callable[[PureDP | ZCDP], Compound], query: Query, at: int) -> Callable[[PureDP | ZCDP], Priced]:
    """How one of the aggregates is priced: at its share of what all cost."""
    share = shares(query)[at]
    return lambda own: priced(scaled(own, 1 / share)).parts[at]


def _merged(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All of them by name; of two with one name the second gets a number."""
    merged: dict[str, Any] = {}
    for at, each in enumerate(found):
        for name, value in each.items():
            merged[name if name not in merged else f"{name} ({at + 1})"] = value
    return merged


def known_expectations(part: Query, expect: Mapping[str, Number], rows: int) -> dict[str, Number]:
    """The expectations that an aggregate can make use of."""
    found = {}
    for name, value in expect.items():
        try:
            expectations(part, {name: value}, rows)
        except InvalidInput:
            continue
        found[name] = value
    return found


def _check_expected(expect: Mapping[str, Number], wishes: Sequence[Wish]) -> None:
    for name in expect:
        if not any(name in each.expect for each in wishes):
            raise InvalidInput(
                "S143", f"nothing can be expected of {name!r} in this query", "Leave the expectation out, or its value"
            )
