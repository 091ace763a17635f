"""What limits and ranges cut, released beside the answers when it is asked for, at a price of its own.

The one idea: a ± is about noise. How many rows a limit leaves out, and how many values a range clips, are facts about
people like any other: they are measured, with noise, and said in one line each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.query.answers import Answers
from lapwing.query.plan import Query
from lapwing.query.rules.cut import clipped, limited
from lapwing.session.pricing import Priced, price
from lapwing.session.spreading import arranged


def cut_questions(query: Query) -> tuple[Query, ...]:
    """What is asked besides: about the limit of rows, and about ranges, where there are any."""
    return tuple(each for each in (limited(query), clipped(query)) if each is not None)


def cut_parts(query: Query, neighbours: Neighbours, wanted: PureDP | ZCDP) -> tuple[Priced, ...]:
    """The mechanisms that tell what was cut, sharing a price by what each has to tell."""
    questions = () if query.sheet is not None or query.beside else cut_questions(query)
    if not questions:
        raise InvalidInput(
            "S154",
            "nothing is cut here that could be told: no limit of rows and no range, or several answers in one",
            "Leave cut (--cut) out",
        )
    pure = isinstance(wanted, PureDP)
    shares = [arranged(each, neighbours, pure=pure).shares for each in questions]
    amount = wanted.epsilon if isinstance(wanted, PureDP) else wanted.rho
    if amount == 0:
        raise InvalidInput(
            "S131", "the price of what was cut is 0", "Give cut (--cut) a price above 0, or leave it out"
        )
    parts = []
    for each, many in zip(questions, shares, strict=True):
        own = amount * Fraction(many, sum(shares))
        parts.append(price(each, neighbours, PureDP(own) if pure else ZCDP(own), None))
    return tuple(parts)


def cut_notes(parts: Sequence[Priced], found: Sequence[Answers]) -> Iterator[str]:
    """One line for the limit, and one for each range."""
    for part, answers in zip(parts, found, strict=True):
        columns = dict(zip(answers.names, answers.columns, strict=True))
        said = {name: (cells.numbers[0], cells.lows[0], cells.highs[0]) for name, cells in columns.items()}
        if "part" in said:
            limit = part.query.notes[0]
            people, low, high = said["above"]
            rows = "row" if limit == "1" else "rows"
            yield (
                f"Cut by the limit: about {max(people, 0):,.0f} people ({max(low, 0):,.0f} to {max(high, 0):,.0f}) "
                f"have more than {limit} {rows} here; at least about {_percent(*said['part'])} of rows do not count."
            )
            continue
        notes = part.query.notes
        for at, (what, low_end, high_end) in enumerate(zip(notes[::3], notes[1::3], notes[2::3], strict=True)):
            yield (
                f"Cut by the range of {what}: {_percent(*said[f'below_{at}'])} of its values are below {low_end},"
                f" and {_percent(*said[f'above_{at}'])} above {high_end}."
            )


def _percent(value: float, low: float, high: float) -> str:
    ends = (max(0.0, min(1.0, end)) for end in (low, high))
    low, high = ends
    if high - low >= 1:
        return "an unknown part"
    return f"{100 * max(low, min(high, value)):.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
