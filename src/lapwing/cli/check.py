"""``lapwing check``: evidence recomputed, accepted or rejected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import click
from rich.markup import escape

from lapwing.check import Accepted, check_witness
from lapwing.check.witness import STEPS
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import read_source
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.witness import Witness, read_json


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--source", type=click.Path(path_type=Path), help="The program, if it is not where the evidence says.")
@click.option("--limit", type=click.IntRange(1), default=STEPS, show_default=True, help="States to look at, at most.")
@json_option
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], source: Path | None, limit: int, as_json: bool) -> None:
    """Check evidence again, without the searcher that found it.

    Each FILE holds a witness as JSON, as "lapwing refute --witness FILE" writes it. The program is read from the path
    in the witness: seen from here, or from the folder of FILE. Everything the witness states is recomputed from it.

    Exit codes: 0 all accepted, 1 some rejected, 2 some could not be read, 130 interrupted.
    """
    worst = 0
    for file in files:
        start = time.perf_counter()
        outcome: dict[str, object] = {"file": str(file)}
        try:
            with working(f"checking {file.name}"):
                witness = _read(file)
                verdict = check_witness(witness, _program(witness, file, source), limit)
            outcome |= {"kind": "witness", "function": witness.function}
            if isinstance(verdict, Accepted):
                outcome |= {"verdict": "accepted", "statement": verdict.statement}
                said = f"[bold green]accepted[/] {escape(witness.function)}: {escape(verdict.statement)}."
            else:
                worst = max(worst, 1)
                outcome |= {"verdict": "rejected", "reason": verdict.reason}
                said = f"[bold red]rejected[/] {escape(witness.function)}: {escape(verdict.reason)}."
        except (LapwingError, OSError) as error:
            worst = 2
            outcome |= {"verdict": "error", "reason": str(error)}
            said = f"[bold red]error[/] {escape(str(file))}: {escape(str(error))}"
        if as_json:
            emit({**outcome, "seconds": round(time.perf_counter() - start, 3)})
        people(to_stderr=as_json or outcome["verdict"] == "error").print(said, soft_wrap=True)
    context.exit(worst)


def _read(file: Path) -> Witness:
    data = read_json(read_source(file))
    if isinstance(data, Mapping) and isinstance(data.get("witness"), Mapping):  # the result of prove or refute
        data = data["witness"]
    return Witness.from_json(data)


def _program(witness: Witness, file: Path, source: Path | None) -> str:
    if source is not None:
        return read_source(source)
    for place in (Path(witness.file), file.parent / witness.file):
        if place.is_file():
            return read_source(place)
    raise InvalidInput("F017", f"the program {witness.file} is not there", "Say where it is with --source FILE")
