"""A proof file beside the source is tried first, and believed only if the checker accepts it."""

import json

import pytest

from lapwing.decide.privacy import decide
from lapwing.decide.texts import check_certificate
from lapwing.errors import InvalidInput
from lapwing.kernel.relational.certificate import Proved
from lapwing.search.privacy import Failed, attempts
from lapwing.source.parse import parse_text

SOURCE = """from lapwing import laplace, mechanism, within


@mechanism(x=within(1), claim="3 * epsilon")
def shifted(x: float, epsilon: float) -> float:
    noise = laplace(1 / epsilon)
    if x + noise >= 0:
        return x + noise
    return x + noise
"""
PROOF = {
    "method": "coupling",
    "bound": "epsilon",
    "proof": {
        "ghost": "none",
        "sites": [{"site": 1, "alignment": "-hat(x)", "total": "1"}],
        "invariants": [],
        "joint": [],
    },
}


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "shifted.py"
    path.write_text(SOURCE)
    return path


def _first(path):
    return next(iter(attempts(parse_text(SOURCE, str(path), only="shifted"), "shifted", str(path))))


def test_a_proof_written_by_hand_is_accepted(source):
    source.with_name("shifted.shifted.json").write_text(json.dumps(PROOF))
    certificate = _first(source)
    assert (certificate.bound, certificate.method) == ("epsilon", "coupling")
    assert isinstance(check_certificate(certificate, SOURCE), Proved)


def test_a_wrong_proof_written_by_hand_is_not(source):
    wrong = json.loads(json.dumps(PROOF).replace('"-hat(x)"', '"0"'))
    source.with_name("shifted.shifted.json").write_text(json.dumps(wrong))
    assert not isinstance(check_certificate(_first(source), SOURCE), Proved)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"method": "faith"}', json.dumps({**PROOF, "more": 1})])
def test_a_file_that_is_no_proof_is_refused_at_once_by_its_name(source, text):
    source.with_name("shifted.shifted.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"V101 the proof by hand in .*shifted\.shifted\.json cannot be read"):
        _first(source)
    with pytest.raises(InvalidInput, match="V101"):  # no search comes before it, and none after
        decide(str(source), "shifted", limit=1)


def test_without_a_file_nothing_changes(source):
    assert not isinstance(_first(source), Failed) or "json" not in _first(source).reason
