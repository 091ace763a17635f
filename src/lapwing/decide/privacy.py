"""The one place where proving, checking and refuting meet: a verdict on a mechanism, and what is behind it.

The one idea: "proved" is said only when ``check`` has accepted a certificate, "refuted" only when it has recomputed a
violation; whatever else the searching rooms say ends as "unknown", with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import isinf

from lapwing.decide.nearest_proved import with_more_noise
from lapwing.decide.proof_search import Learnt, proved_by, search_proof
from lapwing.decide.reasons_for_unknown import as_reason, happened, instead
from lapwing.decide.time_limits import OutOfTime, computed, last_in_time, time_limit
from lapwing.decide.verdict import Verdict
from lapwing.errors import LapwingError
from lapwing.kernel.distribution.witness import Accepted, check_witness
from lapwing.kernel.evidence.certificate import Certificate, Composed, Coupling, Enumeration, Fold, Lift
from lapwing.kernel.evidence.witness import Witness
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.privacy import attempts
from lapwing.search.privacy.bounds import read
from lapwing.search.privacy.outcome import claim_of, claimed_delta, claiming
from lapwing.search.violation.claimed_numbers import claim_text, claim_value
from lapwing.search.violation.findings import Finding, excess, to_witness, violates
from lapwing.search.violation.landscape import KeptSides
from lapwing.search.violation.neighbouring import Pair
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.witness_story import story as violation_story
from lapwing.source.parse import parse_text, read_source

#: Seconds for the whole, at most for a proof, and at most for a violation.
LIMIT, PROVING, SEARCHING = 30.0, 20.0, 20.0
#: However long a proof took, a violation is looked for so many seconds.
LEAST = 6.0
#: Seconds for what is nice to know: the bound of a mechanism whose claim is refuted, the largest loss of one unknown.
AFTERWARDS = 5.0
#: Seconds for a look at small inputs after a proof of a young kind; and for one before any proof is looked for.
LOOK, GLANCE = 0.3, 0.1
#: A loss that is none: a double's worth of rounding.
TINY = 1e-9
#: Sizes searched for a violation.
SIZES = 6


def decide(file: str, name: str, limit: float = LIMIT, wall: float | None = None) -> Verdict:
    """What is known of mechanism ``name`` of a Python file; see :func:`decide_text`."""
    return decide_text(read_source(file).text, name, file, limit, wall)


def decide_text(
    source: str, name: str, file: str = "<text>", limit: float = LIMIT, wall: float | None = None
) -> Verdict:
    """What is known of mechanism ``name`` of a text; see :func:`decide_module`."""
    return decide_module(parse_text(source, file, only=name), name, file, limit, wall)


def decide_module(module: ir.Module, name: str, file: str, limit: float = LIMIT, wall: float | None = None) -> Verdict:
    """Prove a mechanism, else refute it, else say why neither was possible.

    All of it takes about ``limit`` seconds of computing, some more where a proof took nearly all; the search for a
    violation keeps to it in the main thread only. With ``wall`` it also ends when that many seconds have passed,
    however little of them a busy machine left for this.
    """
    start, begun = time.perf_counter(), computed()

    def waiting(share: float = 1.0) -> float | None:
        """How long somebody waits still, or some share of it."""
        return None if wall is None else share * (wall - (time.perf_counter() - start))

    mechanism = module[name]
    undecided = Verdict("privacy", name, file, mechanism.span.line, "unknown", claim=claim_text(mechanism.claim))
    deciding = _Deciding(module, file)
    decision = deciding.glimpsed(undecided, limit, waiting())
    if decision.verdict == "unknown":
        deciding.learnt = search_proof(undecided, module, min(limit, PROVING), waiting(PROVING / LIMIT))
        decision = deciding.looked_again(deciding.learnt.proved or undecided, limit, waiting())
    if decision.verdict == "unknown":
        decision = replace(decision, reason=deciding.learnt.reason, blocked=deciding.learnt.blocked)
    if decision.verdict == "unknown" and not deciding.contradicted:
        left = max(limit - (computed() - begun), LEAST)
        with suppress(OutOfTime, RecursionError), time_limit(min(limit, SEARCHING, left), waiting(0.8)):
            decision = deciding.refuted(decision)
        if decision.verdict == "unknown":
            with suppress(OutOfTime, RecursionError), time_limit(AFTERWARDS, waiting(0.5)):
                decision = deciding.refuted_in_haste(decision)
    if decision.verdict == "unknown":
        with suppress(OutOfTime), time_limit(AFTERWARDS, waiting(0.5)):
            decision = replace(decision, loss=deciding.largest_loss(name))
    if decision.verdict != "proved" and mechanism.claim is not None and not deciding.contradicted:
        decision = _with_bound(decision, module, min(limit, AFTERWARDS), waiting())
        decision = deciding.looked_again(decision, limit, waiting())
        if decision.verdict == "unknown" and decision.bound is not None:
            seconds, bound = min(limit, AFTERWARDS), decision.bound
            louder, _ = last_in_time(lambda: [with_more_noise(module, name, bound, seconds)], seconds, waiting())
            reason = decision.reason if louder is None else f"{louder}; {decision.reason}"
            decision = replace(decision, reason=f"only at a higher price: {bound} is proved; {reason}")
    if decision.verdict == "unknown" and decision.reason is not None:
        told = as_reason(decision.reason)
        decision = replace(decision, reason=told, why=happened(told), remedy=instead(told))
    return replace(decision, seconds=round(time.perf_counter() - start, 3))


def _is_young(proof: object) -> bool:
    """Whether a proof is of a kind that few programs have been held against so far."""
    if isinstance(proof, Coupling):
        return bool(proof.elements or proof.bad or proof.intervals or proof.pairs)
    return isinstance(proof, Composed | Enumeration | Fold | Lift)


@dataclass(slots=True)
class _Deciding:
    """One mechanism under way: what was learnt survives a time limit."""

    module: ir.Module
    file: str
    learnt: Learnt = field(default_factory=Learnt)
    #: a proof was accepted that small inputs speak against: nothing is said of the program after that
    contradicted: bool = False
    findings: list[Finding] = field(default_factory=list)
    #: what one look has walked, the next need not
    sides: KeptSides | None = None

    def glimpsed(self, decision: Verdict, limit: float, wall: float | None) -> Verdict:
        """The decision with a violation that shows at once: most that there are do, long before a proof is given up."""
        if decision.claim is None:
            return decision
        with suppress(OutOfTime, RecursionError, LapwingError), time_limit(min(limit, GLANCE), wall):
            self._violation(decision.function, brief=True)
        if self._violating(decision.function):
            with suppress(OutOfTime, RecursionError), time_limit(min(limit, SEARCHING), wall):
                decision = self.refuted(decision)
            return self.refuted_in_haste(decision) if decision.verdict == "unknown" else decision
        return decision

    def looked_again(self, decision: Verdict, limit: float, wall: float | None) -> Verdict:
        """The decision, unless small inputs lose more than was proved.

        A second, wholly different way that disagrees with a proof takes the word back. Young ways to prove are looked
        at for longer; where a claim was glimpsed at, what was found then is held against the others.
        """
        if decision.certificate is not None:
            seconds = LOOK if _is_young(decision.certificate.proof) else GLANCE
            with suppress(OutOfTime), time_limit(min(limit, seconds), wall):
                return self._held_against(decision, decision.certificate)
        return decision

    def _held_against(self, decision: Verdict, certificate: Certificate) -> Verdict:
        try:
            again = decision.claim is None or _is_young(certificate.proof)
            violation = self._violation(decision.function, brief=True) if again else None
        except LapwingError:
            return decision
        wrong = violation is not None and isinstance(check_witness(violation, self.module), Accepted)
        if not wrong and not _contradicted(certificate, self.largest_loss(decision.function)):
            return decision
        self.learnt, self.contradicted = Learnt(reason=_both(certificate)), True
        return replace(decision, verdict="unknown", reason=self.learnt.reason, bound=None, certificate=None, story="")

    def refuted(self, decision: Verdict) -> Verdict:
        """The decision with a violation that the checker has recomputed; inputs that broke proofs are tried first."""
        try:
            witness = self._violation(decision.function, self.learnt.suspects)
        except LapwingError as error:
            return replace(decision, reason=f"{decision.reason}; and no search for a violation: {error.problem}")
        return decision if witness is None else self._confirmed(decision, witness)

    def refuted_in_haste(self, decision: Verdict) -> Verdict:
        """The decision with a violation that was found before time was up, as it was found: nobody made it small."""
        found = self._violating(decision.function)
        if found is None:
            return decision
        subject = Subject(self.module, self.module[decision.function])
        claim = claim_value(subject.mechanism, found.pair.left)
        return self._confirmed(decision, to_witness(subject, self.file, found, claim))

    def _violating(self, name: str) -> Finding | None:
        """The smallest finding that violates the claim."""
        for finding in sorted(self.findings, key=lambda each: each.n):
            claim = claim_value(self.module[name], finding.pair.left)
            if claim is not None and violates(finding, claim):
                return finding
        return None

    def _confirmed(self, decision: Verdict, witness: Witness) -> Verdict:
        """The decision with a violation, if the checker recomputes it."""
        checked = check_witness(witness, self.module)
        if not isinstance(checked, Accepted):
            return _doubted(decision, checked.reason)
        story = violation_story(witness)
        return replace(decision, verdict="refuted", reason=None, blocked=None, witness=witness, story=story)

    def _violation(self, name: str, hints: Sequence[Pair] = (), *, brief: bool = False) -> Witness | None:
        """A violation of the claim on small inputs, as far as the search can say."""
        subject = Subject(self.module, self.module[name])
        self.sides = self.sides or KeptSides(subject)
        outcome = refute(subject, max_n=SIZES, hints=hints, progress=self._heard, brief=brief, sides=self.sides)
        return None if outcome.violation is None else outcome.witness(subject, self.file)

    def _heard(self, _size: int, finding: Finding | None) -> None:
        if finding is not None:
            self.findings.append(finding)

    def largest_loss(self, name: str) -> Witness | None:
        """The loss nearest to its claim that was found and that the checker has recomputed, if one of three is."""
        if not self.findings:
            return None  # perhaps nothing could be searched
        module = bare(self.module, name)
        subject = Subject(module, module[name])
        share = partial(_share, self.module[name])
        for finding in sorted(self.findings, key=share, reverse=True)[:3]:
            if finding.left.lower <= 0 or share(finding) < TINY:
                continue
            witness = to_witness(subject, self.file, finding, None)
            if isinstance(check_witness(witness, module), Accepted):
                claim = claim_value(self.module[name], finding.pair.left)
                if claim is None or claim.kind is ir.ZcdpClaim:
                    return witness
                return replace(witness, claim_value=claim.value, claim_delta=claim.delta)
        return None


def _share(mechanism: ir.Mechanism, finding: Finding) -> float:
    """How much of its claim a finding loses: what is lost where much is claimed says little."""
    claim = claim_value(mechanism, finding.pair.left)
    if claim is not None and claim.delta is not None:
        return excess(finding, claim) / (float(claim.delta.upper) or 1.0)
    if claim is None or claim.kind is not ir.PureClaim or claim.value.upper == 0 or isinf(finding.loss):
        return finding.loss
    return round(finding.loss / float(claim.value.upper), 6)


def _doubted(decision: Verdict, doubt: str) -> Verdict:
    """The decision with a word on a violation that was found and does not count."""
    return replace(decision, reason=f"{decision.reason}; and a violation does not count: {doubt}")


def bare(module: ir.Module, name: str) -> ir.Module:
    """The module with one mechanism's claim taken off."""
    return claiming(module, name, None)


def _with_bound(decision: Verdict, claimed: ir.Module, seconds: float, wall: float | None) -> Verdict:
    """The decision with the smallest bound in the claim's measure that can be proved without the claim, in time."""
    with suppress(RecursionError):
        bounded, _ = last_in_time(lambda: [_bounded(decision, claimed, seconds)], seconds, wall)
        return bounded or decision
    return decision


def _bounded(decision: Verdict, claimed: ir.Module, seconds: float) -> Verdict:
    """The decision with a bound that is proved without the claim.

    A search that knows no claim goes other ways, and sometimes comes to it: then that is the proof.
    """
    module = bare(claimed, decision.function)
    measure = "rho" if (decision.claim or "").startswith("zcdp(") else "epsilon"
    for attempt in attempts(module, decision.function, "<text>", seconds):
        if not isinstance(attempt, Certificate) or attempt.measure != measure:
            continue
        checked = check_certificate(attempt, module)
        if isinstance(checked, Proved):
            if _contradicted(attempt, _found(decision)):
                return replace(decision, verdict="unknown", reason=_both(attempt), witness=None, story="")
            kept = _of_claim(replace(attempt, file=decision.file), claimed) if decision.verdict == "unknown" else None
            if kept is not None:
                return proved_by(decision, kept, checked.bound, claimed)
            return replace(decision, bound=checked.bound)
    return decision


def _of_claim(certificate: Certificate, module: ir.Module) -> Certificate | None:
    """A proof that was found without the claim, as one of the claim; None where the checker does not think so."""
    mechanism = module[certificate.function]
    source = fingerprint(module, certificate.function)
    own = replace(certificate, source=source, claim=claim_of(mechanism), claimed_delta=claimed_delta(mechanism))
    return own if isinstance(check_certificate(own, module), Proved) else None


def _found(decision: Verdict) -> Witness | None:
    return decision.witness if isinstance(decision.witness, Witness) else decision.loss


def _both(certificate: Certificate) -> str:
    return f"a proof of {certificate.bound} and a larger loss were both accepted; please report this program"


def _contradicted(certificate: Certificate, loss: Witness | None) -> bool:
    """Whether a loss passes a proved bound: a fault in Lapwing, after which it says nothing about the mechanism."""
    if loss is None or certificate.measure != "epsilon":
        return False
    try:
        bound = enclosed(read(certificate.bound), dict(loss.left))
    except (LapwingError, ZeroDivisionError):  # it has no value there, and allows any loss
        return False
    return loss.log_ratio.lower is None or loss.log_ratio.lower > bound.upper
