"""What the commands that ask share: which table, which analyst, which price, and a bar while the engine works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from lapwing.cli.console import people
from lapwing.errors import InvalidInput

analyst_option = click.option("--analyst", metavar="NAME", help="Who asks.  [default: the policy's only analyst]")
confidence_option = click.option(
    "--confidence", default="0.95", show_default=True, help="Probability with which each ± holds."
)
delta_option = click.option(
    "--delta", metavar="D", help="For groups whose keys are unknown.  [default: a hundredth of the table's]"
)


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
