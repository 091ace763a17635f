"""``lapwing refute``: search for a violation of a privacy claim, and say so only when ``check`` agrees."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.cli.check import PATIENCE
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import fitting, read_settings, read_target, rounds_option, set_option, states_option
from lapwing.cli.whole_files import write_whole
from lapwing.decide.claim_violation import SIZES, confirmed
from lapwing.decide.verdict import Verdict, losses_to_json
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.states import Limits
from lapwing.search.violation.findings import Finding
from lapwing.search.violation.growth import Growth
from lapwing.search.violation.growth import growth as measure_growth
from lapwing.search.violation.search import refute as search
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.witness_story import story

REFUTED = 1
#: Sizes measured for growth.
GROWTH = 8


@click.command()
@click.argument("target", metavar="PATH::NAME")
@click.option(
    "--max-n", type=click.IntRange(1, 12), help=f"Longest lists to try.  [default: {SIZES}; {GROWTH} with --growth]"
)
@click.option("--growth", is_flag=True, help="Show the worst loss against the size of the inputs, and its law.")
@set_option
@states_option
@rounds_option
@click.option("--witness", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the witness to FILE.")
@json_option
@click.pass_context
def refute(
    context: click.Context,
    target: str,
    max_n: int | None,
    growth: bool,
    settings: tuple[str, ...],
    max_states: int,
    max_rounds: int,
    file: Path | None,
    as_json: bool,
) -> None:
    """Search small neighbouring inputs for a privacy loss above the claim.

    \b
      lapwing refute sparse.py::sparse_vector
      lapwing refute sparse.py::sparse_vector --set limit=2 --max-n 8 --growth
      lapwing refute sparse.py --witness witness.json; lapwing check witness.json

    Public parameters get ordinary values unless --set says otherwise. Both orders of neighbours are looked at. A
    violation is only reported when the kernel has recomputed it from the program. Finding none proves nothing.

    Exit codes: 0 nothing found or not confirmed, 1 refuted, 2 bad input or nothing could be computed, 130 interrupted,
    70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    start = time.perf_counter()
    if file is not None and not file.parent.is_dir():
        raise InvalidInput("F003", f"there is no folder {file.parent}", "Create it first")
    found = read_target(target)
    given = fitting(found.mechanism, read_settings(settings))
    subject = Subject(found.module, found.mechanism, Limits(max_states, max_rounds))
    with working(f"searching {found.mechanism.name}") as say:
        outcome = search(subject, settings=given, max_n=max_n or SIZES, progress=_progress(say))
        say("checking the witness")
        result = confirmed(subject, found.file, outcome, PATIENCE)
        law = None
        if growth:
            law = measure_growth(subject, settings=given, max_n=max_n or GROWTH, progress=_progress(say))
    if as_json:
        seconds = round(time.perf_counter() - start, 3)
        emit({**result.to_json(), "growth": _growth_json(law), "seconds": seconds})
    _show(result, law, people(to_stderr=as_json))
    if file is not None and result.witness is not None:
        write_whole(file, json.dumps(result.witness.to_json(), indent=2, ensure_ascii=False) + "\n")
        people(to_stderr=True).print(f"witness written to {escape(str(file))}")
    context.exit(REFUTED if result.verdict == "refuted" else 0)


def _progress(say: Callable[[str], None]) -> Callable[[int, Finding | None], None]:
    def heard(n: int, finding: Finding | None) -> None:
        say(f"size {n}" if finding is None else f"size {n}, loss {finding.loss:.4g}")

    return heard


def _growth_json(growth: Growth | None) -> dict[str, object] | None:
    if growth is None:
        return None
    losses = {n: finding.loss for n, finding in growth.points.items()}
    return {"losses": losses_to_json(losses), "law": growth.law, "unbounded": growth.unbounded}


def _show(result: Verdict, growth: Growth | None, console: Console) -> None:
    name = escape(result.function)
    if result.reason is not None:
        console.print(f"[bold]nothing found[/] against {name} that is certain.")
        console.print(f"[yellow]A violation was found and not confirmed: {escape(result.reason)}.[/]")
    elif result.witness is not None and result.claim is not None:
        console.print(f"[bold red]refuted[/] {name}: the claim {escape(result.claim)} is false.\n")
        console.print(escape(story(result.witness)), soft_wrap=True)
    elif result.witness is not None:
        console.print(f"{name} claims nothing. The largest loss found:\n")
        console.print(escape(story(result.witness)), soft_wrap=True)
    else:
        largest = None if result.largest is None else max(round(result.largest, 9), 0.0)
        seen = "" if largest is None else f" The largest loss seen is {largest:.6g}."
        console.print(f"[bold]nothing found[/] against {name} with claim {escape(str(result.claim))}.{seen}")
        console.print("[dim]That proves nothing: a proof is another matter.[/]")
    if growth is not None:
        _show_growth(growth, console)


def _show_growth(growth: Growth, console: Console) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("n", justify="right")
    table.add_column("worst loss", justify="right")
    for n, finding in growth.points.items():
        table.add_row(str(n), f"{finding.loss:.6g}")
    console.print()
    console.print(table)
    law = "no simple law fits" if growth.law is None else f"fits {growth.law}"
    end = ", growing without bound" if growth.unbounded and growth.law != "infinite" else ""
    console.print(f"{escape(law)}{end} [dim](fitted, not proved)[/]")
