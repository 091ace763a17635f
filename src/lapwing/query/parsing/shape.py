"""What is understood of a node: everything else that is written there is refused."""

from __future__ import annotations

from sqlglot import exp

from lapwing.query.parsing.places import place
from lapwing.query.refusals import Text, quoted

#: Flags that say how sqlglot read a node and change nothing in what it means here.
_READING = {
    "big_int",  # COUNT is a whole number of 64 bits in some dialects
    "_type",  # the type a cast repeats
    "typed",  # division: of whole numbers it gives a real number here, always
    "safe",  # a cast or division that may fail gives NULL here, always
    "ignore_nulls",  # LEAST and GREATEST leave NULLs out here, always
}


#: What is written otherwise: its word, and how.
_OTHERWISE = {
    "pivots": ("PIVOT", "Write COUNT(*) FILTER (WHERE ...) for each column, or group by both"),
    "sample": ("a sample of rows", "Ask about all rows: the noise hides each person anyway"),
}


def only(text: Text, node: exp.Expr, *understood: str) -> None:
    """Refuses a node that has parts beyond the ones named."""
    for name, value in node.args.items():
        if name in understood or name in _READING or value is None or value is False or value == []:
            continue
        inside = value[0] if isinstance(value, list) else value
        where = place(text, inside) if isinstance(inside, exp.Expr) else place(text, node)
        if name in _OTHERWISE:
            said, remedy = _OTHERWISE[name]
            raise where.invalid("Q106", f"{said} is not understood", remedy)
        word = value.upper() if isinstance(value, str) else name.strip("_").replace("_", " ").upper()
        raise where.invalid(
            "Q106", f"{word} is not understood in {quoted(_kind(node))}", "Leave it out; see the reference of SQL"
        )


def needs(text: Text, node: exp.Expr, *parts: str) -> None:
    """Refuses a node in which a part is missing that it has no meaning without."""
    if any(node.args.get(name) in (None, []) for name in parts):
        raise place(text, node).invalid(
            "Q137", f"{quoted(_kind(node))} has too few arguments", "Give it all of them; see the reference of SQL"
        )


def _kind(node: exp.Expr) -> str:
    return node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()
