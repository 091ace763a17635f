"""The questions of a plan as people write them, in Python or in TOML: what is asked, and how exact it should be.

The one idea: a question says how far off its answers may be, or what its weight is, or what it costs (and perhaps how
far off it may then be, to compare).
Whatever cannot be understood is refused here, with the question's name, before anything is priced.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapwing.algebra.exact import Number, exact
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.release import price_to_json
from lapwing.query.builder import as_sql
from lapwing.session.sizes import MOST_ROWS, sized

#: More questions than this are several plans.
MOST_QUESTIONS = 200
#: A group is taken to have so many rows where nobody says otherwise.
_ROWS = 1000
_HOW = ("within", "weight", "epsilon", "rho")
_FIELDS = ("name", "sql", *_HOW, "rows", "anyway", "expect", "delta")
_FILE = ("source", "epsilon", "rho", "delta", "confidence", "question")
_EXAMPLE = '{"sql": "SELECT COUNT(*) FROM people", "within": 20}'


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far off a number may be: so much, or such a part of it."""

    amount: Fraction
    relative: bool

    @property
    def exactly(self) -> str:
        """As it is written, to the last digit."""
        return f"{100 * self.amount}%" if self.relative else str(self.amount)

    def __str__(self) -> str:
        number = float(100 * self.amount if self.relative else self.amount)
        return f"{number:,.6g}{'%' if self.relative else ''}"


@dataclass(frozen=True, slots=True)
class Wished:
    """One question of a plan. ``limits`` are by column; one without a name is for all columns that have a ±."""

    name: str
    sql: str
    limits: Mapping[str | None, Tolerance] = field(default_factory=dict)
    weight: Fraction | None = None
    price: PureDP | ZCDP | None = None
    #: how many rows a group has, as somebody guesses; None where nobody does
    guess: int | None = None
    expect: Mapping[str, Number] = field(default_factory=dict)
    delta: Number | None = None
    #: asked although groups of so many rows are too small to be shown
    anyway: bool = False

    @property
    def rows(self) -> int:
        """How many rows a group is taken to have."""
        return _ROWS if self.guess is None else self.guess

    def fields(self, price: Mapping[str, str] | None = None) -> dict[str, object]:
        """The question as JSON has it, at its own price or at another."""
        found: dict[str, object] = {"name": self.name, "sql": self.sql}
        if self.guess is not None:
            found["rows"] = self.guess
        if self.anyway:
            found["anyway"] = True
        if self.limits:
            within = {name: limit.exactly for name, limit in self.limits.items()}
            found["within"] = within.get(None, within)
        if self.expect:
            found["expect"] = {name: str(exact(value, name)) for name, value in self.expect.items()}
        if self.delta is not None:
            found["delta"] = str(exact(self.delta, "delta"))
        paid = price if price is not None else {} if self.price is None else price_to_json(self.price)
        if paid:
            found |= paid
        elif self.weight is not None:
            found["weight"] = str(self.weight)
        return found


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as a file has it: the questions, and perhaps the table and the price."""

    questions: tuple[Wished, ...]
    source: str | None
    epsilon: Number | None
    rho: Number | None
    delta: Number | None
    confidence: Number | None


def read_plan(path: Path) -> PlanFile:
    """The plan in a file of TOML; refuses, with a line where there is one, what is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise InvalidInput("S170", f"the plan {str(path)!r} cannot be read", "Give the path of a TOML file") from None
    try:
        found = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as wrong:
        reason = str(wrong).splitlines()[0] if isinstance(wrong, tomllib.TOMLDecodeError) else "it nests too deeply"
        raise InvalidInput("S170", f"{path.name} is not TOML: {reason}", "Correct it") from None
    if "questions" in found and "question" not in found:
        found["question"] = found.pop("questions")
    if "table" in found and "source" not in found:
        found["source"] = found.pop("table")
    _check_fields(found, _FILE, path.name)
    source = found.get("source")
    if source is not None and not isinstance(source, str):
        raise InvalidInput("S170", "the source of the plan is not text", 'Write source = "people.parquet", say')
    if source is not None and not source.startswith(("http://", "https://", "postgresql://", "spark://")):
        file, separator, relation = source.partition("::")
        source = f"{path.parent / file}{separator}{relation}"
    given = (_number(found, name, path.name) for name in ("epsilon", "rho", "delta", "confidence"))
    return PlanFile(read_questions(found.get("question", [])), source, *given)


def read_questions(given: object) -> tuple[Wished, ...]:
    """Questions as Python or JSON has them: objects by name, SQL with what it may be off by, or SQL alone."""
    if isinstance(given, tuple) and given and all(isinstance(each, Wished) for each in given):
        return given  # read before
    if isinstance(given, Mapping) and given and "sql" not in given:  # questions by their names
        given = [_named(name, each) for name, each in given.items()]
    if isinstance(given, Mapping | str):
        given = [given]
    if not isinstance(given, Sequence) or not given:
        raise InvalidInput("S170", "a plan has no questions", f"Give a list of questions, such as [{_EXAMPLE}]")
    if len(given) > MOST_QUESTIONS:
        raise InvalidInput("S170", f"a plan has more than {MOST_QUESTIONS} questions", "Divide it into several plans")
    found = [_question(each, place) for place, each in enumerate(given, 1)]
    names = [each.name for each in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput("S170", f"two questions are called {twice!r}", "Give each question a name of its own")
    return tuple(found)


def _named(name: object, question: object) -> object:
    return {"name": name, **question} if isinstance(question, Mapping) else {"name": name, "sql": question}


def _question(given: object, place: int) -> Wished:
    if isinstance(given, tuple | list) and len(given) == 2:
        given = {"sql": given[0], "within": given[1]}
    if not isinstance(given, Mapping):
        given = {"sql": given}
    name = given.get("name", f"question {place}")
    if not isinstance(name, str) or not name.strip() or len(name) > 200 or not name.isprintable():
        raise InvalidInput("S170", f"the name of question {place} is no name", "Give a short text")
    called = f"question {name!r}" if "name" in given else name
    _check_fields(given, _FIELDS, called)
    how = [each for each in _HOW if given.get(each) is not None]
    compared = len(how) == 2 and how[0] == "within" and how[1] in ("epsilon", "rho")
    if len(how) > 1 and not compared:
        remedy = "Give one: how far off it may be, its weight, or its price"
        raise InvalidInput("S170", f"{called} has both {how[0]} and {how[1]}", remedy)
    if given.get("sql") is None:
        raise InvalidInput("S170", f"{called} asks nothing", f"Write it as {_EXAMPLE}")
    weight = (
        _positive(1 if given.get("weight") is None else given["weight"], f"the weight of {called}")
        if how in ([], ["weight"])
        else None
    )
    price: PureDP | ZCDP | None = None
    if "epsilon" in how:
        price = PureDP(_positive(given["epsilon"], f"the price of {called}"))
    if "rho" in how:
        price = ZCDP(_positive(given["rho"], f"the price of {called}"))
    return Wished(
        name,
        as_sql(given["sql"]),
        dict(_limits(given["within"], called)) if "within" in how else {},
        weight,
        price,
        None if given.get("rows") is None else _rows(given["rows"], called),
        _expected(given.get("expect"), called),
        _number(given, "delta", called),
        _anyway(given.get("anyway", False), called),
    )


def _limits(within: object, called: str) -> Iterator[tuple[str | None, Tolerance]]:
    if not isinstance(within, Mapping):
        yield None, _limit(within, called)
        return
    if not within:
        raise InvalidInput("S170", f"{called} says of no column how far off it may be", 'Give {"n": 20}, say')
    for name, each in within.items():
        yield str(name), _limit(each, f"{name!r} of {called}")


def _limit(given: Any, called: str) -> Tolerance:  # noqa: ANN401  # whatever a file or a caller has
    relative = isinstance(given, str) and given.strip().endswith("%")
    number = sized(given.strip().removesuffix("%").strip() if isinstance(given, str) else given, called)
    return Tolerance(_positive(number, f"how far off {called} may be") / (100 if relative else 1), relative)


def _positive(value: Any, what: str) -> Fraction:  # noqa: ANN401  # as above
    number = sized(value, what)
    if number <= 0:
        raise InvalidInput("S170", f"{what} is not above 0", "Give a positive number")
    return number


def _number(given: Mapping[str, Any], name: str, called: str) -> Number | None:
    value = given.get(name)
    return None if value is None else sized(value, f"{name} of {called}")


def _rows(value: object, called: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROWS:
        raise InvalidInput("S170", f"the rows of {called} are not a count", "Give a whole number from 1")
    return value


def _anyway(value: object, called: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput("S170", f"anyway of {called} is neither true nor false", "Write true, or leave it out")
    return value


def _expected(value: object, called: str) -> Mapping[str, Number]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput("S170", f"the expectations of {called} have no names", 'Give {"income": 28000}, say')
    return {str(name): sized(each, f"the expectation of {name!r}") for name, each in value.items()}


def _check_fields(given: Mapping[Any, object], known: Sequence[str], called: str) -> None:
    unknown = next((str(name) for name in given if name not in known), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, known, 1)
        remedy = f"Did you mean {near[0]}?" if near else f"Give some of {', '.join(known)}"
        raise InvalidInput("S170", f"{called} has {unknown!r}, which means nothing here", remedy)
