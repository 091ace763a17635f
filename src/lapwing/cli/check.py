"""``lapwing check``: evidence recomputed, accepted or rejected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import click
from rich.markup import escape

from lapwing.check import Accepted, Proved, Rejected, check_certificate, check_witness
from lapwing.check.accuracy import Shown, check_accuracy
from lapwing.check.accuracy.failure import Fails, check_failure
from lapwing.check.application import check_application
from lapwing.check.flow import Confirmed, check_flow
from lapwing.check.release import Derived, check_release
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import read_source
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.accuracy import AccuracyCertificate, AccuracyWitness, accuracy_from_json
from lapwing.evidence.certificate import Certificate
from lapwing.evidence.flow import FlowCertificate, FlowWitness, flow_from_json
from lapwing.evidence.witness import Witness, read_json

Evidence = Certificate | Witness | FlowCertificate | FlowWitness | AccuracyCertificate | AccuracyWitness
Verdict = Accepted | Confirmed | Derived | Fails | Proved | Rejected | Shown

#: States that a checker looks at before it gives up: some seconds of work.
PATIENCE = 400_000
_ANSWERS = ("release", "application")


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    help="The program, if it is not where the evidence says; or the protected table of an answer.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=PATIENCE, show_default=True, help="States to look at, at most."
)
@json_option
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], source: Path | None, limit: int, as_json: bool) -> None:
    """Check evidence again, without the searcher that found it.

    Each FILE holds, as JSON, a witness ("lapwing refute --witness FILE"), a certificate ("lapwing prove --certificates
    DIR", also of accuracy and flow), a release ("lapwing run --output FILE") or what a mechanism answered (to_json() of
    session.apply). The program is read from the path in it: seen from here, or from the folder of FILE. Every number of
    a witness is recomputed; every condition of a certificate is rebuilt from the program and confirmed by another
    solver. What an answer costs is derived again from its plans, and from the proof of its mechanism; with --source
    TABLE the plans are compared with the queries under the policy, and the charge is looked up in the ledger.

    Exit codes: 0 all accepted, 1 some rejected, 2 some could not be read, 130 interrupted,
    70 a mistake in Lapwing.
    """
    worst = 0
    for file in files:
        start = time.perf_counter()
        outcome: dict[str, object] = {"file": str(file)}
        try:
            with working(f"checking {file.name}"):
                what, verdict = _checked(file, source, limit)
            outcome |= what
            name = escape(what.get("function", file.name))
            if isinstance(verdict, Rejected):
                worst = max(worst, 1)
                outcome |= {"verdict": "rejected", "reason": verdict.reason}
                said = f"[bold red]rejected[/] {name}: {escape(verdict.reason)}."
            else:
                outcome |= {"verdict": "accepted", "statement": verdict.statement}
                said = f"[bold green]accepted[/] {name}: {escape(verdict.statement)}."
        except (LapwingError, OSError) as error:
            worst = 2
            outcome |= {"verdict": "error", "reason": str(error)}
            said = f"[bold red]error[/] {escape(str(file))}: {escape(str(error))}"
        if as_json:
            emit({**outcome, "seconds": round(time.perf_counter() - start, 3)})
        people(to_stderr=as_json or outcome["verdict"] == "error").print(said, soft_wrap=True)
    context.exit(worst)


def _checked(file: Path, source: Path | None, limit: int) -> tuple[dict[str, str], Verdict]:
    """What is in a file, and whether it holds."""
    data = read_json(read_source(file))
    if isinstance(data, Mapping) and data.get("kind") in _ANSWERS:
        return {"kind": data["kind"]}, _alone(data, source)
    kind = _answered(data)
    if kind is not None:
        from lapwing.session.verifying import verify_application, verify_release  # an engine takes a moment to load

        verify = verify_release if kind == "release" else verify_application
        return {"kind": kind}, verify(data, source)
    evidence = _evidence(data)
    certain = isinstance(evidence, Certificate | FlowCertificate | AccuracyCertificate)
    verdict = _verdict(evidence, _program(evidence, file, source), limit)
    return {"kind": "certificate" if certain else "witness", "function": evidence.function}, verdict


def _alone(certificate: Mapping[str, object], source: Path | None) -> Verdict:
    """The certificate of an answer without the answer: there is no receipt to look up."""
    if source is not None:
        raise InvalidInput("S141", "this is the certificate of an answer without its receipt", "Give the whole answer")
    return (check_release if certificate["kind"] == "release" else check_application)(certificate)


def _answered(data: object) -> str | None:
    """Whether this is the answer to a query, or of a mechanism."""
    proof = data.get("certificate") if isinstance(data, Mapping) else None
    kind = proof.get("kind") if isinstance(proof, Mapping) else None
    return kind if kind in _ANSWERS else None


def _verdict(evidence: Evidence, text: str, limit: int) -> Verdict:
    if isinstance(evidence, AccuracyCertificate):
        return check_accuracy(evidence, text)
    if isinstance(evidence, AccuracyWitness):
        return check_failure(evidence, text, limit)
    if isinstance(evidence, FlowCertificate | FlowWitness):
        return check_flow(evidence, text)
    if isinstance(evidence, Certificate):
        return check_certificate(evidence, text)
    return check_witness(evidence, text, limit)


def _evidence(data: object) -> Evidence:
    if isinstance(data, Mapping):  # the result of prove or refute holds one of them
        inner = [data[name] for name in ("certificate", "witness") if isinstance(data.get(name), Mapping)]
        data = inner[0] if inner else data
    accuracy = accuracy_from_json(data)
    if accuracy is not None:
        return accuracy
    flow = flow_from_json(data)
    if flow is not None:
        return flow
    if isinstance(data, Mapping) and data.get("kind") == "certificate":
        return Certificate.from_json(data)
    return Witness.from_json(data)


def _program(evidence: Evidence, file: Path, source: Path | None) -> str:
    if source is not None:
        return read_source(source)
    for place in (Path(evidence.file), file.parent / evidence.file):
        if place.is_file():
            return read_source(place)
    raise InvalidInput("F017", f"the program {evidence.file} is not there", "Say where it is with --source FILE")
