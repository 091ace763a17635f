"""Certificates of programs that are not private, written to fool the checker: every one is rejected.

Where the exact probabilities of two neighbours show that the program is not private, a test says so; the first group
was accepted once.
"""

from fractions import Fraction

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.distribution.loss_values import log_bounds
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.evidence.certificate import Branch, Cost, Enumeration, Joint, Sensitivity
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify, coupling

WORDS = (
    "added, choose, clip, each, exponential, falls, flip, gaussian, laplace, mechanism, monotone, one, replaced,"
    " rises, uniform, within, zcdp"
)


def program(body, head="x=within(1)", parameters="x: float, epsilon: float", returns="float"):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"from lapwing import {WORDS}\n\n\n@mechanism({head})\ndef f({parameters}) -> {returns}:\n{lines}\n"


def verdict(text, proof, bound, measure="epsilon"):
    return check_certificate(certify("p.py", text, proof, bound, measure), text)


def loss(text, left, right, answer, **public):
    """A lower bound on the loss of one answer; None for infinity."""
    module = parse_text(text, "p.py")
    sides = [{**{k: Fraction(v) for k, v in public.items()}, **side} for side in (left, right)]
    return log_bounds(*(probability(module, "f", each, answer) for each in sides))[0]


PAIR = "tuple[float, float]"

# --- accepted once ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "distance"),
    [
        ("n = laplace(1 / epsilon)\na = n\nreturn (x + a, 0 + a)", "0"),
        ("n = laplace(1 / epsilon)\na = n\nreturn (0 + a, x + a)", "1"),
        ("a, b = laplace(1 / epsilon), 0\nreturn (x + a, b + a)", "0"),
        ("n = laplace(1 / epsilon)\na = n\nb = a\nreturn (x + a, 0 - b)", "1"),
    ],
)
def test_noise_under_a_second_name_is_still_used_twice(body, distance):
    """The second sum would be priced in place of the first, and the difference of both is x itself."""
    text = program(body, returns=PAIR)
    proof = Sensitivity((Cost(1, distance, f"{distance} * epsilon"),))
    assert isinstance(verdict(text, proof, f"{distance} * epsilon"), Rejected)


def test_the_difference_of_two_answers_with_one_noise_is_the_input():
    text = program("n = laplace(1 / epsilon)\na = n\nreturn (x + a, 0 + a)", returns=PAIR)
    assert loss(text, {"x": 0}, {"x": 1}, (Fraction(0), Fraction(0)), epsilon=1) is None


NEVER_ENDS = """n = laplace(1 / epsilon)
low = 1000 if x <= 0 else 0
stuck = low <= n and n < low + 1
while stuck:
    low = low + 0
return True"""
#: what is between 0 and 1000 moves by 1 to make room; what decides whether there is an answer moves by 1000
CROSSING = Branch(
    "x <= 0 and other(x) > 0",
    Branch("1000 <= draw() and draw() < 1001", "-1000", Branch("0 <= draw() and draw() < 1000", "1", "0")),
    Branch(
        "x > 0 and other(x) <= 0",
        Branch("0 <= draw() and draw() < 1", "1000", Branch("1 <= draw() and draw() < 1001", "-1", "0")),
        "0",
    ),
)


def test_to_give_no_answer_is_an_answer_and_has_its_price():
    """P(no answer) is e^-1000 on one input and a third on the other; every answer costs 1."""
    text = program(NEVER_ENDS, 'x=within(1), claim="epsilon"', "x: int, epsilon: float", "bool")
    proof = coupling([(CROSSING, "1")], ["stuck == other(stuck) and (stuck or cost(1) <= 1)"])
    answer = verdict(text, proof, "epsilon")
    assert isinstance(answer, Rejected)
    assert "the shifts at site 1 may pass 1" in answer.reason
    once = text.replace("    while stuck:\n        low = low + 0\n", "    if stuck:\n        return False\n")
    assert loss(once, {"x": 1}, {"x": 0}, False, epsilon=Fraction(1, 100)) > Fraction(5)


@pytest.mark.parametrize("total", ["1 - k * (1 / k)", "1 - 1 / k * k", "1 - k / k", "1 / k"])
def test_a_total_is_the_number_that_is_priced(total):
    """The first is 1 at k = 0 for a solver, where 1 / k is any number, and 0 for one who cancels k."""
    text = program(
        "n = laplace(1 / epsilon)\nif k == 0:\n    return x + n\nreturn n",
        parameters="x: float, k: float, epsilon: float",
    )
    proof = coupling([(Branch("k == 0", "-hat(x)", "0"), total)])
    for bound in ("0", f"({total}) * epsilon"):
        assert isinstance(verdict(text, proof, bound), Rejected)
    assert loss(text, {"x": 0}, {"x": 1}, Fraction(0), k=0, epsilon=1) > Fraction(99, 100)


@pytest.mark.parametrize("bound", ["0.99999999999999999999 * epsilon", "(1 - 1e-30) * epsilon", "1e-9999999 + epsilon"])
def test_a_numeral_is_read_to_its_last_digit(bound):
    """As a float the first would be 1; whoever reads the bound exactly would charge too little."""
    text = program("return x + laplace(1 / epsilon)")
    assert isinstance(verdict(text, coupling([("-hat(x)", "1")]), bound), Rejected)
    assert isinstance(verdict(text, Sensitivity((Cost(1, "1", "epsilon"),)), bound), Rejected)


COIN = program("if flip(1 / 2):\n    return a\nreturn flip(1 / 2)", "a=replaced()", "a: bool", "bool")


@pytest.mark.parametrize(
    "bound", ["ln(3, base=10)", "ln(3, 10)", "ln(max(2, 3, key=5))", "ln(2.99999999999999999999)", "ln(max())", "ln()"]
)
def test_a_logarithm_is_natural_and_of_one_number(bound):
    assert isinstance(verdict(COIN, Enumeration(rows=False), "ln(3)"), Proved)
    assert isinstance(verdict(COIN, Enumeration(rows=False), bound), Rejected)


# --- calls: where the callee's bound divides by 0, its certificate shows nothing ------------------------------------


def calling(callee, caller, callee_bound, bound):
    """The verdict on ``g``, which calls ``f``, and the verdict on ``f``; ``f`` has a draw in each of two branches."""
    text = f"from lapwing import {WORDS}\n\n\n{callee}\n\n{caller}"
    inner = certify("p.py", text, coupling([("-hat(x)", "1"), ("-hat(x)", "1")]), callee_bound, name="f")
    outer = certify("p.py", text, Sensitivity((Cost(1, "1", bound),), (inner,)), bound, name="g")
    return check_certificate(outer, text), check_certificate(inner, text)


DIVIDING = """@mechanism(x=within(1))
def f(x: float, k: int, m: int, epsilon: float) -> float:
    assert k >= 0
    assert m >= 0
    assert epsilon > 0
    if k != 0:
        return x + laplace(k / epsilon)
    return x + laplace(1 / (1000 * m * epsilon))
"""
DIVIDED = "(1 + 1000 * k * m) / k * epsilon"


def test_a_call_where_the_bound_of_the_callee_divides_by_zero():
    """At k = 0 the noise is a thousandth of what the claim needs, and epsilon / k is no number."""
    caller = """@mechanism(x=within(1), claim="epsilon")
def g(x: float, k: int, epsilon: float) -> float:
    assert 0 <= k
    assert k <= 1
    assert epsilon > 0
    return f(x, k, 1 - k, epsilon)
"""
    outer, inner = calling(DIVIDING, caller, DIVIDED, "(1 + 1000 * k - 1000 * k * k) / k * epsilon")
    assert isinstance(inner, Proved)
    assert isinstance(outer, Rejected)
    assert "the bound of f may divide by 0" in outer.reason
    apart = caller.replace("0 <= k", "1 <= k")
    outer, _ = calling(DIVIDING, apart, DIVIDED, "(1 + 1000 * k - 1000 * k * k) / k * epsilon")
    assert isinstance(outer, Proved)


def test_a_call_with_a_list_that_may_be_empty():
    callee = """@mechanism(q=one(1), x=within(1))
def f(q: list[float], x: float, m: int, epsilon: float) -> float:
    assert epsilon > 0
    assert m >= 0
    if len(q) > 0:
        return x + laplace(len(q) / epsilon)
    return x + laplace(1 / (1000 * epsilon * m))
"""
    caller = """@mechanism(q=one(1), x=within(1), claim="2 * epsilon")
def g(q: list[float], x: float, epsilon: float) -> float:
    assert epsilon > 0
    assert len(q) <= 1
    return f(q, x, 1 - len(q), epsilon)
"""
    bounds = "(1 + 1000 * len(q) * m) / len(q) * epsilon", "(1 + 1000 * len(q) * (1 - len(q))) / len(q) * epsilon"
    outer, inner = calling(callee, caller, *bounds)
    assert isinstance(inner, Proved)
    assert isinstance(outer, Rejected)
    assert "the bound of f may divide by 0" in outer.reason


def test_arguments_that_cancel_the_divisor_of_the_callee():
    """With j for k and a multiple of j for epsilon no divisor is left; at j = 0 the claim is 1 and the loss 1000."""
    callee = """@mechanism(x=within(1))
def f(x: float, k: int, m: int, epsilon: float) -> float:
    assert k >= 0
    assert m >= 0
    assert epsilon * k >= 0
    if k != 0:
        return x + laplace(k / epsilon)
    return x + laplace(1 / (1000 * m))
"""
    caller = """@mechanism(x=within(1), claim="998 * j + 1")
def g(x: float, j: int) -> float:
    assert 0 <= j
    assert j <= 1
    return f(x, j, 1 - j, 999 * j * (2 * j - 1))
"""
    outer, inner = calling(callee, caller, "epsilon / k + 1000 * m", "998 * j + 1")
    assert isinstance(inner, Proved)
    assert isinstance(outer, Rejected)
    assert "the bound of f may divide by 0" in outer.reason


# --- formulas that are too large ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alignment", "total", "reason"),
    [
        ("-hat(x)", "*".join(["1e300"] * 20), "longer than 4096 bits"),
        ("-hat(x)", "*".join(["(" + "*".join(["epsilon"] * 50) + ")"] * 10), "a power above 400"),
        ("-hat(x)", "1e2000*1e2000*1e2000", "cannot be read"),
        ("-hat(x)" + "+0" * 2000, "1", "nested too deep"),
        (f"max({', '.join(['hat(x)'] * 1200)})", "1", "more than 2000 parts"),
        ("-hat(x)" + " " * 30_000 + "+0", "1", "longer than 20000 characters"),
        ("hat(" * 40 + "x" + ")" * 40, "1", "another hat"),
        ("other(1 + hat(x))", "1", "another hat"),
        ("-hat(x) - hat(other(x))", "1", "another hat"),
    ],
)
def test_a_formula_that_would_keep_the_checker_busy(alignment, total, reason):
    text = program("return x + laplace(1 / epsilon)")
    answer = verdict(text, coupling([(alignment, total)]), f"({total}) * epsilon" if total != "1" else "epsilon")
    assert isinstance(answer, Rejected)
    assert reason in answer.reason


@pytest.mark.parametrize(
    "error", [ZeroDivisionError, OverflowError, ValueError, KeyError, TypeError, MemoryError, RuntimeError]
)
def test_a_check_that_breaks_off_shows_nothing(monkeypatch, error):
    def broken(*_, **__):
        raise error("anything")

    monkeypatch.setattr(Terms, "entailed", broken)
    answer = verdict(program("return x + laplace(1 / epsilon)"), coupling([("-hat(x)", "1")]), "epsilon")
    assert isinstance(answer, Rejected)
    assert error.__name__ in answer.reason


# --- sensitivities --------------------------------------------------------------------------------------------

LIST = "q: list[float], epsilon: float"


@pytest.mark.parametrize(
    ("body", "head", "parameters", "distance"),
    [
        # noise that is drawn once and stands in many places
        ("n = laplace(1 / epsilon)\nreturn sum([y + n for y in q])", "q=one(1)", LIST, "1"),
        ("n = laplace(1 / epsilon)\nreturn (x + n) * n", "x=within(1)", "x: float, epsilon: float", "1"),
        ("n = laplace(1 / epsilon)\nreturn clip(n, 0, 1) + x", "x=within(1)", "x: float, epsilon: float", "1"),
        ("n = laplace(1 / epsilon)\nreturn -n + x", "x=within(1)", "x: float, epsilon: float", "1"),
        # a comprehension that looks at more than its own element
        ("return len([y for y in q if y > q[0]]) + laplace(1 / epsilon)", "q=one(1)", LIST, "1"),
        ("return sum([clip(q[0], 0, 1) for y in q]) + laplace(1 / epsilon)", "q=one(1)", LIST, "1"),
        ("return sum([clip(sum(q), 0, 1) for y in q]) + laplace(1 / epsilon)", "q=replaced()", LIST, "1"),
        # an element, or a filter, that every row can change
        ("return len([y for y in q if y > 0]) + laplace(1 / epsilon)", "q=each(1)", LIST, "1"),
        ("return sum([clip(y, 0, 1) for y in q]) + laplace(1 / epsilon)", "q=rises(1)", LIST, "1"),
        ("return sum(q) + laplace(1 / epsilon)", "q=monotone(1)", LIST, "1"),
        # a term with a lower end other than 0, added, taken or swapped
        ("return sum([clip(y, 5, 6) for y in q]) + laplace(1 / epsilon)", "q=added()", LIST, "1"),
        ("return sum([clip(y, 5, 6) for y in q if y > 0]) + laplace(1 / epsilon)", "q=replaced()", LIST, "1"),
        ("return sum([clip(y, 3, -3) for y in q]) + laplace(1 / epsilon)", "q=added()", LIST, "0"),
        # the whole list, an element of a list that grows, a value without distance
        ("return q[0] + laplace(1 / epsilon)", "q=added()", LIST, "1"),
        ("return q[0] + laplace(1 / epsilon)", "q=replaced()", LIST, "1"),
        ("return max(q) + laplace(1 / epsilon)", "q=one(1)", LIST, "0"),
        ("return clip(x, -x, 5) + laplace(1 / epsilon)", "x=within(1)", "x: float, epsilon: float", "1"),
        ("return x * x + laplace(1 / epsilon)", "x=within(1)", "x: float, epsilon: float", "1"),
        ("return (x if x > 0 else 0) + laplace(1 / epsilon)", "x=within(1)", "x: float, epsilon: float", "0"),
        # a side whose ends have no value where the other one is taken: with q = 0 it moves by 9
        (
            "assert q >= 0\nassert q * r == 1 or q == 0\nreturn (1 / q + clip(x, 0, 1) if q > 0 else "
            "clip(x, r + 0.1, r + 0.9 + 9 * (1 - q * r))) + laplace(1 / epsilon)",
            "x=replaced()",
            "x: float, q: float, r: float, epsilon: float",
            "1",
        ),
    ],
)
def test_distances_are_never_too_small(body, head, parameters, distance):
    text = program(body, head, parameters)
    proof = Sensitivity((Cost(1, distance, f"{distance} * epsilon"),))
    assert isinstance(verdict(text, proof, f"{distance} * epsilon"), Rejected)


def test_a_choice_among_scores_that_all_move_pays_twice():
    text = program("return choose(q, 1 / epsilon)", "q=each(1)", LIST, "int")
    assert isinstance(verdict(text, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon"), Rejected)
    assert isinstance(verdict(text, Sensitivity((Cost(1, "2", "2 * epsilon"),)), "2 * epsilon"), Proved)
    assert loss(text, {"q": (1, 0)}, {"q": (0, 1)}, 0, epsilon=1) > Fraction(99, 100)


CALLED = program("return sum(q) + laplace(1 / epsilon)", "q=one(1)", LIST)


@pytest.mark.parametrize(
    ("head", "parameters", "call"),
    [
        ("q=one(2)", LIST, "f(q, epsilon)"),
        ("q=each(1)", LIST, "f(q, epsilon)"),
        ("q=one(1)", LIST, "f([2 * y for y in q], epsilon)"),
        ("q=one(1)", LIST, "f(q, 5 * epsilon)"),
        ('q=one("d")', "q: list[float], d: float, epsilon: float", "f(q, epsilon)"),
    ],
)
def test_a_callee_is_paid_for_as_it_is_called(head, parameters, call):
    text = f"{CALLED}\n\n@mechanism({head})\ndef g({parameters}) -> float:\n    return {call}\n"
    inner = certify("p.py", text, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon", name="f")
    outer = certify("p.py", text, Sensitivity((Cost(1, "1", "epsilon"),), (inner,)), "epsilon", name="g")
    assert isinstance(check_certificate(outer, text), Rejected)


# --- couplings ------------------------------------------------------------------------------------------------


def test_a_list_that_was_copied_from_a_private_one_is_private():
    text = program("ys = q[:]\nreturn ys", "q=one(1)", LIST, "list[float]")
    assert isinstance(verdict(text, coupling([]), "0"), Rejected)
    text = program("ys = q[:]\nys.append(0)\nreturn ys", "q=one(1)", LIST, "list[float]")
    assert isinstance(verdict(text, coupling([]), "0"), Rejected)


def test_a_list_grows_in_both_runs_or_in_none():
    text = program(
        "out = []\nfor y in q:\n    if y > 0:\n        out.append(1)\nreturn out", "q=one(1)", LIST, "list[int]"
    )
    assert isinstance(verdict(text, coupling([], ["True"]), "0"), Rejected)


@pytest.mark.parametrize("way", ["break", "continue", "return 0"])
def test_a_way_out_that_one_run_takes_alone(way):
    body = f"n = 0\nfor y in q:\n    if y > 0:\n        {way}\n    n = n + 1\nreturn n"
    text = program(body, "q=one(1)", LIST, "int")
    for invariant in ("True", "hat(n) == 0"):
        assert isinstance(verdict(text, coupling([], [invariant]), "0"), Rejected)


@pytest.mark.parametrize("leaf", ["draw()", "2 * draw()", "0 if draw() > 0 else 0", "0 * draw()", "draw() / 2"])
def test_a_shift_that_depends_on_the_noise_itself(leaf):
    """Noise stretched to twice its size meets no other, and yet its density is halved: only translations will do."""
    text = program("return x + laplace(1 / epsilon)")
    answer = verdict(text, coupling([(leaf, "1")]), "epsilon")
    assert isinstance(answer, Rejected)
    assert "depends on the noise itself" in answer.reason


def test_one_real_answer_at_a_time_shows_nothing():
    """Twice the noise or once; near 0 an answer is half as likely, though its draw hardly moves."""
    body = "y = laplace(100)\nz = (2 * y if x > 0 else y)\nreturn z if -1 <= z and z <= 1 else 2.0"
    text = program(body, parameters="x: float, epsilon: float")
    for total in ("1", "1 / 2"):
        shift = Branch(
            "x > 0 and other(x) <= 0", "output() / 2", Branch("x <= 0 and other(x) > 0", "-output() / 2", "0")
        )
        answer = verdict(text, coupling([(shift, total)], ghost="output"), f"({total}) / 100")
        assert isinstance(answer, Rejected)
        assert "one answer at a time" in answer.reason


def test_an_unsynchronised_count_is_no_bound():
    text = program("c = 0\nfor i in range(n):\n    c = 1\nreturn c", "n=within(1)", "n: int", "int")
    assert isinstance(verdict(text, coupling([], ["hat(c) == 0"]), "0"), Rejected)


def test_names_of_the_checker_are_free_for_programs():
    """Variables called like the words of formulas are variables."""
    body = "output = x\nhat = output + laplace(1 / epsilon)\nwhere = hat\nreturn where"
    assert isinstance(verdict(program(body), coupling([("-hat(output)", "1")]), "epsilon"), Proved)
    assert isinstance(verdict(program(body), coupling([("0", "0")], ghost="output"), "0"), Rejected)
    assert isinstance(verdict(program("draw = x\nreturn draw"), coupling([], ghost="output"), "0"), Rejected)


@pytest.mark.parametrize(
    "joint", [Joint((), "0"), Joint(((1, 0),), "1"), Joint(((1, 1), (1, 1)), "1"), Joint(((2, 1),), "1")]
)
def test_sums_of_shifts_that_leave_draws_out(joint):
    text = program("return x + laplace(1 / epsilon)")
    for total in ("joint", "0", "1"):
        proof = coupling([("-hat(x)", total)], joint=(joint,))
        assert isinstance(verdict(text, proof, "0"), Rejected)
        assert isinstance(verdict(text, proof, "epsilon"), Rejected)


@pytest.mark.parametrize(
    "formula",
    ["1", "hat(True)", "x < True", "True + 1", "not x", "True < False", "q", "cost(2)", "cost(1.5)", "round(1)",
     "hat(q)", "where(q)", "rising(x)", "draw()", "output()", "len(x)", "x[0]", "len()", "hat()", "x if x else x"],
)  # fmt: skip
def test_a_formula_that_makes_no_sense_is_refused_and_breaks_nothing(formula):
    looping = program("y = 0\nwhile y > 0:\n    y = y - 1\nreturn x + laplace(1 / epsilon)")
    assert isinstance(verdict(looping, coupling([("-hat(x)", "1")], ["True"]), "epsilon"), Proved)
    assert isinstance(verdict(looping, coupling([("-hat(x)", "1")], [formula]), "epsilon"), Rejected)
    text = program("return x + laplace(1 / epsilon)")
    answer = verdict(text, coupling([(Branch(formula, "-hat(x)", "-hat(x)"), "1")]), "epsilon")
    assert isinstance(answer, Rejected) or formula == "draw()"
    assert isinstance(verdict(text, coupling([("-hat(x)", formula)]), "epsilon"), Rejected) or formula == "1"
