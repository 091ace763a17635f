"""Pairs of neighbouring inputs: given one by one, by a Hypothesis strategy, or made up.

The one idea: the relation between two inputs is part of the claim. A pair carries it in words, so that a finding can
say what its reader must agree with: that these two inputs are neighbours.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from lapwing.errors import InvalidInput
from lapwing.policy import SUFFIX

#: Pairs that are taken from an endless list, or drawn from a strategy.
MOST = 200
DRAWN = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """Two inputs, and how they differ; ``made_up`` if nobody but us says that the callable takes them."""

    left: object
    right: object
    relation: str = ""
    made_up: bool = False


def pairs_of(given: object, seed: int | None = None) -> list[Pair]:
    """The pairs that somebody gives: an iterable of (left, right), or a Hypothesis strategy for them."""
    if isinstance(given, str | Path):
        raise no_real_rows(f"neighbours is the path {str(given)!r}")
    try:
        drawn = _drawn(given, seed) if _is_strategy(given) else given
        if not isinstance(drawn, Iterable):
            problem = f"neighbours is a {type(given).__name__}"
            raise InvalidInput("Y201", problem, "Give pairs (left, right), a Hypothesis strategy, or added(...)")
        return list(islice(_each(drawn), MOST))
    except InvalidInput:
        raise
    except (Exception, SystemExit) as error:  # whoever makes the pairs failed
        problem = f"the neighbours cannot be had: they raised {type(error).__name__}"
        raise InvalidInput("Y201", problem, "Make them with python first") from None


def no_real_rows(what: str) -> InvalidInput:
    """The refusal of data that may be about people."""
    return InvalidInput(
        "Y206",
        f"{what}, and thousands of answers about real rows would be a release",
        "Audit on made-up inputs: give a pair by hand, or the policy with --like NAME.lapwing.toml",
    )


def refuse_real_rows(*inputs: object) -> None:
    """Refuse what answers from real rows: a session, an engine, or the path of a table that is protected."""
    for given in inputs:
        if type(given).__name__ in ("Session", "Engine"):
            raise no_real_rows(f"an input is a {type(given).__name__}")
        if isinstance(given, str | Path) and _is_protected(str(given)):
            raise no_real_rows(f"an input is the protected table {str(given)!r}")


def _is_protected(given: str) -> bool:
    """Whether a text is the path of a table that has a policy beside it."""
    text, _, relation = given.partition("::")
    path = Path(text)
    names = {path.stem, path.name, relation.rpartition(".")[2]} - {""}
    try:
        return path.exists() and any((path.parent / f"{name}{SUFFIX}").is_file() for name in names)
    except (OSError, ValueError):  # no path at all
        return False


def _each(given: Iterable[object]) -> Iterator[Pair]:
    for entry in given:
        if isinstance(entry, Pair):
            yield entry
        elif isinstance(entry, tuple | list) and len(entry) == 2:
            yield Pair(entry[0], entry[1])
        else:
            problem = f"an entry of neighbours is a {type(entry).__name__}, not two inputs"
            raise InvalidInput("Y201", problem, "Give pairs (left, right)")


def _is_strategy(given: object) -> bool:
    return any(each.__name__ == "SearchStrategy" for each in type(given).__mro__)


def _drawn(strategy: object, seed: int | None) -> list[object]:
    """Examples of a strategy, as a test would draw them, without its database and without shrinking."""
    hypothesis: Any = importlib.import_module("hypothesis")
    found: list[object] = []

    def collect(pair: object) -> None:
        found.append(pair)

    rules = hypothesis.settings(
        max_examples=DRAWN,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    test = rules(hypothesis.given(strategy)(collect))
    if seed is not None:
        test = hypothesis.seed(seed)(test)
    test()
    return found
