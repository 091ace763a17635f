"""``lapwing.check``: evidence of any kind recomputed by the kernel, accepted or rejected.

The one idea: evidence is checked as a stranger would check it, from what it says and the program it is about. A file,
the object that was read from one, a verdict or the evidence itself will do.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.audit.recheck import Recounted, recheck_json
from lapwing.decide.texts import Checked as CheckedText
from lapwing.decide.texts import Evidence, check_application, check_release, check_text
from lapwing.decide.verdict import Verdict
from lapwing.errors import InvalidInput
from lapwing.kernel.confined import confined
from lapwing.kernel.distribution.witness import STEPS
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, AccuracyWitness, accuracy_from_json
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.flow import FlowCertificate, FlowWitness, flow_from_json
from lapwing.kernel.evidence.values import json_type
from lapwing.kernel.evidence.witness import Witness, read_json
from lapwing.kernel.rejected import Rejected

if TYPE_CHECKING:
    from lapwing.session.verifying import DerivedTogether

    Checked = CheckedText | Recounted | DerivedTogether
_ANSWERS = ("release", "releases", "application")
_EVIDENCE = Certificate | Witness | FlowCertificate | FlowWitness | AccuracyCertificate | AccuracyWitness


def check(evidence: object, *, source: str | Path | None = None, limit: int = STEPS) -> Checked:
    """Check evidence again, without the search that found it: ``Rejected``, or what it shows.

    ``evidence`` is a file, its JSON, a verdict, or a certificate or witness. ``source`` says where its program is, if
    it is not where the evidence says; of an answer, it is the protected table whose policy and ledger it is held
    against. ``limit`` bounds the states that a recomputation looks at.
    """
    folder = Path()
    if isinstance(evidence, str | Path):
        folder = Path(evidence).parent
        evidence = read_json(read_text(Path(evidence)))
    place = None if source is None else str(source)
    if isinstance(evidence, Verdict):
        evidence = evidence.certificate or evidence.witness
    if isinstance(evidence, _EVIDENCE):
        given, text = evidence, program_of(evidence, folder, place)
        return confined(lambda: check_text(given, text, limit))
    return checked(evidence, folder, place, limit)[1]


def checked(data: object, folder: Path, source: str | None, limit: int) -> tuple[dict[str, str], Checked]:
    """What a JSON object is, and whether it holds; ``folder`` is where it was found."""
    if isinstance(data, Mapping) and data.get("kind") in _ANSWERS:
        return {"kind": data["kind"]}, _alone(data, source)
    if isinstance(data, Mapping) and data.get("kind") == "finding":
        finding, recounted = recheck_json(data)
        return {"kind": "finding", "function": finding.name}, recounted
    kind = _answered(data)
    if kind is not None:
        # an engine takes a moment to load
        from lapwing.session.verifying import verify_application, verify_release, verify_report

        if kind == "report":
            return {"kind": kind}, verify_report(data, source)
        verify = verify_application if kind == "application" else verify_release
        return {"kind": kind}, verify(data, source)

    def judged() -> tuple[dict[str, str], Checked]:
        evidence = read_evidence(data)
        certain = isinstance(evidence, Certificate | FlowCertificate | AccuracyCertificate)
        verdict = check_text(evidence, program_of(evidence, folder, source), limit)
        return {"kind": "certificate" if certain else "witness", "function": evidence.function}, verdict

    found = confined(judged)
    return ({}, found) if isinstance(found, Rejected) else found


def _alone(certificate: Mapping[str, object], source: str | None) -> Checked:
    """The certificate of an answer without the answer: there is no receipt to look up."""
    if source is not None:
        raise InvalidInput("S141", "this is the certificate of an answer without its receipt", "Give the whole answer")
    return (check_application if certificate["kind"] == "application" else check_release)(certificate)


def _answered(data: object) -> str | None:
    """Whether this is the answer to a query, or of a mechanism, or all answers to a plan."""
    if isinstance(data, Mapping) and data.get("kind") == "report":
        return "report"
    proof = data.get("certificate") if isinstance(data, Mapping) else None
    kind = proof.get("kind") if isinstance(proof, Mapping) else None
    return kind if kind in _ANSWERS else None


def read_evidence(data: object) -> Evidence:
    """The evidence that a JSON object is, or holds: the result of prove or refute holds one."""
    if isinstance(data, Mapping):
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
    if not isinstance(data, Mapping) or "format" not in data:
        what = "an object without a format" if isinstance(data, Mapping) else f"a {json_type(data)}"
        remedy = "Give what prove, refute, accuracy, flow, run, plan or audit wrote"
        raise InvalidInput("C102", f"this JSON is {what}, and no evidence", remedy)
    return Witness.from_json(data)


def program_of(evidence: Evidence, folder: Path, source: str | None) -> str:
    """The text of the program that evidence is about: seen from here, or from where the evidence was found."""
    if source is not None:
        return read_text(Path(source))
    for place in (Path(evidence.file), folder / evidence.file):
        if place.is_file():
            return read_text(place)
    raise InvalidInput("F017", f"the program {evidence.file} is not there", "Say where it is with --source FILE")


def read_text(path: Path) -> str:
    """The text of a file: a program, or evidence about one."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        file, colon, name = str(path).rpartition(":")
        meant = colon and name.isidentifier() and Path(file).is_file()
        remedy = f"A function in a file is written {file}::{name}" if meant else "Correct its path"
        raise InvalidInput("F010", f"there is no file {path}", remedy) from None
    except IsADirectoryError:
        raise InvalidInput("F010", f"{path} is a folder", "Give a file in it") from None
    except (UnicodeDecodeError, ValueError):
        raise InvalidInput(
            "F010", f"{path} is not a text file", "Give a program in Python, or evidence in JSON"
        ) from None
