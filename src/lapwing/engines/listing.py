"""The values of a public table as lists of keys: they are known to everybody, so they make groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lapwing.policy import Column

#: Keys of a column.
Keys = tuple[str | int | bool, ...]
#: Kinds that have lists of keys, and the most keys that are listed.
_KEYED = ("boolean", "date", "integer", "text")
_MOST = 1000


def key_lists(columns: Iterable[Column], different: Callable[[Column, int], Sequence[object]]) -> dict[str, Keys]:
    """The keys of each column that has few enough; ``different`` gives up to so many of its values, in order."""
    found: dict[str, Keys] = {}
    for column in columns:
        if column.kind not in _KEYED:
            continue
        values = different(column, _MOST + 1)
        keys = tuple(value if isinstance(value, str | int) else str(value) for value in values)
        if 0 < len(keys) <= _MOST and all(_is_plain(key) for key in keys):
            found[column.name] = keys
    return found


def _is_plain(key: object) -> bool:
    """Whether a policy file can hold the key."""
    return not isinstance(key, str) or ("\0" not in key and len(key) <= 200)
