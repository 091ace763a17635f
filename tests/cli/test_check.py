"""``lapwing check``: accepted, rejected, or not readable; one line each, and the exit code of the worst."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput
from tests.cli.invoke import inside, lapwing, objects
from tests.kernel.programs import COIN, SOURCE, honest

WITNESS = honest(*COIN)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "programs.py").write_text(SOURCE)
    (tmp_path / "good.json").write_text(json.dumps(WITNESS.to_json()))
    bent = replace(WITNESS, probability_left=Interval.point(1))
    (tmp_path / "bent.json").write_text(json.dumps(bent.to_json()))
    (tmp_path / "broken.json").write_text("{")
    return tmp_path


def test_a_true_witness_is_accepted_from_anywhere(folder):
    result = lapwing("check", folder / "good.json")
    assert result.exit_code == 0
    assert result.stdout.startswith("accepted coin_toss: the privacy loss is at least 1.0986122, and 0.69314718…")
    with inside(folder):
        assert lapwing("check", "good.json").exit_code == 0


def test_the_worst_file_decides_the_exit_code(folder):
    good, bent, broken = (folder / f"{name}.json" for name in ("good", "bent", "broken"))
    assert lapwing("check", good, bent).exit_code == 1
    assert lapwing("check", bent, broken, good).exit_code == 2
    assert lapwing("check", good, good).exit_code == 0


def test_json_has_one_object_per_file(folder):
    files = [folder / f"{name}.json" for name in ("good", "bent", "broken")]
    result = lapwing("check", *files, "--json")
    found = objects(result)
    assert [each["verdict"] for each in found] == ["accepted", "rejected", "error"]
    assert found[0]["function"] == "coin_toss"
    assert "probability_left" in found[1]["reason"]
    assert found[2]["reason"].startswith("C101")


def test_what_refute_and_prove_print_is_read_too(folder):
    (folder / "result.json").write_text(json.dumps({"verdict": "refuted", "witness": WITNESS.to_json()}))
    assert lapwing("check", folder / "result.json").exit_code == 0


def test_the_source_may_be_elsewhere(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "programs.py").rename(elsewhere / "moved.py")
    missing = lapwing("check", folder / "good.json")
    assert missing.exit_code == 2
    assert "F017" in missing.stderr
    assert lapwing("check", folder / "good.json", "--source", elsewhere / "moved.py").exit_code == 0


def test_an_edited_source_is_rejected(folder):
    (folder / "programs.py").write_text(SOURCE.replace("    return flip(1 / 2)\n", "    return flip(1 / 4)\n"))
    result = lapwing("check", folder / "good.json")
    assert result.exit_code == 1
    assert "not the one the witness was written for" in result.stdout


def test_a_limit_can_be_set(folder):
    result = lapwing("check", folder / "good.json", "--limit", 1)
    assert result.exit_code == 1
    assert "C110" in result.stdout


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_no_such_file(folder, name):
    result = lapwing("check", folder / name)
    assert result.exit_code == 2
    assert "F010" in result.stderr


def test_no_file_at_all():
    assert lapwing("check").exit_code == 2


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_refused_without_a_traceback(folder, content):
    (folder / "noise.json").write_bytes(content)
    result = lapwing("check", folder / "noise.json")
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_to_a_witness_is_refused_or_rejected(folder, data):
    """Cut, doubled or overwritten at any place: never accepted unless it still says the same."""
    text = json.dumps(WITNESS.to_json())
    at = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from('0123456789"{}[],:ab\\'))
    damaged = text[:at] + letter + text[at + data.draw(st.integers(0, 2)) :]
    (folder / "damaged.json").write_text(damaged)
    result = lapwing("check", folder / "damaged.json")
    assert "Traceback" not in result.stderr
    if result.exit_code == 0:
        assert _meaning(json.loads(damaged)) == _meaning(json.loads(text))


def _meaning(data):
    """A witness without what may be written in several ways: how wide its intervals are, and 01/4 for 1/4."""
    kept = {name: value for name, value in data.items() if name not in ("log_ratio", "claim_value", "kind")}
    return _numbers(kept)


def _numbers(value):
    """The same data with every numeral as the number it denotes."""
    match value:
        case dict():
            return {name: _numbers(each) for name, each in value.items()}
        case list():
            return [_numbers(each) for each in value]
        case str():
            try:
                return exact(value)
            except InvalidInput:
                return value
    return value


@pytest.mark.parametrize("data", [{}, [], 3, "a text", None, {"kind": "witness"}])
def test_json_that_is_no_evidence_is_not_called_a_witness(tmp_path, data):
    path = tmp_path / "some.json"
    path.write_text(json.dumps(data))
    done = lapwing("check", path)
    assert done.exit_code == 2
    assert "C102 this JSON is" in done.stderr
    assert "Traceback" not in done.output
