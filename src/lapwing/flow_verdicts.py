"""A verdict on whether a result depends on what its reader may not see: ``verdicts`` for information flow.

The one idea: as there, nothing is said that ``check`` has not confirmed. Where secrets reach the result through noise
only, the question is how private that is, and the privacy prover answers it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from lapwing.check.flow import Confirmed, check_flow
from lapwing.evidence.certificate import Certificate
from lapwing.evidence.flow import FlowCertificate, FlowWitness
from lapwing.evidence.witness import Witness
from lapwing.flow.decide import Outcome, analyse
from lapwing.flow.typing import Typed
from lapwing.program import ir
from lapwing.program.labels import policy
from lapwing.program.parse import parse_text, read_source
from lapwing.verdicts import decide

#: Seconds for self-composition, and for the privacy prover where leaks go through noise.
LIMIT = 30.0

_METHODS = {"typing": "typing", "composition": "self-composition", "enumeration": "enumeration"}


@dataclass(frozen=True, slots=True)
class Found:
    """The verdict on one function, and what is behind it."""

    function: str
    file: str
    line: int
    verdict: str
    how: str
    typing: Typed
    labels: dict[str, str]
    seconds: float = 0.0
    reason: str | None = None
    bound: str | None = None
    certificate: FlowCertificate | Certificate | None = None
    witness: FlowWitness | Witness | None = None

    def to_json(self) -> dict[str, object]:
        """The verdict as a JSON object."""
        return {
            "function": self.function,
            "file": self.file,
            "line": self.line,
            "verdict": self.verdict,
            "how": self.how,
            "labels": self.labels,
            "typing": [
                {"line": each.line, "pc": each.pc, "rule": each.rule, "statement": each.statement, "holds": each.holds}
                | {"reason": each.reason}
                for each in self.typing.judgements
            ],
            "reason": self.reason,
            "bound": self.bound,
            "seconds": self.seconds,
            "certificate": None if self.certificate is None else self.certificate.to_json(),
            "witness": None if self.witness is None else self.witness.to_json(),
        }


def decide_flow(file: str, name: str, limit: float = LIMIT) -> Found:
    """What is known of function ``name`` of a Python file, as far as the checker confirms it."""
    start = time.perf_counter()
    source = read_source(file).text
    module = parse_text(source, file, only=name)
    outcome = analyse(module, name, file, limit)
    one = _confirmed(_open(module[name], file, outcome), outcome, source)
    if one.verdict == "unknown" and outcome.noise:
        one = _by_noise(one, module[name], limit)
    return replace(one, seconds=round(time.perf_counter() - start, 3))


def _open(mechanism: ir.Mechanism, file: str, outcome: Outcome) -> Found:
    labels = policy(mechanism)
    shown = {**labels.labels, "result": labels.result}
    reason = None if outcome.reason is None else f"{outcome.reason} (line {outcome.line})"
    return Found(mechanism.name, file, mechanism.span.line, "unknown", "", outcome.typing, shown, reason=reason)


def _confirmed(one: Found, outcome: Outcome, source: str) -> Found:
    if outcome.evidence is None:
        return one
    verdict = check_flow(outcome.evidence, source)
    if not isinstance(verdict, Confirmed):
        return replace(one, reason=f"what was found is not confirmed: {verdict.reason}")
    if isinstance(outcome.evidence, FlowWitness):
        return replace(one, verdict="leak", how="two runs", reason=verdict.statement, witness=outcome.evidence)
    word = "only by match" if outcome.evidence.match else "no flow"
    how = _METHODS[outcome.evidence.method]
    return replace(one, verdict=word, how=how, reason=verdict.statement, certificate=outcome.evidence)


def _by_noise(one: Found, mechanism: ir.Mechanism, limit: float) -> Found:
    decision = decide(one.file, one.function, limit)
    alike = ", ".join(f"{each.name}: {each.relation}" for each in mechanism.parameters if each.relation is not None)
    if decision.verdict == "proved" and decision.certificate is not None:
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
