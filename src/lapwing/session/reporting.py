"""A report: the answers to all questions of a plan, which were one charge, with their prices and certificates.

The one idea: each answer is a release like any other, with a certificate of its own, and its receipt says which of
the charge's questions it was; so each can be checked by itself, and all of them together.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lapwing.errors import InvalidInput
from lapwing.session.html_report import report_page
from lapwing.session.release import Release, read_release
from lapwing.session.rendering import amounts, as_lines

KIND = "report"


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """The answers to a plan, in its order and by its names. ``plan`` is what was planned, as JSON."""

    releases: tuple[Release, ...]
    plan: Mapping[str, Any]
    spent: Mapping[str, str]
    remaining: Mapping[str, str]
    receipt: Mapping[str, object]
    #: whether this was already paid for
    repeated: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the questions."""
        return [str(each["name"]) for each in self.plan["questions"]]

    def __iter__(self) -> Iterator[Release]:
        return iter(self.releases)

    def __len__(self) -> int:
        return len(self.releases)

    def __getitem__(self, which: int | str) -> Release:
        if isinstance(which, str) and which not in self.names:
            raise InvalidInput("S170", f"the plan has no question {which!r}", f"Name one of {', '.join(self.names)}")
        return self.releases[self.names.index(which) if isinstance(which, str) else which]

    def to_json(self) -> dict[str, object]:
        """The report as one JSON object, with everything needed to check it."""
        return {
            "kind": KIND,
            "plan": dict(self.plan),
            "releases": [each.to_json() for each in self.releases],
            "price": dict(self.spent),
            "left": dict(self.remaining),
            "receipt": dict(self.receipt),
            "repeated": self.repeated,
        }

    def to_html(self) -> str:
        """The report as one page: tables, pictures with error bars, prices and certificates."""
        return report_page(self)

    def write(self, path: str | Path) -> None:
        """The page of :meth:`to_html` in a file."""
        try:
            Path(path).write_text(self.to_html(), encoding="utf-8")
        except (OSError, ValueError):
            raise InvalidInput("F003", "the report cannot be written", "Choose a folder you may write to") from None

    def __str__(self) -> str:
        return "\n".join([*self.lines(), self.summary()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = zip(self.names, self, strict=True)
        return "".join(f"<h4>{html.escape(name)}</h4>{each._repr_html_()}" for name, each in parts)

    def lines(self) -> Iterator[str]:
        """The tables as plain text, each under its name."""
        for name, each in zip(self.names, self, strict=True):
            yield name
            yield from (f"  {line.plain}" for line in as_lines(each))

    def summary(self) -> str:
        """What was paid, and what is left."""
        paid = "already paid for" if self.repeated else f"spent {amounts(self.spent, up=True)}, in one charge"
        return f"{paid}; {amounts(self.remaining, up=False)} left"


def read_report(
    text: str,
    *,
    plan: Mapping[str, Any] | None = None,
    repeated: bool = False,
    remaining: Mapping[str, str] | None = None,
) -> Report:
    """A report as it was written, under the names of ``plan`` where one is given; refuses anything else."""
    try:
        data = json.loads(text)
        if data["kind"] != KIND:
            raise TypeError
        left = data["left"] if remaining is None else remaining
        releases = [
            replace(read_release(json.dumps(each), repeated=repeated), remaining=left) for each in data["releases"]
        ]
        made = Report(tuple(releases), plan or data["plan"], data["price"], left, data["receipt"], repeated)
        if len(made.names) != len(made.releases):
            raise TypeError
    except (KeyError, TypeError, ValueError, RecursionError, AttributeError):
        raise InvalidInput("S141", "this is not a report", "Give the JSON that lapwing plan --run wrote") from None
    return made


def stamped(receipt: Mapping[str, object], questions: Sequence[str], at: int) -> dict[str, object]:
    """The receipt of one answer of several: which questions the charge was for, and which of them this is."""
    return {**receipt, "questions": list(questions), "place": at}
