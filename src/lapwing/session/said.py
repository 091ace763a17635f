"""What a person says of a table in Python: its shape is looked at before anything is written.

The command line reads words, and gives every wish its shape; here anything may be handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from os import PathLike
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.session.protecting import Wishes

_BY_NAME = {
    "bounds": 'bounds={"age": (0, 100)}',
    "keys": 'keys={"region": ["north", "south"]}',
    "kinds": 'kinds={"age": "integer"}',
    "analysts": 'analysts={"ana": 0.5}',
    "private": 'private={"visits.parquet": ("person", 10)}',
}


def wishes_of(unit: object, neighbours: object, said: Mapping[str, Any]) -> Wishes:
    """The wishes that these words are; refused, without a look at the data, where they have another shape."""
    unknown = next((each for each in said if each not in {known.name for known in fields(Wishes)}), None)
    if unknown is not None or "epsilon" not in said:
        problem = "there is no budget" if unknown is None else f"a policy has no {unknown!r}"
        raise _refused(problem, "Give epsilon=1, say, and bounds, keys and limits by their names")
    if not (unit is None or isinstance(unit, str)):
        raise _refused(f"the unit is a {type(unit).__name__}", 'Name one column: unit="person"')
    if neighbours not in tuple(Neighbours):
        raise _refused("these neighbours are not known", 'Give neighbours="added" or neighbours="replaced"')
    for name, example in _BY_NAME.items():
        given = said.get(name)
        if given is not None and not isinstance(given, Mapping):
            raise _refused(f"{name} are given as a {type(given).__name__}", f"Give them by name: {example}")
    shaped = dict(said)
    shaped["bounds"] = {each: _pair(each, ends, "bounds") for each, ends in (said.get("bounds") or {}).items()}
    shaped["private"] = {each: _pair(each, limits, "private") for each, limits in (said.get("private") or {}).items()}
    shaped["keys"] = {each: _listed(each, words) for each, words in (said.get("keys") or {}).items()}
    shaped["public"] = _files(said.get("public", ()))
    if not isinstance(said.get("ledger"), str | None):
        raise _refused("the ledger's place is no address", 'Give ledger="postgresql://role@host/database"')
    return Wishes(unit, neighbours=Neighbours(neighbours), **shaped)


def _pair(name: object, given: Any, what: str) -> tuple[Any, Any]:  # noqa: ANN401  # whatever was said
    """Two things in order: the ends of a range, or whose rows a table has and how many of them count."""
    ordered = hasattr(given, "__getitem__") and not isinstance(given, str | bytes | Mapping)
    if not ordered or len(given) != 2:
        raise _refused(f"{what} of {name!r} are not two", f"Write {_BY_NAME[what]}")
    first, second = given
    return first, second


def _listed(name: object, given: Any) -> Sequence[str]:  # noqa: ANN401  # whatever was said
    """Keys in a list; those of NumPy and pandas as Python's own."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise _refused(f"the keys of {name!r} are a {type(given).__name__}", f"List them: {_BY_NAME['keys']}")
    plain = [each.item() if hasattr(each, "item") else each for each in given]
    if not all(isinstance(each, str | int | float) for each in plain):
        raise _refused(f"a key of {name!r} is neither a text nor a number", "List texts, whole numbers, or True, False")
    return plain


def _files(given: Any) -> tuple[Any, ...]:  # noqa: ANN401  # whatever was said
    """Paths of public tables; a single one stands for itself."""
    if isinstance(given, str | PathLike):
        return (given,)
    if not isinstance(given, Iterable):
        raise _refused(f"a public table is a {type(given).__name__}", 'Give public=["rates.csv"]')
    return tuple(given)


def _refused(problem: str, remedy: str) -> InvalidInput:
    return InvalidInput("S128", problem, remedy)
