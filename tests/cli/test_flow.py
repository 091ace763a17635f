"""``lapwing flow`` and ``lapwing feasible``: verdicts, exit codes, JSON, pictures, and refusals of one line."""

import json

import pytest

from tests.cli.invoke import ROOT, inside, lapwing, objects

FOLDER = ROOT / "corpus" / "flow"
HEAD = "from lapwing import flip, flow, laplace, match, mechanism, within\n\n\n"


@pytest.mark.parametrize(
    ("name", "verdict", "code"),
    [
        ("public_loop", "no flow", 0),
        ("password_match", "only by match", 0),
        ("noisy_count", "only by noise", 0),
        ("implicit_flow", "leak", 1),
        ("sum_and_back", "unknown", 3),
    ],
)
def test_verdicts_and_exit_codes(name, verdict, code):
    result = lapwing("flow", FOLDER / f"{name}.py", "--json")
    assert result.exit_code == code
    (found,) = objects(result)
    assert (found["function"], found["verdict"]) == (name, verdict)
    assert verdict in result.stderr
    assert {"file", "line", "how", "labels", "typing", "reason", "bound", "seconds"} < set(found)
    assert (found["witness"] is not None) == (verdict == "leak")
    assert (found["certificate"] is not None) == (code == 0)


def test_a_leak_outweighs_an_unknown():
    files = [FOLDER / f"{name}.py" for name in ("sum_and_back", "explicit_flow", "public_loop")]
    assert lapwing("flow", *files).exit_code == 1


def test_leaks_only_through_noise():
    result = lapwing("flow", FOLDER / "randomized_response.py")
    assert result.exit_code == 0
    assert "leaks only through noise; private with epsilon = ln(3)" in result.stdout


def test_noise_that_is_less_private_than_claimed_is_a_leak(tmp_path):
    body = "@mechanism(x=within(1), claim='epsilon')\ndef f(x: int, epsilon: float) -> float:\n"
    (tmp_path / "f.py").write_text(f"{HEAD}{body}    assert epsilon > 0\n    return x + laplace(1 / (2 * epsilon))\n")
    result = lapwing("flow", tmp_path / "f.py", "--json")
    assert result.exit_code == 1
    assert objects(result)[0]["witness"]["kind"] == "witness"


def test_typing_is_printed_with_lines_and_rules():
    result = lapwing("flow", FOLDER / "password_match.py", "--show")
    assert "Γ = passcode: secret, guess: public, result: public" in result.stdout
    assert "(Return, Match)" in result.stdout
    assert "match(passcode, guess) : public" in result.stdout
    broken = lapwing("flow", FOLDER / "implicit_flow.py", "--show").stdout
    assert "inside pc = secret" in broken
    assert "⋢" in broken


def test_a_witness_reads_as_two_calls():
    text = lapwing("flow", FOLDER / "pin_higher.py").stdout
    assert "pin_higher(pin=0, guess=0) → True" in text
    assert "pin_higher(pin=-1, guess=0) → False" in text
    assert "never ends" in lapwing("flow", FOLDER / "termination.py").stdout


def test_evidence_is_written_and_checked_again(tmp_path):
    names = ("times_zero", "password_match", "one_time_pad", "randomized_response", "needle")
    lapwing("flow", *(FOLDER / f"{name}.py" for name in names), "--certificates", tmp_path)
    files = sorted(tmp_path.glob("*.json"))
    assert len(files) == len(names)
    result = lapwing("check", *files, "--json")
    assert result.exit_code == 0
    assert {found["verdict"] for found in objects(result)} == {"accepted"}
    flow = tmp_path / "times_zero.times_zero.flow.json"
    data = json.loads(flow.read_text())
    flow.write_text(json.dumps({**data, "method": "typing", "proof": {"labels": []}}))
    assert lapwing("check", flow).exit_code == 1
    flow.write_text(json.dumps({**data, "proof": {}}))
    assert lapwing("check", flow).exit_code == 2


def test_the_json_of_flow_can_be_checked(tmp_path):
    found = objects(lapwing("flow", FOLDER / "sideways.py", "--json"))[0]
    (tmp_path / "found.json").write_text(json.dumps(found))
    assert lapwing("check", tmp_path / "found.json").exit_code == 0


@pytest.mark.parametrize(
    ("decorator", "code"),
    [
        ("@flow(lattice='a < b < a', x='a')", "W102"),
        ("@flow(x='topsecret')", "W104"),
        ("@flow(y='secret')", "P162"),
        ("@flow(lattice='a < b, c < d', x='a')", "W103"),
    ],
)
def test_bad_labels_are_one_error(tmp_path, decorator, code):
    (tmp_path / "f.py").write_text(f"{HEAD}{decorator}\ndef f(x: int) -> int:\n    return x\n")
    result = lapwing("flow", tmp_path / "f.py")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"error {code}" in result.stderr


def test_a_file_without_labels(tmp_path):
    (tmp_path / "f.py").write_text("def f(x):\n    return x\n")
    result = lapwing("flow", tmp_path / "f.py")
    assert result.exit_code == 2
    assert "F011" in result.stderr


# --- feasible --------------------------------------------------------------------------------------------


def test_counting_a_pin():
    words = ("--public", "guess=1234", "--observe", "false", "--domain", "pin=0:10000")
    result = lapwing("feasible", f"{FOLDER / 'pin_guess.py'}::pin_guess", *words, "--json")
    assert result.exit_code == 0
    (found,) = objects(result)
    assert (found["secrets"], found["feasible"], found["answers"]) == (10_000, 9999, 2)
    assert found["set"] == "pin in 0…1233, 1235…9999"
    assert (found["vulnerability"], found["min_entropy_leakage"]) == ("2", "1")
    assert float(found["shannon_leakage"][0]) == pytest.approx(0.0014730335, abs=1e-9)
    assert "9999 of 10000 secrets agree" in result.stderr


def test_describing_a_pin():
    words = ("--public", "guess=7", "--observe", "true", "--json")
    assert objects(lapwing("feasible", FOLDER / "pin_higher.py", *words))[0]["formula"] == "pin >= 7"


def test_the_shrinking_set_is_drawn(tmp_path):
    words = ("--domain", "pin=0:10000", "--attack", "guess=0:10000", "--guesses", "6", "--json")
    for name, sizes in (("pin_guess", [10_000, 9999, 9998]), ("pin_higher", [10_000, 5000, 2500])):
        picture = tmp_path / f"{name}.png"
        result = lapwing("feasible", FOLDER / f"{name}.py", *words, "--plot", picture)
        assert result.exit_code == 0
        assert objects(result)[0]["shrinking"][:3] == sizes
        assert "█" in result.stderr
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_table_of_theorem_1():
    words = ("--attack", "guess=0:2", "--bits", "1:5", "--json")
    (found,) = objects(lapwing("feasible", FOLDER / "pin_guess.py", *words))
    assert [row["worst_matches"] for row in found["efforts"]] == [1, 3, 7, 15, 31]
    assert [row["mean"] for row in found["efforts"]][:2] == ["1", "9/4"]


def test_noise_shows_likelihoods():
    text = lapwing("feasible", FOLDER / "randomized_response.py", "--observe", "true").stdout
    assert "2 of 2 secrets agree" in text
    assert "answer = True" in text
    assert "3/4" in text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", "W131"),
        ("--public guess=1", "W129"),
        ("--public guess=1 --observe 7", "P205"),
        ("--public guess=1 --observe [", "F014"),
        ("--public guess=x --observe true", "A001"),
        ("--public guess=1 --public guess=2 --observe true", "W130"),
        ("--public guess=1 --public pin=2 --observe true", "W131"),
        ("--public guess=1 --observe true --domain pin=9:1", "W130"),
        ("--public guess=1 --observe true --domain pin=a:b", "W130"),
        ("--public guess=1 --observe true --domain pn=0:3", "W131"),
        ("--public guess=1 --observe true --domain pin=0:3^2", "W125"),
        ("--public guess=1 --observe true --domain pin=0:900000000", "W123"),
        ("--public guess=1 --observe never", "W121"),
        ("--attack guess=0:9", "W121"),
        ("--attack pin=0:9 --public guess=1 --domain pin=0:9", "W126"),
        ("--attack guess=0:9 --bits 0:99", "W130"),
        ("--attack guess=0:9 --bits 1:2 --plot out.png", "W129"),
        ("--attack guess=0:9 --domain pin=0:9 --plot out.txt", "F002"),
    ],
)
def test_bad_input_is_one_line(tmp_path, words, code):
    with inside(tmp_path):
        result = lapwing("feasible", f"{FOLDER / 'pin_guess.py'}::pin_guess", *words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"error {code} ")
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_continuous_noise_is_not_counted():
    words = ("--public", "epsilon=1", "--observe", "3", "--domain", "count=0:5")
    result = lapwing("feasible", FOLDER / "noisy_count.py", *words)
    assert result.exit_code == 2
    assert "W120" in result.stderr


def test_a_domain_for_some_secrets_only_is_refused(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(
        "from lapwing import flow\n@flow(a='secret', b='secret', result='public')\n"
        "def two(a: int, b: int) -> int:\n    return a + b\n"
    )
    result = lapwing("feasible", path, "--observe", "3", "--domain", "a=0:5")
    assert result.exit_code == 2
    assert result.stderr.startswith("error W121 'b' has infinitely many values")
    assert lapwing("feasible", path, "--observe", "3").exit_code == 0
