"""``lapwing prove``: prove each mechanism, or refute it; whatever is said, ``check`` has confirmed."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.check import Accepted, check_witness
from lapwing.check.certificate import Proved, check_certificate
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import choose_lattice, claim_text, read_source, read_target, write_whole
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.certificate import Certificate, write_certificate
from lapwing.evidence.witness import Witness
from lapwing.program import ir
from lapwing.program.parse import mechanism_names, parse_text
from lapwing.program.printer import show_module
from lapwing.prove import Failed, attempts
from lapwing.prove.story import story as proof_story
from lapwing.refute.distribution import Subject
from lapwing.refute.findings import Finding
from lapwing.refute.search import refute as search
from lapwing.refute.story import story as violation_story

REFUTED, UNKNOWN = 1, 3
#: Seconds for a proof, and at most for a violation (and then for a bound without the claim).
LIMIT, SEARCHING = 30.0, 20.0
#: Sizes searched for a violation.
SIZES = 6


#: Where the alarm was swallowed (by a destructor, say), it rings again after so many seconds.
AGAIN = 0.5


class OutOfTime(Exception):
    """The time limit of one mechanism passed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is known of one mechanism after trying to prove and to refute it."""

    function: str
    file: str
    line: int
    verdict: str
    claim: str | None
    bound: str | None
    seconds: float
    reason: str | None = None
    certificate: Certificate | None = None
    witness: Witness | None = None
    #: the largest exact loss found, where there is neither a proof nor a refutation
    loss: float | None = None
    story: str = ""

    def to_json(self) -> dict[str, object]:
        """The decision as a JSON object."""
        return {
            "function": self.function,
            "file": self.file,
            "line": self.line,
            "verdict": self.verdict,
            "claim": self.claim,
            "bound": self.bound,
            "seconds": self.seconds,
            "reason": self.reason,
            "loss": self.loss,
            "certificate": None if self.certificate is None else self.certificate.to_json(),
            "witness": None if self.witness is None else self.witness.to_json(),
        }


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::NAME]...")
@click.option("--certificates", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write them to DIR.")
@click.option("--show", is_flag=True, help="Print each proof, rule by rule, and the story of each refutation.")
@click.option(
    "--limit", type=click.FloatRange(1), default=LIMIT, show_default=True, help="Seconds to look for a proof."
)
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
    with the reason and the largest loss found.

    Exit codes: 0 all proved, 1 some refuted, 3 some unknown and none refuted, 2 bad input, 130 interrupted.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    names = list(dict.fromkeys(_named(targets)))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    console = people(to_stderr=as_json)
    decisions: list[Decision] = []
    for decision in _decided(names, limit, jobs):
        decisions.append(decision)
        if as_json:
            emit(decision.to_json())
        if folder is not None and decision.certificate is not None:
            write_whole(folder / _file_name(decision, names), write_certificate(decision.certificate))
    _table(sorted(decisions, key=lambda each: names.index((each.file, each.function))), console)
    for decision in decisions:
        _detail(decision, show, console)
    verdicts = {decision.verdict for decision in decisions}
    context.exit(REFUTED if "refuted" in verdicts else UNKNOWN if "unknown" in verdicts else 0)


# --- what to decide --------------------------------------------------------------------------------------


def _named(targets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(file, mechanism) pairs; a file stands for all its mechanisms, a folder for all its files that have some."""
    for target in targets:
        path, separator, _ = target.partition("::")
        if separator:
            found = read_target(target)
            yield found.file, found.mechanism.name
            continue
        files = sorted(Path(path).rglob("*.py")) if Path(path).is_dir() else [Path(path)]
        pairs = [(str(file), name) for file in files for name in mechanism_names(read_source(file), str(file))]
        if not pairs:
            raise InvalidInput("F011", f"{path} has no mechanism", "Put @mechanism(...) on a function")
        yield from pairs


def _file_name(decision: Decision, names: Sequence[tuple[str, str]]) -> str:
    """``sparse.sparse_vector.json``, with the folder in front where two files have the same name."""
    path = Path(decision.file)
    alike = {Path(file).parent for file, name in names if Path(file).stem == path.stem and name == decision.function}
    front = f"{path.parent.name}." if len(alike) > 1 else ""
    return f"{front}{path.stem}.{decision.function}.json"


def _decided(names: Sequence[tuple[str, str]], limit: float, jobs: int | None) -> Iterator[Decision]:
    """Decisions as they are made; several mechanisms are shared out to processes."""
    workers = min(len(names), jobs or multiprocessing.cpu_count())
    if workers == 1:
        for file, name in names:
            with working(f"proving {name}"):
                decision = decide(file, name, limit)
            yield decision
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool, working("proving") as say:
        waiting: list[Future[Decision]] = [pool.submit(decide, file, name, limit) for file, name in names]
        try:
            for count, future in enumerate(as_completed(waiting), 1):
                decision = future.result()
                say(f"{count} of {len(names)}, {decision.function} {decision.verdict}")
                yield decision
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


# --- deciding one ----------------------------------------------------------------------------------------


def decide(file: str, name: str, limit: float = LIMIT) -> Decision:
    """Prove a mechanism, else refute it, else say why neither was possible."""
    start = time.perf_counter()
    source = read_source(Path(file))
    module = parse_text(source, file, only=name)
    mechanism = module[name]
    open_decision = Decision(
        name, file, mechanism.span.line, "unknown", claim_text(mechanism.claim), None, 0.0, "the time limit passed"
    )
    decision = open_decision
    with suppress(OutOfTime), _time_limit(limit):
        decision = _proved(decision, module, source, limit)
    if decision.verdict == "unknown":
        seen: list[float] = []
        with suppress(OutOfTime), _time_limit(min(limit, SEARCHING)):
            decision = _refuted(decision, module, source, seen)
        if decision.verdict == "unknown":
            decision = replace(decision, loss=max(seen, default=None))
    if decision.verdict == "unknown" and mechanism.claim is not None:
        with suppress(OutOfTime), _time_limit(min(limit, SEARCHING)):
            decision = replace(decision, bound=_best_bound(module, name, SEARCHING))
    return replace(decision, seconds=round(time.perf_counter() - start, 3))


def _proved(decision: Decision, module: ir.Module, source: str, seconds: float) -> Decision:
    """The decision with the first certificate that the checker accepts; else with the reason of the last failure."""
    for attempt in attempts(module, decision.function, decision.file, seconds):
        if isinstance(attempt, Failed):
            place = f" (line {attempt.span.line})" if attempt.span.line else ""
            decision = replace(decision, reason=f"{attempt.reason}{place}")
            continue
        verdict = check_certificate(attempt, source)
        if isinstance(verdict, Proved):
            return replace(
                decision,
                verdict="proved",
                bound=attempt.bound,
                reason=None,
                certificate=attempt,
                story=proof_story(attempt, module),
            )
        decision = replace(decision, reason=f"a proof of {attempt.bound} was not accepted: {verdict.reason}")
    return decision


def _refuted(decision: Decision, module: ir.Module, source: str, seen: list[float]) -> Decision:
    """The decision with a violation that the checker has recomputed; ``seen`` gets the losses met on the way."""

    def heard(_size: int, finding: Finding | None) -> None:
        if finding is not None:
            seen.append(finding.loss)

    mechanism = module[decision.function]
    subject = Subject(module, mechanism, choose_lattice(None, [], mechanism))
    try:
        outcome = search(subject, max_n=SIZES, progress=heard)
        witness = outcome.witness(subject, decision.file)
    except LapwingError as error:
        return replace(decision, reason=f"{decision.reason}; and no search for a violation: {error.problem}")
    if outcome.violation is not None and witness is not None and isinstance(check_witness(witness, source), Accepted):
        return replace(decision, verdict="refuted", reason=None, witness=witness, story=violation_story(witness))
    return decision


def _best_bound(module: ir.Module, name: str, seconds: float) -> str | None:
    """The smallest bound that can be proved of the same body without its claim, checked like any other."""
    bare = ir.Module(tuple(replace(each, claim=None) if each.name == name else each for each in module))
    text = show_module(bare)
    for attempt in attempts(bare, name, "<text>", seconds):
        if isinstance(attempt, Certificate) and isinstance(check_certificate(attempt, text), Proved):
            return attempt.bound
    return None


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the body after some seconds, where the system can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    late = False

    def passed(_number: int, _frame: FrameType | None) -> None:
        nonlocal late
        late = True
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, passed)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    except Exception as error:
        if late:  # raised inside the solver's bindings, it may come out as something else
            raise OutOfTime from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- showing ---------------------------------------------------------------------------------------------

_COLOURS = {"proved": "bold green", "refuted": "bold red", "unknown": "bold yellow"}


def _table(decisions: Sequence[Decision], console: Console) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("function", "verdict", "bound", "how"):
        table.add_column(column)
    table.add_column("seconds", justify="right")
    for each in decisions:
        how = "" if each.certificate is None else each.certificate.method
        if each.witness is not None:
            how = f"exact violation of {each.claim}"
        verdict = f"[{_COLOURS[each.verdict]}]{each.verdict}[/]"
        table.add_row(escape(each.function), verdict, escape(each.bound or ""), escape(how), f"{each.seconds:.2f}")
    console.print(table)


def _detail(decision: Decision, show: bool, console: Console) -> None:
    if decision.verdict == "unknown":
        seen = "" if decision.loss is None else f" The largest loss found is {decision.loss:.6g}."
        bound = "" if decision.bound is None else f" A bound of {decision.bound} is proved."
        said = f"{decision.file}:{decision.line} {decision.function}: {decision.reason}.{bound}{seen}"
        console.print(f"[yellow]unknown[/] {escape(said)}", soft_wrap=True)
    elif show:
        console.print(f"\n[bold]{escape(decision.function)}[/] [dim]{escape(decision.file)}:{decision.line}[/]")
        console.print(escape(decision.story), soft_wrap=True)
