"""``lapwing prove``: what it says, writes and exits with."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import lapwing.cli.prove as command
from lapwing.decide import privacy as verdicts
from lapwing.decide import proof_search
from lapwing.decide.texts import check_certificate
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.witness import Rejected
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.relational.certificate import Proved
from tests.cli.invoke import lapwing, objects

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
PRODUCTS = """from lapwing import laplace, mechanism, one

@mechanism(q=one(1), claim="epsilon")
def product(q: list[float], epsilon: float) -> float:
    total = 1
    for x in q:
        total = total * x
    return 0 * total + laplace(1 / epsilon)
"""


CLIPPED = """from lapwing import added, clip, laplace, mechanism

@mechanism(rows=added())
def clipped(rows: list[float], epsilon: float) -> float:
    total = sum(clip(row, 0, 10) for row in rows)
    noisy = total + laplace(10 / epsilon)
    return noisy + len(rows) + laplace(1 / epsilon)
"""


def prove(*words):
    result = CliRunner().invoke(command.prove, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_right_program_is_proved_and_its_certificate_holds(tmp_path):
    path = CORPUS / "proved" / "sparse_vector.py"
    result = prove(path, "--certificates", tmp_path, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    keys = {"function", "file", "line", "verdict", "claim", "bound", "seconds", "reason", "certificate", "witness"}
    assert keys <= set(found)
    assert (found["verdict"], found["bound"], found["claim"]) == ("proved", "epsilon", "epsilon")
    (file,) = tmp_path.glob("*.json")
    certificate = Certificate.from_json(json.loads(file.read_text()))
    assert certificate.to_json() == found["certificate"]
    assert isinstance(check_certificate(certificate, path.read_text()), Proved)


def test_a_wrong_program_is_refuted_with_a_witness():
    result = prove(f"{CORPUS / 'refuted' / 'lyu_5.py'}::lyu_5", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["verdict"], found["certificate"], found["bound"]) == ("refuted", None, None)
    assert found["witness"]["function"] == "lyu_5"


def test_what_cannot_be_decided_is_unknown_with_reason_and_line(tmp_path):
    path = tmp_path / "product.py"
    path.write_text(PRODUCTS)
    result = prove(path, "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["verdict"] == "unknown"
    assert "not linear (line 7)" in found["reason"]


def test_the_proof_is_shown_in_rules():
    result = prove(CORPUS / "proved" / "noisy_max.py", "--show")
    assert "pointwise equality" in result.stdout
    assert "Laplace, shift: noise_1⟨2⟩ = noise_1⟨1⟩ + 1 - hat(x)" in result.stdout
    assert "Laplace, null" in result.stdout
    assert "for i, x in enumerate(q):" in result.stdout
    assert "while, with the invariant" in result.stdout
    assert "each run goes its own way" in result.stdout
    assert "draw 1 moves by at most 2 in all, at scale 2 / epsilon: epsilon" in result.stdout


def test_distances_are_shown_as_judgements(tmp_path):
    path = tmp_path / "clipped.py"
    path.write_text(CLIPPED)
    shown = prove(path, "--show").stdout
    assert "rows : added() ⊢ clipped : ε = 2 * epsilon" in shown
    assert "⊢ total : 10" in shown
    assert "⊢ protects a value : 10, ε = epsilon" in shown
    assert "⊢ answer : 0, by post-processing" in shown


def test_listed_runs_are_shown_with_their_probabilities():
    shown = prove(CORPUS / "proved" / "coin_toss.py", "--show").stdout
    assert "parallel composition" in shown
    assert "  3 / 4   in one run,   1 / 4   in the other" in shown.splitlines()


def test_several_mechanisms_are_shared_out_and_listed_in_order():
    result = prove(CORPUS / "proved" / "two_counts.py", CORPUS / "proved" / "gaussian_answer.py", "--jobs", 2)
    assert result.exit_code == 0
    rows = [line.split()[:2] for line in result.stdout.splitlines()[1:4]]
    assert rows == [["noisy_count", "proved"], ["two_counts", "proved"], ["gaussian_answer", "proved"]]


def test_nothing_is_proved_when_the_checker_rejects(monkeypatch):
    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "check_certificate", lambda *_: Rejected("no"))
    result = prove(CORPUS / "proved" / "histogram.py", "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert (found["verdict"], found["certificate"], found["bound"]) == ("unknown", None, None)


def test_time_runs_out_quietly(monkeypatch):
    def forever(*_):
        while True:
            pass
        yield

    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "attempts", forever)
    monkeypatch.setattr(verdicts, "SEARCHING", 0.1)
    decision = verdicts.decide(str(CORPUS / "proved" / "smart_sum.py"), "smart_sum", 0.1)
    assert decision.verdict == "unknown"


def test_a_file_without_mechanisms_is_refused(tmp_path):
    empty = tmp_path / "empty.py"
    empty.write_text("x = 1\n")
    with pytest.raises(InvalidInput, match="F011"):
        prove(empty)


def test_what_cannot_be_read_does_not_keep_the_others_from_a_verdict(tmp_path):
    program = tmp_path / "two.py"
    program.write_text(
        "@mechanism(x=within(1), claim='epsilon')\n"
        "def readable(x: float, epsilon: float) -> float:\n"
        "    return x + laplace(1 / epsilon)\n\n\n"
        "@mechanism(x=within(1), claim='epsilon')\n"
        "def strange(x: float, epsilon: float) -> float:\n"
        "    with epsilon:\n"
        "        return x\n"
    )
    for jobs in (1, 2):
        result = lapwing("prove", program, "--jobs", jobs, "--json")
        assert result.exit_code == 2
        assert [each["verdict"] for each in objects(result)] == ["proved"]
        assert "P113" in result.stderr
        assert "two.py:8" in result.stderr
