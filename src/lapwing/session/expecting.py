"""What an analyst expects of a query before paying: means, spreads and counts, by the names of answers and columns.

The one idea: the ± of a mean or a deviation depends on the answer itself, and so does "2% of it". Nobody knows the
answer before paying; what is expected is said, and where nothing is, a quote takes the worst.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.algebra.exact import Number
from lapwing.errors import InvalidInput
from lapwing.query.described import described, number
from lapwing.query.expressions import Call, Column, Expression, Word
from lapwing.query.plan import Answer, Measurement, Query, Statistic
from lapwing.session.sizes import MOST_ROWS, sized

_SPREAD = (Statistic.VARIANCE, Statistic.STDDEV)
_COUNTED = (Statistic.COUNT, Statistic.HISTOGRAM)


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations as they were stated, and what they say of arguments (mean, variance) and of measurements (count)."""

    stated: dict[str, Fraction] = field(default_factory=dict)
    means: dict[Expression, Fraction] = field(default_factory=dict)
    variances: dict[Expression, Fraction] = field(default_factory=dict)
    counts: dict[str, Fraction] = field(default_factory=dict)

    def knows(self, answer: Answer, query: Query) -> bool:
        """Whether the value of an answer is expected; counts are as many as the group has rows."""
        match answer.statistic:
            case Statistic.MEAN | Statistic.SUM:
                return argument(measurement(answer.parts[0], query)) in self.means
            case Statistic.VARIANCE | Statistic.STDDEV:
                return argument(measurement(answer.parts[0], query)) in self.variances
            case _:
                return True

    def settles(self, answer: Answer, query: Query) -> bool:
        """Whether everything is expected that the ± of an answer depends on."""
        spread = answer.statistic in _SPREAD
        return self.knows(answer, query) and (not spread or argument(measurement(answer.parts[0], query)) in self.means)


def expectations(query: Query, expect: Mapping[str, Number], rows: int) -> Expected:
    """Reads ``{"income": 28_000}``: an answer by its name, or the mean of a column; refuses what cannot be."""
    if not isinstance(expect, Mapping):
        raise InvalidInput("S143", "the expectations do not have names", 'Give expect={"income": 28000}, say')
    found = Expected()
    for name, given in expect.items():
        value = sized(given, f"the expectation of {name!r}")
        found.stated[str(name)] = value
        answered = _answer(query, str(name))
        if answered is None:
            _expect_column(found, query, str(name), value)
        elif answered.statistic in _COUNTED:
            _check(str(name), value, Fraction(0), Fraction(MOST_ROWS))
            found.counts[answered.parts[0]] = value
        else:
            _expect_answer(found, query, answered, str(name), value, rows)
    return found


def measurement(name: str, query: Query) -> Measurement:
    """The measurement of that name."""
    aggregate = query.aggregate
    chosen = () if aggregate.selection is None else (aggregate.selection,)
    found: Measurement = next(each for each in (*aggregate.measurements, *chosen) if each.name == name)
    return found


def argument(measured: Measurement) -> Expression:
    """What is summed."""
    assert measured.argument is not None  # noqa: S101  # sums have an argument
    return measured.argument


def _answer(query: Query, name: str) -> Answer | None:
    """The answer that a column of the release shows as it is; None where there is no such column."""
    shown = [each for written, each in query.outputs if written.lower() == name.lower()]
    wanted = (Statistic.MEAN, Statistic.SUM, *_SPREAD, *_COUNTED)
    return next((each for each in query.answers if Column(each.name) in shown and each.statistic in wanted), None)


def _expect_answer(found: Expected, query: Query, answer: Answer, name: str, value: Fraction, rows: int) -> None:
    spread = answer.statistic in _SPREAD  # squares are of coarser steps: the range is that of the sum beside them
    first = measurement(answer.parts[1 if spread else 0], query)
    assert first.low is not None  # noqa: S101  # sums have a range
    assert first.high is not None  # noqa: S101  # as above
    if answer.statistic is Statistic.SUM:
        _check(name, value, rows * first.low, rows * first.high)
        found.means[argument(first)] = value / rows
    elif answer.statistic is Statistic.MEAN:
        _check(name, value, first.low, first.high)
        found.means[argument(first)] = value
    else:
        half = (first.high - first.low) / 2
        deviates = answer.statistic is Statistic.STDDEV
        _check(name, value, Fraction(0), half if deviates else half**2)
        found.variances[argument(first)] = value**2 if deviates else value


def _expect_column(found: Expected, query: Query, name: str, value: Fraction) -> None:
    called = [each for each in _summed(query) if name.lower() in _names(argument(each))]
    if not called:
        answers = (written for written, _ in query.outputs if _answer(query, written) is not None)
        known = dict.fromkeys([*answers, *(text for each in _summed(query) for text in _names(argument(each)))])
        raise InvalidInput(
            "S143",
            f"nothing can be expected of {name!r} in this query",
            f"Name one of {', '.join(known)}" if known else "Leave the expectation out",
        )
    for each in called:
        _check(name, value, each.low, each.high)
        found.means[argument(each)] = value


def _summed(query: Query) -> Iterator[Measurement]:
    for answer in query.answers:
        if answer.statistic in (Statistic.MEAN, Statistic.SUM, *_SPREAD):
            yield measurement(answer.parts[0], query)


def _names(expression: Expression) -> list[str]:
    """What an argument goes by: itself as it is written, and the column that is clipped."""
    match expression:
        case Column(name) | Call(Word.CLIP, (Column(name), *_)):
            return list(dict.fromkeys([name.lower(), described(expression).lower()]))
        case _:
            return [described(expression).lower()]


def _check(name: str, value: Fraction, low: Fraction | None, high: Fraction | None) -> None:
    if (low is not None and value < low) or (high is not None and value > high):
        ends = f"from {number(low)}" if high is None and low is not None else f"{_end(low)} to {_end(high)}"
        raise InvalidInput("S143", f"{name!r} cannot be {number(value)}", f"Expect something in its range, {ends}")


def _end(value: Fraction | None) -> str:
    return "anything" if value is None else number(value)
