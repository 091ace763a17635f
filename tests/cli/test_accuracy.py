"""``lapwing accuracy``: verdicts, exit codes, JSON, certificates, and what it says about bad input."""

import json
from dataclasses import replace

import pytest

from lapwing.cli import commands
from lapwing.kernel.accuracy import Shown
from lapwing.search.accuracy import attempts
from tests.cli.invoke import inside, lapwing, objects

SOURCE = """from lapwing import accurate, laplace, mechanism, within


@accurate("abs(result - x) <= ln(1 / beta) / epsilon", beta="beta")
@mechanism(x=within(1), claim="epsilon")
def right(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)


@accurate("abs(result - x) <= ln(1 / beta) / (2 * epsilon)", beta="beta")
@mechanism(x=within(1), claim="epsilon")
def wrong(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)


@mechanism(x=within(1), claim="epsilon")
def plain(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
"""


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(commands, "COMMANDS", tuple(dict.fromkeys((*commands.COMMANDS, "accuracy"))))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "claims.py"
    path.write_text(SOURCE)
    return path


def test_a_claim_is_proved_as_it_runs(file):
    result = lapwing("accuracy", f"{file}::right")
    assert result.exit_code == 0
    assert "proved abs(result - x) <= ln(1 / beta) / epsilon fails with" in result.stdout
    assert "exact failure" in result.stdout


def test_no_sentence_is_both_proved_and_refuted(file):
    (found,) = objects(lapwing("accuracy", f"{file}::right", "--json", "--no-exact"))
    assert found["statement"].startswith("abs(result - x) <= ln(1 / beta) / epsilon fails")
    for margin in ("5", "3.5", "-1"):  # no gamma stands in the claim: a margin for it cannot change the verdict
        result = lapwing("accuracy", f"{file}::right", "--gamma", margin)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error U106 --gamma is not used: the condition of right has no gamma")


def test_a_proof_rule_by_rule_states_what_was_proved(file):
    result = lapwing("accuracy", f"{file}::right", "--show", "--no-exact")
    assert "{abs(result - x) <= ln(1 / beta) / epsilon}" in result.stdout
    assert "consequence: ln(1 / beta) / epsilon is at least gamma(1)" in result.stdout


def test_a_wrong_claim_is_refuted_with_an_exact_probability(file):
    result = lapwing("accuracy", f"{file}::wrong", "--json")
    assert result.exit_code == 1
    (found,) = objects(result)
    assert found["verdict"] == "refuted"
    assert "fails with probability at least 0.7071" in found["statement"]


def test_without_a_claim_the_usual_condition_is_derived(file):
    (found,) = objects(lapwing("accuracy", f"{file}::plain", "--json", "--no-exact"))
    assert (found["condition"], found["gamma"]) == ("abs(result - x) <= gamma", "ln(1 / beta) / epsilon")


def test_a_condition_of_ones_own_and_a_margin(file):
    words = ("--condition", "abs(result - x) <= gamma", "--gamma", "10", "--json", "--no-exact")
    (found,) = objects(lapwing("accuracy", f"{file}::plain", *words))
    assert found["total"] == "exp(-10 / (1 / epsilon))"
    assert found["condition"] == "abs(result - x) <= 10"


def test_what_cannot_be_told_exits_with_three(file):
    result = lapwing("accuracy", f"{file}::plain", "--condition", "result >= x - 1", "--beta", "0.999999")
    assert result.exit_code == 3
    assert "unknown" in result.stdout


def test_a_bound_of_one_or_more_is_said_to_say_nothing(file):
    result = lapwing("accuracy", f"{file}::plain", "--gamma", "-epsilon")
    assert ", where that is below 1" in result.stdout
    assert "1 or more" in result.stdout
    assert "a bound of 1 or more says nothing" in result.stdout
    useful = lapwing("accuracy", f"{file}::plain", "--gamma", "10").stdout
    assert "says nothing" not in useful


def test_noise_without_a_formula_for_the_probability_is_said_to_have_none(tmp_path):
    path = tmp_path / "bell.py"
    path.write_text(SOURCE.replace("laplace", "gaussian"))
    result = lapwing("accuracy", f"{path}::plain", "--gamma", "3")
    assert result.exit_code == 3
    assert "no formula gives the probability that goes with a margin" in result.stdout


def test_rules_are_printed(file):
    result = lapwing("accuracy", f"{file}::plain", "--show", "--no-exact")
    assert "Laplace rule: |noise_1| <= gamma(1), β = beta" in result.stdout
    assert "sequence: the β of all draws add up to beta <= beta" in result.stdout


def test_certificates_and_witnesses_are_checked_again(file, tmp_path):
    folder = tmp_path / "proofs"
    assert lapwing("accuracy", file, "--certificates", folder, "--no-exact").exit_code == 1
    written = sorted(folder.iterdir())
    assert [path.name for path in written] == [f"claims.{n}.accuracy.json" for n in ("plain", "right", "wrong")]
    with inside(tmp_path):
        assert lapwing("check", *written).exit_code == 0
    document = json.loads(written[0].read_text())
    document["bounds"][0]["value"] = "ln(1 / beta) / epsilon / 2"
    written[0].write_text(json.dumps(document))
    assert lapwing("check", written[0]).exit_code == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--condition", "abs(result - y) <= gamma"), "U101"),
        (("--condition", "result - x"), "U103"),
        (("--condition", "result <= x", "--beta", "2"), "U102"),
        (("--condition", "result <= x", "--beta", "0"), "U102"),
        (("--condition", "result <= x", "--beta", "x"), "U102"),
        (("--condition", "result <="), "U104"),
        (("--condition", "(" * 300), "U104"),
        (("--condition", "result <= gamma", "--gamma", "x"), "U105"),
        (("--gamma", "-5"), "U105"),
        (("--gamma", "0"), "U105"),
        (("--gamma", "step() - 1"), "P118"),
        (("--gamma", "1 - 1"), "U105"),
        (("--condition", "result <= x", "--gamma", "5"), "U106"),
        (("--beta", "foo"), "U101"),
        (("--beta", "1"), "U102"),
        (("--condition", "all(result)"), "P134"),
        (("--set", "epsilon"), "F013"),
        (("--set", "epsilom=1"), "F013"),
        (("--set", "x=1"), "F013"),
    ],
)
def test_bad_input_is_refused_in_one_line(file, words, code):
    result = lapwing("accuracy", f"{file}::plain", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error {code} ")
    assert "Traceback" not in result.output


@pytest.mark.parametrize("beta", ["foo", "0.05", "7"])
def test_a_beta_beside_a_claim_with_its_own_is_refused(file, beta):
    result = lapwing("accuracy", f"{file}::right", "--beta", beta)
    assert result.exit_code == 2
    assert result.stderr.startswith("error U106 --beta is not used")


@pytest.mark.parametrize("command", ["accuracy", "flow", "prove"])
@pytest.mark.parametrize("limit", ["nan", "inf", "1e400", "0", "-1", "soon"])
def test_a_limit_is_a_finite_number_of_seconds(file, command, limit):
    result = lapwing(command, f"{file}::right", "--limit", limit)
    assert result.exit_code == 2
    assert "Invalid value for '--limit'" in result.stderr


def test_a_claim_in_the_source_is_read_with_care(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(SOURCE.replace("abs(result - x) <= ln(1 / beta) / epsilon", "abs(result - z) <= 1"))
    result = lapwing("accuracy", f"{path}::right")
    assert result.exit_code == 2
    assert "U101 'z' is not known in an accuracy claim" in result.stderr


@pytest.mark.parametrize(
    ("condition", "noise", "code"),
    [
        ("abs(result - x) <= s", "gaussian(s)", 1),
        ("abs(result - x) <= 0.5", "laplace(s)", 1),
        ("result - x <= s * sqrt(2 * ln(1 / beta))", "gaussian(s)", 3),
    ],
)
def test_a_false_claim_about_real_noise_is_refuted_and_a_true_one_is_not(tmp_path, condition, noise, code):
    path = tmp_path / "wide.py"
    beta = "beta" if "beta" in condition else "1/10"
    path.write_text(
        f"from lapwing import accurate, gaussian, laplace, mechanism, within\n@mechanism(x=within(1))\n"
        f"@accurate({condition!r}, beta={beta!r})\ndef f(x: float, s: float) -> float:\n    return x + {noise}\n"
    )
    result = lapwing("accuracy", path)
    assert (result.exit_code, result.stderr) == (code, "")


@pytest.mark.parametrize("error", [MemoryError, OverflowError])
def test_a_machine_that_is_too_small_leaves_a_claim_unknown(file, monkeypatch, error):
    def exhausted(*_):
        raise error

    monkeypatch.setattr("lapwing.search.violation.inaccuracy.failure", exhausted)
    assert lapwing("accuracy", f"{file}::wrong").exit_code == 3


def test_preconditions_that_no_guess_meets_leave_a_claim_unknown(tmp_path):
    path = tmp_path / "lengths.py"
    path.write_text(
        "from lapwing import accurate, each, mechanism\n@accurate('result == sum(r) + 1', beta='1/10')\n"
        "@mechanism(q=each(1))\ndef f(q: list[float], r: list[float]) -> float:\n    assert len(r) == len(q) + 3\n"
        "    return sum(q)\n"
    )
    result = lapwing("accuracy", path)
    assert (result.exit_code, result.stderr) == (3, "")


@pytest.mark.parametrize(("given", "verdict"), [((), "unknown"), (("x > 5",), "proved"), (("beta > 0",), "unknown")])
def test_an_exact_failure_above_the_bound_withdraws_the_proof(file, monkeypatch, given, verdict):
    def faulty(_certificate, _module, _claim):
        return Shown("anything", 0, given)

    def too_little(*arguments, **keywords):
        for each in attempts(*arguments, **keywords):
            yield replace(each, total="1 / 10000000")

    monkeypatch.setattr("lapwing.decide.accuracy.check_accuracy", faulty)
    monkeypatch.setattr("lapwing.decide.accuracy.attempts", too_little)
    (found,) = objects(lapwing("accuracy", f"{file}::right", "--json"))
    assert found["verdict"] == verdict
    assert (found["certificate"] is None) == (verdict == "unknown")
    if verdict == "unknown":
        assert "please report this program" in found["reason"]
