"""Names as SQL writes them, for statements that Lapwing suggests or asks itself."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
#: Words that mean something else in SQL; any other odd name is seen by its letters.
_WORDS = (
    "all and any as asc between by case cast check column count current date desc distinct else end except exists "
    "false filter first for from full group having if in inner intersect interval into is join last left like limit "
    "natural not null offset on or order outer over partition primary right row rows select set some table then time "
    "timestamp to true union unique user using values view when where window with"
)
_RESERVED = frozenset(_WORDS.split())


def written(name: str) -> str:
    """A name as SQL writes it: quoted where it is not a plain word."""
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    return in_quotes(name)


def in_quotes(name: str) -> str:
    """A name as SQL takes every one."""
    return '"' + name.replace('"', '""') + '"'
