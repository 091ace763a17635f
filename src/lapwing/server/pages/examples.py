"""Questions to begin with, made of what is public about a table, and names as SQL writes them."""

from __future__ import annotations

import re

from lapwing.policy import Policy, Table

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
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def main_table(policy: Policy) -> Table:
    """The table that people who have not seen it ask about first: the first private one."""
    return next(table for table in policy.tables if table.role == "private")


def examples(policy: Policy) -> list[tuple[str, str]]:
    """Some questions that can be asked, in words and in SQL."""
    table = main_table(policy)
    name = written(table.name)
    key = next((each.name for each in table.columns if each.keys is not None and each.name != table.unit), None)
    measured = next((each.name for each in table.columns if each.low is not None and each.high is not None), None)
    found = [("How many?", f"SELECT COUNT(*) AS n\nFROM {name}")]
    if key is not None:
        by = f"FROM {name}\nGROUP BY {written(key)}"
        found.append((f"How many by {key}", f"SELECT {written(key)}, COUNT(*) AS n\n{by}"))
    if measured is not None:
        mean = f"AVG({written(measured)}) AS average"
        found.append((f"Average {measured}", f"SELECT {mean}\nFROM {name}"))
        if key is not None:
            found.append((f"Average {measured} by {key}", f"SELECT {written(key)}, {mean}\n{by}"))
    return found
