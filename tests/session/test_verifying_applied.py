"""What a mechanism answered is checked like a release: its proof, the plans and the price are derived again."""

import copy
import json

import pytest

from lapwing import library
from lapwing.algebra.neighbours import Neighbours
from lapwing.decide.texts import check_application
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived
from lapwing.session.verifying import verify_application
from tests.cli.invoke import lapwing, objects
from tests.kernel.release.remembered import check_proofs_once
from tests.session.tables import protected

COUNTS = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in (20, 40, 60)]
SUMS = ["SELECT SUM(income) FROM people", "SELECT SUM(age) FROM people WHERE ill"]
BY_REGION = "SELECT region, COUNT(*) FROM people GROUP BY region"
OWN = """
from lapwing import each, laplace, mechanism, monotone, within

@mechanism(number=within(2), claim="epsilon")
def noisy(number: float, epsilon: float) -> float:
    return number + laplace(2 / epsilon)

@mechanism(numbers=each(1), claim="epsilon * len(numbers)")
def all_noisy(numbers: list[int], epsilon: float) -> list[float]:
    found = []
    for number in numbers:
        found.append(number + laplace(1 / epsilon))
    return found

@mechanism(numbers=monotone(1), claim="epsilon * len(numbers)")
def rising(numbers: list[int], epsilon: float) -> list[float]:
    found = []
    for number in numbers:
        found.append(number + laplace(1 / epsilon))
    return found
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Mechanisms for relations that no shipped one is about, with their certificates."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.py").write_text(OWN)
    names = ("noisy", "all_noisy", "rising")
    done = lapwing("prove", folder / "own.py", "--certificates", folder / "certificates")
    assert done.exit_code == 0, done.output
    written = {name: next((folder / "certificates").glob(f"*.{name}.json")) for name in names}
    return {name: library.certified(f"{folder / 'own.py'}::{name}", written[name]) for name in names}


@pytest.fixture(scope="module")
def answered(own, tmp_path_factory):
    """The table, and an answer for each kind of relation."""
    folder = tmp_path_factory.mktemp("applied")
    vector = {"threshold": 500.5, "limit": 1, "epsilon": "1/3", "sensitivity": 1}
    asked = {
        "each": (library.sparse_vector, COUNTS, vector),
        "sums": (library.noisy_max, SUMS, {"epsilon": 0.5, "sensitivity": 100_000}),
        "one": (library.histogram, BY_REGION, {"epsilon": 1, "sensitivity": 1}),
        "within": (own["noisy"], COUNTS[0], {"epsilon": 1}),
        "length": (own["all_noisy"], COUNTS, {"epsilon": 1}),
        "monotone": (own["rising"], COUNTS, {"epsilon": 1}),
    }
    with protected(folder, epsilon=100) as session:
        found = {name: session.apply(each, text, **public).to_json() for name, (each, text, public) in asked.items()}
        part = session.partition("region")["north"]
        found["part"] = part.apply(library.noisy_max, COUNTS, epsilon=1, sensitivity=1).to_json()
        again = session.apply(library.noisy_max, SUMS, epsilon=0.5, sensitivity=100_000)
        found["again"] = again.to_json()  # the same question, with noise and receipt of its own
    return folder / "people.parquet", json.loads(json.dumps(found))


def test_an_answer_is_accepted_alone_and_beside_its_table(answered):
    path, found = answered
    for name, applied in found.items():
        assert isinstance(verify_application(applied), Derived), name
        accepted = verify_application(applied, path)
        assert isinstance(accepted, Derived), (name, accepted)
        assert "ledger" in accepted.statement
    assert found["length"]["price"] == {"epsilon": "3"}


def leaves(node, path=()):
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from leaves(value, (*path, key)) if isinstance(value, dict | list) and value else [(*path, key)]


def others(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value / 2, None]
    if isinstance(value, str) and value.replace("/", "").replace("-", "").replace(".", "").isdigit():
        return ["7/3", "0", None]
    return [f"{value}x", 3] if isinstance(value, str) else ["x", [1]]


def changed(document, path, value):
    mutated = copy.deepcopy(document)
    node = mutated
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return mutated


def test_no_field_can_be_changed_beside_the_table(answered, monkeypatch):
    path, found = answered
    check_proofs_once(monkeypatch)
    tried = 0
    for name in ("sums", "one", "part"):
        for leaf in leaves(found[name]):
            node = found[name]
            for step in leaf:
                node = node[step]
            different = [each for each in others(node) if each != node]
            other = different[tried % len(different)]
            tried += 1
            verdict = verify_application(changed(found[name], leaf, other), path)
            assert isinstance(verdict, Rejected), (name, leaf, other)
    assert tried > 150
    missing = {key: value for key, value in found["one"].items() if key != "receipt"}
    assert isinstance(verify_application(missing, path), Rejected)


def claimed(applied):
    """What a price rests on, besides the plans: each with a value that is wrong."""
    certificate = applied["certificate"]
    yield ("spent",), applied["spent"] / 2
    yield ("price", "epsilon"), "1/7"
    yield ("certificate", "price", "epsilon"), "1/7"
    yield ("certificate", "public", "epsilon"), "1/7"
    yield ("certificate", "source"), certificate["source"].replace("epsilon)", "(2 * epsilon))", 1)
    for name in ("kind", "function", "source", "measure", "bound", "claim", "method"):
        yield ("certificate", "mechanism", name), "rho" if name == "measure" else "epsilon / 2"
    yield from ((("certificate", "format"), other) for other in (1, 2, 4, True, "3", None))
    yield from ((("certificate", "neighbours"), other) for other in ("x", None, ["added"]))


def planned(measurement):
    """And in the plans."""
    yield ("source", "node"), "Nothing"
    yield ("node",), "Nothing"
    yield ("selection",), measurement
    for name in ("rows_per_unit", "weight_steps"):
        yield ("measurements", 0, name), measurement[name] * 3 + 10**6
        yield ("measurements", 0, name), 0
    yield ("measurements", 0, "function"), "distinct"
    yield ("measurements", 0, "bounding"), "weights"
    yield ("measurements", 0, "step"), "1/0" if measurement["function"] == "total" else "1/2"
    if measurement["function"] == "total":
        yield ("measurements", 0, "high"), "1000000"
        yield ("measurements", 0, "low"), "-1000000"


def test_what_the_price_rests_on_cannot_be_changed_in_a_document_alone(answered, monkeypatch):
    _, found = answered
    check_proofs_once(monkeypatch)
    for name in ("each", "one"):
        for path, other in claimed(found[name]):
            assert isinstance(verify_application(changed(found[name], path, other)), Rejected), (name, path)
    for name in ("sums", "one", "within"):
        plan = found[name]["certificate"]["plans"][0]
        for path, other in planned(plan["measurements"][0]):
            mutated = changed(found[name], ("certificate", "plans", 0, *path), other)
            assert isinstance(verify_application(mutated), Rejected), (name, path, other)


def test_a_receipt_vouches_for_its_own_answer_only(answered):
    path, found = answered
    forged = found["again"] | {"receipt": found["sums"]["receipt"]}
    assert isinstance(verify_application(forged, path), Rejected)
    other = found["one"] | {"value": [*found["one"]["value"][1:], 0.5]}
    assert isinstance(verify_application(other, path), Rejected)
    assert isinstance(verify_application(other), Derived)  # nobody can tell without the table


def test_vectors_that_move_too_far_are_rejected(answered):
    _, found = answered
    for name, into in [
        ("each", {"plans": found["sums"]["certificate"]["plans"], "queries": SUMS}),
        ("one", {"neighbours": "replaced"}),
        ("monotone", {"neighbours": "replaced"}),
        ("within", {"plans": found["one"]["certificate"]["plans"]}),
        ("within", {"plans": found["each"]["certificate"]["plans"], "queries": COUNTS}),
        ("one", {"plans": found["within"]["certificate"]["plans"]}),
        ("length", {"plans": found["within"]["certificate"]["plans"] * 2, "queries": COUNTS[:2]}),
        ("each", {"plans": [], "queries": []}),
        ("each", {"more": 1}),
    ]:
        certificate = found[name]["certificate"] | into
        assert isinstance(check_application(certificate), Rejected), (name, into)


@pytest.mark.parametrize("damaged", [None, 3, [], {}, {"kind": "application"}, {"kind": "release"}])
def test_damage_is_rejected(damaged):
    assert isinstance(check_application(damaged), Rejected)


def test_another_policy_is_noticed(answered, tmp_path):
    _, found = answered
    with protected(tmp_path, neighbours=Neighbours.REPLACED):
        pass
    assert isinstance(verify_application(found["each"], tmp_path / "people.parquet"), Rejected)


def test_the_command_line_checks_answers_and_bare_certificates(answered, tmp_path):
    path, found = answered
    whole, bare, wrong = (tmp_path / name for name in ("whole.json", "bare.json", "wrong.json"))
    whole.write_text(json.dumps(found["each"]))
    bare.write_text(json.dumps(found["each"]["certificate"]))
    wrong.write_text(json.dumps(changed(found["each"], ("certificate", "price", "epsilon"), "1/4")))
    done = lapwing("check", whole, bare, "--json")
    assert done.exit_code == 0, done.output
    assert [each["kind"] for each in objects(done)] == ["application", "application"]
    assert "sparse_vector on 3 answers costs epsilon = 1/3" in objects(done)[0]["statement"]
    assert lapwing("check", whole, "--source", path).exit_code == 0
    assert lapwing("check", wrong).exit_code == 1
    assert "S141" in lapwing("check", bare, "--source", path).stderr
