"""Parts of a table: which there are, and whether a plan sees the rows of one part only.

The one idea: what is spent in one part costs the others nothing because their people differ. So the road looks whether
every scan of a plan is restricted to the part that is charged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.kernel.evidence.plan import Match, Relation, Sampled, Scan, UnitJoin, Where
from lapwing.ledger import Part
from lapwing.policy import Policy


def is_within(relation: Relation, part: Part) -> bool:
    """Whether every look at a table sees the rows of the part only."""
    if isinstance(relation, UnitJoin):
        return is_within(relation.first, part) and is_within(relation.second, part)
    if isinstance(relation, Match) and not relation.public and not is_within(relation.other, part):
        return False
    scan = _scanned(relation)
    if scan is not None and all(step.table == scan.table for step in part.path()) and relation == part_of(scan, part):
        return True
    return not isinstance(relation, Scan) and is_within(relation.source, part)


def parts(policy: Policy, outer: Part | None, column: str, table: str | None) -> Iterator[Part]:
    """The parts by the keys of a column, within ``outer``, without their edition; refuses keys that are not listed.

    With a unit, a person's rows are kept to the limit first, and may lie in as many parts.
    """
    private = [each for each in policy.tables if each.role == "private"]
    if table is None:
        table = private[0].name if outer is None else outer.table
    chosen = policy.table(table)
    if outer is not None and chosen is not None and chosen.name != outer.table:
        raise InvalidInput(
            "S138",
            f"the session is about a part of {outer.table!r}, and was to be split by a column of {table!r}",
            "Split by columns of one table, or ask in the session of the whole table",
        )
    found = chosen.column(column) if chosen in private and chosen is not None else None
    if chosen is None or found is None or found.keys is None:
        raise InvalidInput(
            "S136",
            f"{column!r} has no list of keys to split by",
            "Declare its keys in the policy: lapwing protect ... --keys COLUMN=A,B,C",
        )
    for key in found.keys:
        yield Part(chosen.name, found.name, key, chosen.rows_per_unit or 1, outer)


def _scanned(relation: Relation) -> Scan | None:
    """The scan that a relation is made of, if nothing is joined to it."""
    while not isinstance(relation, Scan | UnitJoin | Match):
        relation = relation.source
    return relation if isinstance(relation, Scan) else None


def part_of(scan: Scan, part: Part) -> Relation:
    """The rows of the part. A person's rows are first kept to the limit, so that few parts have any of them."""
    rows: Relation = scan
    if scan.type.unit is not None:
        most = part.path()[0].multiplicity
        rows = Sampled(scan, most, replace(scan.type, rows_per_unit=most))
    for step in part.path():
        rows = Where(rows, _is_in(step), rows.type)
    return rows


def _is_in(part: Part) -> Expression:
    kind = Kind.BOOLEAN if isinstance(part.key, bool) else Kind.INTEGER if isinstance(part.key, int) else Kind.TEXT
    return Call(Word.EQUAL, (Column(part.column), Literal(part.key, kind)))
