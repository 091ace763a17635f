"""The exact names of every field of every kind of evidence: a renamed field changes a format, and fails here first.

Whoever changes a name here changes what files of others mean, and gives the format another number.
"""

import dataclasses
from fractions import Fraction

import pytest

from lapwing import library
from lapwing.algebra.balls import Interval
from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence import accuracy, certificate, flow, plan_records
from lapwing.kernel.evidence.application import ApplicationCertificate, application_from_json
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.event import Anything
from lapwing.kernel.evidence.expressions import ColumnType, Kind
from lapwing.kernel.evidence.plan import Key
from lapwing.kernel.evidence.release import NoisyMeasurement, ReleaseCertificate, Selection
from lapwing.kernel.evidence.release_records import release_from_json, release_to_json
from lapwing.kernel.evidence.witness import LogRatio, Witness
from lapwing.noise import Laplace
from tests.kernel.release.plans import counted, people, plan_of_every_node

#: Every name that occurs in a kind of evidence, at any depth; names of parameters (epsilon) and columns are no fields.
NAMES = {
    "certificate": {
        "kind format file function source measure bound claim method proof",
        "ghost sites invariants joint site alignment total loop formula weights if then else",
    },
    "certificate by sensitivity": {
        "kind format file function source measure bound claim method proof costs callees site distance price",
    },
    "certificate by enumeration": {"kind format file function source measure bound claim method proof rows"},
    "witness": {
        "kind format file function source left right output probability_left probability_right log_ratio claim_value",
        "claim_delta order closed_form",
    },
    "accuracy": {
        "kind file function source condition beta total sites bounds invariants site assumed count failure",
        "part value need loop formula",
    },
    "inaccuracy": {"kind format file function source condition beta given inputs probability"},
    "flow": {"kind file function source match method proof facts loop fact of value"},
    "leak": {"kind file function source left right observed output probability_left probability_right"},
    "release": {
        "kind format query neighbours plan keys measurements selection price together",
        "measurement change mechanism claim l1 l2_squared name scale epsilon threshold delta",
    },
    "application": {"kind format mechanism source public neighbours queries plans price"},
    "guarantee": {"kind function neighbours measure bound source parameters preconditions"},
}
#: Every node of a plan with its fields.
NODES = {
    "Foremost": "source most within order type",
    "Column": "name",
    "Literal": "value kind",
    "Call": "word arguments",
    "ColumnType": "kind nullable low high keys",
    "RelationType": "columns unit rows_per_unit",
    "Scan": "table type",
    "Where": "source condition type",
    "Project": "source columns type",
    "PublicJoin": "source table on columns left unique type",
    "UnitJoin": "first second on columns left type",
    "Match": "source other on columns how mark public type",
    "UnitColumn": "name function argument low high step",
    "PerUnit": "source keys columns type",
    "Sampled": "source most type",
    "Key": "name expression type values",
    "Measurement": "name function argument bounding rows_per_unit weight_steps low high step centre fraction "
    "buckets shift degree place",
    "Aggregate": "source keys measurements selection",
}
ONE, HALF = Fraction(1), Interval(Fraction(1, 2), Fraction(1, 2))
#: A value for every field that evidence has, by its name.
VALUES = {
    "file": "a.py", "function": "f", "source": "0" * 64, "measure": "epsilon", "bound": "epsilon", "claim": "epsilon",
    "lattice": ONE, "left": {"x": ONE}, "right": {"x": ONE}, "output": Anything(), "probability_left": HALF,
    "probability_right": HALF, "log_ratio": LogRatio(ONE, ONE), "claim_value": HALF, "claim_delta": HALF, "order": ONE,
    "closed_form": "ln(2)", "condition": "x > 0", "beta": "beta", "total": "beta", "given": {"x": ONE},
    "inputs": {"x": ONE}, "answers": (ONE,), "probability": ONE, "match": True,
}  # fmt: skip


def made(kind, **given):
    """One piece of evidence of this kind."""
    names = [field.name for field in dataclasses.fields(kind)]
    return kind(**{name: given.get(name, VALUES.get(name)) for name in names})


def release():
    known = ColumnType(Kind.INTEGER)
    part = counted()
    chosen = Selection(dataclasses.replace(part, measurement=dataclasses.replace(part.measurement, name="c")), 9, ONE)
    return ReleaseCertificate(
        "SELECT", Neighbours.ADDED, people(), (Key("k", plan_records.Column("age"), known, None),), (part,), chosen,
        PureDP(1),
    )  # fmt: skip


def samples():
    site = certificate.Site(1, certificate.Branch("x > 0", "1", "0"), "epsilon")
    loop = certificate.Invariant(1, "True")
    coupling = certificate.Coupling("none", (site,), (loop,), (certificate.Joint(((1, 1),), "epsilon"),))
    by_cost = certificate.Sensitivity((certificate.Cost(1, "1", "epsilon"),))
    yield "certificate", made(Certificate, proof=coupling).to_json()
    yield "certificate by sensitivity", made(Certificate, proof=by_cost).to_json()
    yield "certificate by enumeration", made(Certificate, proof=certificate.Enumeration(rows=True)).to_json()
    yield "witness", made(Witness).to_json()
    proof = {"sites": (accuracy.Site(1, "x", "1", "beta"),), "bounds": (accuracy.Bound("gamma", "1", "1"),)}
    yield "accuracy", made(accuracy.AccuracyCertificate, **proof, invariants=(loop,)).to_json()
    yield "inaccuracy", made(accuracy.AccuracyWitness).to_json()
    facts = flow.Composition((flow.Fact(1, "equal", "x", ONE),))
    yield "flow", made(flow.FlowCertificate, proof=facts).to_json()
    yield "leak", made(flow.FlowWitness, observed=flow.Chances(ONE, ONE, ONE)).to_json()
    yield "release", {**release_to_json(release()), "plan": None, "keys": []}
    yield "application", {**application().to_json(), "mechanism": None, "public": {}, "plans": [], "price": None}
    told = library.noisy_max.guarantee.to_json()
    yield "guarantee", {**told, "neighbours": {}, "parameters": {}}


def application():
    proof = library.noisy_max.certificate
    return ApplicationCertificate(
        proof, "text", {"epsilon": ONE, "flags": (True, ONE)}, Neighbours.REPLACED, ("SELECT",),
        (release().plans[0],), PureDP(1),
    )  # fmt: skip


def names(data):
    if isinstance(data, dict):
        found = {name for value in data.values() for name in names(value)}
        return found if "node" in data else found | set(data)
    return {name for each in data for name in names(each)} if isinstance(data, list) else set()


@pytest.mark.parametrize(("kind", "data"), list(samples()), ids=lambda value: value if isinstance(value, str) else "")
def test_every_kind_of_evidence_has_exactly_these_names(kind, data):
    if kind in ("witness", "leak"):  # the inputs of a run are no fields
        data = {**data, "left": {}, "right": {}}
    if kind == "inaccuracy":
        data = {**data, "given": {}, "inputs": {}}
    if kind == "release":
        data = {**data, "measurements": [{**each, "measurement": None} for each in data["measurements"]]}
        data["selection"] = {**data["selection"], "measurement": None}
    assert names(data) == {name for line in NAMES[kind] for name in line.split()}


def test_every_kind_is_here():
    assert {kind for kind, _ in samples()} == set(NAMES)


def test_every_node_of_a_plan_has_exactly_these_names():
    found = {kind.__name__: " ".join(fields) for kind, fields in plan_records.FIELDS.items()}
    assert found == NODES
    for kind, fields in plan_records.FIELDS.items():
        assert tuple(fields) == tuple(field.name for field in dataclasses.fields(kind)), kind


def test_what_is_written_is_read_again():
    certificate = release()
    assert release_from_json(release_to_json(certificate)) == certificate
    assert application_from_json(application().to_json()) == application()
    every = dataclasses.replace(certificate, source=plan_of_every_node())
    assert release_from_json(release_to_json(every)) == every
    assert isinstance(certificate.measurements[0], NoisyMeasurement)
    assert certificate.measurements[0].mechanism == Laplace(1)
