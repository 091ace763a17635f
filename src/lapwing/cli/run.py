"""``lapwing run``: the private answer to a query."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.markup import escape

from lapwing.cli.asking import analyst_option, confidence_option, delta_option, engine_progress, read_sql
from lapwing.cli.commands import INTERRUPTED
from lapwing.cli.console import emit, json_option, people
from lapwing.cli.writing import check_release_file, write_whole
from lapwing.errors import InvalidInput
from lapwing.session import open_session
from lapwing.session.release import Release
from lapwing.session.rendering import as_lines, summary


def _say_what_was_paid(charged: bool) -> None:
    paid = "the price was charged and stays charged" if charged else "nothing was charged"
    people(to_stderr=True).print(f"[bold red]error[/] interrupted; {paid}: see lapwing ledger", soft_wrap=True)


@click.command()
@click.argument("source")
@click.argument("sql")
@click.option("--epsilon", metavar="E", help="The price, paid for Laplace noise.")
@click.option("--rho", metavar="R", help="The price in zCDP, paid for Gaussian noise (for budgets with a delta).")
@delta_option
@analyst_option
@confidence_option
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Also write the release to this file.")
@json_option
def run(
    source: str,
    sql: str,
    epsilon: str | None,
    rho: str | None,
    delta: str | None,
    analyst: str | None,
    confidence: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Answer a query about a protected table, privately, at a price.

    \b
      lapwing run people.parquet "SELECT region, COUNT(*) FROM people GROUP BY region" --epsilon 0.1
      lapwing run people.parquet @query.sql --epsilon 0.5 --output answer.json; lapwing check answer.json

    SOURCE is the table as it was protected, SQL a query or @FILE. The price is charged before the data is read; a query
    that cannot be made private is refused and costs nothing. The same question again, at the same price, is free.

    Exit codes: 0 answered, 2 refused (nothing was charged unless it says so), 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if output is not None:
        check_release_file(output)
    with open_session(source, analyst) as session, engine_progress() as progress:
        text = read_sql(sql)
        before = session.ledger.head()
        try:
            release = session.sql(text, epsilon=epsilon, rho=rho, delta=delta, confidence=confidence, progress=progress)
        except KeyboardInterrupt:
            _say_what_was_paid(session.ledger.head() != before)
            sys.exit(INTERRUPTED)
    try:
        _show(release, as_json=as_json)
        if output is not None:  # last: an answer that was paid for is shown even if it cannot be written
            write_whole(output, json.dumps(release.to_json(), indent=1) + "\n")
        sys.stdout.flush()
    except OSError as failure:
        where = failure.filename or "the output"
        problem = f"{where} cannot be written: {failure.strerror}; the price was charged"
        raise InvalidInput("F003", problem, "Ask the same question again, at the same price: it is free") from None


def _show(release: Release, *, as_json: bool) -> None:
    if as_json:
        emit(release.to_json())
    console = people(to_stderr=as_json)
    console.print(*as_lines(release), sep="\n", soft_wrap=True)
    console.print(f"[dim]{escape(summary(release))}[/]")
    for note in release.notes:
        console.print(f"[dim]note: {escape(note)}[/]", soft_wrap=True)
