"""Many tables gathered in one, so that a question about each of them is asked once.

A person is in one of the tables only, so every rule about people is as in each table alone, and the number of the table
is a key of the answer. Spark takes most of a second for a statement, however short: here it answers for many tables.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from lapwing.query.plan import Key
from lapwing.query.types import ColumnType

_APART = 1000


def gathered(tables, unit="person"):
    """The rows of all tables; who is 7 in the third of them is 2007."""
    numbered = ((at, row) for at, rows in enumerate(tables) for row in rows)
    return [row | {unit: None if row[unit] is None else _APART * at + row[unit]} for at, row in numbered]


def of_each(query):
    """The question with the number of the table as its first key."""
    person = Column("person")
    rest = Call(Word.MODULO, (person, Literal(_APART, Kind.INTEGER)))
    table = Key("table", Call(Word.SUBTRACT, (person, rest)), ColumnType(Kind.INTEGER), None)
    return replace(query, aggregate=replace(query.aggregate, keys=(table, *query.aggregate.keys)))


def only(found, at):
    """What was found in one of the tables."""
    return {keys[1:]: value for keys, value in found.items() if keys[0] == _APART * at}
