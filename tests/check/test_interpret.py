"""The checker's probabilities against closed forms, the running program, and the searcher's distributions."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.balls import Interval
from lapwing.check.interpret import probability
from lapwing.check.laws import Draw, Law, choice, mass
from lapwing.check.values import matches
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.event import AnyOf, Anything, Between, Prefix, contains
from lapwing.program import interpret
from lapwing.program.ir import Module, Real
from lapwing.program.parse import parse_text
from lapwing.refute.distribution import Subject
from tests.evidence.test_witness import events, values
from tests.program.generate import NAME, seeded

HEAD = "from lapwing import choose, each, exponential, flip, gaussian, laplace, mechanism, uniform, within\n\n"


def one(body, returns="float"):
    lines = [HEAD, "@mechanism(x=within(1))", f"def f(x: float, s: float) -> {returns}:"]
    return parse_text("\n".join([*lines, *(f"    {line}" for line in body.splitlines())]) + "\n")


def chance(module, event, bits=100, lattice=1, limit=10**6, **arguments):
    return probability(module, "f", arguments, event, Fraction(lattice), bits, limit)


def test_one_laplace_draw_has_its_closed_form():
    got = chance(one("return x + laplace(s)"), Fraction(3), x=1, s=2)
    q = math.exp(-1 / 2)
    assert float(got) == pytest.approx((1 - q) / (1 + q) * q**2, rel=1e-14)
    assert got.width < Fraction(1, 2**90)


@pytest.mark.parametrize(("lattice", "steps"), [(1, 1), (Fraction(1, 2), 2), (Fraction(1, 8), 8)])
def test_the_lattice_scales_the_noise(lattice, steps):
    q = math.exp(-1 / (2 * steps))
    got = chance(one("return x + laplace(s)"), Fraction(1), lattice=lattice, x=0, s=2)
    assert float(got) == pytest.approx((1 - q) / (1 + q) * q**steps, rel=1e-14)


def test_exponential_noise_is_one_sided():
    module = one("return x + exponential(s)")
    assert chance(module, Fraction(-1), x=0, s=2) == Interval.point(0)
    assert float(chance(module, Fraction(0), x=0, s=2)) == pytest.approx(1 - math.exp(-1 / 2), rel=1e-14)
    assert float(chance(module, Between(Fraction(3)), x=0, s=2)) == pytest.approx(math.exp(-3 / 2), rel=1e-14)


@pytest.mark.parametrize(
    ("returns", "value", "answer"),
    [
        ("bool", "([] if x > 0 else [False])[0]", False),
        ("int", "len(([] if x > 0 else [[]])[0])", Fraction(0)),
        ("bool", "([[]] if x > 0 else [[False]])[0][0]", False),
        ("tuple[float, bool]", "([] if x > 0 else [(0.0, False)])[0]", (Fraction(0), False)),
    ],
)
def test_reading_outside_a_list_gives_the_zero_of_its_type(returns, value, answer):
    module = one(f"return {value}", returns)
    for x in (1, 0):
        assert chance(module, answer, x=x, s=1) == Interval.point(1)


def test_squaring_again_and_again_is_refused():
    with pytest.raises(InvalidInput, match="C110"):
        chance(one("for i in range(60):\n    x = x * x\nreturn x"), Fraction(0), x=3, s=1)


def test_an_answer_of_another_type_is_refused():
    module = one("return x > 0", "bool")
    bent = replace(module["f"], returns=Real())
    with pytest.raises(InvalidInput, match="C112"):
        chance(Module((bent,)), Anything(), x=1, s=1)


def test_the_sum_of_two_draws_is_their_convolution():
    q = math.exp(-1)
    pmf = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-60, 61)}
    expected = sum(pmf[k] * pmf[2 - k] for k in range(-50, 51))
    body = "a = laplace(s)\nb = laplace(s)\nreturn x + a + b"
    assert float(chance(one(body), Fraction(2), x=0, s=1)) == pytest.approx(expected, rel=1e-12)


def test_a_draw_compared_twice_is_one_draw():
    body = "a = x + laplace(s)\nif a > 0:\n    if a > 2:\n        return True\n    return False\nreturn a > 5"
    q = math.exp(-1 / 2)
    got = chance(one(body, "bool"), True, x=0, s=2)
    assert float(got) == pytest.approx(q**3 / (1 + q), rel=1e-14)


@pytest.mark.parametrize(
    ("test", "first"),
    [("a >= 1 / 2", 1), ("a > 1 / 2", 1), ("a >= 1", 1), ("a > 1", 2), ("-a <= -1 / 2", 1), ("2 * a >= 3", 2)],
)
def test_a_comparison_cuts_between_the_right_lattice_points(test, first):
    q = math.exp(-1 / 2)
    for negated in (False, True):
        body = f"a = laplace(s)\nreturn {'not ' * negated}({test})"
        expected = q**first / (1 + q)
        assert float(chance(one(body, "bool"), not negated, x=0, s=2)) == pytest.approx(expected, rel=1e-14)


def test_an_answer_between_lattice_points_is_impossible():
    assert chance(one("return x + laplace(s)"), Fraction(1, 2), x=0, s=2) == Interval.point(0)
    body = "a = laplace(s)\nreturn a == 1 / 2"
    assert chance(one(body, "bool"), True, x=0, s=2) == Interval.point(0)


def test_a_copied_draw_cancels_exactly():
    assert chance(one("a = laplace(s)\nreturn x + a - a"), Fraction(7), x=7, s=2) == Interval.point(1)


def test_a_product_of_a_draw_with_itself():
    q = math.exp(-1)
    got = chance(one("a = laplace(s)\nreturn a * a"), Fraction(4), x=0, s=1)
    assert float(got) == pytest.approx(2 * (1 - q) / (1 + q) * q**2, rel=1e-12)


def test_what_is_improbable_is_not_called_impossible():
    """A score 10000 below the best rounds to probability 0 at any precision, and is still possible."""
    got = chance(one("return choose([0, -10000], s)", "int"), Fraction(1), x=0, s=1)
    assert got.lower == 0 < got.upper < Fraction(1, 2**80)
    for body, answer in (("return laplace(s)", 10**6), ("a = laplace(s)\nreturn a * a", 10**12)):
        far = chance(one(body), Fraction(answer), x=0, s=1)
        assert far.lower == 0 < far.upper < Fraction(1, 2**80)


def test_what_is_impossible_is_exactly_so():
    module = one("if flip(1 / 3):\n    return 1\nreturn uniform(2)", "int")
    assert chance(module, Fraction(2), x=0, s=1) == Interval.point(0)
    assert chance(module, Fraction(1), x=0, s=1) == Interval.point(Fraction(2, 3))
    assert chance(module, AnyOf((Fraction(0), Fraction(1))), x=0, s=1) == Interval.point(1)
    assert chance(module, Anything(), x=0, s=1) == Interval.point(1)
    assert chance(module, True, x=0, s=1) == Interval.point(0)  # True is not 1


def test_a_loop_that_ends_only_with_probability_one():
    module = one("n = 0\nwhile flip(1 / 2):\n    n += 1\nreturn n", "int")
    got = chance(module, Fraction(3), x=0, s=1)
    assert Fraction(1, 16) in got
    assert got.width < Fraction(1, 2**90)


def test_a_loop_without_end_is_refused_at_the_limit():
    module = one("n = 0\nwhile n == 0:\n    n = 0\nreturn n", "int")
    with pytest.raises(InvalidInput, match="C110"):
        chance(module, Fraction(3), limit=1000, x=0, s=1)


@pytest.mark.parametrize(
    "body", ["n = 0\nfor i in range(1000000000):\n    n += 1\nreturn n", "return uniform(1000000000)"]
)
def test_what_is_too_large_is_refused_at_once(body):
    with pytest.raises(InvalidInput, match="C110"):
        chance(one(body, "int"), Fraction(3), x=0, s=1)


def test_a_prefix_prunes_and_a_tuple_of_growing_lists_too():
    body = "out = []\nmarks = []\nfor i in range(40):\n    out.append(x + laplace(s))\n    marks.append(flip(1 / 2))\n"
    module = one(body + "return (out, marks)", "tuple[list[float], list[bool]]")
    got = chance(module, ((Fraction(0),) * 40, (True,) * 40), bits=160, x=0, s=1, limit=20_000)
    q = math.exp(-1)
    assert math.log(float(got)) == pytest.approx(40 * math.log((1 - q) / (1 + q) / 2), rel=1e-9)


def test_a_prefix_is_the_sum_of_its_continuations():
    module = one("return [flip(1 / 3) for i in range(4)]", "list[bool]")
    assert chance(module, Prefix((True, False)), x=0, s=1) == Interval.point(Fraction(2, 9))
    assert chance(module, Prefix((True,) * 5), x=0, s=1) == Interval.point(0)


def test_a_list_that_is_emptied_again_is_not_pruned():
    body = "out = []\nout.append(True)\nfor i in range(2):\n    out = []\n    out.append(False)\nreturn out"
    assert chance(one(body, "list[bool]"), (False,), x=0, s=1) == Interval.point(1)


@given(events, values)
def test_events_mean_the_same_to_the_checker_as_to_everyone(event, answer):
    assert matches(event, answer, ()) == contains(event, answer)


# --- laws ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["laplace", "exponential", "gaussian"])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(37, 5)])
def test_masses_are_lower_bounds_that_add_up(kind, scale):
    law = Law(kind, scale.numerator, scale.denominator)
    total = 1
    for cut in (-7, 0, 5):
        below, above = mass(Draw(law, None, cut - 1), 120), mass(Draw(law, cut, None), 120)
        if kind == "exponential":
            below = mass(Draw(law, 0, cut - 1), 120)
        missing = total - below - above
        assert 0 <= Fraction(int(missing.p), int(missing.q)) < Fraction(1, 2**100)
    points = sum(
        (mass(Draw(law, k, k), 120) for k in range(-400 if kind != "exponential" else 0, 401)),
        start=mass(Draw(law, 1, 0), 120),
    )
    assert 0 <= Fraction(int((1 - points).p), int((1 - points).q)) < Fraction(1, 2**60)


def test_choices_add_up_and_equal_scores_are_exact():
    likely = choice((Fraction(0), Fraction(1), Fraction(-2)), Fraction(1, 2), 100)
    missing = 1 - sum(likely[1:], start=likely[0])
    assert 0 <= Fraction(int(missing.p), int(missing.q)) < Fraction(1, 2**95)
    assert choice((Fraction(5),) * 3, Fraction(1), 100) == [fmpq(1, 3)] * 3


# --- against the program that runs, by enumerating its draws ------------------------------------------------------


class _Script(Exception):
    """The run asked for a draw beyond the script."""


def enumerate_runs(module, arguments, monkeypatch, reach=14):
    """Every answer of the *running* program with its probability, each draw being branched on in turn."""
    answers: dict[object, float] = {}
    pending = [((), 1.0)]
    program = interpret.program(module, NAME)

    def options(kind, given):
        if kind == "flip":
            return [(True, float(given[0])), (False, 1 - float(given[0]))]
        if kind == "uniform":
            return [(i, 1 / given[0]) for i in range(int(given[0]))]
        if kind == "choose":
            weights = [math.exp(float(score / Fraction(given[1]))) for score in given[0]]
            return [(i, weight / sum(weights)) for i, weight in enumerate(weights)]
        q = math.exp(-1 / float(given[0]))
        return [(k, (1 - q) / (1 + q) * q ** abs(k)) for k in range(-reach, reach + 1)]

    while pending:
        script, weight = pending.pop()
        queue = list(script)

        def draw(kind, given, _bits, queue=queue, script=script, weight=weight):
            if queue:
                return queue.pop(0)
            pending.extend(((*script, value), weight * part) for value, part in options(kind, given) if part > 0)
            raise _Script

        monkeypatch.setattr(interpret.draws, "draw", draw)
        try:
            answer = program(dict(arguments), interpret.Meter(10_000, 0))
        except _Script:
            continue
        answers[_tuples(answer)] = answers.get(_tuples(answer), 0) + weight
    return answers


def _tuples(value):
    return tuple(_tuples(each) for each in value) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("seed", range(0, 40))
def test_the_checker_reads_programs_as_they_run(seed, monkeypatch):
    generated = seeded(seed)
    if generated.text.count("laplace(") > 2:  # the import is one; more than one draw takes too long here
        pytest.skip("too many draws to enumerate one by one")
    module = parse_text(generated.text)
    arguments = {name: tuple(v) if isinstance(v, list) else v for name, v in generated.inputs.items()}
    answers = enumerate_runs(module, arguments, monkeypatch)
    missing = 1 - sum(answers.values())
    for answer, weight in sorted(answers.items(), key=lambda pair: -pair[1])[:4]:
        got = probability(module, NAME, arguments, _exact(answer), Fraction(1), 60, 10**6)
        assert weight - 1e-9 <= float(got) <= weight + missing + 1e-9, (generated.text, answer)


def _exact(value):
    if isinstance(value, tuple):
        return tuple(_exact(each) for each in value)
    return value if isinstance(value, bool) else Fraction(value)


# --- against the searcher ---------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_the_checker_and_the_searcher_agree_on_random_programs(seed):
    generated = seeded(seed)
    module = parse_text(generated.text)
    subject = Subject(module, module[NAME])
    try:
        inputs = subject.inputs(generated.inputs)
        distribution = subject.distribution(inputs)
    except LapwingError:
        return
    for output in sorted(distribution.masses, key=lambda output: -float(distribution.found(output)))[:2]:
        found = distribution.probability(output)
        got = probability(module, NAME, inputs, output, Fraction(1), 60, 10**6)
        assert got.lower <= found.upper, (generated.text, output)
        assert found.lower <= got.upper, (generated.text, output)
        assert got.width < Fraction(1, 2**40)
