"""The search for a proof, and what was learnt on the way, for as long as it may take.

The one idea: all of it happens in a process of its own, since solvers may forget the time or abort; what it had learnt
by then, the reasons of the ways that failed and the inputs on which alignments broke, is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lapwing.decide.reasons_for_unknown import NOT_FOLLOWED, happened
from lapwing.decide.time_limits import last_in_time
from lapwing.decide.verdict import Verdict
from lapwing.kernel.confined import confined
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy import Failed, attempts
from lapwing.search.privacy.outcome import ASSUMED
from lapwing.search.privacy.story import story
from lapwing.search.privacy.supplied import proof_file
from lapwing.search.violation.neighbouring import Pair

#: Seconds for the check of a proof that has a δ.
CHECKING = 5.0
#: How a reason begins where there was no time for another.
LATE = "the time limit passed"
#: Why there is no proof of a program that makes formulas deeper than Python follows.
TOO_LONG = "there are too many steps in a row, which nest in a formula: write them as a loop"


@dataclass(frozen=True, slots=True)
class Learnt:
    """How far a search for a proof came: the proof, or why there is none and which inputs to try first."""

    proved: Verdict | None = None
    reason: str = LATE
    blocked: int | None = None
    suspects: tuple[Pair, ...] = ()


def search_proof(undecided: Verdict, module: ir.Module, seconds: float, wall: float | None) -> Learnt:
    """The first certificate that the checker accepts, or what the search for one showed."""
    try:
        learnt, late = last_in_time(partial(_steps, undecided, module, seconds), seconds, wall)
    except RecursionError:  # so many draws one after the other that a formula of them nests
        return Learnt(reason=TOO_LONG)
    learnt = learnt or Learnt()
    if late and learnt.proved is None and happened(learnt.reason) == NOT_FOLLOWED:
        # that one method does not follow something is not why there is no proof
        reason = f"{LATE} before every way to prove it was tried; one of them stopped: {learnt.reason}"
        return replace(learnt, reason=reason)
    return learnt


def _steps(undecided: Verdict, module: ir.Module, seconds: float) -> Iterator[Learnt]:
    """What is known after each attempt, up to the first proof."""
    name, learnt = undecided.function, Learnt()
    by_hand = proof_file(Path(undecided.file), name).is_file()
    for count, attempt in enumerate(attempts(module, name, undecided.file, seconds)):
        # whoever wrote a proof wants to know what is wrong with it
        told = by_hand and count > 0
        if isinstance(attempt, Failed):
            if not told:
                line = attempt.span.line or None
                reason = attempt.reason + (f" (line {line})" if line else "")
                learnt = replace(learnt, reason=reason, blocked=line)
                by_hand = by_hand or attempt.reason.startswith(ASSUMED)
            found = tuple(Pair(each.left, each.right) for each in attempt.suspects)
            learnt = replace(learnt, suspects=(*learnt.suspects, *found))
            yield learnt
            continue
        verdict = _checked(attempt, module)
        if isinstance(verdict, Proved):
            yield replace(learnt, proved=proved_by(undecided, attempt, verdict.bound, module))
            return
        if not told:
            reason = f"a proof of {attempt.bound} was not accepted: {verdict.reason}"
            learnt = replace(learnt, reason=reason, blocked=None)
            assumption = _assumption(module, name, attempt, seconds)
            if assumption is not None:  # nothing that other methods say is of more use
                learnt, by_hand = replace(learnt, reason=assumption), True
            yield learnt


def proved_by(decision: Verdict, certificate: Certificate, bound: str, module: ir.Module) -> Verdict:
    """The decision with a certificate that the checker has accepted."""
    return replace(
        decision,
        verdict="proved",
        bound=bound,
        reason=None,
        blocked=None,
        certificate=certificate,
        story=story(certificate, module),
        loss=None,
    )


def _checked(attempt: Certificate, module: ir.Module) -> Proved | Rejected:
    """What the checker says. The solver may forget the clock over the polynomials of an ε and a δ: a child is ended."""
    check = partial(check_certificate, attempt, module)
    return confined(check, CHECKING) if attempt.measure == "approximate" else check()


def _assumption(module: ir.Module, name: str, attempt: Certificate, seconds: float) -> str | None:
    """What would make a proof hold that fails only where a public number is not above 0."""
    mechanism = module[name]
    draws = (each for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample))
    used = {name for each in draws for argument in each.arguments for name in walk.names(argument)}
    public = [each for each in mechanism.parameters if not each.private and each.type == ir.Real()]
    numbers = [each.name for each in public if each.name in used]
    facts = tuple(ir.Compare(">", ir.Name(each), ir.ZERO) for each in numbers)
    new = tuple(each for each in facts if each not in mechanism.preconditions)
    assumed = replace(mechanism, preconditions=(*mechanism.preconditions, *new))
    supposed = ir.Module(tuple(assumed if each.name == name else each for each in module))
    again = replace(attempt, source=fingerprint(supposed, name))
    if not new or seconds <= 0 or not isinstance(check_certificate(again, supposed), Proved):
        return None
    return f"{ASSUMED}: add assert {' and '.join(map(show, new))}"
