"""Plans as JSON: one table of node names and fields, from which plans are written and read.

The one idea: the table *is* the format. A field that is renamed in a dataclass is not found when it is written, and a
record with a field more or fewer, of another type or of no ordinary size, is refused when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Call, Column, ColumnType, Constant, Kind, Literal, Word
from lapwing.kernel.evidence.fields import Reader
from lapwing.kernel.evidence.plan import (
    Aggregate,
    Bounding,
    Foremost,
    Function,
    Key,
    Match,
    Measurement,
    Meeting,
    PerUnit,
    Project,
    PublicJoin,
    RelationType,
    Sampled,
    Scan,
    UnitColumn,
    UnitFunction,
    UnitJoin,
    Where,
)
from lapwing.kernel.evidence.values import number_from_json
from lapwing.kernel.written_numbers import MAX_BITS

#: How the certificates of answers are read.
READ = Reader("C102", "C103", "lapwing run --json")
Read = Callable[[Any], Any]


def wrong(what: str) -> InvalidInput:
    """The refusal of a value that is not what its field holds."""
    return InvalidInput("C103", f"a plan holds something else than {what}", READ.again)


def flag(data: object) -> bool:
    """A truth value."""
    if not isinstance(data, bool):
        raise wrong("a truth value")
    return data


def whole(data: object) -> int:
    """A whole number of ordinary size."""
    if isinstance(data, bool) or not isinstance(data, int) or data.bit_length() > MAX_BITS:
        raise wrong("a whole number")
    return data


def text(data: object) -> str:
    """A text, which may be empty."""
    if not isinstance(data, str):
        raise wrong("a text")
    return data


def number(data: object) -> Fraction:
    """An exact number, written as text."""
    return number_from_json(data, "a number of the plan")


def maybe(read: Read) -> Read:
    """What ``read`` reads, or null."""
    return lambda data: None if data is None else read(data)


def several(read: Read) -> Read:
    """A list of what ``read`` reads."""
    return lambda data: tuple([read(each) for each in READ.items(data, "a part of the plan")])


def pair(first: Read, second: Read) -> Read:
    """A list of two."""

    def read(data: object) -> tuple[object, object]:
        both = READ.items(data, "a part of the plan")
        if len(both) != 2:
            raise wrong("pairs")
        return first(both[0]), second(both[1])

    return read


def comparison(data: object) -> tuple[object, object, object]:
    """A column, a word, and a column."""
    parts = READ.items(data, "a part of the plan")
    if len(parts) != 3:
        raise wrong("comparisons")
    return text(parts[0]), one_of(Word)(parts[1]), text(parts[2])


def one_of(words: type[Enum]) -> Read:
    """A word of the vocabulary."""
    known = {word.value: word for word in words}

    def read(data: object) -> Enum:
        if not isinstance(data, str) or data not in known:
            raise wrong(f"a {words.__name__.lower()}")
        return known[data]

    return read


def constant(data: object) -> Constant:
    """A constant as it is written; see ``_settled`` for real numbers, which are texts."""
    if data is None or isinstance(data, bool | str):
        return data
    return whole(data)


def _node(*kinds: type) -> Read:
    """A node of one of these kinds."""
    known = {kind.__name__: kind for kind in kinds}

    def read(data: object) -> object:
        if not isinstance(data, Mapping) or not isinstance(name := data.get("node"), str) or name not in known:
            raise wrong(f"one of {', '.join(known)}")
        return _made(known[name], {key: value for key, value in data.items() if key != "node"})

    return read


def _made(kind: type, data: object) -> Any:  # noqa: ANN401  # of the kind asked for
    fields = READ.fields(data, kind.__name__, tuple(FIELDS[kind]))
    return _settled(kind(**{name: read(fields[name]) for name, read in FIELDS[kind].items()}))


def _settled(part: object) -> object:
    """A real number among constants is written as text, like every exact number; its kind tells it from a text."""
    match part:
        case Literal(str(value), Kind.REAL | Kind.INTEGER as kind):
            return Literal(number(value), kind)
        case ColumnType(Kind.REAL | Kind.INTEGER as kind, nullable, low, high, tuple(keys)):
            return ColumnType(kind, nullable, low, high, _numbers(keys))
        case Key(name, expression, ColumnType(Kind.REAL | Kind.INTEGER) as known, tuple(values)):
            return Key(name, expression, known, _numbers(values))
    return part


def _numbers(values: tuple[Constant, ...]) -> tuple[Constant, ...]:
    return tuple(number(each) if isinstance(each, str) else each for each in values)


def _columns(data: object) -> dict[str, ColumnType]:
    if not isinstance(data, Mapping):
        raise wrong("columns by their names")
    return {text(name): _made(ColumnType, each) for name, each in data.items()}


def expression(data: object) -> Any:  # noqa: ANN401  # an expression: Column, Literal or Call
    """A scalar expression."""
    return _EXPRESSION(data)


def relation(data: object) -> Any:  # noqa: ANN401  # a relation of private rows
    """A relation of private rows."""
    return _RELATION(data)


_EXPRESSION = _node(Column, Literal, Call)
_RELATION = _node(Scan, Where, Project, PublicJoin, UnitJoin, Match, PerUnit, Sampled, Foremost)
_TYPE = _node(RelationType)
_PAIRS = several(pair(text, text))

#: Every kind of node with its fields, and how each is read.
FIELDS: dict[type, dict[str, Read]] = {
    Column: {"name": text},
    Literal: {"value": constant, "kind": maybe(one_of(Kind))},
    Call: {"word": one_of(Word), "arguments": several(expression)},
    ColumnType: {
        "kind": one_of(Kind),
        "nullable": flag,
        "low": maybe(number),
        "high": maybe(number),
        "keys": maybe(several(constant)),
    },
    RelationType: {"columns": _columns, "unit": maybe(text), "rows_per_unit": maybe(whole)},
    Scan: {"table": text, "type": _TYPE},
    Where: {"source": relation, "condition": expression, "type": _TYPE},
    Project: {"source": relation, "columns": several(pair(text, expression)), "type": _TYPE},
    PublicJoin: {
        "source": relation,
        "table": text,
        "on": _PAIRS,
        "columns": _PAIRS,
        "left": flag,
        "unique": flag,
        "type": _TYPE,
    },
    UnitJoin: {"first": relation, "second": relation, "on": _PAIRS, "columns": _PAIRS, "left": flag, "type": _TYPE},
    Match: {
        "source": relation,
        "other": relation,
        "on": several(comparison),
        "columns": _PAIRS,
        "how": one_of(Meeting),
        "mark": maybe(text),
        "public": flag,
        "type": _TYPE,
    },
    UnitColumn: {
        "name": text,
        "function": one_of(UnitFunction),
        "argument": maybe(expression),
        "low": maybe(number),
        "high": maybe(number),
        "step": number,
    },
    PerUnit: {"source": relation, "keys": several(text), "columns": several(_node(UnitColumn)), "type": _TYPE},
    Foremost: {
        "source": relation,
        "most": whole,
        "within": several(text),
        "order": several(pair(text, flag)),
        "type": _TYPE,
    },
    Sampled: {"source": relation, "most": whole, "type": _TYPE},
    Key: {
        "name": text,
        "expression": expression,
        "type": lambda data: _made(ColumnType, data),
        "values": maybe(several(constant)),
    },
    Measurement: {
        "name": text,
        "function": one_of(Function),
        "argument": maybe(expression),
        "bounding": one_of(Bounding),
        "rows_per_unit": whole,
        "weight_steps": whole,
        "low": maybe(number),
        "high": maybe(number),
        "step": number,
        "centre": whole,
        "fraction": maybe(number),
        "buckets": whole,
        "shift": whole,
        "degree": whole,
        "place": whole,
    },
}
keys: Read = several(_node(Key))
measurement: Read = _node(Measurement)
FIELDS[Aggregate] = {
    "source": relation,
    "keys": keys,
    "measurements": several(measurement),
    "selection": maybe(measurement),
}
aggregate: Read = _node(Aggregate)


def record(part: object) -> Any:  # noqa: ANN401  # JSON
    """A plan, or a part of one, as JSON: a node with its name and its fields, exact numbers as text."""
    if part is None or isinstance(part, bool | int):
        return part
    if isinstance(part, str | Fraction):
        return str(part)
    if isinstance(part, tuple):
        return [record(each) for each in part]
    if isinstance(part, Mapping):
        return {str(name): record(value) for name, value in part.items()}
    node = {} if isinstance(part, ColumnType) else {"node": type(part).__name__}
    return node | {name: record(getattr(part, name)) for name in FIELDS[type(part)]}
