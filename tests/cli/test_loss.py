"""``lapwing loss``: exact distributions side by side, for people and for programs."""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.invoke import lapwing, objects

SOURCE = """
from lapwing import each, flip, laplace, mechanism, replaced, within


@mechanism(answer=replaced(), claim="ln(3)")
def coin_toss(answer: bool) -> bool:
    if flip(1 / 2):
        return answer
    return flip(1 / 2)


@mechanism(q=each(1), claim="epsilon")
def histogram(q: list[float], epsilon: float) -> list[float]:
    return [x + laplace(1 / epsilon) for x in q]


@mechanism(x=within(1))
def forever(x: float) -> float:
    while True:
        x = x + 0


@mechanism(pair=replaced())
def tuples(pair: tuple[float, bool]) -> bool:
    return flip(1 / 2)
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "programs.py"
    file.write_text(SOURCE)
    return file


def test_the_coin_toss_is_exact(program):
    result = lapwing(
        "loss", f"{program}::coin_toss", "--left", '{"answer": true}', "--right", '{"answer": false}', "--json"
    )
    assert result.exit_code == 0
    [found] = objects(result)
    assert found["outputs"][0] | {"log_ratio": None} == {
        "output": True,
        "probability_left": "3/4",
        "probability_right": "1/4",
        "log_ratio": None,
        "closed_form": "ln(3)",
    }
    low, high = map(Fraction, found["worst"]["log_ratio"])
    assert low < Fraction("1.09861228866810969140") < high
    assert found["worst"]["closed_form"] == "ln(3)"
    assert Fraction(found["curve"][0]["delta"]) == Fraction(1, 2)


def test_people_see_a_table(program):
    result = lapwing("loss", f"{program}::coin_toss", "--left", '{"answer": true}', "--right", '{"answer": false}')
    assert result.exit_code == 0
    assert "3/4" in result.stdout
    assert "ln(3) = 1.098612" in result.stdout
    assert "δ(ε)" in result.stdout


def test_json_goes_to_stdout_and_the_table_to_stderr(program):
    result = lapwing(
        "loss", f"{program}::coin_toss", "--left", '{"answer": true}', "--right", '{"answer": false}', "--json"
    )
    assert len(result.stdout.splitlines()) == 1
    assert "3/4" in result.stderr


def test_real_answers_are_shown_in_regions_and_numbers_stay_as_they_are(program):
    words = ["loss", f"{program}::histogram", "--set", "epsilon=1", "--json"]
    [found] = objects(lapwing(*words, "--left", '{"q": [0.1]}', "--right", '{"q": [1.1]}'))
    assert "lattice" not in found
    assert sum(float(row["probability_left"][0]) for row in found["outputs"]) == pytest.approx(1)
    ends = {end for row in found["outputs"] for end in row["output"][0].values()}
    assert {"1/10", "11/10"} <= ends
    assert float(found["worst"]["log_ratio"][0]) == pytest.approx(1)
    low, high = found["curve"][0]["delta"]
    assert 0.3 < float(low) < 0.3935
    assert float(high) == 1


@pytest.mark.parametrize("gone", ["--lattice", "--bits"])
def test_there_is_no_lattice_to_choose(program, gone):
    result = lapwing("loss", f"{program}::coin_toss", gone, "1", "--left", "{}", "--right", "{}")
    assert result.exit_code == 2
    assert "No such option" in result.stderr


def test_a_picture_is_drawn(program, tmp_path):
    pytest.importorskip("matplotlib")
    words = ["--left", '{"answer": true}', "--right", '{"answer": false}', "--plot", tmp_path / "curve.png"]
    assert lapwing("loss", f"{program}::coin_toss", *words).exit_code == 0
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def one(numbers):
    """Arguments of ``histogram`` (braces doubled for ``format``)."""
    return f'{{{{"q": [{numbers}], "epsilon": 1}}}}'


ZERO = one(1).replace(": 1}}", ": 0}}")


X = '{{"x": 0}}'
TINY = one(1).replace(": 1}}", ": 1e-4000}}")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.py::x"], "F010 there is no file nowhere.py"),
        (["{folder}::x"], "F010"),
        (["{file}:coin_toss"], "F010 .* A function in a file is written .*::coin_toss"),
        (["{file}"], "F011 .* several mechanisms: coin_toss, histogram"),
        (["{file}::coin_tos"], "F012 .* Did you mean coin_toss"),
        (["{file}::xyz"], "F012 .* Name one of coin_toss"),
        (["{file}::coin_toss", "--left", "{{"], "F014 --left is not JSON"),
        (["{file}::coin_toss", "--left", "[1]"], "F014 --left is not a JSON object"),
        (["{file}::coin_toss", "--left", "[" * 100000], "F014 --left is nested too deep"),
        (["{file}::coin_toss", "--left", '{{"answer": NaN}}'], "A001"),
        (["{file}::coin_toss", "--left", '{{"answer": 3}}'], "P205"),
        (["{file}::coin_toss", "--left", '{{"q": true}}'], "R106"),
        (["{file}::coin_toss", "--set", "epsilon"], "F013"),
        (["{file}::coin_toss", "--set", "epsilon=one"], "A001"),
        (["{file}::histogram", "--left", one(3), "--right", one(1)], "F015 .*element 0 changed by -2"),
        (["{file}::histogram", "--left", one(1), "--right", ZERO], "F015 epsilon is public"),
        (["{file}::histogram", "--left", one(1), "--right", one("1, 1")], "F015 .*the lengths"),
        (["{file}::histogram", "--left", ZERO, "--right", ZERO], "C112 the program divides by zero"),
        (["{file}::tuples", "--left", '{{"pair": [1]}}', "--right", '{{"pair": [1, true]}}'], "P205"),
        (["{file}::coin_toss", "--plot", "curve.txt"], "F002"),
        (["{file}::coin_toss", "--left", '{{"answer": true, "answer": false}}'], "F014 --left gives 'answer' twice"),
        (["{file}::histogram", "--set", "epsilon=1", "--set", "epsilon=2"], "F013 --set gives 'epsilon' twice"),
        (["{file}::histogram", "--left", one("1e20"), "--right", one("1e20")], "R113 .*beyond"),
        (["{file}::histogram", "--left", one(1), "--right", one(1), "--max-states", "2"], "C110 .*--max-states"),
        (["{file}::forever", "--left", X, "--right", X, "--max-rounds", "99"], "C110 .* 99 .*--max-rounds"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_line_and_exit_code_2(program, words, says):
    filled = [word.format(file=program, folder=program.parent) for word in words]
    for option in ("--left", "--right"):
        if option not in filled:
            filled += [option, '{"answer": true}']
    result = lapwing("loss", *filled)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.search(says, result.stderr), result.stderr
    assert "Traceback" not in result.stderr


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=20)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["q", "x"]), inner, max_size=3),
        max_leaves=5,
    ).map(json.dumps)
)  # fmt: skip
def test_any_words_are_answered_or_refused(program, text):
    result = lapwing("loss", f"{program}::histogram", "--left", text, "--right", text, "--set", "epsilon=1")
    assert result.exit_code in (0, 2)
    assert "Traceback" not in result.stderr
