"""``lapwing refute``: search for a violation of a privacy claim, and say so only when ``check`` agrees."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from math import isinf
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.check import Accepted, Rejected, check_witness
from lapwing.cli.check import PATIENCE
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import (
    Target,
    choose_lattice,
    fitting,
    lattice_option,
    read_settings,
    read_target,
    rounds_option,
    set_option,
    states_option,
)
from lapwing.cli.writing import write_whole
from lapwing.errors import InvalidInput
from lapwing.evidence.witness import Witness
from lapwing.refute.claims import claim_text
from lapwing.refute.distribution import Subject
from lapwing.refute.findings import Finding
from lapwing.refute.growth import Growth
from lapwing.refute.growth import growth as measure_growth
from lapwing.refute.lattices import RUN
from lapwing.refute.limits import Limits
from lapwing.refute.search import Outcome
from lapwing.refute.search import refute as search
from lapwing.refute.story import story

REFUTED = 1
#: Sizes searched for a violation, and measured for growth.
SIZES, GROWTH = 6, 8
#: What is said of a violation on a coarse lattice that has no like on a run's.
UNCONFIRMED = "it holds on multiples of {0} and was not confirmed on the lattice of a run, multiples of {1}"


@click.command()
@click.argument("target", metavar="PATH::NAME")
@click.option(
    "--max-n", type=click.IntRange(1, 12), help=f"Longest lists to try.  [default: {SIZES}; {GROWTH} with --growth]"
)
@click.option("--growth", is_flag=True, help="Show the worst loss against the size of the inputs, and its law.")
@set_option
@lattice_option
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
    lattice: str | None,
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

    Public parameters get ordinary values unless --set says otherwise. A violation is only reported when the checker has
    recomputed it. Search and checker share the parser, the form that programs are read into, the test of who is a
    neighbour and the arithmetic on intervals; each has its own reading of what programs do. Finding none proves
    nothing.

    The search may use a coarser lattice than a run (multiples of 2^-20). What could look different there is reported
    only if it holds on a run's lattice, too; the lattice is made finer where numbers in the program need it.

    Exit codes: 0 nothing found or not confirmed, 1 refuted, 2 bad input or nothing could be computed, 130 interrupted,
    70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    start = time.perf_counter()
    if file is not None and not file.parent.is_dir():
        raise InvalidInput("F003", f"there is no folder {file.parent}", "Create it first")
    found = read_target(target)
    given = fitting(found.mechanism, read_settings(settings))
    step = choose_lattice(lattice, [given], found.mechanism)
    subject = Subject(found.module, found.mechanism, step, Limits(max_states, max_rounds))
    with working(f"searching {found.mechanism.name}") as say:
        outcome = search(subject, settings=given, max_n=max_n or SIZES, progress=_progress(say))
        witness = outcome.witness(subject, found.file)
        say("checking the witness")
        verdict = None if witness is None else check_witness(witness, found.source, PATIENCE)
        law = None
        if growth:
            law = measure_growth(subject, settings=given, max_n=max_n or GROWTH, progress=_progress(say))
    refuted = outcome.violation is not None and isinstance(verdict, Accepted)
    if as_json:
        seconds = round(time.perf_counter() - start, 3)
        emit({**_json(found, outcome, witness, verdict, refuted), "growth": _growth_json(law), "seconds": seconds})
    _show(found, outcome, witness, verdict, law, people(to_stderr=as_json))
    if file is not None and witness is not None and isinstance(verdict, Accepted):
        write_whole(file, json.dumps(witness.to_json(), indent=2, ensure_ascii=False) + "\n")
        people(to_stderr=True).print(f"witness written to {escape(str(file))}")
    context.exit(REFUTED if refuted else 0)


def _progress(say: Callable[[str], None]) -> Callable[[int, Finding | None], None]:
    def heard(n: int, finding: Finding | None) -> None:
        say(f"size {n}" if finding is None else f"size {n}, loss {finding.loss:.4g}")

    return heard


def _json(
    target: Target, outcome: Outcome, witness: Witness | None, verdict: Accepted | Rejected | None, refuted: bool
) -> dict[str, object]:
    return {
        "function": target.mechanism.name,
        "file": target.file,
        "line": target.mechanism.span.line,
        "verdict": "refuted" if refuted else "nothing found",
        "claim": claim_text(target.mechanism.claim),
        "losses": _losses(outcome.best),
        "witness": witness.to_json() if witness is not None and isinstance(verdict, Accepted) else None,
        "reason": _reason(outcome, verdict),
    }


def _reason(outcome: Outcome, verdict: Accepted | Rejected | None) -> str | None:
    """Why a violation that was found is not reported as one."""
    if isinstance(verdict, Rejected):
        return verdict.reason
    return None if outcome.unconfirmed is None else UNCONFIRMED.format(outcome.unconfirmed.lattice, RUN)


def _losses(best: Mapping[int, Finding]) -> list[dict[str, object]]:
    """The worst loss found at each size, as floats close to its certain lower end."""
    return [{"n": n, "loss": "inf" if isinf(finding.loss) else round(finding.loss, 9)} for n, finding in best.items()]


def _growth_json(growth: Growth | None) -> dict[str, object] | None:
    if growth is None:
        return None
    return {"losses": _losses(growth.points), "law": growth.law, "unbounded": growth.unbounded}


def _show(
    target: Target,
    outcome: Outcome,
    witness: Witness | None,
    verdict: Accepted | Rejected | None,
    growth: Growth | None,
    console: Console,
) -> None:
    name, claim = escape(target.mechanism.name), claim_text(target.mechanism.claim)
    reason = None if outcome.violation and isinstance(verdict, Accepted) else _reason(outcome, verdict)
    if reason is not None:
        console.print(f"[bold]nothing found[/] against {name} that is certain.")
        console.print(f"[yellow]A violation was found and not confirmed: {escape(reason)}.[/]")
    elif witness is not None and claim is not None:
        console.print(f"[bold red]refuted[/] {name}: the claim {escape(claim)} is false.\n")
        console.print(escape(story(witness)), soft_wrap=True)
    elif witness is not None:
        console.print(f"{name} claims nothing. The largest loss found:\n")
        console.print(escape(story(witness)), soft_wrap=True)
    else:
        largest = outcome.largest
        seen = "" if largest is None else f" The largest loss seen is {largest.loss:.6g}."
        console.print(f"[bold]nothing found[/] against {name} with claim {escape(str(claim))}.{seen}")
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
