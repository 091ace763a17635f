"""Evidence held against the text of a program: the text is read, and the kernel checks the program it stands for.

The one idea: the kernel never sees text. What the reader refuses is rejected here; what it reads is all the kernel
knows, so a mistake of the reader can lose evidence or misname a program, and make nothing private.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lapwing.errors import LapwingError
from lapwing.kernel.accuracy.certificate import Shown
from lapwing.kernel.accuracy.certificate import check_accuracy as _accuracy
from lapwing.kernel.accuracy.failure import STEPS as FAILURE_STEPS
from lapwing.kernel.accuracy.failure import Fails
from lapwing.kernel.accuracy.failure import check_failure as _failure
from lapwing.kernel.boundary import judged
from lapwing.kernel.confined import confined
from lapwing.kernel.distribution.witness import STEPS, Accepted
from lapwing.kernel.distribution.witness import check_witness as _witness
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, AccuracyWitness
from lapwing.kernel.evidence.application import application_from_json
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.flow import FlowCertificate, FlowWitness
from lapwing.kernel.evidence.several_records import several_from_json
from lapwing.kernel.evidence.witness import Witness
from lapwing.kernel.flow.evidence import Confirmed
from lapwing.kernel.flow.evidence import check_flow as _flow
from lapwing.kernel.program import ir
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.certificate import check_certificate as _certificate
from lapwing.kernel.release.adding import check_several as _release
from lapwing.kernel.release.application import check_application as _application
from lapwing.kernel.release.plans import Derived
from lapwing.kernel.solver import MILLISECONDS
from lapwing.source.conditions import read_condition
from lapwing.source.parse import parse_text

V = TypeVar("V")
Evidence = Certificate | Witness | FlowCertificate | FlowWitness | AccuracyCertificate | AccuracyWitness
Checked = Accepted | Confirmed | Derived | Fails | Proved | Rejected | Shown


def check_text(evidence: Evidence, source: str, limit: int = STEPS) -> Checked:
    """Check evidence of any kind against the text of its program; ``limit`` bounds the states of a recomputation."""
    match evidence:
        case AccuracyCertificate():
            return check_accuracy(evidence, source)
        case AccuracyWitness():
            return check_failure(evidence, source, limit)
        case FlowCertificate() | FlowWitness():
            return check_flow(evidence, source)
        case Certificate():
            return check_certificate(evidence, source)
    return check_witness(evidence, source, limit)


def check_certificate(certificate: Certificate, source: str, milliseconds: int = MILLISECONDS) -> Proved | Rejected:
    """Check a certificate of privacy against the text of its program."""
    return _read(certificate, source, lambda module: _certificate(certificate, module, milliseconds))


def check_witness(witness: Witness, source: str, limit: int = STEPS) -> Accepted | Rejected:
    """Check a witness against the text of its program."""
    return _read(witness, source, lambda module: _witness(witness, module, limit))


def check_flow(
    evidence: FlowCertificate | FlowWitness, source: str, milliseconds: int = MILLISECONDS
) -> Confirmed | Rejected:
    """Check evidence about flow against the text of its program."""
    return _read(evidence, source, lambda module: _flow(evidence, module, milliseconds))


def check_accuracy(certificate: AccuracyCertificate, source: str, milliseconds: int = MILLISECONDS) -> Shown | Rejected:
    """Check a certificate of accuracy against the text of its program."""

    def check(module: ir.Module) -> Shown | Rejected:
        claim = read_condition(module[certificate.function], certificate.condition, certificate.beta)
        return _accuracy(certificate, module, claim, milliseconds)

    return _read(certificate, source, check)


def check_failure(witness: AccuracyWitness, source: str, limit: int = FAILURE_STEPS) -> Fails | Rejected:
    """Check a witness against a claim of accuracy against the text of its program."""

    def check(module: ir.Module) -> Fails | Rejected:
        claim = read_condition(module[witness.function], witness.condition, witness.beta)
        return _failure(witness, module, claim, limit)

    return _read(witness, source, check)


def check_release(certificate: object) -> Derived | Rejected:
    """Check the JSON of a release's certificate, which needs no program: its plan says everything."""
    return judged(lambda: _release(several_from_json(certificate)))


def check_application(certificate: object) -> Derived | Rejected:
    """Check the JSON of an applied mechanism's certificate against the text of the program that it carries."""

    def check() -> Derived | Rejected:
        read = application_from_json(certificate)
        return _application(read, parse_text(read.source, only=read.mechanism.function))

    return confined(lambda: judged(check))


def _read(evidence: Evidence, source: str, check: Callable[[ir.Module], V]) -> V | Rejected:
    try:
        return check(parse_text(source, evidence.file, only=evidence.function))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
