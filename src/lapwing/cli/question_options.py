"""What the commands that ask share: which table, here or on a server, which price, and a bar while the engine works."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from lapwing.cli.console import people
from lapwing.client import RemoteSession, connect
from lapwing.errors import InvalidInput
from lapwing.session import Session, open_session

#: Where the token for a server is: on the command line every user of the machine could read it.
TOKEN = "LAPWING_TOKEN"  # noqa: S105  # the name of it

analyst_option = click.option("--analyst", metavar="NAME", help="Who asks.  [default: the policy's only analyst]")
confidence_option = click.option(
    "--confidence", default="0.95", show_default=True, help="Probability with which each ± holds."
)
delta_option = click.option(
    "--delta", metavar="D", help="For groups whose keys are unknown.  [default: a hundredth of the table's]"
)


def opened(source: str, analyst: str | None) -> Session | RemoteSession:
    """A session on a table, or on a table of a server, with the token that the environment holds."""
    if not source.startswith(("http://", "https://")):
        return open_session(source, analyst)
    token = os.environ.get(TOKEN, "")
    if not token:
        raise InvalidInput("D144", "there is no token for the server", f"Set {TOKEN} to one of lapwing account token")
    if analyst is not None:
        raise InvalidInput("D144", "an analyst is named, and on a server it is the token's", "Leave --analyst out")
    return connect(source, token=token)


def spent(session: Session | RemoteSession) -> object:
    """Something that is another when a charge was made."""
    return session.ledger.head() if isinstance(session, Session) else session.remaining


def say_what_was_paid(charged: bool) -> None:
    """After Ctrl-C: whether the budget has changed."""
    paid = "the price was charged and stays charged" if charged else "nothing was charged"
    people(to_stderr=True).print(f"[bold red]error[/] interrupted; {paid}: see lapwing ledger", soft_wrap=True)


def read_sql(text: str) -> str:
    """The query: as given, or the content of the file behind ``@``."""
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise InvalidInput("F020", f"the query file {text[1:]} cannot be read", "Give SQL, or @FILE") from None


@contextmanager
def engine_progress() -> Iterator[Callable[[float], None]]:
    """A bar on standard error, for people only, that appears when the engine reports how far it is."""
    console = people(to_stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("asking the engine"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("query", total=1.0, visible=False)
        yield lambda done: bar.update(task, completed=min(max(done, 0.0), 1.0), visible=True)
