"""``lapwing quote``: what a query would cost, and how exact its answers would be."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape

from lapwing.cli.console import emit, json_option, people
from lapwing.cli.question_options import analyst_option, confidence_option, delta_option, opened, read_sql
from lapwing.errors import InvalidInput
from lapwing.session.quoting import Quote
from lapwing.session.rendering import quote_lines, quote_remarks


@click.command()
@click.argument("source")
@click.argument("sql")
@click.option("--epsilon", metavar="E", help="The price you would pay.")
@click.option("--rho", metavar="R", help="The price in zCDP you would pay.")
@click.option("--within", metavar="W", help="Or how far off an answer may be: 50, or 2% of it. The price is derived.")
@click.option("--rows", type=click.IntRange(1), default=1000, show_default=True, help="Your guess of rows in a group.")
@click.option("--expect", metavar="NAME=VALUE", multiple=True, help="Your guess of an answer, or of a column's mean.")
@delta_option
@analyst_option
@confidence_option
@json_option
def quote(
    source: str,
    sql: str,
    epsilon: str | None,
    rho: str | None,
    within: str | None,
    rows: int,
    expect: tuple[str, ...],
    delta: str | None,
    analyst: str | None,
    confidence: str,
    as_json: bool,
) -> None:
    """The price and the error of a query, before paying. Nothing is charged and no data is read.

    \b
      lapwing quote people.parquet "SELECT AVG(income) FROM people" --epsilon 0.1 --expect income=30000
      lapwing quote people.parquet "SELECT region, COUNT(*) FROM people GROUP BY region" --within 2% --rows 2000

    Without --epsilon, --rho or --within some usual prices are shown. How exact a mean or a deviation is depends on how
    many rows it is taken over, and on itself: guess them with --rows and --expect (an answer, or a column, by name).
    Without --expect a ± is the largest that values in their range could give, and 2% is known of counts alone.

    Exit codes: 0 done, 2 the query is refused, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    with opened(source, analyst) as session:
        offer = session.quote(
            read_sql(sql),
            epsilon=epsilon,
            rho=rho,
            delta=delta,
            within=within,
            rows=rows,
            expect=_expectations(expect),
            confidence=confidence,
        )
    if as_json:
        emit(offer.to_json())
    _show(offer, people(to_stderr=as_json))


def _expectations(given: tuple[str, ...]) -> dict[str, str]:
    """``NAME=VALUE``; the name may hold ``=`` itself, the value does not."""
    found = {}
    for each in given:
        name, separator, value = each.rpartition("=")
        if not separator or not name:
            raise InvalidInput(
                "S143", f"the expectation {each!r} is not NAME=VALUE", "Write --expect income=28000, say"
            )
        found[name] = value
    return found


def _show(offer: Quote, console: Console) -> None:
    lines = quote_lines(offer)
    for line in lines:
        line.highlight_words(["more than is left"], "yellow")
    console.print(*lines, sep="\n", soft_wrap=True)
    for remark in quote_remarks(offer, expecting="--expect NAME=VALUE"):
        console.print(f"[dim]{escape(remark)}[/]", soft_wrap=True)
