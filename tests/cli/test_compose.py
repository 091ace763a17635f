"""``lapwing compose``: the JSON contract, the table, the picture, and what bad input gets."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting.account import account
from lapwing.cli import pictures
from lapwing.errors import LapwingError
from tests.cli.invoke import lapwing, objects


def test_json_is_the_contract_best_rigorous_first():
    run = lapwing("compose", "100 * pure(0.1)", "--delta", "1e-5", "--json")
    [found] = objects(run)
    assert found["expression"] == "100 * pure(0.1)"
    assert found["delta"] == 1e-5
    assert all({"method", "epsilon", "rigorous", "seconds"} <= set(row) for row in found["methods"])
    rigorous = [row["epsilon"] for row in found["methods"] if row["rigorous"]]
    assert rigorous == sorted(rigorous)
    assert found["methods"][0]["rigorous"]
    assert found["methods"][0]["epsilon"] == pytest.approx(4.306791373, rel=1e-9)
    assert "optimal" in run.stderr  # people's table goes to standard error


def test_json_floats_are_not_below_the_bounds():
    exact = {row.method: row.epsilon for row in account("100 * pure(0.1)", "1e-5").rows}
    [found] = objects(lapwing("compose", "100 * pure(0.1)", "--delta", "1e-5", "--json"))
    for row in found["methods"]:
        if row["rigorous"]:
            assert Fraction(row["epsilon"]) >= exact[row["method"]]


def test_people_get_a_table_on_standard_output():
    run = lapwing("compose", "10 * pure(0.1)", "--delta", "1e-5")
    assert run.exit_code == 0
    assert run.stdout.startswith("10 * pure(0.1) at δ = 1e-5")
    assert "basic" in run.stdout
    assert not run.stderr


def test_without_delta_only_pure_methods_answer():
    [found] = objects(lapwing("compose", "3 * laplace(2) + pure(0.25)", "--json"))
    assert found["methods"][0]["epsilon"] == 1.75
    assert found["delta"] == 0


def test_a_sampled_sum_says_whom_it_protects():
    assert "one unit more or fewer" in lapwing("compose", "poisson(0.5, pure(1))", "--delta", "1e-5").stdout


def test_plot_writes_a_picture(tmp_path):
    file = tmp_path / "cost.svg"
    run = lapwing("compose", "20 * pure(0.1)", "--delta", "1e-5", "--plot", str(file))
    assert run.exit_code == 0, run.stderr
    text = file.read_text()
    assert text.lstrip().startswith("<?xml")
    assert "optimal" in text or text.count("<g") > 20  # text may be drawn as outlines
    assert [path.name for path in tmp_path.iterdir()] == ["cost.svg"]


@pytest.mark.parametrize("name", ["cost.txt", "cost", "nowhere/cost.png"])
def test_a_picture_that_cannot_be_written_is_refused_before_the_work(tmp_path, name):
    run = lapwing("compose", "pure(1)", "--plot", str(tmp_path / name))
    assert run.exit_code == 2
    assert "F00" in run.stderr
    assert not run.stdout


def test_an_interrupted_picture_leaves_nothing(tmp_path):
    class Interrupted:
        def savefig(self, file, **_):
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pictures.save(Interrupted(), tmp_path / "cost.png")
    assert not list(tmp_path.iterdir())


BAD = [
    ("", "1e-5"),
    ("laplace(0)", "1e-5"),
    ("laplace(-1)", "1e-5"),
    ("laplace(nan)", "1e-5"),
    ("laplace(1e999999)", "1e-5"),
    ("pure(0)", "0"),
    ("pure(1)", "1"),
    ("pure(1)", "-1e-5"),
    ("pure(1)", "nan"),
    ("pure(1)", "inf"),
    ("pure(1)", "soon"),
    ("gaussian(1)", "0"),
    ("poisson(2, pure(1))", "1e-5"),
    ("randomized_response(1)", "0"),
    ("0 * pure(1)", "0"),
    ("10**10**10 * pure(1)", "0"),
    ("__import__('os')", "0"),
    ("(" * 5000 + "pure(1)" + ")" * 5000, "0"),
]


@pytest.mark.parametrize(("expression", "delta"), BAD, ids=range(len(BAD)))
def test_bad_input_is_one_coded_line(expression, delta):
    run = lapwing("compose", expression, f"--delta={delta}")
    assert run.exit_code == 2
    assert not run.stdout
    lines = run.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error A")
    assert lines[0].endswith(".")
    assert len(lines[0]) < 400


@given(st.text(max_size=30), st.text(max_size=8))
@settings(max_examples=150)
def test_no_text_ends_in_a_traceback(expression, delta):
    said = ""
    try:
        account(expression, delta, methods=())
    except LapwingError as refusal:
        said = str(refusal)
    assert "\n" not in said
