"""What is advised: ranges, limits and what each would cut; in words, as JSON, as options, or put into a policy."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lapwing.errors import InvalidInput
from lapwing.ledger import Ledger
from lapwing.policy import Column, Policy, Table, write_policy
from lapwing.session.policy_places import ledger_of, places, protected
from lapwing.session.reporting import Report


@dataclass(frozen=True, slots=True)
class Suggested:
    """A range for a column; ``outside`` is the part of the values beyond it, as far as was seen."""

    column: str
    low: float | None
    high: float | None
    outside: float | None
    unseen: float

    def to_json(self) -> dict[str, object]:
        """The range as JSON."""
        names = ("column", "low", "high", "outside", "unseen")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Cutting:
    """A limit, the part of the people who have more, and the part of all rows (or groups) that it would cut."""

    limit: int
    people_above: float
    cut: float

    def to_json(self) -> dict[str, object]:
        """The choice as JSON."""
        return {"limit": self.limit, "people_above": self.people_above, "cut": self.cut}


@dataclass(frozen=True, slots=True)
class Limited:
    """A limit on what one person has, of ``what``; None where nothing was seen. ``choices`` say what each would cut."""

    what: str
    limit: int | None
    choices: tuple[Cutting, ...]
    unseen: float

    def to_json(self) -> dict[str, object]:
        """The limit as JSON."""
        choices = [each.to_json() for each in self.choices]
        return {"of": self.what, "limit": self.limit, "unseen": self.unseen, "choices": choices}


@dataclass(frozen=True, slots=True, repr=False)
class Advice:
    """What to say of a table, as far as a price lets it be seen. ``report`` has the answers that it follows from."""

    table: str
    ranges: tuple[Suggested, ...]
    rows: Limited | None
    groups: tuple[Limited, ...]
    report: Report

    @property
    def receipt(self) -> Mapping[str, object]:
        """What it was charged with."""
        return self.report.receipt

    @property
    def repeated(self) -> bool:
        """Whether it was already paid for."""
        return self.report.repeated

    @property
    def rows_per_unit(self) -> int | None:
        """The limit on rows of one person to use."""
        return None if self.rows is None else self.rows.limit

    @property
    def groups_per_unit(self) -> int | None:
        """The limit on groups of one person to use: enough for each column that was looked at."""
        return max((each.limit for each in self.groups if each.limit is not None), default=None)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The range of each column where one was seen."""
        return {
            each.column: (each.low, each.high) for each in self.ranges if each.low is not None and each.high is not None
        }

    @property
    def arguments(self) -> list[str]:
        """The options of ``lapwing protect`` that say the same."""
        found = [
            f"--bounds {shlex.quote(f'{name}={low:.17g}:{high:.17g}')}" for name, (low, high) in self.bounds.items()
        ]
        if self.rows_per_unit is not None:
            found.append(f"--rows-per-unit {self.rows_per_unit}")
        if self.groups_per_unit is not None:
            found.append(f"--groups-per-unit {self.groups_per_unit}")
        return found

    def to_json(self) -> dict[str, object]:
        """The advice as one JSON object: a report, which ``lapwing check`` reads, with what follows from it."""
        advice = {
            "table": self.table,
            "bounds": [each.to_json() for each in self.ranges],
            "rows_per_unit": None if self.rows is None else self.rows.to_json(),
            "groups_per_unit": [each.to_json() for each in self.groups],
            "arguments": self.arguments,
        }
        return {**self.report.to_json(), "advice": advice}

    def __str__(self) -> str:
        return "\n".join([*advice_lines(self), self.report.summary()])

    __repr__ = __str__


def advice_lines(found: Advice) -> Iterator[str]:
    """The advice in words."""
    for each in found.ranges:
        few = f"fewer than about {each.unseen:,.0f} people"
        if each.outside is None:
            yield f"{each.column}: nothing was seen, for no bucket stands out of the noise; pay more, or say a range"
        elif each.low is None or each.high is None:
            yield f"{each.column}: no range, for there are values beyond all that is counted; say one yourself"
        else:
            yield (
                f"{each.column}: {each.low:,.6g} to {each.high:,.6g}; about {each.outside:.1%} of what was seen lies "
                f"outside, and what {few} have was not seen"
            )
    for limited in (*((found.rows,) if found.rows is not None else ()), *found.groups):
        yield from _limit_lines(limited, "rows" if limited is found.rows else f"different {limited.what}")


def _limit_lines(limited: Limited, what: str) -> Iterator[str]:
    if limited.limit is None:
        yield f"{what} per person: nothing was seen; pay more, or say a limit yourself"
        return
    yield f"{what} per person: at most {limited.limit:,}"
    for each in limited.choices:
        mark = "→" if each.limit == limited.limit else " "
        cut = f"about {each.people_above:.1%} of the people have more, {each.cut:.1%} of all is cut"
        yield f"  {mark} {each.limit:>7,}: {cut}"


def write_advice(source: str | Path, found: Advice) -> Policy:
    """Puts the advice into the policy of a table; what it has no advice on stays as it is."""
    at = places(source)
    policy = protected(at)
    ledger = Ledger.open(ledger_of(at, policy))
    ledger.check_policy(policy)
    changed = advised(policy, found)
    write_policy(changed, at.policy)
    return changed


def advised(policy: Policy, found: Advice) -> Policy:
    """The policy with the advice in it."""
    bounds = found.bounds

    def column(each: Column) -> Column:
        return _ranged(each, *bounds[each.name]) if each.name in bounds and each.keys is None else each

    def table(each: Table) -> Table:
        if each.name != found.table:
            return each
        limits: dict[str, Any] = {
            name: limit
            for name, limit in (("rows_per_unit", found.rows_per_unit), ("groups_per_unit", found.groups_per_unit))
            if limit is not None
        }
        return replace(each, columns=tuple(map(column, each.columns)), **limits)

    return replace(policy, tables=tuple(map(table, policy.tables)))


def _ranged(column: Column, low: float, high: float) -> Column:
    return Column(column.name, column.kind, *((int(low), int(high)) if column.kind == "integer" else (low, high)))


def read_advice(data: Mapping[str, Any], report: Report) -> Advice:
    """Advice as its JSON says it."""
    try:
        found = data["advice"]
        rows = found["rows_per_unit"]
        return Advice(
            str(found["table"]),
            tuple(Suggested(**each) for each in found["bounds"]),
            None if rows is None else _read_limited(rows),
            tuple(map(_read_limited, found["groups_per_unit"])),
            report,
        )
    except (KeyError, TypeError, ValueError):
        raise InvalidInput("S141", "this is not advice", "Give the JSON that lapwing advise --json wrote") from None


def _read_limited(data: Mapping[str, Any]) -> Limited:
    return Limited(data["of"], data["limit"], tuple(Cutting(**each) for each in data["choices"]), data["unseen"])
