"""How each engine says what a plan means: one file for each, and no translation from one into another.

The one idea: engines that read the same text mean different things by it (a cast that fails, a product that overflows,
a pattern's backslash). So the printer never prints such a text: it asks the dialect for the *phrase*, which is total
and means the same on every engine.
"""

from __future__ import annotations

from lapwing.errors import InvalidInput
from lapwing.query.lowering.dialects.dialect import Dialect
from lapwing.query.lowering.dialects.duckdb import DuckDBPhrases
from lapwing.query.lowering.dialects.postgresql import PostgreSQLPhrases
from lapwing.query.lowering.dialects.spark import SparkPhrases

__all__ = ["DIALECTS", "Dialect", "dialect_named"]

DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDBPhrases(),
    "postgresql": PostgreSQLPhrases(letters="pg_c_utf8"),
    "postgresql-icu": PostgreSQLPhrases(letters="und-x-icu"),  # before 17
    "postgresql-ascii": PostgreSQLPhrases(letters="C"),  # before 17, and built without ICU
    "spark": SparkPhrases(),
}


def dialect_named(name: str) -> Dialect:
    """The dialect of this name."""
    if name not in DIALECTS:
        raise InvalidInput("Q352", f"no engine speaks the dialect {name!r}", f"Use one of: {', '.join(DIALECTS)}")
    return DIALECTS[name]
