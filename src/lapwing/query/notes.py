"""What the reader of a release must know about how its numbers were made."""

from __future__ import annotations

import datetime
from fractions import Fraction

from lapwing.query.described import described, number
from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word, columns_of
from lapwing.query.plan import Aggregate, Answer, Bounding, Function, Measurement, Statistic
from lapwing.query.rules.keys import groups_of
from lapwing.query.rules.quantile import LARGEST, SMALLEST

_OF_TWO = {
    *(Statistic.COVARIANCE, Statistic.CORRELATION, Statistic.SLOPE, Statistic.INTERCEPT, Statistic.DETERMINATION),
}


def notes(aggregate: Aggregate, answers: tuple[Answer, ...]) -> tuple[str, ...]:
    """One sentence for each thing that a reader could not guess."""
    found = [*_about_people(aggregate), *_about_groups(aggregate)]
    products = {answer.parts[0] for answer in answers if answer.statistic in _OF_TWO}  # of values told of beside them
    for measurement in aggregate.measurements:
        if measurement.name not in products and not _of_itself(measurement.argument, aggregate):
            found += _about_values(measurement)
    if any(answer.statistic in (Statistic.VARIANCE, Statistic.STDDEV) for answer in answers):
        found.append("A variance divides by the number of rows, not by one less.")
    if any(answer.statistic is Statistic.COVARIANCE for answer in answers):
        found.append("A covariance divides by the number of rows, not by one less.")
    if any(answer.statistic is Statistic.HISTOGRAM for answer in answers):
        found.append("Values outside the range of a histogram are in its first or last bucket.")
    return tuple(dict.fromkeys(found))


def _about_people(aggregate: Aggregate) -> list[str]:
    found = []
    for each in aggregate.measurements:
        limit = each.rows_per_unit
        rows = "row" if limit == 1 else "rows"
        if each.bounding is Bounding.WEIGHTS and each.function is Function.UNITS:
            if (groups := groups_of(aggregate.keys)) is not None and limit >= groups:
                continue  # nobody can be in more
            found.append(f"A person in more than {limit} groups counts {limit} in all, the same part in each.")
        elif each.bounding is Bounding.WEIGHTS:
            found.append(
                f"A person with more than {limit} {rows} counts as {limit} {rows}: each of theirs counts less. "
                f"Rows whose {aggregate.source.type.unit} is NULL do not count."
            )
        elif each.bounding is Bounding.SAMPLE:
            found.append(f"Different values are counted among at most {limit} {rows} of each person, chosen at random.")
    return found


def _about_groups(aggregate: Aggregate) -> list[str]:
    listed = [key.name for key in aggregate.keys if key.values is not None]
    found = []
    if listed:
        found.append(f"Rows with {' or '.join(listed)} not among the known keys, or NULL, are in no group.")
    if aggregate.selection is not None:
        most = aggregate.selection.rows_per_unit
        if aggregate.selection.bounding is Bounding.SAMPLE:
            groups = "group" if most == 1 else "groups"
            found.append(f"Of each person at most {most} {groups}, chosen at random, count for which groups are shown.")
        names = ", ".join(key.name for key in aggregate.keys if key.values is None)
        found.append(f"The keys of {names} are not public: groups of few people are left out, which costs delta.")
    return found


def _about_values(measurement: Measurement) -> list[str]:
    if measurement.low is None or measurement.high is None or measurement.argument is None:
        return []
    if measurement.function is Function.SQUARES:  # its total is clipped to the same range
        return []
    shown = described(_itself(measurement.argument))
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    if measurement.function is Function.QUANTILE:
        found = [_about_days(measurement) or f"Quantiles of {shown} {_among(measurement)}."]
        if measurement.fraction in (SMALLEST, LARGEST):
            part = "1 %" if measurement.fraction == SMALLEST else "99 %"
            word = "MIN" if measurement.fraction == SMALLEST else "MAX"
            found.append(f"{word} is the value below which {part} of the rows lie: the true one would be one person's.")
        return found
    if next(columns_of(measurement.argument), None) is None:
        return []
    ends = f"[{number(measurement.low)}, {number(measurement.high)}]"
    exact = "" if measurement.step == 1 else f", in steps of {number(measurement.step)}"
    return [f"Values of {shown} are clipped to {ends}{exact}."]


def _among(measurement: Measurement) -> str:
    """The candidates of a quantile: as many steps as there are buckets, from the first one's low end."""
    low, step = measurement.low or Fraction(0), measurement.step
    if step == 1:
        return f"are whole numbers from {number(low)} to {number(low + measurement.buckets - 1)}"
    return f"lie in [{number(low)}, {number(low + step * measurement.buckets)}], in steps of {number(step)}"


def _about_days(measurement: Measurement) -> str | None:
    """What is told where days are counted from the first one of a range; None for other numbers."""
    match measurement.argument:
        case Call(Word.DAYS_BETWEEN, (Literal(str(start), Kind.DATE), subject)) if measurement.low == 0:
            last = datetime.date.fromisoformat(start) + datetime.timedelta(days=measurement.buckets - 1)
            return f"Quantiles of {described(subject)} are whole days from {start} to {last}."
    return None


def _of_itself(argument: Expression | None, aggregate: Aggregate) -> bool:
    """Whether a number lies in its range whatever the data are: a truth value, or one of the constants of a CASE."""
    match argument:
        case Call(Word.TO_INTEGER, (Column(name),)):
            found = aggregate.source.type.columns.get(name)
            return found is not None and found.kind is Kind.BOOLEAN
        case Call(Word.CASE, (*branches, otherwise)):
            values = (*branches[1::2], otherwise)
            return all(isinstance(each, Literal) or _of_itself(each, aggregate) for each in values)
    return False


def _itself(argument: Expression) -> Expression:
    """The value of CASE WHEN another one is there THEN it END, which is how two columns are looked at together."""
    match argument:
        case Call(Word.CASE, (Call(Word.NOT, (Call(Word.IS_NULL, _),)), value, Literal(None))):
            return value
    return argument
