"""``lapwing quote``: what a query would cost, and how exact its answers would be."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.cli.asking import analyst_option, confidence_option, delta_option, read_sql
from lapwing.cli.console import emit, json_option, people
from lapwing.session import open_session
from lapwing.session.quoting import Quote
from lapwing.session.rendering import amounts, percent, shown


@click.command()
@click.argument("source")
@click.argument("sql")
@click.option("--epsilon", metavar="E", help="The price you would pay.")
@click.option("--rho", metavar="R", help="The price in zCDP you would pay.")
@click.option("--within", metavar="W", help="Or how far off an answer may be: 50, or 2% of it. The price is derived.")
@click.option("--rows", type=click.IntRange(1), default=1000, show_default=True, help="Your guess of rows in a group.")
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
    delta: str | None,
    analyst: str | None,
    confidence: str,
    as_json: bool,
) -> None:
    """The price and the error of a query, before paying. Nothing is charged and no data is read.

    \b
      lapwing quote people.parquet "SELECT AVG(income) FROM people" --epsilon 0.1
      lapwing quote people.parquet "SELECT region, COUNT(*) FROM people GROUP BY region" --within 2% --rows 2000

    Without --epsilon, --rho or --within some usual prices are shown. How exact a mean is depends on how many rows it is
    taken over; say what you expect with --rows.

    Exit codes: 0 done, 2 the query is refused, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    with open_session(source, analyst) as session:
        offer = session.quote(
            read_sql(sql), epsilon=epsilon, rho=rho, delta=delta, within=within, rows=rows, confidence=confidence
        )
    if as_json:
        emit(offer.to_json())
    _show(offer, people(to_stderr=as_json))


def _show(offer: Quote, console: Console) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("price")
    for name in offer.margins:
        table.add_column(f"{name} ±", justify="right")
    table.add_column("")
    for each in offer.offers:
        margins = ["rank" if margin is None else shown(margin, margin) for margin in each.margins.values()]
        table.add_row(amounts(each.price, up=True), *margins, "" if each.affordable else "[yellow]more than is left[/]")
    console.print(table)
    rest = f"for groups of {offer.rows:,} rows, {percent(offer.confidence)} confidence; nothing was charged"
    console.print(f"[dim]{rest}[/]")
    shares = ", ".join(f"{what} {amounts(share, up=True)}" for what, share in offer.measurements)
    console.print(f"[dim]the first price is shared: {escape(shares)}[/]", soft_wrap=True)
    if offer.threshold is not None:
        console.print(f"[dim]a group is shown when about {offer.threshold} people are in it, after noise[/]")
    for note in offer.notes:
        console.print(f"[dim]note: {escape(note)}[/]", soft_wrap=True)
