"""``lapwing check``: evidence recomputed, accepted or rejected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import click
from rich.markup import escape

from lapwing.check import Accepted, Proved, Rejected, check_certificate, check_witness
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import read_source
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.certificate import Certificate
from lapwing.evidence.witness import Witness, read_json

#: States that a checker looks at before it gives up: some seconds of work.
PATIENCE = 400_000


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--source", type=click.Path(path_type=Path), help="The program, if it is not where the evidence says.")
@click.option(
    "--limit", type=click.IntRange(1), default=PATIENCE, show_default=True, help="States to look at, at most."
)
@json_option
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], source: Path | None, limit: int, as_json: bool) -> None:
    """Check evidence again, without the searcher that found it.

    Each FILE holds a witness ("lapwing refute --witness FILE") or a certificate ("lapwing prove --certificates DIR") as
    JSON. The program is read from the path in it: seen from here, or from the folder of FILE. Every number of a witness
    is recomputed; every condition of a certificate is rebuilt from the program and confirmed by another solver.

    Exit codes: 0 all accepted, 1 some rejected, 2 some could not be read, 130 interrupted,
    70 a mistake in Lapwing.
    """
    worst = 0
    for file in files:
        start = time.perf_counter()
        outcome: dict[str, object] = {"file": str(file)}
        try:
            with working(f"checking {file.name}"):
                evidence = _read(file)
                text = _program(evidence, file, source)
                verdict = _verdict(evidence, text, limit)
            kind = "certificate" if isinstance(evidence, Certificate) else "witness"
            outcome |= {"kind": kind, "function": evidence.function}
            if isinstance(verdict, Rejected):
                worst = max(worst, 1)
                outcome |= {"verdict": "rejected", "reason": verdict.reason}
                said = f"[bold red]rejected[/] {escape(evidence.function)}: {escape(verdict.reason)}."
            else:
                outcome |= {"verdict": "accepted", "statement": verdict.statement}
                said = f"[bold green]accepted[/] {escape(evidence.function)}: {escape(verdict.statement)}."
        except (LapwingError, OSError) as error:
            worst = 2
            outcome |= {"verdict": "error", "reason": str(error)}
            said = f"[bold red]error[/] {escape(str(file))}: {escape(str(error))}"
        if as_json:
            emit({**outcome, "seconds": round(time.perf_counter() - start, 3)})
        people(to_stderr=as_json or outcome["verdict"] == "error").print(said, soft_wrap=True)
    context.exit(worst)


def _verdict(evidence: Certificate | Witness, text: str, limit: int) -> Accepted | Proved | Rejected:
    if isinstance(evidence, Certificate):
        return check_certificate(evidence, text)
    return check_witness(evidence, text, limit)


def _read(file: Path) -> Certificate | Witness:
    data = read_json(read_source(file))
    if isinstance(data, Mapping):  # the result of prove or refute holds one of them
        inner = [data[name] for name in ("certificate", "witness") if isinstance(data.get(name), Mapping)]
        data = inner[0] if inner else data
    if isinstance(data, Mapping) and data.get("kind") == "certificate":
        return Certificate.from_json(data)
    return Witness.from_json(data)


def _program(evidence: Certificate | Witness, file: Path, source: Path | None) -> str:
    if source is not None:
        return read_source(source)
    for place in (Path(evidence.file), file.parent / evidence.file):
        if place.is_file():
            return read_source(place)
    raise InvalidInput("F017", f"the program {evidence.file} is not there", "Say where it is with --source FILE")
