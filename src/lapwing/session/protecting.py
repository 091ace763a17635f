"""Protecting a table: its policy is written beside it, its ledger opened, and the data's fingerprint noted.

The one idea: what the curator says becomes public, so nothing here is measured from the data: the kinds of columns come
from the file's own description, and ranges, keys and limits only from the curator.
"""

from __future__ import annotations

import datetime
import difflib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapwing.algebra.exact import Number
from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import describe, files, guessed_kinds, kinds, open_engine, public_keys, public_ranges
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.expressions import Kind
from lapwing.ledger import Ledger, new_ledger
from lapwing.policy import Analyst, Budget, Column, Policy, Table, is_column_name, is_identifier, write_policy
from lapwing.policy.addresses import is_address
from lapwing.session.policy_places import Places, ledger_of, places, protected

#: Who asks when the curator names nobody.
ANYBODY = "analyst"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the curator says about a table: ranges and public keys by column, and who may ask for how much.

    A column of another table is named with it: ``visits.cost``.
    """

    unit: str | None
    epsilon: Number
    delta: Number = 0
    neighbours: Neighbours = Neighbours.ADDED
    rows_per_unit: int | None = None
    bounds: Mapping[str, tuple[Number, Number]] = field(default_factory=dict)
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: name and share of ε, or None for all of it; a curator who names nobody lets anybody who has the files ask
    analysts: Mapping[str, Number | None] | None = None
    #: files of public tables, and of further private ones with their own unit and limit
    public: Sequence[str | Path] = ()
    private: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    #: kinds of columns, where the file does not say them or says another
    kinds: Mapping[str, str] = field(default_factory=dict)
    groups_per_unit: int | None = None
    #: read relations of a database that are computed when they are read
    trusted: bool = False
    #: "fixed" or "live"; a database has to be one of them by the curator's own words
    data: str | None = None
    #: the address of a database for the ledger
    ledger: str | None = None
    #: the most seconds of an engine's work for one answer
    timeout: int | None = None


def protect(source: str | Path, wishes: Wishes, folder: str | Path = ".") -> tuple[Policy, Path]:
    """Write the policy of a table and open its ledger; refuses to protect a table twice.

    The policy of a table behind an address is written into ``folder``.
    """
    at = places(source, folder)
    if at.url is not None and wishes.data is None:
        raise InvalidInput(
            "S163",
            "a table in a database may change at any time, and nobody says what that means",
            "Give --fixed to refuse changed data until you accept them, or --live to answer about each moment's data",
        )
    for file in (at.policy, at.ledger):
        if file.exists():
            raise InvalidInput(
                "S123",
                f"{at.name} is protected already: {file} is there",
                "Edit the policy, or accept new data, with: lapwing protect SOURCE --renew",
            )
    policy = _policy(at, wishes)
    with open_engine(policy, at.policy.parent) as engine:
        engine.examine()
        # the ledger first: a policy without a ledger would look protected and answer nothing
        ledger = Ledger.create(ledger_of(at, policy), policy)
        try:
            if policy.data == "fixed":
                ledger.set_snapshot(engine.fingerprint(ledger.secret("snapshot")))
            write_policy(policy, at.policy)
        except BaseException:
            ledger.discard()
            raise
    return policy, at.policy


def renew(source: str | Path, folder: str | Path = ".") -> tuple[Policy, Path]:
    """Accept data that has changed, and a policy whose budget or shares were edited; what was spent stays spent."""
    at = places(source, folder)
    if not at.policy.is_file():
        raise InvalidInput("S121", f"{at.shown!r} has no policy to renew", "Protect it first, without --renew")
    policy = protected(at)
    ledger = Ledger.open(ledger_of(at, policy))
    if not ledger.verify().intact:  # its last entries alone were looked at so far
        raise InvalidInput("S142", "the ledger's history was changed", "Look at it with: lapwing ledger SOURCE")
    with open_engine(policy, at.policy.parent) as engine:
        engine.examine()
        ledger.change_budget(policy)
        if policy.data == "fixed":
            ledger.set_snapshot(engine.fingerprint(ledger.secret("snapshot")))
    return policy, at.policy


def move_ledger(at: Places, place: str) -> Ledger:
    """The ledger of a protected table carried on elsewhere: in a database, or (``file``) beside the policy."""
    policy = protected(at)
    ledger = None if place == "file" else new_ledger(place, policy.name)
    if ledger == policy.ledger:
        raise InvalidInput("S165", "the ledger is there already", "Name another place, or leave --copy out")
    moved = replace(policy, ledger=ledger)
    book = Ledger.open(ledger_of(at, policy))
    if ledger is None:
        _set_aside(at.ledger)
    book = book.move(ledger_of(at, moved))
    write_policy(moved, at.policy)
    return book


def _set_aside(file: Path) -> None:
    """Gives a ledger that was closed another name; one that can be spent from stays, and is in the way."""
    if not file.is_file() or [entry.kind for entry in Ledger.open(file).entries()][-1] != "closed":
        return
    numbers = (file.with_name(f"{file.name}.closed-{number}") for number in itertools.count(1))
    file.rename(next(name for name in numbers if not name.exists()))


def left_out(policy: Policy, path: Path) -> dict[str, dict[str, str]]:
    """For each table of a policy in this file, the columns of its data that cannot be asked for, and why."""
    found: dict[str, dict[str, str]] = {}
    for table in policy.tables:
        stored = kinds(table.path if is_address(table.path) else path.parent / table.path, table.relation)
        listed = {column.name.lower() for column in table.columns}
        found[table.name] = {
            name: _reason(name, kind is not None, table.path)
            for name, kind in stored.items()
            if name.lower() not in listed
        }
    return found


def _reason(name: str, has_kind: bool, source: str) -> str:
    """Why a column is left out; of a database's names only those are read that need no quotes."""
    if is_address(source) and not is_identifier(name):
        return "its name is none here: rename it with the letters a to z, digits and underscores"
    if not is_column_name(name):
        return "its name is none here: rename it with at most 127 printable characters"
    return "the policy does not list it" if has_kind else "its type is none that is read, as of lists or times of day"


def _policy(at: Places, wishes: Wishes) -> Policy:
    elsewhere = [places(path).name for path in (*wishes.private, *wishes.public)]
    columns = _columns(at, _about(wishes, None, elsewhere))
    rows = wishes.rows_per_unit if wishes.rows_per_unit is not None or wishes.unit is None else 1
    main = Table(
        at.name,
        at.path,
        "private",
        wishes.unit,
        rows,
        columns,
        at.relation,
        wishes.groups_per_unit,
        wishes.trusted and at.relation is not None,
    )
    others = [
        _other(at, path, "private", limit, _about(replace(wishes, unit=unit), places(path).name, elsewhere))
        for path, (unit, limit) in wishes.private.items()
    ]
    others += [
        _other(at, path, "public", None, _about(replace(wishes, unit=None), places(path).name, elsewhere))
        for path in wishes.public
    ]
    tables = _comparable(at, (main, *others))
    budget = Budget(wishes.epsilon, wishes.delta)
    named = {ANYBODY: None} if wishes.analysts is None else wishes.analysts
    analysts = tuple(
        Analyst(name, budget.epsilon if share is None else share, budget.delta) for name, share in named.items()
    )
    given = {} if wishes.timeout is None else {"timeout": wishes.timeout}
    ledger = None if wishes.ledger is None else new_ledger(wishes.ledger, at.name)
    return Policy(at.name, tables, budget, wishes.neighbours, analysts, wishes.data or "fixed", ledger=ledger, **given)


def _about(wishes: Wishes, table: str | None, elsewhere: Sequence[str]) -> Wishes:
    """What is said of the columns of one of the other tables; None: of those of the main one."""

    def said(of: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for word, value in of.items():
            owner, dot, column = word.partition(".")
            mine = dot and owner in elsewhere
            if (owner == table) if mine else (table is None):
                found[column if mine else word] = value
        return found

    return replace(wishes, bounds=said(wishes.bounds), keys=said(wishes.keys), kinds=said(wishes.kinds))


def _comparable(at: Places, tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """People who are whole numbers in every private table, and text in one of them (a CSV), are text in all.

    A whole number has one text, so this makes no two people one, and one person no two.
    """
    units = {table.name: table.column(table.unit) for table in tables if table.unit is not None}
    if at.url or {column.kind for column in units.values() if column is not None} != {"integer", "text"}:
        return tables
    folder = at.policy.parent
    natural = {guessed_kinds(folder / t.path, t.relation).get(t.unit) for t in tables if t.unit is not None}
    if natural != {Kind.INTEGER}:
        return tables
    return tuple(
        table
        if table.unit is None
        else replace(table, columns=tuple(_as_text(c) if c.name == table.unit else c for c in table.columns))
        for table in tables
    )


def _as_text(column: Column) -> Column:
    keys = None if column.keys is None else tuple(str(key) for key in column.keys)
    return Column(column.name, "text", keys=keys)


def _other(at: Places, path: str | Path, role: str, limit: int | None, wishes: Wishes) -> Table:
    other = places(path)
    folder = at.data.parent.resolve()
    data = other.data.resolve()
    shown = other.url or (str(data.relative_to(folder)) if data.is_relative_to(folder) else str(data))
    if role == "public" and other.url is None and files.find(other.data).format == files.CSV:
        # what is public may decide: a look at its values tells about nobody
        guessed = {name: (kind or Kind.TEXT).value for name, kind in guessed_kinds(other.data).items()}
        named = {each.name for each in describe(other.source, other.relation)}
        wishes = replace(wishes, kinds={name: guessed[name] for name in named if name in guessed} | dict(wishes.kinds))
    found = _columns(other, wishes)
    # its values are known to everybody, so they make groups; of live data they may be others tomorrow
    if role == "public" and wishes.data != "live":
        known = public_keys(other.source, other.relation, found)
        ranges = public_ranges(other.source, other.relation, found) if other.url is None else {}
        found = tuple(_known(each, known.get(each.name), *ranges.get(each.name, (None, None))) for each in found)
    trusted = wishes.trusted and other.relation is not None
    return Table(other.name, shown, role, wishes.unit, limit, found, other.relation, trusted=trusted)


def _known(column: Column, keys: tuple[str | int | bool, ...] | None, low: str | None, high: str | None) -> Column:
    """A public column with what its values tell, unless the curator said more."""
    said = column.low is not None or column.high is not None or column.keys is not None
    return column if said else Column(column.name, column.kind, low, high, keys)


def _columns(at: Places, wishes: Wishes) -> tuple[Column, ...]:
    """The columns of a table, with what the curator says about them."""
    is_text = at.url is None and files.find(at.data).format == files.CSV
    if is_text:
        _check_separated(at)
    found = {column.name: column for column in describe(at.source, at.relation, wishes.unit)}
    for name in (*([wishes.unit] if wishes.unit is not None else []), *wishes.bounds, *wishes.keys, *wishes.kinds):
        if name not in found and name in (stored := kinds(at.source, at.relation)):
            reason = _reason(name, stored[name] is not None, at.path)
            raise InvalidInput("S124", f"the column {name!r} cannot be used", f"It was left out: {reason}")
        if name not in found:
            near = difflib.get_close_matches(name, found, 1)
            remedy = f"Did you mean {near[0]}?" if near else f"Name one of {', '.join(found)}"
            raise InvalidInput("S124", f"{at.data.name} has no column {name!r}", remedy)
    return tuple(_declared(column, wishes, is_text) for column in found.values())


def _check_separated(at: Places) -> None:
    """A text file whose columns are not told apart as its name says would be one column with a long name."""
    names = files.header(files.find(at.data))
    if len(names) == 1 and (sign := next((each for each in ";\t|," if each in names[0]), None)):
        called = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}[sign]
        raise InvalidInput(
            "S129",
            f"the first line of {at.data.name!r} is one name, with {called} in it",
            "Write columns with commas between them, or with tabs in a file called .tsv",
        )


def _declared(column: Column, wishes: Wishes, is_text: bool) -> Column:
    low, high = wishes.bounds.get(column.name, (None, None))
    kind = wishes.kinds.get(column.name, column.kind)
    if column.name == wishes.unit and kind != column.kind:
        raise InvalidInput("S126", f"the unit {column.name!r} is read as {column.kind}", "Leave out its kind")
    if (
        is_text
        and kind == "text"
        and low is not None
        and column.name != wishes.unit
        and column.name not in wishes.kinds
    ):
        # a text file has no kinds of its own, and a range says which these are
        kind = "date" if _looks_like_day(low) else "real"
    plain = Column(column.name, kind)
    words = wishes.keys.get(column.name)
    keys = None if words is None else tuple(_key(word, plain) for word in words)
    return Column(column.name, kind, low, high, keys)


def _looks_like_day(end: object) -> bool:
    """Whether a day is meant; one that no calendar has is refused as such, and not as a number."""
    return isinstance(end, datetime.date) or re.fullmatch(r"\d+-\d+-\d+", str(end)) is not None


def _key(word: str, column: Column) -> str | int | bool:
    """A key as the column holds it."""
    if column.kind == "integer":
        try:
            number = Fraction(word)
        except (ValueError, ZeroDivisionError):
            number = Fraction(1, 2)
        if number.denominator != 1:
            raise InvalidInput("S125", f"{column.name} holds integers, and the key {word!r} is none", "List integers")
        return int(number)
    if column.kind == "boolean":
        spelled = str(word).lower()  # True and False of Python, too
        if spelled not in ("true", "false"):
            raise InvalidInput("S125", f"{column.name} holds truth values, and {word!r} is none", "List true, false")
        return spelled == "true"
    return word
