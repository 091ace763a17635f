"""``lapwing prove``: prove each mechanism, or refute it; whatever is said, ``check`` has confirmed."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.cli.console import BAD_INPUT, complain, emit, json_option, people, working
from lapwing.cli.targets import NO_MECHANISM, limit_option, read_targets
from lapwing.cli.whole_files import write_whole
from lapwing.decide.privacy import LIMIT, decide
from lapwing.decide.verdict import Verdict
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.certificate import write_certificate
from lapwing.search.violation.witness_story import brief, certain_loss

REFUTED, UNKNOWN = 1, 3


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::NAME]...")
@click.option("--certificates", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write them to DIR.")
@click.option("--show", is_flag=True, help="Print each proof, rule by rule, and the story of each refutation.")
@limit_option(LIMIT, "Seconds to look for a proof, of computing and of waiting.")
@click.option("--jobs", type=click.IntRange(1), help="Mechanisms to work on at once.  [default: one per core]")
@json_option
@click.pass_context
def prove(
    context: click.Context,
    targets: tuple[str, ...],
    folder: Path | None,
    show: bool,
    limit: float,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Prove the privacy claim of each mechanism, or refute it.

    \b
      lapwing prove sparse.py::sparse_vector --show
      lapwing prove mechanisms/ --certificates proofs; lapwing check proofs/*.json

    A mechanism without a claim gets the smallest bound that can be proved. "proved" is said only when the checker has
    accepted the certificate, "refuted" only when it has recomputed the violation; otherwise the verdict is "unknown",
    with the reason and the line where the proof stopped, the best bound that was proved and the largest loss found.

    A proof that a person wrote is looked for beside the source: sparse.sparse_vector.json for sparse.py::sparse_vector.

    A mechanism that is outside the language is refused at its line and column; the others are decided all the same.

    Exit codes: 0 all proved, 1 some refuted, 3 some unknown and none refuted, 2 bad input (also of one mechanism),
    130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    names = read_targets(targets, *NO_MECHANISM)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    console = people(to_stderr=as_json)
    decisions: list[Verdict] = []
    refusals: list[LapwingError] = []
    with closing(_decided(names, limit, jobs)) as made:
        for decision in made:
            if isinstance(decision, LapwingError):
                refusals.append(decision)
                continue
            decisions.append(decision)
            if as_json:
                emit(decision.to_json())
            if folder is not None and decision.certificate is not None:
                write_whole(folder / _file_name(decision, names), write_certificate(decision.certificate))
    if refusals and not decisions:
        raise refusals[0]
    _table(sorted(decisions, key=lambda each: names.index((each.file, each.function))), console)
    for decision in decisions:
        _detail(decision, show, console)
    for refusal in refusals:
        complain(str(refusal))
    if refusals:
        context.exit(BAD_INPUT)
    verdicts = {decision.verdict for decision in decisions}
    context.exit(REFUTED if "refuted" in verdicts else UNKNOWN if "unknown" in verdicts else 0)


# --- what to decide --------------------------------------------------------------------------------------


def _file_name(decision: Verdict, names: Sequence[tuple[str, str]]) -> str:
    """``sparse.sparse_vector.json``, with the folder in front where two files have the same name."""
    path = Path(decision.file)
    alike = {Path(file).parent for file, name in names if Path(file).stem == path.stem and name == decision.function}
    front = f"{path.parent.name}." if len(alike) > 1 else ""
    return f"{front}{path.stem}.{decision.function}.json"


def _decided(
    names: Sequence[tuple[str, str]], limit: float, jobs: int | None
) -> Generator[Verdict | LapwingError, None, None]:
    """Decisions as they are made, and refusals to read; several mechanisms are shared out to processes."""
    workers = min(len(names), jobs or multiprocessing.cpu_count())
    if workers == 1:
        for file, name in names:
            with working(f"proving {name}"):
                decision = _one(file, name, limit)
            yield decision
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool, working("proving") as say:
        try:
            with _unheard_interruptions():  # by the workers, which start here: this process ends them
                waiting = [pool.submit(_one, file, name, limit) for file, name in names]
            for count, future in enumerate(as_completed(waiting), 1):
                decision = future.result()
                if isinstance(decision, Verdict):
                    say(f"{count} of {len(names)}, {decision.function} {decision.verdict}")
                yield decision
        except BaseException:  # also when nobody wants the rest
            for worker in multiprocessing.active_children():
                worker.kill()
            raise


def _one(file: str, name: str, limit: float) -> Verdict | LapwingError:
    """The decision on one mechanism, or why it cannot be read."""
    try:
        return decide(file, name, limit, limit)
    except LapwingError as refusal:
        return refusal


@contextmanager
def _unheard_interruptions() -> Iterator[None]:
    """Processes started in the body never hear Ctrl-C; this one hears it afterwards (where the system can)."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- showing ---------------------------------------------------------------------------------------------

_COLOURS = {"proved": "bold green", "refuted": "bold red", "unknown": "bold yellow"}


def _table(decisions: Sequence[Verdict], console: Console) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("function", "verdict", "bound", "how"):
        table.add_column(column, overflow="fold", no_wrap=column == "verdict")
    table.add_column("seconds", justify="right", no_wrap=True)
    names = [each.function for each in decisions]
    for each in decisions:
        path = Path(each.file)
        alike = names.count(each.function) > 1
        name = f"{each.function} ({path.parent.name}/{path.name})" if alike else each.function
        verdict = f"[{_COLOURS[each.verdict]}]{each.verdict}[/]"
        table.add_row(escape(name), verdict, escape(_bound(each)), escape(_how(each)), f"{each.seconds:.2f}")
    console.print(table)


def _bound(decision: Verdict) -> str:
    """The proved bound, with its letter where it is not ε."""
    in_rho = (decision.claim or "").startswith("zcdp(")
    if decision.certificate is not None:
        in_rho = decision.certificate.measure == "rho"
    return "" if decision.bound is None else f"ρ = {decision.bound}" if in_rho else decision.bound


def _how(decision: Verdict) -> str:
    if decision.certificate is not None:
        return str(decision.certificate.method)
    if decision.witness is not None:
        return f"exact violation of {decision.claim}"
    place = "" if decision.blocked is None else f"stopped at line {decision.blocked}"
    found = "" if decision.loss is None else f"largest {certain_loss(decision.loss)}"
    return ", ".join(part for part in (place, found) if part)


def _detail(decision: Verdict, show: bool, console: Console) -> None:
    if decision.verdict == "unknown":
        console.print(f"[yellow]unknown[/] {escape(_gap(decision))}", soft_wrap=True)
    elif show:
        console.print(f"\n[bold]{escape(decision.function)}[/] [dim]{escape(decision.file)}:{decision.line}[/]")
        console.print(escape(decision.story), soft_wrap=True)
        if decision.verdict == "refuted" and decision.bound is not None:
            console.print(escape(f"Proved instead: {_bound(decision)}"), soft_wrap=True)


def _gap(decision: Verdict) -> str:
    """Why there is no verdict, and between which two numbers the truth lies."""
    said = f"{decision.file}:{decision.line} {decision.function}: {decision.reason}."
    if decision.remedy is not None:
        said += f" What would work: {decision.remedy}."
    if decision.bound is not None:
        said += f" Proved: {_bound(decision)}."
    if decision.loss is not None:
        said += f" Largest {brief(decision.loss)}."
    return said
