"""How two inputs of a mechanism may differ and still have to look alike.

Each relation is a small frozen value written in a decorator (``q=each(1)``). Its distance is an exact number, or a
Python expression over public parameters as a string (``each("bound")``). :meth:`broken` decides two concrete
values and names the rule they break.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput

Kind = Literal["within", "each", "one", "rises", "falls", "monotone", "replaced", "added", "answers", "conditional"]

#: The relations that carry a distance, those under which a list keeps its (then public) length, and those of lists.
DISTANCED: frozenset[str] = frozenset({"within", "each", "one", "rises", "falls", "monotone", "answers"})
LISTS_ONLY: frozenset[str] = frozenset({"each", "one", "rises", "falls", "monotone", "added"})
KINDS: frozenset[str] = DISTANCED | {"replaced", "added"}


@dataclass(frozen=True, slots=True)
class Relation:
    """A neighbour relation: its name in the language, and its distance where it has one."""

    kind: Kind
    distance: Fraction | str | None = None
    #: of ``conditional``, which is written ``within(d, given="…")``: where the distance counts
    given: str | None = None

    rules: ClassVar[dict[str, str]] = {
        "within": "a number that differs by at most {d}",
        "each": "a list of the same length, every element differing by at most {d}",
        "one": "a list of the same length, at most one element differing, by at most {d}",
        "rises": "a list of the same length, every element of the second in [x, x + {d}]",
        "falls": "a list of the same length, every element of the second in [x - {d}, x]",
        "monotone": "a list of the same length, all elements rising or all falling, by at most {d}",
        "replaced": "a value, or one element of a list, replaced by any other",
        "added": "a list with one element more or fewer",
        "answers": "a function whose answers to the same questions differ by at most {d}",
        "conditional": "a number that differs by at most {d} where {given} holds for either, and by anything elsewhere",
    }

    def __str__(self) -> str:
        if self.distance is None:
            return f"{self.kind}()"
        if self.given is not None:
            distance = repr(self.distance) if isinstance(self.distance, str) else self.distance
            return f"within({distance}, given={self.given!r})"
        return f"{self.kind}({self.distance!r})" if isinstance(self.distance, str) else f"{self.kind}({self.distance})"

    @property
    def rule(self) -> str:
        """The relation in words."""
        return self.rules[self.kind].format(d=self.distance, given=self.given)

    @property
    def keeps_length(self) -> bool:
        """Whether neighbouring lists have the same length, so that ``len`` is public."""
        return self.kind != "added"

    def broken(self, left: object, right: object, distance: Fraction | None = None) -> str | None:
        """The rule that ``left`` and ``right`` break, in words; ``None`` when they are neighbours.

        ``distance`` is needed when the relation's own is an expression. Of a conditional one it is the distance where
        the condition holds for either, and None elsewhere.
        """
        if self.kind == "conditional":
            if distance is None:
                return None
            return _step(exact_number(right) - exact_number(left), -distance, distance, "the numbers")
        bound = self.distance if distance is None else distance
        if isinstance(bound, str):
            raise TypeError(f"evaluate the distance {bound!r} first and pass it")
        if self.kind == "added":
            return _one_more_or_fewer(_elements(left), _elements(right))
        if self.kind == "replaced":
            if not isinstance(left, Sequence) or not isinstance(right, Sequence):
                return None
            return _same_length(left, right) or _at_most_one_differs(left, right)
        assert bound is not None  # noqa: S101  # the constructors below give every other relation a distance
        if self.kind == "within":
            return _step(exact_number(right) - exact_number(left), -bound, bound, "the numbers")
        return self._lists_broken(_elements(left), _elements(right), bound)

    def _lists_broken(self, left: Sequence[object], right: Sequence[object], bound: Fraction) -> str | None:
        if (lengths := _same_length(left, right)) is not None:
            return lengths
        steps = [exact_number(b) - exact_number(a) for a, b in zip(left, right, strict=True)]
        low, high = {"rises": (Fraction(0), bound), "falls": (-bound, Fraction(0))}.get(self.kind, (-bound, bound))
        for position, step in enumerate(steps):
            if (reason := _step(step, low, high, f"element {position}")) is not None:
                return reason
        if self.kind == "one" and sum(step != 0 for step in steps) > 1:
            return "more than one element differs"
        if self.kind == "monotone" and min(steps, default=0) < 0 < max(steps, default=0):
            return "some elements rise and others fall"
        return None


def exact_number(value: object) -> Fraction:
    """The rational that a number stands for; a truth value counts as 0 or 1. The refusal quotes no private value."""
    try:
        return Fraction(value) if isinstance(value, bool) else exact(value)  # type: ignore[arg-type]  # exact() refuses
    except InvalidInput:
        raise InvalidInput(
            "P190", f"a {type(value).__name__} that is no finite number was given for a private number", "Give a number"
        ) from None


def _elements(value: object) -> Sequence[object]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value
    raise InvalidInput("P190", f"a {type(value).__name__} was given for a private list", "Give a list")


def _same_length(left: Sequence[object], right: Sequence[object]) -> str | None:
    return None if len(left) == len(right) else f"the lengths are {len(left)} and {len(right)}"


def _step(step: Fraction, low: Fraction, high: Fraction, what: str) -> str | None:
    if low <= step <= high:
        return None
    return f"{what} changed by {step}, outside [{low}, {high}]"


def _at_most_one_differs(left: Sequence[object], right: Sequence[object]) -> str | None:
    changed = sum(a != b for a, b in zip(left, right, strict=True))
    return None if changed <= 1 else f"{changed} elements differ"


def _one_more_or_fewer(left: Sequence[object], right: Sequence[object]) -> str | None:
    if abs(len(left) - len(right)) != 1:
        return f"the lengths are {len(left)} and {len(right)}, not one apart"
    short, long = sorted((list(left), list(right)), key=len)
    if any(long[:i] + long[i + 1 :] == short for i in range(len(long))):
        return None
    return "removing one element does not turn one list into the other"
