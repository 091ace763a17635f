"""What an aggregated SELECT asks for, and the fewest measurements that answer it.

The one idea: statistics are collected first and measured afterwards, so that a SUM and an AVG of one column, or a COUNT
and the count inside an AVG, are one noisy number and not two prices.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lapwing.query.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.query.names import fresh
from lapwing.query.plan import Answer, Measurement, Relation, Statistic
from lapwing.query.refusals import Refuses
from lapwing.query.typed import Typed
from lapwing.query.types import ColumnType

_SPREAD = (Statistic.VARIANCE, Statistic.STDDEV)


@dataclass(frozen=True, slots=True)
class Grouping:
    """What the measurements of one SELECT have in common: the rows, whether they are grouped, and a person's limit."""

    source: Relation
    grouped: bool
    limit: int | None
    place: Refuses
    #: in how many groups of unknown keys a person may be
    groups: int | None = None
    #: how many groups there are, where all keys are known
    listed: int | None = None

    def rows_that_count(self) -> int:
        """How many rows of a person count where nothing else bounds them; refused where the policy does not say."""
        if self.limit is None:
            raise self.place.unbounded(
                "Q130",
                "nothing bounds how many rows one person has here",
                "Set rows_per_unit of the table in the policy, or aggregate each person in a sub-query first",
            )
        return self.limit

    def groups_that_count(self) -> int:
        """In how many groups a person counts: as many as rows of theirs count, and no more than there are."""
        if self.listed is None or (self.limit is not None and self.limit < self.listed):
            return self.rows_that_count()
        return self.listed


@dataclass(frozen=True, slots=True)
class Request:
    """One statistic that is asked for, of which argument; its parts are measurements, without names yet."""

    answer: str
    statistic: Statistic
    argument: Expression | None
    parts: tuple[Measurement, ...]
    type: ColumnType
    #: the day that a number of days is counted from, where a day is told
    since: str | None = None

    @property
    def value(self) -> Typed:
        """What stands for it among answers."""
        if self.since is None:
            return Typed(Column(self.answer), self.type)
        told = (Literal(self.since, Kind.DATE), Column(self.answer), Literal("day", Kind.TEXT))
        return Typed(Call(Word.SHIFT, told), ColumnType(Kind.DATE))


@dataclass(slots=True)
class Requests:
    """Collects the statistics of one SELECT."""

    taken: set[str]
    found: list[Request] = field(default_factory=list)

    def ask(
        self, statistic: Statistic, argument: Typed | None, parts: tuple[Measurement, ...], known: ColumnType
    ) -> Request:
        """Registers a statistic; one that was asked for already is not asked for again."""
        expression = None if argument is None else argument.expression
        for each in self.found:
            if (each.statistic, each.argument, each.parts) == (statistic, expression, parts):
                return each
        name = fresh(f"{statistic.value}_{len(self.found) + 1}", self.taken)
        self.taken.add(name)
        request = Request(name, statistic, expression, parts, known)
        self.found.append(request)
        return request

    def settle(self) -> tuple[tuple[Measurement, ...], tuple[Answer, ...]]:
        """The measurements, each once, and the answers that use them."""
        # a mean can be read from any sum of the same values: that of a variance, which is centred, before a plain one
        totals = {each.argument: each.parts[0] for each in self.found if each.statistic is Statistic.SUM}
        totals |= {each.argument: each.parts[1] for each in self.found if each.statistic in _SPREAD}
        measurements: dict[Measurement, Measurement] = {}
        answers = []
        for request in self.found:
            parts = request.parts
            if request.statistic is Statistic.MEAN and request.argument in totals:
                parts = (totals[request.argument], *parts[1:])
            for part in parts:
                if part not in measurements:
                    name = fresh(f"{part.function.value}_{len(measurements) + 1}", self.taken)
                    self.taken.add(name)
                    measurements[part] = replace(part, name=name)
            answers.append(Answer(request.answer, request.statistic, tuple(measurements[part].name for part in parts)))
        return tuple(measurements.values()), tuple(answers)
