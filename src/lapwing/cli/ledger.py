"""``lapwing ledger``: who spent what, what is left, and whether the record is whole."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.algebra.exact import decimal_down, decimal_up
from lapwing.cli.console import emit, json_option, people
from lapwing.ledger import Account, Chain, Entry, Ledger
from lapwing.ledger.as_json import account_json, charge_json
from lapwing.session.policy_places import ledger_of, places, protected
from lapwing.session.protecting import move_ledger

BROKEN = 1


@click.command()
@click.argument("source")
@click.option("--entries", "count", type=click.IntRange(0), default=10, show_default=True, help="Last entries to show.")
@click.option(
    "--copy",
    "place",
    metavar="ADDRESS",
    help="Carry the ledger on in this database (or in a file beside the policy: --copy file), and close the old one.",
)
@json_option
@click.pass_context
def ledger(context: click.Context, source: str, count: int, place: str | None, as_json: bool) -> None:
    """Who spent what, what is left, and whether the record is intact.

    Every entry holds the hash of the one before; the whole chain is recomputed each time. With --copy all entries are
    written to another store and verified there; the policy then names it, and the old ledger is closed for good, since
    two that can be spent from would be two budgets.

    Exit codes: 0 intact, 1 the record was changed, 2 there is no ledger or it cannot be read, 130 interrupted,
    70 a mistake in Lapwing.
    """
    at = places(source)
    book = Ledger(ledger_of(at, protected(at)) if at.policy.is_file() else at.ledger)
    if place is not None:
        book = move_ledger(at, place)
    chain = book.verify()
    accounts = list(book.accounts()) if chain.intact else []  # of a changed record no sum can be told
    entries = [entry for entry in book.entries() if entry.kind == "charge"]
    if as_json:
        emit(
            {
                "intact": chain.intact,
                "entries": chain.entries,
                "first_bad": chain.first_bad,
                "reason": chain.reason,
                "accounts": [account_json(each) for each in accounts],
                "charges": [charge_json(each) for each in entries],
            }
        )
    _show(chain, accounts, entries[-count:] if count else [], people(to_stderr=as_json))
    context.exit(0 if chain.intact else BROKEN)


def _show(chain: Chain, accounts: list[Account], entries: list[Entry], console: Console) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    for name in ("account", "budget ε", "δ", "spent ε", "left ε", "charges"):
        table.add_column(name, justify="left" if name == "account" else "right", overflow="fold")
    for each in accounts:
        spent = "—" if each.spent.epsilon is None else decimal_up(each.spent.epsilon)
        table.add_row(
            "the table" if each.analyst is None else escape(each.analyst),
            decimal_down(each.allowance.epsilon),
            decimal_down(each.allowance.delta),
            spent,
            decimal_down(each.left.epsilon),
            str(each.charges),
        )
    if accounts:
        console.print(table)
    if entries:
        history = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
        for name in ("#", "when", "who", "price", "asked"):
            history.add_column(name, no_wrap=name in ("#", "when"), overflow="fold")
        for entry in entries:
            when = entry.time[:19].replace("T", " ")
            asked = " ".join(entry.text.split())
            short = asked if len(asked) <= 60 else asked[:57] + "..."
            history.add_row(str(entry.sequence), when, escape(entry.analyst), escape(entry.price), escape(short))
        console.print()
        console.print(history)
    if chain.intact:
        console.print(f"\n[green]the record of {chain.entries} entries is intact[/]")
    else:
        console.print(f"\n[bold red]the record was changed[/]: {escape(chain.reason)}", soft_wrap=True)
