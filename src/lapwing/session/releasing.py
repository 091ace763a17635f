"""A release made of private measurements: the answers, their ±, what was paid, what is left, and what to know of them.

The one idea: everything here happens after the noise, and whatever it does costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from lapwing.algebra.measures import ZCDP
from lapwing.kernel.evidence.release import NoisyMeasurement, price_to_json
from lapwing.ledger import Receipt, Remaining
from lapwing.policy import Policy
from lapwing.query.answers import Answers, Cells, Measured, answer
from lapwing.query.answers.table import source_of
from lapwing.session.compounding import Compound, on_sheet_of
from lapwing.session.cutting import cut_notes
from lapwing.session.groups import Groups
from lapwing.session.noising import Private
from lapwing.session.pricing import Combined, Priced, rank_error, reach
from lapwing.session.release import Release, ends, tables
from lapwing.session.rendering import percent
from lapwing.session.replaying import fresh_noise
from lapwing.session.showing import shown_notes, without_margins

#: Larger releases are not kept for repeating: asking again costs again.
KEPT_ROWS = 20_000


def made_release(
    policy: Policy,
    priced: Compound,
    proof: Mapping[str, Any],
    private: Sequence[Private],
    receipt: Receipt,
    level: Fraction,
) -> Release:
    """What an analyst is given for the charge of ``receipt``."""
    answers = answers_of(priced, private[: len(priced.parts)], level)
    table, margins = tables(answers)
    ranks = tuple(_rank_notes(priced, level))
    notes = (
        *_cut(priced, private[len(priced.parts) :], level),
        *priced.notes,
        *shown_notes(priced, answers.shown),
        *(ranks or without_margins(answers)),
        *_moment(policy, receipt),
    )
    low, high = ends(answers)
    spent, left = price_to_json(priced.price), left_after(policy, priced, receipt.remaining)
    return Release(table, margins, float(level), spent, left, stamp(receipt), notes, proof, low=low, high=high)


def stamp(receipt: Receipt) -> dict[str, object]:
    """What an answer says of its charge."""
    return {
        "sequence": receipt.sequence,
        "analyst": receipt.analyst,
        "time": receipt.time,
        "query": receipt.query,
        "hash": receipt.hash,
    }


def left_after(policy: Policy, priced: Compound, left: Remaining) -> dict[str, str]:
    """What one more question may cost, first in the currency that was paid in; a budget with a δ has two."""
    if isinstance(priced.price, ZCDP):
        return {"rho": str(left.rho), "epsilon": str(left.epsilon)}
    amounts = {"epsilon": str(left.epsilon)}
    return amounts | ({"delta": str(left.delta), "rho": str(left.rho)} if policy.budget.delta else {})


def _moment(policy: Policy, receipt: Receipt) -> Iterator[str]:
    if policy.data == "live":
        when = receipt.time[:19].replace("T", " ")
        yield f"The table is live: this answer is about its rows as of {when} UTC."


def _cut(priced: Compound, private: Sequence[Private], level: Fraction) -> Iterator[str]:
    """What limits and ranges cut, where that was asked for."""
    told = zip(priced.cut, private, strict=True)
    yield from cut_notes(
        priced.cut, [answers_of(Compound(each.query, (each,)), [found], level) for each, found in told]
    )


def answers_of(asked: Compound, private: Sequence[Private], level: Fraction) -> Answers:
    """What is made of the private measurements, with how far noise can have moved each."""
    given = [_given(priced, *found, level) for priced, found in zip(asked.parts, private, strict=True)]
    noises = [fresh_noise(priced, level) for priced in asked.parts]
    if asked.query.sheet is None:
        return answer(asked.query, *given[0], noises[0])
    sources = [source_of(priced.query, *found) for priced, found in zip(asked.parts, given, strict=True)]
    return on_sheet_of(asked.query, sources, noises)


def _given(
    priced: Priced, groups: Groups, values: Mapping[str, NDArray[Any]], level: Fraction
) -> tuple[dict[str, Cells], dict[str, Measured], int]:
    """The keys of an aggregate, its measurements, and how many groups there are."""

    def reached(told: Combined) -> Callable[[int], float | None]:
        return cache(lambda together: reach(told, 1 - (1 - level) / together))

    def noisy(part: NoisyMeasurement) -> NDArray[Any]:
        return values[part.measurement.name]

    def most(told: Combined) -> NDArray[Any] | None:
        everybody = [part for _, part in told.parts if part.measurement.name == priced.way.known]
        return noisy(everybody[0]) if everybody else None

    measured = {
        told.measurement.name: Measured(told.measurement, told.of(noisy), reached(told), most(told))
        for told in priced.told
    }
    keys = {key.name: _cells(column) for key, column in zip(groups.keys, groups.columns, strict=True)}
    return keys, measured, groups.count


def _cells(column: pa.Array) -> Cells:
    if column.null_count or pa.types.is_string(column.type):
        return Cells.known(column.to_pylist())
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return Cells.known(values)


def _rank_notes(asked: Compound, level: Fraction) -> Iterator[str]:
    for part in (part for priced in asked.parts for part in priced.parts):
        error = rank_error(part, level)
        if error is not None:
            yield (
                f"A quantile has no ± in its own units; with {percent(level)} confidence its rank is off by at most "
                f"{float(error):,.1f} rows."
            )
            return
