"""(ε, δ) proofs do not depend on how a program is spelled, and wrong neighbours are never proved."""

import json
import re
from pathlib import Path

import pytest

from lapwing.decide.privacy import decide
from lapwing.kernel.evidence.certificate import Coupling
from tests.corpus import programs
from tests.kernel.approximate_proofs import PROOFS, certified
from tests.search.privacy.approximate_programs import RIGHT, WRONG
from tests.search.privacy.proving import proved, unproved

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", RIGHT)
def test_every_spelling_is_proved(name):
    certificate = proved(RIGHT[name], "f", seconds=40)
    assert certificate is not None
    assert certificate.measure == "approximate"
    assert isinstance(certificate.proof, Coupling)
    assert certificate.proof.bad


@pytest.mark.parametrize("name", WRONG)
def test_no_wrong_neighbour_is(name):
    assert unproved(WRONG[name], "f")


def test_between_thresholds_is_proved_as_its_file_stands_with_the_tight_delta():
    (program,) = (each for each in programs("proved") if each.path.stem == "between_thresholds")
    certificate = proved(program.path.read_text(), program.mechanism, str(program.path), seconds=40)
    assert certificate.bound == "epsilon"
    assert certificate.delta == "3 * sqrt(3) / 2 * exp(epsilon * low / 4 + epsilon / 2 - epsilon * high / 4)"


def test_what_is_private_without_a_delta_is_private_with_one():
    text = """from lapwing import laplace, mechanism, within

@mechanism(x=within(1), claim=("epsilon", "delta"))
def f(x: float, epsilon: float, delta: float) -> float:
    assert epsilon > 0
    return x + laplace(1 / epsilon)
"""
    certificate = proved(text)
    assert (certificate.measure, certificate.bound, certificate.delta) == ("epsilon", "epsilon", None)
    assert unproved(text.replace('("epsilon", ', '("epsilon / 2", '))


def test_the_page_on_proofs_with_a_delta_shows_what_is_proved():
    page = (ROOT / "docs" / "explanation" / "proofs-with-a-delta.md").read_text()
    texts = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(texts) == 3
    for text in texts:
        assert proved(f"from lapwing import each, laplace, mechanism, one, within\n\n\n{text}", seconds=40) is not None


def test_a_proof_by_hand_may_have_a_delta(tmp_path):
    text, proof, bound, delta = PROOFS["release"]
    steps = certified(text, proof, bound, delta).to_json()
    file = tmp_path / "p.py"
    file.write_text(text)
    (tmp_path / "p.release.json").write_text(json.dumps({each: steps[each] for each in ("method", "bound", "proof")}))
    decision = decide(str(file), "release")
    assert (decision.verdict, decision.bound) == ("proved", f"({bound}, {delta})")
