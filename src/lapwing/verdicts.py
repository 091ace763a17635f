"""The one place where proving, checking and refuting meet: a verdict on a mechanism, and what is behind it.

The one idea: "proved" is said only when ``check`` has accepted a certificate, "refuted" only when it has recomputed a
violation; whatever else the searching rooms say ends as "unknown", with the reason.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from lapwing.check import Accepted, check_witness
from lapwing.check.certificate import Proved, check_certificate
from lapwing.errors import LapwingError
from lapwing.evidence.certificate import Certificate
from lapwing.evidence.witness import Witness
from lapwing.program import ir
from lapwing.program.claims import enclosed
from lapwing.program.parse import parse_text, read_source
from lapwing.program.printer import show_module
from lapwing.prove import Failed, attempts
from lapwing.prove.bounds import read
from lapwing.prove.story import story as proof_story
from lapwing.prove.supplied import proof_file
from lapwing.refute.claims import claim_text
from lapwing.refute.confirm import in_a_run
from lapwing.refute.distribution import Subject
from lapwing.refute.findings import Finding, to_witness
from lapwing.refute.lattices import RUN, ordinary_step
from lapwing.refute.neighbouring import Pair
from lapwing.refute.search import refute
from lapwing.refute.story import story as violation_story

#: Seconds for a proof, and at most for a violation (and then for a bound without the claim).
LIMIT, SEARCHING = 30.0, 20.0
#: Seconds for what is nice to know: the bound of a mechanism whose claim is refuted, the largest loss of one unknown.
AFTERWARDS = 5.0
#: Sizes searched for a violation.
SIZES = 6
#: Where the alarm was swallowed (by a destructor, say), it rings again after so many seconds.
AGAIN = 0.5


class OutOfTime(Exception):
    """The time limit of one mechanism passed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is known of one mechanism after trying to prove and to refute it.

    ``bound`` is proved, whatever the verdict: of a claim that is not, it is the smallest that was. ``reason`` and
    ``blocked`` say why and at which line the proof of an unknown one stopped. ``loss`` is the largest that was found,
    where it does not refute the claim: a witness of the mechanism without its claim.
    """

    function: str
    file: str
    line: int
    verdict: str
    claim: str | None
    bound: str | None
    seconds: float
    reason: str | None = None
    blocked: int | None = None
    certificate: Certificate | None = None
    witness: Witness | None = None
    loss: Witness | None = None
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
            "blocked_line": self.blocked,
            "certificate": None if self.certificate is None else self.certificate.to_json(),
            "witness": None if self.witness is None else self.witness.to_json(),
            "largest_loss": None if self.loss is None else _as_loss(self.loss),
        }


def _as_loss(witness: Witness) -> dict[str, object]:
    """The part of a witness that says what was computed: it accuses nobody."""
    kept = ("lattice", "left", "right", "output", "probability_left", "probability_right", "log_ratio")
    return {name: value for name, value in witness.to_json().items() if name in kept}


def decide(file: str, name: str, limit: float = LIMIT) -> Decision:
    """What is known of mechanism ``name`` of a Python file; see :func:`decide_text`."""
    return decide_text(read_source(file).text, name, file, limit)


def decide_text(source: str, name: str, file: str = "<text>", limit: float = LIMIT) -> Decision:
    """Prove a mechanism, else refute it, else say why neither was possible.

    Nothing takes much longer than ``limit`` seconds of computing in the main thread; elsewhere only the prover keeps to
    it.
    """
    start = time.perf_counter()
    module = parse_text(source, file, only=name)
    mechanism = module[name]
    deciding = _Deciding(module, source, file, claim_text(mechanism.claim))
    decision = Decision(name, file, mechanism.span.line, "unknown", deciding.claim, None, 0.0)
    with suppress(OutOfTime), time_limit(limit):
        decision = deciding.proved(decision, limit)
    if decision.verdict == "unknown":
        decision = replace(decision, reason=deciding.reason, blocked=deciding.blocked)
        with suppress(OutOfTime), time_limit(min(limit, SEARCHING)):
            decision = deciding.refuted(decision)
    if decision.verdict == "unknown":
        with suppress(OutOfTime), time_limit(AFTERWARDS):
            decision = replace(decision, loss=deciding.largest_loss(name))
    if decision.verdict != "proved" and mechanism.claim is not None:
        patience = min(limit, SEARCHING if decision.verdict == "unknown" else AFTERWARDS)
        with suppress(OutOfTime), time_limit(patience):
            decision = _with_bound(decision, bare(module, name), patience)
    return replace(decision, seconds=round(time.perf_counter() - start, 3))


@dataclass(slots=True)
class _Deciding:
    """One mechanism under way: what was learnt survives a time limit."""

    module: ir.Module
    source: str
    file: str
    claim: str | None
    reason: str = "the time limit passed"
    blocked: int | None = None
    suspects: list[Pair] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def proved(self, decision: Decision, seconds: float) -> Decision:
        """The decision with the first certificate that the checker accepts."""
        by_hand = proof_file(Path(self.file), decision.function).is_file()
        for count, attempt in enumerate(attempts(self.module, decision.function, self.file, seconds)):
            told = by_hand and count > 0  # whoever wrote a proof wants to know what is wrong with it
            if isinstance(attempt, Failed):
                if not told:
                    self.blocked = attempt.span.line or None
                    self.reason = attempt.reason + (f" (line {self.blocked})" if self.blocked else "")
                self.suspects += [Pair(each.left, each.right) for each in attempt.suspects]
                continue
            verdict = check_certificate(attempt, self.source)
            if isinstance(verdict, Proved):
                story = proof_story(attempt, self.module)
                return replace(decision, verdict="proved", bound=attempt.bound, certificate=attempt, story=story)
            if not told:
                self.blocked, self.reason = None, f"a proof of {attempt.bound} was not accepted: {verdict.reason}"
        return decision

    def refuted(self, decision: Decision) -> Decision:
        """The decision with a violation that the checker has recomputed; inputs that broke proofs are tried first."""
        mechanism = self.module[decision.function]
        subject = Subject(self.module, mechanism, ordinary_step(mechanism))
        try:
            outcome = refute(subject, max_n=SIZES, hints=self.suspects, progress=self._heard)
            witness = outcome.witness(subject, self.file)
        except LapwingError as error:
            return replace(decision, reason=f"{decision.reason}; and no search for a violation: {error.problem}")
        if outcome.violation is None or witness is None:
            if outcome.unconfirmed is None:
                return decision
            step = outcome.unconfirmed.lattice
            return _doubted(decision, f"it holds on multiples of {step} and was not confirmed on those of a run, {RUN}")
        checked = check_witness(witness, self.source)
        if not isinstance(checked, Accepted):
            return _doubted(decision, checked.reason)
        story = violation_story(witness)
        return replace(decision, verdict="refuted", reason=None, blocked=None, witness=witness, story=story)

    def _heard(self, _size: int, finding: Finding | None) -> None:
        if finding is not None:
            self.findings.append(finding)

    def largest_loss(self, name: str) -> Witness | None:
        """The largest loss that was found and that the checker has recomputed, as far as three tries go."""
        module = bare(self.module, name)
        text = show_module(module)
        module = parse_text(text, self.file, only=name)
        subject = Subject(module, module[name])
        largest = sorted(self.findings, key=lambda each: each.loss, reverse=True)[:3]
        again = [in_a_run(subject, each) or each for each in largest]  # what a coarse lattice adds is no loss of a run
        for finding in sorted(again, key=lambda each: each.loss, reverse=True):
            if finding.left.lower <= 0:
                continue
            witness = to_witness(subject, self.file, finding, None)
            if isinstance(check_witness(witness, text), Accepted):
                return witness
        return None


def _doubted(decision: Decision, doubt: str) -> Decision:
    """The decision with a word on a violation that was found and does not count."""
    return replace(decision, reason=f"{decision.reason}; and a violation does not count: {doubt}")


def bare(module: ir.Module, name: str) -> ir.Module:
    """The module with one mechanism's claim taken off."""
    return ir.Module(tuple(replace(each, claim=None) if each.name == name else each for each in module))


def _with_bound(decision: Decision, module: ir.Module, seconds: float) -> Decision:
    """The decision with the smallest bound in the claim's measure that can be proved without the claim."""
    text = show_module(module)
    measure = "rho" if (decision.claim or "").startswith("zcdp(") else "epsilon"
    for attempt in attempts(module, decision.function, "<text>", seconds):
        if not isinstance(attempt, Certificate) or attempt.measure != measure:
            continue
        if isinstance(check_certificate(attempt, text), Proved):
            if _contradicted(attempt, decision.witness or decision.loss):
                reason = f"a proof of {attempt.bound} and a larger loss were both accepted; please report this program"
                return replace(decision, verdict="unknown", reason=reason, witness=None, story="")
            return replace(decision, bound=attempt.bound)
    return decision


def _contradicted(certificate: Certificate, loss: Witness | None) -> bool:
    """Whether a loss passes a proved bound: a fault in Lapwing, after which it says nothing about the mechanism."""
    if loss is None or certificate.measure != "epsilon":
        return False
    bound = enclosed(read(certificate.bound), dict(loss.left))
    return loss.log_ratio.lower is None or loss.log_ratio.lower > bound.upper


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the body after some seconds of computing, where the system can: load changes no verdict."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    late = False

    def passed(_number: int, _frame: FrameType | None) -> None:
        nonlocal late
        late = True
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, passed)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    except Exception as error:
        if late:  # raised inside the solver's bindings, it may come out as something else
            raise OutOfTime from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
