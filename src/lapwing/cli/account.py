"""``lapwing account``: who may use a server, with which password and which tokens."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from lapwing.algebra.exact import shown
from lapwing.cli.console import emit, json_option, people
from lapwing.errors import InvalidInput
from lapwing.server.accounts import SCOPES, Accounts
from lapwing.server.granting import give, shares_of, tables_named

#: Who does what is done here, in the chain of events: whoever holds the folder.
OPERATOR = "(command line)"

_folder = click.argument("folder", type=click.Path(path_type=Path))
_name = click.argument("name")
_password = click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")


@click.group()
def account() -> None:
    """The accounts of a server: people who may use it, each with a role, a password and tokens.

    \b
      lapwing account add tables eva --role curator
      lapwing account add tables ana --role analyst --share people=1
      lapwing account token tables ana

    A curator protects tables, gives shares and sees who spent what; whoever has a share of a table may ask it. FOLDER
    is the folder of the protected tables. Changes hold at once, also for a server that runs. Each takes --json.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"


@account.command()
@_folder
@_name
@click.option("--role", type=click.Choice(["curator", "analyst"]), required=True, help="What they may do.")
@click.option("--share", "shares", multiple=True, metavar="TABLE=EPSILON", help="Their share of a table's budget.")
@_password
@json_option
def add(folder: Path, name: str, role: str, shares: tuple[str, ...], password_stdin: bool, as_json: bool) -> None:
    """Add an account; the password is asked for.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    accounts = Accounts.of(folder)
    given = tables_named(folder, [_share(each) for each in shares])
    accounts.add(name, role, _read_password(from_stdin=password_stdin), OPERATOR)
    for path, epsilon in given:
        give(accounts, path, name, epsilon, OPERATOR)
    if as_json:
        emit({"name": name, "role": role, "shares": dict(_share(each) for each in shares)})
    console, own = people(to_stderr=as_json), shares_of(folder, name)
    console.print(f"[bold green]added[/] {escape(name)}, {role}", soft_wrap=True)
    if own:
        console.print(f"may ask {escape(_listed(own))}", soft_wrap=True)
    elif role == "analyst":
        give_one = f"lapwing account share {shlex.quote(str(folder))} {shlex.quote(name)} TABLE=EPSILON"
        console.print(f"may ask no table yet; give a share with: {escape(give_one)}", soft_wrap=True)


@account.command()
@_folder
@_name
@click.argument("shares", nargs=-1, required=True, metavar="TABLE=EPSILON ...")
@json_option
def share(folder: Path, name: str, shares: tuple[str, ...], as_json: bool) -> None:
    """Give an account shares of tables, or other shares than it had; what it spent stays spent.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    accounts = Accounts.of(folder)
    accounts.named(name)
    for path, epsilon in tables_named(folder, [_share(each) for each in shares]):
        give(accounts, path, name, epsilon, OPERATOR)
    if as_json:
        emit({"name": name, "shares": dict(_share(each) for each in shares)})
    people(to_stderr=as_json).print(f"[bold green]given[/] to {escape(name)}: {escape(', '.join(shares))}")


@account.command("list")
@_folder
@json_option
def list_accounts(folder: Path, as_json: bool) -> None:
    """List the accounts, and which tables each may ask.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    accounts = Accounts.of(folder)
    found = accounts.all()
    if as_json:
        emit(
            {
                "accounts": [
                    {
                        "name": each.name,
                        "role": each.role,
                        "disabled": each.disabled,
                        "made": each.made,
                        "shares": shares_of(folder, each.name),
                        "tokens": len(accounts.tokens(each.name)),
                    }
                    for each in found
                ]
            }
        )
    grid = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    for title in ("account", "role", "state", "tokens", "may ask"):
        grid.add_column(title, overflow="fold")
    for each in found:
        state = "disabled" if each.disabled else "may log in"
        own = _listed(shares_of(folder, each.name)) or "no table"
        grid.add_row(escape(each.name), each.role, state, str(len(accounts.tokens(each.name))), escape(own))
    people(to_stderr=as_json).print(grid)


@account.command()
@_folder
@_name
@json_option
def disable(folder: Path, name: str, as_json: bool) -> None:
    """Shut an account out, at once: its browser sessions and tokens end.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    _set_disabled(folder, name, as_json, disabled=True)


@account.command()
@_folder
@_name
@json_option
def enable(folder: Path, name: str, as_json: bool) -> None:
    """Let a disabled account in again; it needs new tokens.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    _set_disabled(folder, name, as_json, disabled=False)


def _set_disabled(folder: Path, name: str, as_json: bool, *, disabled: bool) -> None:
    Accounts.of(folder).set_disabled(name, disabled, OPERATOR)
    if as_json:
        emit({"name": name, "disabled": disabled})
    done = "disabled" if disabled else "enabled"
    people(to_stderr=as_json).print(f"[bold green]{done}[/] {escape(name)}", soft_wrap=True)


@account.command()
@_folder
@_name
@_password
@json_option
def password(folder: Path, name: str, password_stdin: bool, as_json: bool) -> None:
    """Give an account another password, for somebody who forgot theirs.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    accounts = Accounts.of(folder)
    accounts.named(name)
    accounts.set_password(name, _read_password(from_stdin=password_stdin), OPERATOR)
    if as_json:
        emit({"name": name})
    people(to_stderr=as_json).print(f"[bold green]changed[/] the password of {escape(name)}", soft_wrap=True)


@account.command()
@_folder
@_name
@click.option("--scope", type=click.Choice(SCOPES), default="ask", show_default=True, help="quote cannot pay.")
@click.option("--days", type=int, default=90, show_default=True, help="The token ends after so many days.")
@json_option
def token(folder: Path, name: str, scope: str, days: int, as_json: bool) -> None:
    """Print a new API token of an account, alone on one line. It is not shown again.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """
    made = Accounts.of(folder).new_token(name, scope, days, OPERATOR)
    if as_json:
        emit({"name": name, "token": made, "scope": scope, "days": days})
    else:
        sys.stdout.write(f"{made}\n")


def _listed(shares: Mapping[str, str]) -> str:
    return ", ".join(f"{table} (ε {shown(Fraction(epsilon))})" for table, epsilon in shares.items())


def _share(word: str) -> tuple[str, str]:
    table, equals, epsilon = word.rpartition("=")
    if not equals or not table or not epsilon:
        raise InvalidInput("D118", f"the share {word!r} is not TABLE=EPSILON", "Write --share people=1, say")
    return table, epsilon


def _read_password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    found: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return found
