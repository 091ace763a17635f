"""Conditions: what they may say, and whether they hold of an answer, exactly."""

from fractions import Fraction

import pytest

from lapwing.errors import InvalidInput
from lapwing.kernel.formulas.favouring import certainly, possibly
from lapwing.kernel.program.printer import show
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.source.conditions import read_condition
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module

SOURCE = """from lapwing import accurate, laplace, mechanism, one


@accurate("all(abs(result[i] - q[i]) <= ln(n / beta) for i in range(len(result)))", beta="beta")
@accurate("len(result) == len(q)", beta="1 / 2")
@mechanism(q=one(1))
def f(q: list[float], n: int, epsilon: float) -> list[float]:
    return [x + laplace(1 / epsilon) for x in q]
"""
MECHANISM = parse_text(SOURCE).mechanisms[0]


def test_claims_are_printed_and_read_back():
    assert parse_text(show_module(parse_text(SOURCE))) == parse_text(SOURCE)
    assert len(MECHANISM.accuracy) == 2


def test_a_condition_is_read_like_a_claim():
    claim = read_condition(MECHANISM, "len(result) == len(q)", "1 / 2")
    assert claim == MECHANISM.accuracy[1]
    assert show(claim.condition) == "len(result) == len(q)"


@pytest.mark.parametrize(
    ("answer", "expected"), [((1, 2), True), ((1, 4), True), ((1, 5), False), ((-1, 2), True), ((-2, 2), False)]
)
def test_whether_it_holds(answer, expected):
    known = {"q": (1, 2), "n": 2, "epsilon": 1, "beta": Fraction(1, 4), "step()": Fraction(1)}
    answered = {**known, "result": tuple(map(Fraction, answer))}
    condition = MECHANISM.accuracy[0].condition
    assert certainly(condition, answered) is expected
    assert evaluate(possibly(condition, known), answered) is expected


def test_what_cannot_be_told_is_favoured_as_asked():
    """A margin of ln(2) is not a rational: a number between its ends keeps it, or breaks it, as is favoured."""
    condition = read_condition(MECHANISM, "abs(result[0] - q[0]) <= ln(2)", "1 / 2").condition
    near = enclosed(formula("ln(2)"), {}).lower
    answered = {"q": (Fraction(0),), "result": (near,)}
    assert evaluate(possibly(condition, {"q": (Fraction(0),)}), answered) is True
    assert evaluate(possibly(condition, {"q": (Fraction(0),)}, holds=False), answered) is True
    assert not certainly(condition, answered)


@pytest.mark.parametrize(
    ("condition", "beta", "code"),
    [
        ("result[0] <= y", "0.1", "U101"),
        ("result[0] <= 1", "delta", "U101"),
        ("result", "0.1", "U103"),
        ("len(result)", "0.1", "U103"),
        ("len(result) > 1", "1", "U102"),
        ("len(result) > 1", "ln(1)", "U102"),
        ("len(result) > 1", "sum(q)", "U102"),
        ("len(result) > 1", "len(q) > 1", "U102"),
        ("len(result) >", "0.1", "U104"),
        ("x" * 5000, "0.1", "U104"),
        ("laplace(1) > 0", "0.1", "P116"),
    ],
)
def test_refused(condition, beta, code):
    with pytest.raises(InvalidInput) as refusal:
        read_condition(MECHANISM, condition, beta)
    assert refusal.value.code == code


def test_words_of_conditions_are_not_words_of_programs():
    with pytest.raises(InvalidInput) as refusal:
        parse_text(SOURCE.replace("laplace(1 / epsilon)", "laplace(step())"))
    assert refusal.value.code == "P118"


NAMES = """from lapwing import laplace, mechanism, within


@mechanism(x=within(1))
def f(x: float, s: float, s_1: float) -> float:
    return x + laplace(s + s_1)
"""


def test_variables_of_a_condition_mean_nothing_in_beta():
    mechanism = parse_text(NAMES).mechanisms[0]
    assert show(read_condition(mechanism, "all(abs(result - x) <= s for s in [1, 2])", "s").beta) == "s"
    assert show(read_condition(mechanism, "all(result <= beta for beta in [1, 2])", "beta").beta) == "beta"


def test_a_renamed_variable_is_no_parameter():
    mechanism = parse_text(NAMES).mechanisms[0]
    claim = read_condition(mechanism, "all(result <= s + s_1 for s in [1, 2])", "1 / 2")
    assert show(claim.condition) == "all([result <= s_2 + s_1 for s_2 in [1, 2]])"


COMPARED = {
    "ln(4) == 2 * ln(2)": None,
    "ln(4) != 2 * ln(2)": None,
    "sqrt(2) * sqrt(2) == 2": None,
    "ln(12) <= ln(2) + ln(6)": None,
    "ln(12) > ln(2) + ln(6)": None,
    "not ln(4) == 2 * ln(2)": None,
    "ln(2) < ln(3)": True,
    "ln(2) == ln(3)": False,
    "ln(2) != ln(3)": True,
    "result - ln(2) <= 0": True,
    "abs(result - ln(2)) * 2 >= max(1, ln(3))": True,
    "-ln(2) / ln(3) > -1": True,
    "min(result, ln(2)) == 0": True,
    "clip(result, ln(2), 1) > 1 / 2": True,
    "ln(4) == 2 * ln(2) and result > 0": False,
    "ln(4) == 2 * ln(2) and result == 0": None,
    "ln(4) == 2 * ln(2) or result == 0": True,
    "ln(4) == 2 * ln(2) or result > 0": None,
    "(1 if ln(4) == 2 * ln(2) else 2) > 0": True,
    "(1 if ln(4) == 2 * ln(2) else 2) > 1": None,
    "(result > 0) if ln(4) == 2 * ln(2) else (result > 1)": False,
    "all(z <= ln(2) for z in [0, 1])": False,
    "all(z * ln(4) <= z * ln(2) * 2 for z in [0, 1])": None,
    "all(z < ln(3) for z in [0, 1] if z * ln(2) >= 0)": True,
    "all(z > 0 for z in [0, 1] if ln(4) == 2 * ln(2))": None,
}


@pytest.mark.parametrize("condition", COMPARED)
def test_a_comparison_of_irrational_numbers_is_decided_only_where_they_are_apart(condition):
    claim = read_condition(parse_text(NAMES).mechanisms[0], condition, "1 / 2")
    known = {"x": 0, "s": 1, "s_1": 1, "step()": Fraction(1)}
    answered = {**known, "result": Fraction(0)}
    may_hold, may_fail = (evaluate(possibly(claim.condition, known, holds=holds), answered) for holds in (True, False))
    assert (may_hold, may_fail) == {True: (True, False), False: (False, True), None: (True, True)}[COMPARED[condition]]


def test_the_answer_is_no_parameter():
    source = NAMES.replace("s_1", "result")
    with pytest.raises(InvalidInput) as refusal:
        read_condition(parse_text(source).mechanisms[0], "abs(result - x) <= 5", "1 / 2")
    assert refusal.value.code == "P170"
    claimed = source.replace("@mechanism", '@accurate("abs(result - x) <= 5", beta="1 / 2")\n@mechanism')
    with pytest.raises(InvalidInput) as refusal:
        parse_text(claimed.replace("import", "import accurate,"))
    assert refusal.value.code == "P170"
