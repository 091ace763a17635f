"""Where output goes: people's text, and the JSON that programs read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click
from rich.console import Console
from rich.markup import escape

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per result; people's output goes to standard error."
)


#: How a command ends that was given what it cannot use.
BAD_INPUT = 2
#: How a program ends whose reader has left (128 + SIGPIPE): 1 would be a verdict.
LEFT = 141


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain when it flushes
        sys.exit(LEFT)


def people(*, to_stderr: bool = False) -> Console:
    """A console for people: standard output, or standard error when that carries JSON."""
    console = _Terminal(stderr=to_stderr, highlight=False, emoji=False)  # ":ok:" may stand in anybody's data
    if not console.is_terminal and "COLUMNS" not in os.environ:
        # A pipe has no width; 80 columns would fold tables that the reader's pager shows whole.
        console.width = 100
    return console


def complain(message: str) -> None:
    """A refusal, for people."""
    people(to_stderr=True).print(f"[bold red]error[/] {escape(message)}", soft_wrap=True)


def emit(result: Mapping[str, object]) -> None:
    """One JSON object on one line of standard output."""
    sys.stdout.write(json.dumps(result) + "\n")


@contextmanager
def working(task: str) -> Iterator[Callable[[str], None]]:
    """A spinner on standard error while something takes its time; yields a function that says what is going on.

    Nothing is shown where no person watches (a pipe, a test, continuous integration).
    """
    console = people(to_stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(f"{task} …") as status:
        yield lambda step: status.update(f"{task}: {step} …")
