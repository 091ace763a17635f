"""The page on proofs by hand is true: its file is accepted, and a wrong one is not, whatever the search finds."""

import json
import re
from itertools import islice
from pathlib import Path

import pytest

from lapwing.decide import privacy as verdicts
from lapwing.decide import proof_search
from lapwing.decide.privacy import decide
from lapwing.decide.texts import check_certificate
from lapwing.kernel.relational.certificate import Rejected
from lapwing.search.privacy import Failed, attempts
from lapwing.search.privacy.supplied import by_hand
from lapwing.source.parse import parse_text

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "how-to" / "prove-by-hand.md").read_text()
(SOURCE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(PROOF,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
TABLE, REJECTED = (found.strip() for found in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL))
NAME = "first_above"
PARTS = json.loads(PROOF)["proof"]["invariants"][0]["formula"].split(" and ")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "first.py"
    path.write_text(SOURCE)
    return path


def _written(file, proof):
    file.with_name("first.first_above.json").write_text(proof)
    return str(file)


def test_the_search_finds_one_too():
    found = attempts(parse_text(SOURCE, only=NAME), NAME, "<text>", 60.0)
    assert any(not isinstance(each, Failed) and each.bound == "epsilon" for each in found)


def test_the_file_is_accepted(file):
    decision = decide(_written(file, PROOF), NAME)
    assert (decision.verdict, decision.bound, decision.certificate.method) == ("proved", "epsilon", "coupling")
    assert TABLE.splitlines()[2].split()[:4] == [NAME, "proved", "epsilon", "coupling"]


def test_a_wrong_file_is_told_what_is_wrong_whatever_else_was_tried(file, monkeypatch):
    wrong = PROOF.replace('"total": "2"', '"total": "1"').replace('"bound": "epsilon"', '"bound": "3 / 4 * epsilon"')
    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "attempts", lambda *words: islice(attempts(*words), 2))
    monkeypatch.setattr(verdicts, "SIZES", 1)
    decision = decide(_written(file, wrong), NAME)
    assert decision.verdict == "unknown"
    assert decision.reason == REJECTED


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_invariant_is_needed(file, part):
    data = json.loads(PROOF)
    data["proof"]["invariants"][0]["formula"] = " and ".join(each for each in PARTS if each != part)
    _written(file, json.dumps(data))
    certificate = by_hand(parse_text(SOURCE, str(file), only=NAME), NAME, str(file))
    assert isinstance(check_certificate(certificate, SOURCE), Rejected)
