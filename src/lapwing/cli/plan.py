"""``lapwing plan``: several questions under one price, each as exact as it should be."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.markup import escape

from lapwing.algebra.exact import Number
from lapwing.cli.commands import INTERRUPTED
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.question_options import analyst_option, engine_progress, opened, say_what_was_paid, spent
from lapwing.cli.whole_files import check_report_file, write_whole
from lapwing.errors import InvalidInput
from lapwing.session.plan_table import plan_lines, plan_remarks
from lapwing.session.planning import Plan
from lapwing.session.rendering import as_lines
from lapwing.session.reporting import Report
from lapwing.session.wishing import read_plan


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("source", required=False)
@click.option("--epsilon", metavar="E", help="The price of all together.  [default: the smallest that will do]")
@click.option("--rho", metavar="R", help="The price in zCDP, paid for Gaussian noise (for budgets with a delta).")
@click.option("--delta", metavar="D", help="Beside --epsilon: Gaussian noise may keep (epsilon, delta).")
@analyst_option
@click.option("--confidence", metavar="C", help="Probability with which each ± holds.  [default: the file's, or 0.95]")
@click.option("--run", "pay", is_flag=True, help="Pay the price, as one charge, and show the answers.")
@click.option(
    "--report", type=click.Path(path_type=Path, dir_okay=False), help="With --run: write the report to this HTML file."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --run: write the answers as JSON.",
)
@json_option
def plan(
    file: Path,
    source: str | None,
    epsilon: str | None,
    rho: str | None,
    delta: str | None,
    analyst: str | None,
    confidence: str | None,
    pay: bool,
    report: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Plan several questions about one table: the error of each, and the price of all, before anything is paid.

    \b
      lapwing plan wishes.toml people.parquet
      lapwing plan wishes.toml people.parquet --epsilon 1 --run --report out.html

    FILE holds the questions, as TOML: each a [[question]] with its sql and how far off its answers may be (within), or
    its weight, or its own price. The price is divided so that every error meets its wish at the smallest price; with
    --epsilon or --rho, so that the largest error is as small as it can be, seen against its wish. SOURCE is as in
    "lapwing run", or named in the file. Nothing is charged without --run, and with it all answers are one charge:
    all are given, or none.

    Exit codes: 0 done, 2 refused (nothing was charged unless it says so), 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if not pay and (report is not None or output is not None):
        raise InvalidInput("S173", "a report is to be written of answers that are not asked for", "Add --run")
    for place in (report, output):
        if place is not None:
            check_report_file(place, page=place is report)
    found = read_plan(file)
    where = source if source is not None else found.source
    if where is None:
        raise InvalidInput("S173", "nothing says which table the plan is about", "Name it after the file")
    price: dict[str, Number | None] = {"epsilon": epsilon, "rho": rho, "delta": delta}
    if epsilon is None and rho is None:
        price |= {"epsilon": found.epsilon, "rho": found.rho}
    price["delta"] = delta if delta is not None else found.delta
    level = confidence if confidence is not None else found.confidence if found.confidence is not None else "0.95"
    with opened(where, analyst) as session:
        with working("planning"):
            planned = session.plan(found.questions, **price, confidence=level)
        if not pay:
            _show(planned, as_json=as_json)
            return
        _say(planned, running="", to_stderr=as_json)  # the table is seen before anything is paid
        before = spent(session)
        try:
            with engine_progress() as progress:
                answered = planned.run(progress)
        except KeyboardInterrupt:
            say_what_was_paid(spent(session) != before)
            sys.exit(INTERRUPTED)
    try:
        _answers(answered, as_json=as_json)
        if output is not None:  # last: answers that were paid for are shown even if they cannot be written
            write_whole(output, json.dumps(answered.to_json(), indent=1) + "\n")
        if report is not None:
            write_whole(report, answered.to_html())
        sys.stdout.flush()
    except OSError as failure:
        where = failure.filename or "the output"
        problem = f"{where} cannot be written: {failure.strerror}; the price was charged"
        raise InvalidInput("F003", problem, "Run the same plan again, at the same price: it is free") from None


def _show(planned: Plan, *, as_json: bool) -> None:
    if as_json:
        emit(planned.to_json())
    _say(planned, running="--run", to_stderr=as_json)


def _say(planned: Plan, *, running: str, to_stderr: bool) -> None:
    lines = plan_lines(planned)
    for line in lines:
        line.highlight_words(["missed"], "yellow")
    console = people(to_stderr=to_stderr)
    console.print(*lines, sep="\n", soft_wrap=True)
    for remark in plan_remarks(planned, running=running):
        console.print(f"[dim]{escape(remark)}[/]", soft_wrap=True)


def _answers(answered: Report, *, as_json: bool) -> None:
    if as_json:
        emit(answered.to_json())
    console = people(to_stderr=as_json)
    for name, release in zip(answered.names, answered, strict=True):
        console.print(f"\n[bold]{escape(name)}[/]", soft_wrap=True)
        console.print(*as_lines(release), sep="\n", soft_wrap=True)
    console.print(f"[dim]{escape(answered.summary())}[/]", soft_wrap=True)
