"""Which words of SQL are understood on a row, and what to say of those that are not."""

from __future__ import annotations

import re

from sqlglot import exp

from lapwing.query.expressions import Kind, Word
from lapwing.query.parsing.places import Spot, place
from lapwing.query.refusals import InvalidQuery, nearest, quoted

#: Operators and functions of one or two operands.
OPERATORS: dict[type[exp.Expr], Word] = {
    exp.Add: Word.ADD,
    exp.Sub: Word.SUBTRACT,
    exp.Mul: Word.MULTIPLY,
    exp.Div: Word.DIVIDE,
    exp.Mod: Word.MODULO,
    exp.Neg: Word.NEGATE,
    exp.Abs: Word.ABS,
    exp.Sqrt: Word.SQRT,
    exp.Ln: Word.LN,
    exp.Exp: Word.EXP,
    exp.EQ: Word.EQUAL,
    exp.NEQ: Word.NOT_EQUAL,
    exp.LT: Word.LESS,
    exp.LTE: Word.AT_MOST,
    exp.GT: Word.GREATER,
    exp.GTE: Word.AT_LEAST,
    exp.And: Word.AND,
    exp.Or: Word.OR,
    exp.Not: Word.NOT,
    exp.Lower: Word.LOWER,
    exp.Upper: Word.UPPER,
    exp.Year: Word.YEAR,
    exp.Month: Word.MONTH,
    exp.Day: Word.DAY,
    exp.DayOfMonth: Word.DAY,
    exp.Quarter: Word.QUARTER,
    exp.Week: Word.WEEK,
    exp.DayOfWeek: Word.WEEKDAY,
    exp.Hour: Word.HOUR,
    exp.DPipe: Word.CONCAT,
}

#: SQL's names of kinds.
KINDS: dict[exp.DType, Kind] = {
    **dict.fromkeys(
        (exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT, exp.DType.INT128), Kind.INTEGER
    ),
    **dict.fromkeys((exp.DType.FLOAT, exp.DType.DOUBLE), Kind.REAL),  # DECIMAL rounds: ROUND(x, digits) says so
    **dict.fromkeys((exp.DType.TEXT, exp.DType.VARCHAR), Kind.TEXT),
    exp.DType.BOOLEAN: Kind.BOOLEAN,
    exp.DType.DATE: Kind.DATE,
    **dict.fromkeys((exp.DType.TIMESTAMP, exp.DType.DATETIME, exp.DType.TIMESTAMPNTZ), Kind.TIMESTAMP),
}

_KNOWN = (
    *("ABS", "AVG", "CASE", "CAST", "CEIL", "CLIP", "COALESCE", "COUNT", "COUNT_IF", "DAY", "FLOOR", "GREATEST"),
    *("DATE_DIFF", "DATE_TRUNC", "HOUR", "POWER", "QUARTER", "SUBSTRING", "TRIM", "WEEK", "WEEKDAY"),
    *("LEFT", "REPLACE", "RIGHT", "SPLIT_PART", "TIME_BUCKET", "WIDTH_BUCKET"),
    *("CORR", "COVAR_POP", "EXP", "LN", "LOG10", "REGEXP_MATCHES", "REGR_R2", "REGR_SLOPE", "RANK", "LAG", "LEAD"),
    *("HISTOGRAM", "IF", "IFNULL", "LEAST", "LENGTH", "LIKE", "LOWER", "MAX", "MEAN", "MEDIAN", "MIN", "MOD", "MONTH"),
    *("NULLIF", "QUANTILE", "ROUND", "SQRT", "STDDEV", "SUM", "UPPER", "VARIANCE", "VAR_POP", "VAR_SAMP", "YEAR"),
)
_VOLATILE = {
    *("RANDOM", "RAND", "SETSEED", "UUID", "GEN_RANDOM_UUID", "NOW", "TODAY", "GET_CURRENT_TIME", "CURRENT_DATE"),
    *("CURRENT_TIME", "NEXTVAL", "CURRENT_TIMESTAMP", "CURRENT_DATETIME", "LOCALTIME", "LOCALTIMESTAMP"),
    *("TRANSACTION_TIMESTAMP", "CURRENT_USER"),
}
_FILES = (
    "READ_",
    "PARQUET_",
    "GLOB",
    "SNIFF_",
    "QUERY",
    "DUCKDB_",
    "PRAGMA_",
    "GETENV",
    "SQLITE_",
    "POSTGRES_",
    "ST_READ",
)


_ONE_VALUE = "shows the value of one person", "Use MEDIAN or QUANTILE, or ask for it of each person in a sub-query"
_ALL_VALUES = "shows the values of people", "Group by the column, with COUNT(*)"
#: Aggregates that people know, and why they are not answered.
_REASONS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("ARG_MIN", "ARG_MAX", "ARGMIN", "ARGMAX", "MIN_BY", "MAX_BY", "FIRST", "LAST"), _ONE_VALUE),
    **dict.fromkeys(("ANY_VALUE", "ARBITRARY", "FIRST_VALUE", "LAST_VALUE"), _ONE_VALUE),
    **dict.fromkeys(("LIST", "ARRAY_AGG", "STRING_AGG", "GROUP_CONCAT", "LISTAGG"), _ALL_VALUES),
    **dict.fromkeys(
        ("REGEXP_EXTRACT", "REGEXP_EXTRACT_ALL", "REGEXP_REPLACE", "REGEXP_SUBSTR", "REGEXP_SPLIT_TO_ARRAY"),
        (
            "finds other parts of a text on other engines",
            "Use SPLIT_PART(x, '.', 1), SUBSTRING, REPLACE, or CASE WHEN REGEXP_MATCHES(x, 'pattern') THEN 'this' END",
        ),
    ),
    "INITCAP": (
        "is not the same on all engines",
        "Write UPPER(LEFT(x, 1)) || LOWER(SUBSTRING(x, 2))",
    ),
    "MODE": ("is an answer about groups", "Write GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1"),
    **dict.fromkeys(
        ("SKEWNESS", "KURTOSIS", "KURTOSIS_POP"),
        ("is not answered as such", "Ask for AVG(x), AVG(POWER(x, 2)), AVG(POWER(x, 3)) and compute it from them"),
    ),
}


def refuse_function(spot: Spot, name: str) -> InvalidQuery:
    """Why a function that is not known is refused."""
    name = _written(spot) or name  # sqlglot knows some functions by another name than the one they were called by
    shown = quoted(name.upper())
    if name.upper() in _VOLATILE:
        said = "Q112", f"{shown} changes from one run to the next", "Write a constant"
        found = list(re.finditer(rf"\b{re.escape(name)}\b", spot.text.sql, re.IGNORECASE))
        if "start" not in spot.node.meta and len(found) == 1:  # a word without parentheses has no place of its own
            return spot.text.place(*found[0].span()).invalid(*said)
        return spot.invalid(*said)
    if name.upper().startswith(_FILES):
        return spot.invalid("Q113", f"{shown} reads outside the tables of the policy", "Name a table of the policy")
    if name.upper() in _REASONS:
        reason, remedy = _REASONS[name.upper()]
        return spot.invalid("Q111", f"{shown} {reason}", remedy)
    return spot.invalid(
        "Q111", f"the function {shown} is not known", f"Use one of the reference of SQL{nearest(name, _KNOWN)}"
    )


def _written(spot: Spot) -> str | None:
    start, end = spot.node.meta.get("start"), spot.node.meta.get("end")
    if isinstance(start, int) and isinstance(end, int):
        return spot.text.sql[start : end + 1]
    # of some only the arguments have a place: the name stands before them
    before = re.search(r"(\w+)\s*\(\s*$", spot.text.sql[: place(spot.text, spot.node).start])
    return before[1] if before is not None and before[1].upper() in _REASONS else None
