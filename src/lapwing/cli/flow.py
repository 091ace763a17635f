"""``lapwing flow``: does a result depend on what its reader may not see? Whatever is said, ``check`` confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.numbers import answer
from lapwing.cli.targets import limit_option, read_targets
from lapwing.cli.whole_files import write_whole
from lapwing.decide.flow import LIMIT, decide_flow
from lapwing.decide.verdict import Verdict
from lapwing.kernel.evidence.certificate import Certificate, write_certificate
from lapwing.kernel.evidence.flow import Answers, Composition, FlowCertificate, FlowWitness, write_flow

LEAK, UNKNOWN = 1, 3
#: What a file lacks that has nothing to follow, and what to do about it.
NO_LABELS = ("function with labels", "Put @flow(x='secret', result='public') on one")
_COLOURS = {"no flow": "green", "only by match": "green", "only by noise": "green", "leak": "red", "unknown": "yellow"}


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::NAME]...")
@click.option(
    "--certificates", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write evidence to DIR."
)
@click.option("--show", is_flag=True, help="Print the typing, judgement by judgement.")
@limit_option(LIMIT, "Seconds for each of the provers.")
@json_option
@click.pass_context
def flow(
    context: click.Context, targets: tuple[str, ...], folder: Path | None, show: bool, limit: float, as_json: bool
) -> None:
    """Say whether the result depends on what its reader may not see.

    \b
      @flow(password="secret", guess="public", result="public")
      def check(password: int, guess: int) -> bool:
          return match(password, guess)

    \b
      lapwing flow check.py::check --show
      lapwing flow programs/ --certificates proofs; lapwing check proofs/*.json

    Labels are secret and public, or those of @flow(lattice="low < mid < high", ...). What has no label is public;
    private parameters of @mechanism are secret. The verdict is one of

    \b
      no flow        the result is the same whatever is hidden (by typing, or
                     by comparing two runs with a solver)
      only by match  as above, for secrets that give every
                     match(secret, guess) the same answer
      only by noise  the result is noisy, and proved private; the bound is shown
      leak           two runs that look alike to the reader and end differently
      unknown        neither could be shown

    Whether a run ends counts as seen; how long it takes does not.

    Exit codes: 0 no flow (or only by match or noise), 1 some leak, 3 some unknown and no leak, 2 bad input,
    130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    console = people(to_stderr=as_json)
    found: list[Verdict] = []
    for file, name in read_targets(targets, *NO_LABELS):
        with working(f"following {name}"):
            one = decide_flow(file, name, limit)
        found.append(one)
        if as_json:
            emit(one.to_json())
        if folder is not None:
            _write(one, folder)
    _table(found, console)
    for one in found:
        _detail(one, show, console)
    verdicts = {one.verdict for one in found}
    context.exit(LEAK if "leak" in verdicts else UNKNOWN if "unknown" in verdicts else 0)


def _write(one: Verdict, folder: Path) -> None:
    stem = f"{Path(one.file).stem}.{one.function}"
    match one.certificate or one.witness:
        case FlowCertificate() | FlowWitness() as evidence:
            write_whole(folder / f"{stem}.flow.json", write_flow(evidence))
        case Certificate() as certificate:
            write_whole(folder / f"{stem}.json", write_certificate(certificate))


# --- showing ---------------------------------------------------------------------------------------------


def _table(found: Sequence[Verdict], console: Console) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("function", "verdict", "how", "labels"):
        table.add_column(column, overflow="fold", no_wrap=column in ("verdict", "how"))
    table.add_column("seconds", justify="right", no_wrap=True)
    for one in found:
        labels = ", ".join(f"{name}: {label}" for name, label in one.labels.items())
        verdict = f"[bold {_COLOURS[one.verdict]}]{one.verdict}[/]"
        table.add_row(escape(one.function), verdict, escape(one.how), escape(labels), f"{one.seconds:.2f}")
    console.print(table)


def _facts(certificate: FlowCertificate, console: Console) -> None:
    """What both runs keep alike at the loops, where typing was too coarse."""
    if not isinstance(certificate.proof, Composition):
        return
    console.print("  typing is too coarse here; two runs side by side, with a solver:")
    for fact in certificate.proof.facts:
        said = "is the same in both runs" if fact.kind == "same" else f"{fact.kind} {fact.value} in each run"
        console.print(f"  at loop {fact.loop}: {escape(fact.name)} {said}", soft_wrap=True)
    console.print("  from which the answers are equal")


def _detail(one: Verdict, show: bool, console: Console) -> None:
    place = f"{one.file}:{one.line} {one.function}"
    if one.verdict not in ("no flow", "only by match") or show:
        console.print(
            f"\n[{_COLOURS[one.verdict]}]{one.verdict}[/] {escape(f'{place}: {one.reason}.')}", soft_wrap=True
        )
    if isinstance(one.witness, FlowWitness):
        _runs(one.witness, console)
    if show:
        _judgements(one, console)
        if isinstance(one.certificate, FlowCertificate):
            _facts(one.certificate, console)
    elif one.verdict in ("leak", "unknown"):
        for each in (each for each in one.typing.judgements if not each.holds):
            console.print(
                f"  line {each.line}: {escape(each.statement)}   [dim]{escape(each.reason)}[/]", soft_wrap=True
            )


def _runs(witness: FlowWitness, console: Console) -> None:
    """Both runs, as calls that can be pasted into Python."""
    for side, inputs in (("left", witness.left), ("right", witness.right)):
        call = f"{witness.function}({', '.join(f'{name}={answer(value)}' for name, value in inputs.items())})"
        if isinstance(witness.observed, Answers):
            value = witness.observed.left if side == "left" else witness.observed.right
            gives = "never ends" if value is None else f"→ {answer(value)}"
        else:
            chance = witness.observed.left if side == "left" else witness.observed.right
            gives = f"→ {answer(witness.observed.output)} with probability {chance}"
        console.print(f"  {escape(call)} {escape(gives)}", soft_wrap=True)


def _judgements(one: Verdict, console: Console) -> None:
    variables = ", ".join(f"{name}: {value}" for name, (value, _) in one.typing.labels.items())
    labels = ", ".join(f"{name}: {label}" for name, label in one.labels.items())
    console.print(f"  Γ = {escape(', '.join(part for part in (labels, variables) if part))}", soft_wrap=True)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("line", "pc", "rule", "statement", "judgement"):
        table.add_column(column, justify="right" if column == "line" else "left", overflow="fold")
    for each in one.typing.judgements:
        text = escape(each.reason) if each.holds else f"[red]{escape(each.reason)}[/]"
        table.add_row(str(each.line), escape(each.pc), f"({each.rule})", escape(each.statement), text)
    console.print(table)
