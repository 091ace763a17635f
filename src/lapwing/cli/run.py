"""``lapwing run``: the private answer to a query."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.markup import escape

from lapwing.cli.commands import INTERRUPTED
from lapwing.cli.console import emit, json_option, people
from lapwing.cli.question_options import (
    analyst_option,
    confidence_option,
    delta_option,
    engine_progress,
    opened,
    read_sql,
    say_what_was_paid,
    spent,
)
from lapwing.cli.whole_files import check_release_file, write_whole
from lapwing.errors import InvalidInput
from lapwing.session.release import Release
from lapwing.session.rendering import as_lines, summary


@click.command()
@click.argument("source")
@click.argument("sql")
@click.option("--epsilon", metavar="E", help="The price, paid for Laplace noise.")
@click.option("--rho", metavar="R", help="The price in zCDP, paid for Gaussian noise (for budgets with a delta).")
@delta_option
@analyst_option
@confidence_option
@click.option(
    "--rows", type=click.IntRange(1), help="Your guess of rows in a group, for groups whose keys are unknown."
)
@click.option("--anyway", is_flag=True, help="Ask although groups of so many rows are too small to be shown.")
@click.option("--cut", metavar="E", help="A further price, for what limits of rows and ranges of values cut.")
@click.option("--rehearse", is_flag=True, help="Ask made-up rows of the same policy; nothing is charged.")
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
    rows: int | None,
    anyway: bool,
    cut: str | None,
    rehearse: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Answer a query about a protected table, privately, at a price.

    \b
      lapwing run people.parquet "SELECT region, COUNT(*) FROM people GROUP BY region" --epsilon 0.1
      lapwing run people.parquet @query.sql --epsilon 0.5 --output answer.json; lapwing check answer.json

    SOURCE is the table as it was protected, or its address on a server (https://stat.example/people, with the token in
    LAPWING_TOKEN); SQL is a query or @FILE. The price is charged before the data is read; a query
    that cannot be made private is refused and costs nothing. The same question again, at the same price, is free.

    Exit codes: 0 answered, 2 refused (nothing was charged unless it says so), 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if output is not None:
        check_release_file(output)
    with opened(source, analyst) as session, engine_progress() as progress:
        text = read_sql(sql)
        if rehearse:
            tried = session.rehearse(text, epsilon=epsilon, rho=rho, delta=delta, confidence=confidence)
            _show(tried, as_json=as_json)
            return
        before = spent(session)
        needed = None
        if epsilon is not None:
            needed = session.people_needed(text, epsilon=epsilon, delta=delta)
        if needed is not None:
            people(to_stderr=True).print(f"[dim]a group needs about {needed:,} people to be shown[/]", soft_wrap=True)
        try:
            release = session.sql(
                text,
                epsilon=epsilon,
                rho=rho,
                delta=delta,
                confidence=confidence,
                rows=rows,
                anyway=anyway,
                **({} if cut is None else {"cut": cut}),
                progress=progress,
            )
        except KeyboardInterrupt:
            say_what_was_paid(spent(session) != before)
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
