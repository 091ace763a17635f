"""``lapwing advise``: ranges and limits for a policy, found privately, at a price."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.markup import escape

from lapwing.cli.commands import INTERRUPTED
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.question_options import analyst_option, opened, say_what_was_paid, spent
from lapwing.cli.whole_files import check_report_file, write_whole
from lapwing.errors import InvalidInput
from lapwing.session.advice import Advice, advice_lines, write_advice


@click.command()
@click.argument("source")
@click.option("--epsilon", metavar="E", help="The price, shared by all that is looked at.")
@click.option("--rho", metavar="R", help="The price in zCDP, paid for Gaussian noise (for budgets with a delta).")
@click.option("--table", metavar="NAME", help="The private table to look at.  [default: the policy's first]")
@click.option(
    "--column", "columns", metavar="NAME", multiple=True, help="Look at this column alone; may be given several times."
)
@analyst_option
@click.option("--write", is_flag=True, help="Put the advice into the policy.")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Also write it, with its certificates, as JSON."
)
@json_option
def advise(
    source: str,
    epsilon: str | None,
    rho: str | None,
    table: str | None,
    columns: tuple[str, ...],
    analyst: str | None,
    write: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Suggest ranges of columns and limits per person, privately: for tables nobody has looked into.

    \b
      lapwing protect visits.parquet --unit person --epsilon 2
      lapwing advise visits.parquet --epsilon 0.1 --write

    People are counted in buckets, with noise: of each number column without a range, where 99% of the values lie, each
    person with a weight of 1; and how many rows, and how many different texts, 95% of the people have. All of it is one
    charge. It prints the --bounds, --rows-per-unit and --groups-per-unit to use, and what each would cut.

    Exit codes: 0 done, 2 refused (nothing was charged unless it says so), 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if output is not None:
        check_report_file(output, page=False)
    if write and source.startswith(("http://", "https://")):
        raise InvalidInput("S174", "the policy of a table on a server is the curator's", "Leave --write out")
    with opened(source, analyst) as session:
        before = spent(session)
        try:
            with working("looking"):
                found = session.advise(epsilon=epsilon, rho=rho, table=table, columns=columns or None)
        except KeyboardInterrupt:
            say_what_was_paid(spent(session) != before)
            sys.exit(INTERRUPTED)
    _show(found, as_json=as_json)
    if output is not None:
        write_whole(output, json.dumps(found.to_json(), indent=1) + "\n")
    if write:
        policy = write_advice(source, found)
        people(to_stderr=as_json).print(f"written into {policy.name}.lapwing.toml", soft_wrap=True)


def _show(found: Advice, *, as_json: bool) -> None:
    if as_json:
        emit(found.to_json())
    console = people(to_stderr=as_json)
    for line in advice_lines(found):
        console.print(escape(line), soft_wrap=True)
    if found.arguments:
        console.print(f"[bold]use: {escape(' '.join(found.arguments))}[/]", soft_wrap=True)
    console.print(f"[dim]{escape(found.report.summary())}[/]", soft_wrap=True)
