from fractions import Fraction
from math import exp

import pytest

from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.event import Between
from lapwing.kernel.uncomputable import TooMuch
from lapwing.search.violation.landscape import Side
from lapwing.search.violation.loss import Table
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_file, parse_text
from tests.corpus import ROOT

HEAD = "from lapwing import each, exponential, flip, gaussian, laplace, mechanism, within\n"


def subject(text, **options):
    module = parse_text(HEAD + text)
    return Subject(module, list(module)[-1], **options)


def corpus(name):
    module = parse_file(ROOT / f"{name}.py")
    return Subject(module, list(module)[-1])


def worst(subject, left, right):
    return Table.of(*(Side(subject, subject.inputs(side)) for side in (left, right))).worst


def fractions(distribution):
    return {output: mass.fraction for output, mass in distribution.masses.items()}


def test_coin_toss_is_three_quarters_one_quarter_and_ln_3_exactly():
    coin = corpus("proved/coin_toss")
    true, false = (coin.distribution(coin.inputs({"rows": [row]})) for row in (True, False))
    assert fractions(true) == {(True,): Fraction(3, 4), (False,): Fraction(1, 4)}
    assert fractions(false) == {(True,): Fraction(1, 4), (False,): Fraction(3, 4)}
    assert worst(coin, {"rows": [True]}, {"rows": [False]}).closed_form == "ln(3)"


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(2, 3), Fraction(9, 10)])
def test_randomized_response_follows_the_formula_of_seeds_000(p):
    response = corpus("proved/randomized_response_p")
    zero, one = (fractions(response.distribution(response.inputs({"answer": a, "p": p}))) for a in (False, True))
    assert zero[False] == p + (1 - p) ** 2
    assert one[True] == 2 * p - p**2
    assert zero[True] == 1 - zero[False]
    assert one[False] == 1 - one[True]


def test_theorem_4_of_seeds_000_randomized_response_has_loss_ln_3_in_both_directions():
    response = corpus("proved/randomized_response")
    one, zero = ({"answer": answer} for answer in (True, False))
    assert worst(response, one, zero).closed_form == worst(response, zero, one).closed_form == "ln(3)"


def test_choosing_keeps_e_to_the_epsilon_symbolic():
    response = corpus("proved/exponential_response")
    left, right = ({"x": x, "epsilon": "1/3"} for x in (True, False))
    assert worst(response, left, right).closed_form == "1/3"


@pytest.mark.parametrize(
    ("body", "truth"),
    [
        ("t = laplace(1)\n    return (t >= 0) and (t >= 0)", None),
        ("t = laplace(1)\n    return (t >= 0) and (t < 0)", Fraction(0)),
        ("t = laplace(1)\n    u = t\n    return (t >= 0) and (u < 0)", Fraction(0)),
        ("t = laplace(1)\n    a = t > 2\n    b = t < 1\n    return a and b", Fraction(0)),
        ("t = laplace(1)\n    xs = [t, t]\n    return xs[0] >= xs[1]", Fraction(1)),
        ("t = laplace(1)\n    ok = t > 0\n    return ok or (t <= 0)", Fraction(1)),
        (
            "t = laplace(1)\n    flag = False\n    if t > 3:\n        flag = t > 2\n    return flag or t <= 3",
            Fraction(1),
        ),
    ],
)
def test_the_same_draw_read_twice_is_one_draw(body, truth):
    one = subject(f"@mechanism(x=within(1))\ndef f(x: float) -> bool:\n    {body}\n")
    whole = one.distribution(one.inputs({"x": 0}))
    found = whole.probability(True)
    assert float(found) + float(whole.probability(False)) == pytest.approx(1, abs=1e-12)
    if truth is not None:
        assert found.lower <= truth <= found.upper


def test_a_draw_that_is_compared_in_one_branch_and_forgotten_in_the_other_is_paid_once():
    text = (
        "@mechanism(x=within(1))\ndef f(x: float) -> int:\n    t = laplace(2)\n    n = 0\n"
        "    if t >= 1:\n        n = 1\n"
        "        if flip(1 / 2):\n            if t >= 3:\n                n = 2\n    return n\n"
    )
    one = subject(text)
    whole = one.distribution(one.inputs({"x": 0}))
    above = {k: exp(-k / 2) / 2 for k in (1, 3)}
    expected = {0: 1 - above[1], 1: above[1] - above[3] / 2, 2: above[3] / 2}
    for n, truth in expected.items():
        assert float(whole.probability(Fraction(n))) == pytest.approx(truth, rel=1e-12)


def test_a_loop_that_may_go_on_for_ever_is_cut_and_the_rest_counted():
    body = "n = 0\n    while flip(1 / 2):\n        n += 1\n    return n"
    one = subject(f"@mechanism(x=within(1))\ndef f(x: float) -> int:\n    {body}\n")
    whole = one.distribution(one.inputs({"x": 0}))
    assert Fraction(1, 8) in whole.probability(Fraction(2))
    assert 0 < whole.lost < Fraction(1, 2**70)


def test_a_loop_that_never_ends_is_refused_with_its_place():
    text = (
        "@mechanism(x=within(1))\ndef f(x: float) -> int:\n    n = 0\n    while n < 1:\n        n = 0\n    return n\n"
    )
    one = subject(text, limits=Limits(rounds=200))
    with pytest.raises(TooMuch, match=r"C110 the loop at 5:5 has not ended after 200 rounds"):
        one.distribution(one.inputs({"x": 0}))


def test_too_many_states_are_refused_and_one_event_is_cheap():
    body = "return [flip(1 / 3) for i in range(20)]"
    one = subject(f"@mechanism(x=within(1))\ndef f(x: float) -> list[bool]:\n    {body}\n", limits=Limits(5_000))
    with pytest.raises(TooMuch, match="C110 more than 5000 states are needed"):
        one.distribution(one.inputs({"x": 0}))
    histogram = corpus("proved/histogram")
    chance = histogram.chance(histogram.inputs({"q": [0] * 8, "epsilon": 1}), (Between(Fraction(0)),) * 8)
    assert float(chance) == pytest.approx(2**-8)


def test_a_call_is_the_callee_run_in_place():
    counts = corpus("proved/two_counts")
    inputs = counts.inputs({"rows": [True, False], "epsilon": 1})
    pair = counts.chance(inputs, (Fraction(1), Fraction(2)))
    module = counts.module
    single = Subject(module, module["noisy_count"])
    apart = [single.chance(inputs, Fraction(k)) for k in (1, 2)]
    assert pair.lower <= apart[0].upper * apart[1].upper
    assert apart[0].lower * apart[1].lower <= pair.upper


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"x": 1}, "R106"),
        ({"x": 1, "n": 1, "y": 2}, "R106"),
        ({"x": [1], "n": 1}, "R107"),
        ({"x": 1, "n": "1/2"}, "R107"),
        ({"x": 1, "n": 0}, "R105"),
        ({"x": "many", "n": 1}, "A001"),
    ],
)
def test_bad_inputs_are_refused(given, code):
    text = "@mechanism(x=within(1))\ndef f(x: float, n: int) -> float:\n    assert n >= 1\n    return x + laplace(n)\n"
    with pytest.raises(InvalidInput, match=code):
        subject(text).inputs(given)


def test_private_numbers_are_taken_as_they_are():
    one = subject("@mechanism(x=within(1))\ndef f(x: float, y: float) -> float:\n    return x + laplace(1)\n")
    assert one.inputs({"x": "-1/3", "y": "0.1"}) == {"x": Fraction(-1, 3), "y": Fraction(1, 10)}
    with pytest.raises(InvalidInput, match="R113"):
        one.inputs({"x": 2**60, "y": 1})


@pytest.mark.parametrize(
    "loop",
    [
        "for x in q:\n        if x > 100:\n            if t >= 3:\n                n = 2",
        "i = 0\n    while i < len(q):\n        i += 1\n        if q[0] > 100:\n            n = 2 if t >= 3 else 4",
        "for x in q:\n        if x > 100:\n            break\n        if x < -100:\n            n = 3 if t >= 3 else 4",
    ],
)
@pytest.mark.parametrize("q", [[], [0], [0, 0]])
def test_a_draw_that_a_loop_might_have_read_is_paid_when_the_loop_is_left(loop, q):
    body = f"t = laplace(2)\n    n = 0\n    if t >= 1:\n        n = 1\n    {loop}\n    return n"
    one = subject(f"@mechanism(q=each(1))\ndef f(q: list[float]) -> int:\n    {body}\n")
    whole = one.distribution(one.inputs({"q": q}))
    assert float(whole.probability(Fraction(1))) == pytest.approx(exp(-1 / 2) / 2, rel=1e-12)
    assert float(whole.probability(Fraction(0))) == pytest.approx(1 - exp(-1 / 2) / 2, rel=1e-12)
