"""The words with which a program says how neighbours differ: ``q=each(1)``."""

from __future__ import annotations

from lapwing.algebra.exact import Number, exact
from lapwing.errors import InvalidInput
from lapwing.kernel.program.neighbours import Kind, Relation


def _distanced(kind: Kind, distance: Number) -> Relation:
    if isinstance(distance, str):
        try:
            distance = exact(distance)
        except InvalidInput:
            return Relation(kind, distance)  # an expression over public parameters: the front end reads it
    bound = exact(distance, f"the distance of {kind}(…)")
    if bound < 0:
        raise InvalidInput("P191", f"the distance of {kind}({bound}) is below 0", "Give 0 or more")
    return Relation(kind, bound)


def within(distance: Number, *, given: str | None = None) -> Relation:
    """A number that differs by at most ``distance``; if a condition is ``given``, only where that holds for either."""
    found = _distanced("within", distance)
    return found if given is None else Relation("conditional", found.distance, given)


def each(distance: Number) -> Relation:
    """A list of the same length in which every element may differ by at most ``distance``."""
    return _distanced("each", distance)


def one(distance: Number) -> Relation:
    """A list of the same length in which at most one element differs, by at most ``distance``."""
    return _distanced("one", distance)


def rises(distance: Number) -> Relation:
    """A list of the same length whose second version has every element in [x, x + ``distance``]."""
    return _distanced("rises", distance)


def falls(distance: Number) -> Relation:
    """A list of the same length whose second version has every element in [x - ``distance``, x]."""
    return _distanced("falls", distance)


def monotone(distance: Number) -> Relation:
    """A list of the same length in which all elements rise, or all fall, by at most ``distance``."""
    return _distanced("monotone", distance)


def answers(distance: Number) -> Relation:
    """A function: an adversary's next query, chosen from what was released, of which answers differ by ``distance``."""
    return _distanced("answers", distance)


def replaced() -> Relation:
    """One element of a list, or a value, replaced by any other of its type: one row changed."""
    return Relation("replaced")


def added() -> Relation:
    """A list with one element more or fewer: one row more or fewer."""
    return Relation("added")
