"""The ``lapwing`` command and how it ends: 0 done, 2 bad input, 130 interrupted, 70 a mistake of ours.

The one idea: exit code 1 is a verdict (refuted, rejected), so nothing else may end with it.
"""

from __future__ import annotations

import difflib
import importlib
import io
import sys
import traceback
from typing import Any

import click

from lapwing import __version__
from lapwing.cli.console import BAD_INPUT, complain
from lapwing.cli.interruption import hearing_interruptions
from lapwing.errors import LapwingError

INTERRUPTED = 130
#: A mistake in Lapwing itself (EX_SOFTWARE of sysexits.h).
INTERNAL = 70
#: Each is one file of this room, and is read only when it is used: solvers and engines take a moment to load.
COMMANDS = (
    "account",
    "accuracy",
    "advise",
    "audit",
    "check",
    "compose",
    "demo",
    "example",
    "explain",
    "feasible",
    "flow",
    "ledger",
    "loss",
    "plan",
    "protect",
    "prove",
    "quote",
    "refute",
    "run",
    "serve",
)


class Refusing(click.Group):
    """A group whose commands end with a one-line error, whatever they refuse."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's own signature
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # as above
        """The command, read from its file."""
        if cmd_name not in COMMANDS:
            near = difflib.get_close_matches(cmd_name, COMMANDS, 1)
            if near:
                raise click.UsageError(f"No such command {cmd_name!r}. Did you mean {near[0]}?", ctx)
            return None
        found: click.Command = getattr(importlib.import_module(f"lapwing.cli.{cmd_name}"), cmd_name)
        return found

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  # click's own signature
        """Run a command; a refusal becomes one line on standard error and exit code 2."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal without ε shows a ? rather than a traceback
        try:
            with hearing_interruptions():
                return super().invoke(ctx)
        except LapwingError as refusal:
            complain(str(refusal))
            sys.exit(BAD_INPUT)
        except OSError as failure:
            complain(
                f"F001 {failure.filename or 'a file'}: {failure.strerror or failure}. Check the path and try again."
            )
            sys.exit(BAD_INPUT)
        except KeyboardInterrupt:
            complain("interrupted; nothing was left half done")
            sys.exit(INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit):
            raise  # click's own ways of ending, and ours
        except BaseException as mistake:  # the last resort: an uncaught exception would exit with 1, a verdict
            if ctx.params.get("debug"):
                traceback.print_exc()
            kind = type(mistake).__name__
            complain(
                f"F099 internal error ({kind}): please report it, with the traceback that lapwing --debug COMMAND shows"
            )
            sys.exit(INTERNAL)


@click.group(cls=Refusing, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="lapwing")
@click.option("--debug", is_flag=True, envvar="LAPWING_DEBUG", help="Show the traceback of an internal error.")
def main(debug: bool) -> None:  # read by Refusing, also when a command fails
    """Private answers about a table of people, each carrying a proof.

    \b
    Start here:
      lapwing demo                                         a guided tour
      lapwing protect people.parquet --epsilon 1           give a table a policy and a budget
      lapwing run people.parquet "SELECT COUNT(*) FROM people" --epsilon 0.1
                                                           a private answer, with its ± and its proof
      lapwing prove program.py                             is this Python function private? a checked proof
      lapwing refute program.py::mechanism                 or an exact counterexample
      lapwing audit module:function --epsilon 1            attack any callable, by running it

    Every command takes --json. Exit codes: 0 done, 2 bad input or a usage error, 130 interrupted,
    70 a mistake in Lapwing (please report it, with lapwing --debug COMMAND).
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
