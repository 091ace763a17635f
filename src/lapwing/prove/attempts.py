"""Every way to prove a mechanism, the quick and readable ones first."""

from __future__ import annotations

import time
from collections.abc import Iterator

from lapwing.evidence.certificate import Certificate, Measure
from lapwing.program import ir, walk
from lapwing.program.printer import fingerprint
from lapwing.prove.coupling import by_coupling
from lapwing.prove.enumeration import by_enumeration
from lapwing.prove.outcome import Failed, Found, claim_of
from lapwing.prove.sensitivity import by_sensitivity
from lapwing.prove.supplied import by_hand

#: How long to search for a proof, unless told otherwise. Seconds of computing: a busy machine changes no verdict.
SECONDS = 20.0
#: Draws whose outcomes can be listed, and draws that can be shifted.
FINITE = ("flip", "uniform", "choose")
SHIFTED = ("laplace", "exponential")


def attempts(module: ir.Module, name: str, file: str, seconds: float = SECONDS) -> Iterator[Certificate | Failed]:
    """Certificates of a mechanism's claim (of the smallest bound found, if it has none), and what failed."""
    deadline = time.process_time() + seconds
    mechanism = module[name]

    def callee(other: str, measure: Measure) -> Certificate | None:
        found = attempts(module, other, file, deadline - time.process_time())
        return next((each for each in found if isinstance(each, Certificate) and each.measure == measure), None)

    written = by_hand(module, name, file)
    if written is not None:
        yield written
    yield _certified(module, mechanism, file, by_sensitivity(module, mechanism, callee))
    if any(isinstance(each, ir.Sample) and each.kind in FINITE for each in walk.statements(mechanism.body)):
        yield _certified(module, mechanism, file, by_enumeration(mechanism))
    if any(isinstance(each, ir.Sample) and each.kind in SHIFTED for each in walk.statements(mechanism.body)):
        yield _certified(module, mechanism, file, by_coupling(mechanism, deadline))


def _certified(module: ir.Module, mechanism: ir.Mechanism, file: str, found: Found | Failed) -> Certificate | Failed:
    if isinstance(found, Failed):
        return found
    source = fingerprint(module, mechanism.name)
    return Certificate(file, mechanism.name, source, found.measure, found.bound, claim_of(mechanism), found.proof)
