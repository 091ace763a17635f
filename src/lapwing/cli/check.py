"""``lapwing check``: evidence recomputed, accepted or rejected."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.markup import escape

from lapwing.checking import checked, read_text
from lapwing.cli.console import emit, json_option, people, working
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.witness import read_json
from lapwing.kernel.rejected import Rejected

#: States that a checker looks at before it gives up: some seconds of work.
PATIENCE = 400_000


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--source",
    help="The program, if it is not where the evidence says; or the protected table of an answer, or its policy.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=PATIENCE, show_default=True, help="States to look at, at most."
)
@json_option
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], source: str | None, limit: int, as_json: bool) -> None:
    """Check evidence again, without the searcher that found it.

    Each FILE holds, as JSON, a witness ("lapwing refute --witness FILE"), a certificate ("lapwing prove --certificates
    DIR", also of accuracy and flow), a finding ("lapwing audit --finding FILE"), a release ("lapwing run --output
    FILE") or what a mechanism answered (to_json() of session.apply). The program is read from the path in it: seen from
    here, or from the folder of FILE. Every number of a witness is recomputed, and of a finding every number that
    follows from its counts and stakes; every condition of a certificate is rebuilt from the program and confirmed by
    another solver. What an answer costs is derived again from its plans, and from the proof of its mechanism; with
    --source TABLE the plans are compared with the queries under the policy, and the charge is looked up in the ledger.

    Exit codes: 0 all accepted, 1 some rejected, 2 some could not be read, 130 interrupted,
    70 a mistake in Lapwing.
    """
    worst = 0
    for file in files:
        start = time.perf_counter()
        outcome: dict[str, object] = {"file": str(file)}
        try:
            with working(f"checking {file.name}"):
                what, verdict = checked(read_json(read_text(file)), file.parent, source, limit)
            outcome |= what
            name = escape(what.get("function", file.name))
            if isinstance(verdict, Rejected):
                worst = max(worst, 1)
                outcome |= {"verdict": "rejected", "reason": verdict.reason}
                said = f"[bold red]rejected[/] {name}: {escape(verdict.reason)}."
            else:
                outcome |= {"verdict": "accepted", "statement": verdict.statement}
                said = f"[bold green]accepted[/] {name}: {escape(verdict.statement)}."
        except (LapwingError, OSError) as error:
            worst = 2
            outcome |= {"verdict": "error", "reason": str(error)}
            said = f"[bold red]error[/] {escape(str(file))}: {escape(str(error))}"
        if as_json:
            emit({**outcome, "seconds": round(time.perf_counter() - start, 3)})
        people(to_stderr=as_json or outcome["verdict"] == "error").print(said, soft_wrap=True)
    context.exit(worst)
