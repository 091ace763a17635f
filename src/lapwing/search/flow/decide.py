"""Does a result depend on what its reader may not see? Typing first, then self-composition, then two runs that differ.

The one idea: this room only searches. Whatever it finds is evidence that ``check`` examines before anything is said.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.errors import InvalidInput
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.flow import Composition, Enumeration, FlowCertificate, FlowWitness
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program import ir, printer
from lapwing.search.flow import composition, leaks
from lapwing.search.flow.runs import GaveUp, Program, is_noisy
from lapwing.search.flow.typing import Typed, typed

#: Truth values whose combinations are all tried, at most.
TRUTHS = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found: evidence, or why there is none. ``typing`` is shown to people whatever came of it.

    ``noise``: every hidden parameter has neighbours and there is noise, so the privacy prover may have an answer.
    """

    evidence: FlowCertificate | FlowWitness | None
    typing: Typed
    reason: str | None = None
    line: int | None = None
    noise: bool = False


def analyse(module: ir.Module, name: str, file: str, seconds: float = composition.SECONDS) -> Outcome:
    """Look for a proof that nothing hidden flows to the result, or for two runs in which it does.

    Self-composition may take ``seconds``.
    """
    mechanism = module[name]
    source = printer.fingerprint(module, name)
    plain = typed(module, name, match=False)
    if any(isinstance(each.type, ir.Oracle) for each in mechanism.parameters):
        reason = "what a function among the parameters is told, and answers, is not followed"
        return Outcome(None, plain, reason, mechanism.span.line)
    if plain.holds:
        return Outcome(FlowCertificate(file, name, source, match=False, proof=plain.proof), plain)
    lenient = typed(module, name, match=True)
    shown = lenient if lenient.checks else plain
    if lenient.holds:
        whole = _composed(mechanism, frozenset(), seconds)
        if isinstance(whole, Composition):  # not even the checks tell anything
            return Outcome(FlowCertificate(file, name, source, match=False, proof=whole), shown)
        return Outcome(FlowCertificate(file, name, source, match=True, proof=lenient.proof), lenient)
    noise = may_be_private(mechanism)  # then differences are expected, and the privacy prover bounds them
    leak = None if noise else leaks.tried(module, name, lenient.checks)
    if leak is not None:
        return Outcome(FlowWitness(file, name, source, leak.left, leak.right, leak.observed), shown)
    blocked = Unproved("nothing was tried")
    for checks in [frozenset[int](), *([lenient.checks] if lenient.checks else [])]:
        found = _composed(mechanism, checks, seconds)
        if isinstance(found, Composition):
            return Outcome(FlowCertificate(file, name, source, match=bool(checks), proof=found), shown)
        blocked = found
    answers = _enumerated(module, mechanism)
    if answers is not None:
        return Outcome(FlowCertificate(file, name, source, match=False, proof=answers), shown)
    leak = leaks.solved(module, name, lenient.checks)
    if leak is not None:
        return Outcome(FlowWitness(file, name, source, leak.left, leak.right, leak.observed), shown)
    return Outcome(None, shown, blocked.problem, blocked.span.line or mechanism.span.line, noise)


def may_be_private(mechanism: ir.Mechanism) -> bool:
    """Whether noise is drawn and every hidden parameter has neighbours, so that it has a privacy bound or none."""
    labels = policy(mechanism)
    hidden = [each for each in mechanism.parameters if not labels.visible(each.name)]
    return is_noisy(mechanism) and bool(hidden) and all(each.private for each in hidden)


def _enumerated(module: ir.Module, mechanism: ir.Mechanism) -> Enumeration | None:
    """Every answer of a mechanism of few truth values, if each is as likely whatever is hidden."""
    parameters = mechanism.parameters
    if len(parameters) > TRUTHS or not all(isinstance(each.type, ir.Boolean) for each in parameters):
        return None
    labels, seen = policy(mechanism), dict[tuple[bool, ...], dict[Value, Fraction]]()
    try:
        program = Program(module, mechanism.name)
        for truths in itertools.product((False, True), repeat=len(parameters)):
            inputs = {each.name: truth for each, truth in zip(parameters, truths, strict=True)}
            visible = tuple(truth for name, truth in inputs.items() if labels.visible(name))
            outcomes = program.outcomes(inputs)
            if seen.setdefault(visible, outcomes) != outcomes:
                return None
    except (GaveUp, InvalidInput):
        return None
    return Enumeration(tuple(dict.fromkeys(answer for outcomes in seen.values() for answer in outcomes)))


def _composed(mechanism: ir.Mechanism, checks: frozenset[int], seconds: float) -> Composition | Unproved:
    try:
        return composition.proof(mechanism, checks, seconds)
    except Unproved as blocked:
        return blocked
    except z3.Z3Exception:  # sorts that do not fit, as for lists of whole numbers beside lists of numbers
        return Unproved("the solver cannot follow some value")
