"""Hostile certificates end in a rejection, quickly: of other types, too large, too deep, of another format."""

import copy
import itertools
import json
import time

import pytest

from lapwing.decide.texts import check_application, check_release
from lapwing.kernel.boundary import Doubt, judged
from lapwing.kernel.evidence.release_records import release_to_json
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived
from tests.conftest import EXPLORE
from tests.kernel.evidence.test_formats import application
from tests.kernel.release.remembered import check_proofs_once
from tests.kernel.release.test_release import CHOSEN, COUNT

#: Of computing.
SECONDS = 10
DOCUMENTS = {
    "release": (check_release, release_to_json(CHOSEN)),
    "application": (check_application, application().to_json()),
}
HOSTILE = [
    None,
    True,
    -1,
    10**4000,
    1e308,
    float("nan"),
    "",
    "1e99999999",
    "9" * 10_000,
    "\x1b[1D",
    [],
    [[]],
    {},
    {"node": "Scan"},
]


def places(node, path=()):
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(document, path, value):
    copied = copy.deepcopy(document)
    node = copied
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return copied


def test_what_is_changed_below_is_accepted_as_it_is():
    assert isinstance(check_release(release_to_json(CHOSEN)), Derived)
    assert isinstance(check_release(release_to_json(COUNT)), Derived)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_no_value_of_another_type_gets_through(kind, monkeypatch):
    check, document = DOCUMENTS[kind]
    check_proofs_once(monkeypatch)
    start, tried = time.process_time(), 0
    step = 1 if EXPLORE else 5  # of 14 values at each place, two or three, and others at the next
    for path, hostile in list(itertools.product(places(document), HOSTILE))[::step]:
        verdict = check(changed(document, path, hostile))  # whatever it says, it says it
        assert isinstance(verdict, Derived | Rejected)
        told = path[-1] in ("query", "text") or kind == "application"
        assert told or isinstance(verdict, Rejected) or _same(document, path, hostile), (path, hostile)
        tried += 1
    assert tried > 250
    assert time.process_time() - start < 60 * SECONDS


def _same(document, path, hostile):
    """Names, and what is only described (whether NULLs may occur, known ranges), may be others."""
    node = document
    for step in path:
        node = node[step]
    described = {"nullable", "low", "high", "keys", "columns", "rows_per_unit", "values", "table", "name", "buckets"}
    return (
        type(node) is type(hostile) or node is None or hostile is None or path[-1] in described or "arguments" in path
    )


@pytest.mark.parametrize("depth", [200, 5_000, 100_000])
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_nests_end_quickly(kind, depth):
    check, document = DOCUMENTS[kind]
    start = time.process_time()
    known = {"node": "RelationType", "columns": {}, "unit": None, "rows_per_unit": None}
    nested = {"node": "Scan", "table": "people", "type": known}
    for _ in range(depth):
        nested = {"node": "Where", "source": nested, "condition": {"node": "Column", "name": "x"}, "type": known}
    path = ("plan",) if kind == "release" else ("plans", 0, "source")
    document = {**document} if kind == "release" else copy.deepcopy(document)
    node = document
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = nested
    verdict = check(document)
    assert isinstance(verdict, Rejected) or depth < 1000
    assert time.process_time() - start < SECONDS


def test_a_long_list_ends_quickly():
    start = time.process_time()
    document = release_to_json(COUNT)
    document["measurements"] = document["measurements"] * 5_000
    assert isinstance(check_release(document), Rejected)
    document = release_to_json(CHOSEN)
    document["keys"] = document["keys"] * 20_000
    assert isinstance(check_release(document), Derived | Rejected)
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_another_format_is_refused_by_its_number(kind):
    check, document = DOCUMENTS[kind]
    old = {name: value for name, value in document.items() if name != "format"}
    for other, shown in [
        (old, "format 1"),
        ({**document, "format": 4}, "format 4"),
        ({**document, "format": "2"}, "format"),
    ]:
        verdict = check(other)
        assert isinstance(verdict, Rejected)
        assert shown in verdict.reason


def test_an_unknown_field_is_refused():
    assert "unknown field" in check_release({**release_to_json(COUNT), "more": 1}).reason
    assert "no field" in check_release({n: v for n, v in release_to_json(COUNT).items() if n != "query"}).reason


@pytest.mark.parametrize("damage", [KeyError, ZeroDivisionError, RecursionError, AssertionError])
def test_whatever_goes_wrong_is_a_rejection_that_names_it(damage):
    def check():
        raise damage("x")

    assert damage.__name__ in judged(check).reason


def test_a_doubt_is_given_in_its_own_words():
    def check():
        raise Doubt("this does not follow")

    assert judged(check) == Rejected("this does not follow")


def test_certificates_survive_json():
    for certificate in (COUNT, CHOSEN):
        assert check_release(json.loads(json.dumps(release_to_json(certificate)))).price == certificate.price
