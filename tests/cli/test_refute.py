"""``lapwing refute``: a violation is told only when the checker agrees; finding none is exit code 0."""

import json

import pytest

import lapwing.cli.refute as command
from lapwing.kernel.rejected import Rejected
from tests.cli.invoke import ROOT, lapwing, objects

REFUTED = ROOT / "corpus" / "refuted"
PROVED = ROOT / "corpus" / "proved"


def test_a_wrong_claim_is_refuted_with_a_story():
    result = lapwing("refute", REFUTED / "coin_toss.py")
    assert result.exit_code == 1
    assert "refuted coin_toss: the claim ln(2) is false" in result.stdout
    assert "ln(3)" in result.stdout


def test_the_witness_written_is_the_one_that_check_accepts(tmp_path):
    file = tmp_path / "witness.json"
    assert lapwing("refute", REFUTED / "lyu_5.py", "--witness", file).exit_code == 1
    assert lapwing("check", file).exit_code == 0
    data = json.loads(file.read_text())
    data["probability_left"] = "1/2"
    file.write_text(json.dumps(data))
    assert lapwing("check", file).exit_code == 1


def test_json_carries_the_contract_of_a_witness():
    result = lapwing("refute", REFUTED / "randomized_response.py", "--json")
    assert result.exit_code == 1
    [found] = objects(result)
    assert found["verdict"] == "refuted"
    assert {"left", "right", "output", "probability_left", "probability_right", "log_ratio", "claim_value"} <= set(
        found["witness"]
    )


def test_a_right_claim_is_not_refuted():
    result = lapwing("refute", PROVED / "coin_toss.py", "--max-n", 3, "--json")
    assert result.exit_code == 0
    [found] = objects(result)
    assert (found["verdict"], found["witness"]) == ("nothing found", None)
    assert "proves nothing" in result.stderr


def test_growth_shows_the_law():
    result = lapwing("refute", REFUTED / "histogram_each.py", "--growth", "--max-n", 4, "--json")
    [found] = objects(result)
    assert found["growth"]["law"] == "n*epsilon"
    assert found["growth"]["unbounded"]
    assert "n*epsilon" in result.stderr


def test_what_the_checker_rejects_is_not_called_refuted(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "lapwing.decide.claim_violation.check_witness", lambda *_: Rejected("the checker has its doubts")
    )
    result = lapwing("refute", REFUTED / "coin_toss.py", "--json", "--witness", tmp_path / "witness.json")
    assert result.exit_code == 0
    [found] = objects(result)
    assert (found["verdict"], found["witness"]) == ("nothing found", None)
    assert found["reason"] == "the checker has its doubts"
    assert "not confirmed" in result.stderr
    assert not (tmp_path / "witness.json").exists()


def test_nothing_computed_is_not_nothing_found(tmp_path):
    file = tmp_path / "spin.py"
    head = "from lapwing import mechanism, within\n@mechanism(x=within(1), claim='1')\n"
    file.write_text(f"{head}def spin(x: float) -> float:\n    while True:\n        x = x + 1\n")
    result = lapwing("refute", file, "--max-rounds", 200)
    assert result.exit_code == 2
    assert "C110 the loop at 4:5 has not ended after 200 rounds" in result.stderr


def test_an_interruption_ends_quietly(monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "search", interrupted)
    result = lapwing("refute", REFUTED / "coin_toss.py", "--witness", tmp_path / "witness.json")
    assert result.exit_code == 130
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.py"], "F010"),
        ([REFUTED / "coin_toss.py", "--set", "epsilon"], "F013"),
        ([REFUTED / "coin_toss.py", "--set", "epsilon=1"], "R109"),
        ([REFUTED / "lyu_5.py", "--set", "epsilon=true"], "A001"),
        ([REFUTED / "lyu_5.py", "--lattice", "3"], "No such option"),
        ([REFUTED / "lyu_5.py", "--max-n", "0"], "--max-n"),
        ([REFUTED / "coin_toss.py", "--witness", "no/such/folder/witness.json"], "F003"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(words, says):
    result = lapwing("refute", *words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["loss", "refute", "check"])
def test_help_says_the_exit_codes(name):
    assert "Exit codes:" in lapwing(name, "--help").stdout
