"""``lapwing protect``: the policy of a table, and its ledger."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from lapwing.algebra.exact import shown
from lapwing.algebra.neighbours import Neighbours
from lapwing.cli.console import emit, json_option, people, working
from lapwing.errors import InvalidInput
from lapwing.policy import KINDS, Column, Policy
from lapwing.policy.addresses import is_address
from lapwing.policy.tables import end_text
from lapwing.policy.written_values import number
from lapwing.session.protecting import ANYBODY, Wishes, left_out, renew
from lapwing.session.protecting import protect as write

Value = TypeVar("Value")


#: An ε beyond which nothing is hidden: an answer may be e^1000 times as likely with a person as without.
MOST = 1000


def _once(_context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> str | None:
    """The one value of an option; that the last of several would win is no way to set a policy."""
    if len(given) > 1:
        raise InvalidInput("F021", f"{parameter.opts[0]} is given {len(given)} times", "Keep one of them")
    return given[0] if given else None


@click.command()
@click.argument("source")
@click.option(
    "--unit",
    metavar="COL",
    multiple=True,
    callback=_once,
    help="The column that says whose row it is.  [default: each row is a person]",
)
@click.option("--epsilon", metavar="E", multiple=True, callback=_once, help="The budget for all answers together.")
@click.option(
    "--delta", metavar="D", multiple=True, callback=_once, help="The budget's delta.  [default: 0, pure privacy]"
)
@click.option(
    "--neighbours",
    type=click.Choice(["added", "replaced"]),
    default="added",
    show_default=True,
    help="Hide one person more or fewer, or one person changed.",
)
@click.option(
    "--bounds",
    multiple=True,
    metavar="COL=LO:HI",
    help="The range of a column; values outside are clipped. TABLE.COL is a column of another table.",
)
@click.option(
    "--keys",
    multiple=True,
    metavar="COL=A,B,C",
    help='The public keys of a column to group by; write "A, B" for a key with a comma.',
)
@click.option(
    "--rows-per-unit", type=click.IntRange(1), metavar="K", help="How many rows of a person count.  [default: 1]"
)
@click.option(
    "--groups-per-unit",
    type=click.IntRange(1),
    metavar="G",
    help="In how many groups of unknown keys a person may be.  [default: as many as rows]",
)
@click.option(
    "--kinds",
    multiple=True,
    metavar="COL=KIND",
    help="What a column holds: integer, real, text, boolean, date or timestamp. Columns of a CSV are text otherwise.",
)
@click.option(
    "--trust-view", is_flag=True, help="Read a view of a database, and take on trust that it treats people apart."
)
@click.option(
    "--fixed", "data", flag_value="fixed", help="Data that changed are refused until --renew.  [default for files]"
)
@click.option("--live", "data", flag_value="live", help="Each answer is about the data as they are at that moment.")
@click.option(
    "--timeout", type=click.IntRange(1), metavar="S", help="The most seconds for one answer.  [default: 3600]"
)
@click.option("--to", "folder", metavar="FOLDER", help="Where the policy of a table in a database goes.  [default: .]")
@click.option("--ledger", metavar="ADDRESS", help="Keep the ledger in this database: postgresql://role@host/database")
@click.option("--analyst", "analysts", multiple=True, metavar="NAME[=E]", help="Who may ask, and their share of E.")
@click.option("--public", multiple=True, metavar="FILE", help="A public table to join with.")
@click.option("--also", multiple=True, metavar="FILE=UNIT[:K]", help="Another private table about the same people.")
@click.option(
    "--renew", "renewing", is_flag=True, help="Accept changed data, or an edited policy; nothing is refunded."
)
@json_option
def protect(
    source: str,
    unit: str | None,
    epsilon: str | None,
    delta: str | None,
    neighbours: str,
    bounds: tuple[str, ...],
    keys: tuple[str, ...],
    rows_per_unit: int | None,
    groups_per_unit: int | None,
    kinds: tuple[str, ...],
    trust_view: bool,
    data: str | None,
    timeout: int | None,
    folder: str | None,
    ledger: str | None,
    analysts: tuple[str, ...],
    public: tuple[str, ...],
    also: tuple[str, ...],
    renewing: bool,
    as_json: bool,
) -> None:
    """Protect a table: write its policy and open its ledger. From then on it is answered from only privately.

    \b
      lapwing protect people.parquet --unit person --epsilon 2 \\
          --bounds age=0:100 --keys region=north,east,south,west
      lapwing protect clinic.csv --epsilon 1 --keys 'ward="4, east","4, west"'
      lapwing protect clinic.duckdb::visits --unit person --rows-per-unit 10 \\
          --epsilon 1 --delta 1e-9
      lapwing protect postgresql://reader@host/hospital/clinic.visits \\
          --rows-per-unit 10 --epsilon 1 --live

    SOURCE is a Parquet or CSV file, a folder of them, FILE.duckdb::TABLE, or the address of a table in PostgreSQL, with
    --fixed or --live and without a password. Its name in SQL is the name of the file, folder or table. Everything in
    the policy is public: ranges and keys should come from what everybody may know, not from a look at the data. Kinds
    of columns come from the source's description; a CSV has none, so its columns are text unless --kinds says otherwise
    (with --bounds: numbers, or dates), and what is none of that kind counts as NULL.
    Columns of lists or bytes are left out, and this is said; so are, in a database, those whose names are not of the
    letters a to z, digits and underscores. Names with spaces and other letters stand in "quotes" in SQL. Ranges and
    keys of a --public table's columns are read from it.

    Exit codes: 0 protected, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    with working("reading the table's description and fingerprint"):
        if renewing:
            others = (*bounds, *keys, *kinds, *analysts, *public, *also)
            _alone(unit, epsilon, delta, rows_per_unit, groups_per_unit, data, timeout, ledger, *others)
            policy, path = renew(source, folder or ".")
        else:
            if epsilon is None:
                raise InvalidInput("F021", "there is no budget", "Give --epsilon, such as --epsilon 1")
            wishes = Wishes(
                unit,
                _sensible(epsilon),
                delta or "0",
                Neighbours(neighbours),
                rows_per_unit,
                _each_once("--bounds", map(_bounds, bounds)),
                _each_once("--keys", map(_keys, keys)),
                _each_once("--analyst", map(_share, analysts)) or None,
                public,
                _each_once("--also", map(_private, also)),
                _each_once("--kinds", map(_kind, kinds)),
                groups_per_unit,
                trust_view,
                data,
                ledger,
                timeout,
            )
            policy, path = write(source, wishes, folder or ".")
        unlisted = left_out(policy, path)
    if as_json:
        emit(_json(policy, str(path), unlisted))
    _show(policy, str(path), unlisted, people(to_stderr=as_json))


def _sensible(epsilon: str) -> str:
    """The budget as it was given; one that protects nobody is refused."""
    if number(epsilon, "epsilon") > MOST:
        problem = f"a budget of epsilon above {MOST} protects nobody"
        raise InvalidInput("F021", problem, "Give --epsilon 1, say: small is private")
    return epsilon


def _alone(*others: object) -> None:
    if any(other is not None for other in others):
        raise InvalidInput(
            "F021",
            "--renew was given with what the policy says",
            "Edit the policy, then give --renew alone",
        )


def _each_once(option: str, pairs: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidInput("F021", f"{option} is given twice for {name!r}", "Keep one of the two")
        found[name] = value
    return found


def _bounds(word: str) -> tuple[str, tuple[str, str]]:
    name, _, interval = word.rpartition("=")
    low, colon, high = interval.partition(":")
    if not colon or not name:
        raise InvalidInput("F021", f"--bounds {word!r} is not COL=LO:HI", "Write --bounds age=0:100")
    return name, (low, high)


def _keys(word: str) -> tuple[str, list[str]]:
    name, equals, listed = word.partition("=")
    if not equals or not name:
        raise InvalidInput("F021", f"--keys {word!r} is not COL=A,B,C", "Write --keys region=north,south")
    try:
        found = next(csv.reader([listed], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise InvalidInput("F021", f"--keys {word!r} has a quote that is not closed", "Close it") from None
    if not found or "" in (key.strip() for key in found):
        raise InvalidInput("F021", f"--keys {word!r} has an empty key", "Write --keys region=north,south")
    return name, [key.strip() for key in found]


def _kind(word: str) -> tuple[str, str]:
    name, equals, kind = word.rpartition("=")
    if not equals or not name or kind not in KINDS:
        raise InvalidInput("F021", f"--kinds {word!r} is not COL=KIND", f"The kinds are {', '.join(KINDS)}")
    return name, kind


def _share(word: str) -> tuple[str, str | None]:
    name, equals, share = word.partition("=")
    return name, share if equals else None


def _private(word: str) -> tuple[str, tuple[str, int]]:
    path, equals, rest = word.rpartition("=")
    unit, _, limit = rest.partition(":")
    if not equals or not unit or not (limit or "1").isdecimal():
        raise InvalidInput("F021", f"--also {word!r} is not FILE=UNIT[:K]", "Write --also visits.parquet=person:10")
    return path, (unit, int(limit or 1))


def _json(policy: Policy, path: str, unlisted: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    return {
        "policy": path,
        "name": policy.name,
        "neighbours": policy.neighbours.value,
        "data": policy.data,
        "budget": {"epsilon": str(policy.budget.epsilon), "delta": str(policy.budget.delta)},
        "analysts": [analyst.name for analyst in policy.analysts],
        "tables": [
            {
                "name": table.name,
                "role": table.role,
                "unit": table.unit,
                "rows_per_unit": table.rows_per_unit,
                "groups_per_unit": table.groups_per_unit,
                "columns": [column.name for column in table.columns],
                "left_out": dict(unlisted[table.name]),
            }
            for table in policy.tables
        ],
    }


def _show(policy: Policy, path: str, unlisted: Mapping[str, Mapping[str, str]], console: Console) -> None:
    delta = f", δ {shown(policy.budget.delta)}" if policy.budget.delta else ""
    console.print(f"[bold green]protected[/] {escape(policy.name)}: {escape(path)}", soft_wrap=True)
    console.print(f"budget ε {shown(policy.budget.epsilon)}{delta} against {policy.neighbours.phrase}")
    if [each.name for each in policy.analysts] == [ANYBODY]:
        console.print("[dim]whoever holds this folder may ask, and spend all of it; --analyst names people[/]")
    if policy.data == "live":
        console.print("the data are live: each answer is about the rows of its moment, and every one is charged")
    if any(is_address(table.path) for table in policy.tables):
        console.print("[dim]statements appear in the server's own logs: they hold no row, and no answer[/]")
    for table in policy.tables:
        who = "public" if table.role == "public" else "each row is a person"
        if table.unit is not None:
            rows = f"{table.rows_per_unit} rows of each count" if table.rows_per_unit != 1 else "1 row of each counts"
            groups = f", in at most {table.groups_per_unit} groups" if table.groups_per_unit is not None else ""
            who = f"a person is told by {table.unit}; {rows}{groups}"
        console.print(f"\n[bold]{escape(table.name)}[/] ({escape(who)})")
        console.print(_grid(table.columns))
        for name, reason in unlisted[table.name].items():
            console.print(f"  [yellow]left out[/] {escape(_one_line(name))}: {reason}", soft_wrap=True)


def _one_line(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _grid(columns: Sequence[Column]) -> Grid:
    grid = Grid(box=None, padding=(0, 3, 0, 2), header_style="dim")
    for name in ("column", "kind", "range", "keys"):
        grid.add_column(name, overflow="fold")
    for column in columns:
        ends = ["" if end is None else end_text(end, column.kind) for end in (column.low, column.high)]
        listed = [f'"{key}"' if "," in str(key) else str(key) for key in column.keys or ()]
        keys = ", ".join(listed[:8]) + (f", … ({len(listed)})" if len(listed) > 8 else "")
        grid.add_row(escape(column.name), column.kind, " to ".join(ends) if any(ends) else "", escape(keys))
    return grid
