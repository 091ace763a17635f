"""A verdict on whether a result depends on what its reader may not see: ``verdicts`` for information flow.

The one idea: as there, nothing is said that ``check`` has not confirmed. Where secrets reach the result through noise
only, the question is how private that is, and the privacy prover answers it.
"""

from __future__ import annotations

import time
from dataclasses import replace

from lapwing.decide.privacy import decide
from lapwing.decide.verdict import Verdict
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.flow import FlowWitness
from lapwing.kernel.flow import Confirmed, check_flow
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program import ir
from lapwing.search.flow.decide import Outcome, analyse
from lapwing.source.parse import parse_text, read_source

#: Seconds for self-composition, and for the privacy prover where leaks go through noise.
LIMIT = 30.0

_METHODS = {"typing": "typing", "composition": "self-composition", "enumeration": "enumeration"}


def decide_flow(file: str, name: str, limit: float = LIMIT) -> Verdict:
    """What is known of function ``name`` of a Python file, as far as the checker confirms it."""
    start = time.perf_counter()
    source = read_source(file).text
    module = parse_text(source, file, only=name)
    outcome = analyse(module, name, file, limit)
    one = _confirmed(_open(module[name], file, outcome), outcome, module)
    if one.verdict == "unknown" and outcome.noise:
        one = _by_noise(one, module[name], limit)
    return replace(one, seconds=round(time.perf_counter() - start, 3))


def _open(mechanism: ir.Mechanism, file: str, outcome: Outcome) -> Verdict:
    labels = policy(mechanism)
    shown = {**labels.labels, "result": labels.result}
    reason = None if outcome.reason is None else f"{outcome.reason} (line {outcome.line})"
    line = mechanism.span.line
    return Verdict("flow", mechanism.name, file, line, "unknown", reason, typing=outcome.typing, labels=shown)


def _confirmed(one: Verdict, outcome: Outcome, module: ir.Module) -> Verdict:
    if outcome.evidence is None:
        return one
    verdict = check_flow(outcome.evidence, module)
    if not isinstance(verdict, Confirmed):
        return replace(one, reason=f"what was found is not confirmed: {verdict.reason}")
    if isinstance(outcome.evidence, FlowWitness):
        return replace(one, verdict="leak", how="two runs", reason=verdict.statement, witness=outcome.evidence)
    word = "only by match" if outcome.evidence.match else "no flow"
    how = _METHODS[outcome.evidence.method]
    return replace(one, verdict=word, how=how, reason=verdict.statement, certificate=outcome.evidence)


def _by_noise(one: Verdict, mechanism: ir.Mechanism, limit: float) -> Verdict:
    decision = decide(one.file, one.function, limit)
    alike = ", ".join(f"{each.name}: {each.relation}" for each in mechanism.parameters if each.relation is not None)
    if decision.verdict == "proved" and isinstance(decision.certificate, Certificate):
        measure = decision.certificate.measure
        said = f"leaks only through noise; private with {measure} = {decision.bound} (neighbours {alike})"
        how = f"privacy, {decision.certificate.method}"
        return replace(
            one, verdict="only by noise", how=how, reason=said, bound=decision.bound, certificate=decision.certificate
        )
    if decision.verdict == "refuted":
        said = f"leaks through noise, and more than the claim of {decision.claim}"
        return replace(one, verdict="leak", how="privacy, refuted", reason=said, witness=decision.witness)
    return replace(one, reason=f"leaks through noise at most, and no privacy bound is proved: {decision.reason}")
