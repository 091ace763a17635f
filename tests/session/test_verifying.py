"""A release is checked without the prover: every number in its certificate is derived again."""

import copy
import json

import pytest

from lapwing.decide.texts import check_release
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.witness import Rejected
from lapwing.kernel.release.plans import Derived
from lapwing.session.verifying import verify_release
from tests.session.tables import protected, visits, wishes

QUERIES = [
    "SELECT region, COUNT(*) AS n, AVG(income) AS pay FROM people GROUP BY region",
    "SELECT VARIANCE(age), MEDIAN(income), SUM(income) FROM people WHERE age > 30",
]


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    with protected(folder, epsilon=100, delta="1e-6") as session:
        texts = [*QUERIES, "SELECT age, COUNT(*) FROM people GROUP BY age, income"]
        found = [session.sql(text, epsilon=1).to_json() for text in texts]
        found.append(session.sql(QUERIES[0], rho="0.01").to_json())
    return folder, json.loads(json.dumps(found))


def test_a_release_is_accepted_alone_and_beside_its_table(releases):
    folder, found = releases
    for release in found:
        assert isinstance(verify_release(release), Derived)
        accepted = verify_release(release, folder / "people.parquet")
        assert isinstance(accepted, Derived), accepted
        assert "ledger" in accepted.statement


def numbers(node, path=()):
    """Every number and word that a bound could rest on."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if isinstance(value, dict | list):
            yield from numbers(value, (*path, key))
        elif (
            key in ("scale", "variance", "l1", "l2_squared", "epsilon", "rho", "delta", "threshold", "neighbours")
            or (
                "measurement" in path
                and key
                in (
                    "rows_per_unit",
                    "weight_steps",
                    "low",
                    "high",
                    "step",
                    "centre",
                    "function",
                    "bounding",
                    "fraction",
                )
            )
            or ("plan" in path and key in ("node", "unit", "unique"))
        ):
            yield (*path, key)


def others(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value * 2 + 1, -value - 1]
    if isinstance(value, str) and value.replace("/", "").replace("-", "").isdigit():
        return [f"{value}1" if "/" not in value else "1/99991", "0"]
    if value == "added":
        return ["replaced"]
    return ["units" if value != "units" else "distinct", "weights" if value != "weights" else "sample"]


def test_a_changed_certificate_is_rejected(releases):
    folder, found = releases
    tried = 0
    for release in found:
        certificate = release["certificate"]
        for path in numbers(certificate):
            node = certificate
            for step in path[:-1]:
                node = node[step]
            if node[path[-1]] is None:
                continue
            # a higher threshold hides more, and the bound still holds: only lower ones are wrong
            changes = [node["threshold"] - 1, 1] if path[-1] == "threshold" else others(node[path[-1]])
            for other in changes:
                changed = copy.deepcopy(release)
                inner = changed["certificate"]
                for step in path[:-1]:
                    inner = inner[step]
                inner[path[-1]] = other
                if inner[path[-1]] == node[path[-1]]:
                    continue
                tried += 1
                verdict = verify_release(changed, folder / "people.parquet")
                assert isinstance(verdict, Rejected), (path, other)
    assert tried > 150


def test_a_receipt_vouches_for_its_own_answer_only(releases):
    folder, found = releases
    forged = copy.deepcopy(found[1])
    forged["receipt"] = found[0]["receipt"]
    assert isinstance(verify_release(forged, folder / "people.parquet"), Rejected)
    changed = copy.deepcopy(found[0])
    changed["rows"][0]["n"] += 1
    assert isinstance(verify_release(changed, folder / "people.parquet"), Rejected)
    for name in ("analyst", "time", "sequence"):
        changed = copy.deepcopy(found[0])
        changed["receipt"][name] = "somebody else"
        assert isinstance(verify_release(changed, folder / "people.parquet"), Rejected)


def test_a_price_below_what_the_noise_costs_is_rejected_without_the_table(releases):
    certificate = copy.deepcopy(releases[1][0]["certificate"])
    certificate["price"] = {"epsilon": "1/2"}
    assert isinstance(check_release(certificate), Rejected)
    certificate = copy.deepcopy(releases[1][0]["certificate"])
    for part in certificate["measurements"]:
        part["mechanism"]["scale"] = "1"
    assert isinstance(check_release(certificate), Rejected)


@pytest.mark.parametrize("damaged", [None, 3, {}, []])
def test_anything_else_is_no_release(damaged):
    with pytest.raises(InvalidInput, match="S141"):
        verify_release(damaged)


@pytest.mark.parametrize("damaged", [{}, {"kind": "release"}, {"kind": 3}, {"kind": "release", "neighbours": []}])
def test_a_damaged_certificate_is_rejected(damaged):
    assert isinstance(verify_release({"certificate": damaged}), Rejected)


def test_a_person_is_bounded_or_the_certificate_falls(tmp_path):
    import pyarrow.parquet as pq

    from lapwing.session import open_session
    from lapwing.session.protecting import protect

    pq.write_table(visits(), tmp_path / "visits.parquet")
    protect(
        tmp_path / "visits.parquet",
        wishes(unit="person", rows_per_unit=3, bounds={"cost": (0, 500)}, keys={}, epsilon=50),
    )
    with open_session(tmp_path / "visits.parquet") as session:
        release = session.sql("SELECT COUNT(*), SUM(cost) FROM visits", epsilon=1).to_json()
    assert isinstance(check_release(release["certificate"]), Derived)
    free = copy.deepcopy(release["certificate"])
    for part in free["measurements"]:
        part["measurement"] |= {"bounding": "none", "weight_steps": 1, "rows_per_unit": 1}
    assert isinstance(check_release(free), Rejected)


def test_a_release_that_shows_another_price_is_rejected(releases):
    folder, found = releases
    for change in ({"price": {"epsilon": "1/1000000"}}, {"spent": 1e-6}, {"price": None}):
        assert isinstance(verify_release({**found[0], **change}), Rejected)
    receipt = {**found[0]["receipt"], "query": "0" * 64}
    for change in ({"receipt": receipt}, {"notes": []}, {"types": ["string"] * 3}):
        assert isinstance(verify_release({**found[0], **change}, folder / "people.parquet"), Rejected)


def test_each_of_two_equal_questions_asked_at_once_is_accepted(tmp_path, monkeypatch):
    """Two processes may both miss what the other is about to keep; both pay, and both answers are true."""
    with protected(tmp_path, epsilon=100) as session:
        monkeypatch.setattr(type(session.ledger), "kept", lambda *_: None)
        found = [json.loads(json.dumps(session.sql(QUERIES[0], epsilon=1).to_json())) for _ in range(2)]
    assert found[0]["rows"] != found[1]["rows"]
    for release in found:
        assert isinstance(verify_release(release, tmp_path / "people.parquet"), Derived)
    swapped = {**found[0], "rows": found[1]["rows"], "margins": found[1]["margins"]}
    assert isinstance(verify_release(swapped, tmp_path / "people.parquet"), Rejected)


@pytest.mark.parametrize("huge", ["1e99999999", "1" * 100_000, "-1e10000000", "1/1e99999999"])
def test_a_number_of_no_ordinary_size_is_rejected_at_once(releases, huge):
    _, found = releases
    for place in ("price", "claim", "low"):
        certificate = copy.deepcopy(found[0]["certificate"])
        part = next(each for each in certificate["measurements"] if each["measurement"]["low"] is not None)
        {"price": certificate["price"], "claim": part["claim"], "low": part["measurement"]}[place][
            "low" if place == "low" else "epsilon"
        ] = huge
        assert isinstance(check_release(certificate), Rejected)
