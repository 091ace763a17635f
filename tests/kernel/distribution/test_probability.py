"""Probabilities of programs against closed forms, quadrature, sampling and enumeration by Python itself."""

import math
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from scipy.integrate import quad

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.distribution.events import matches
from lapwing.kernel.distribution.integers import Draw, Law, mass
from lapwing.kernel.distribution.probability import _told, distribution, interval_of, is_good, probability
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.distribution.values import NOTHING, inward
from lapwing.kernel.evidence.event import FINENESS, AnyOf, Anything, Between, Prefix
from lapwing.kernel.program.ir import Module, Real
from lapwing.kernel.uncomputable import Uncomputable
from lapwing.search.violation.walked_answers import Answers, closed_form
from lapwing.source.parse import parse_text
from tests.kernel.distribution.containing import contains
from tests.kernel.distribution.enumerating import enumerated
from tests.kernel.distribution.laws import integral, law
from tests.kernel.evidence.test_witness import events, values
from tests.source.generate import NAME, seeded

HEAD = """from lapwing import (
    choose, discrete_gaussian, discrete_laplace, each, exponential, flip, gaussian, laplace, mechanism, uniform, within,
)

"""


def one(body, returns="float"):
    lines = [HEAD, "@mechanism(x=within(1))", f"def f(x: float, s: float) -> {returns}:"]
    return parse_text("\n".join([*lines, *(f"    {line}" for line in body.splitlines())]) + "\n")


def chance(module, event, limit=10**6, **arguments):
    exactly = {name: _exact(value) for name, value in arguments.items()}
    return probability(module, "f", exactly, event, Limits(limit))


def _exact(value):
    if isinstance(value, list | tuple):
        return tuple(_exact(each) for each in value)
    return value if isinstance(value, bool) else Fraction(value)


# --- one draw ------------------------------------------------------------------------------------------------------


def test_an_answer_is_the_floor_of_a_real_number():
    """P(1 ≤ x + laplace < 1 + 2⁻²⁰): what leaves a run is a multiple of 2⁻²⁰."""
    got = chance(one("return x + laplace(s)"), Fraction(3), x=1, s=2)
    expected = (math.exp(-1) - math.exp(-1 - float(FINENESS) / 2)) / 2
    assert float(got) == pytest.approx(expected, rel=1e-9)
    assert got.width < got.lower / 2**40


def test_half_lines_and_regions_are_sets_of_floors():
    module = one("return x + laplace(s)")
    assert float(chance(module, Between(Fraction(3)), x=1, s=2)) == pytest.approx(math.exp(-1) / 2, rel=1e-14)
    below = chance(module, Between(None, Fraction(3)), x=1, s=2)  # the floor is at most 3: the number below 3 + 2⁻²⁰
    assert float(below) == pytest.approx(1 - math.exp(-(2 + float(FINENESS)) / 2) / 2, rel=1e-14)
    both = chance(module, Between(Fraction(1), Fraction(3) - FINENESS), x=1, s=2)
    assert float(both) == pytest.approx((1 - math.exp(-1)) / 2, rel=1e-14)


def test_exponential_noise_is_one_sided():
    module = one("return x + exponential(s)")
    assert chance(module, Between(None, Fraction(-1)), x=0, s=2) == Interval.point(0)
    assert float(chance(module, Between(Fraction(3)), x=0, s=2)) == pytest.approx(math.exp(-3 / 2), rel=1e-14)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(7, 5), Fraction(1000003, 7)])
@pytest.mark.parametrize("kind", ["laplace", "exponential", "gaussian"])
def test_one_draw_has_its_law_at_awkward_scales(kind, scale):
    module = one(f"return x + {kind}(s) / 3 >= 1 / 7", "bool")
    expected = law(kind, scale).sf(3 * (1 / 7 - 1 / 9))
    assert float(chance(module, True, x=Fraction(1, 9), s=scale)) == pytest.approx(expected, rel=1e-12)


# --- several draws ---------------------------------------------------------------------------------------------------


def test_a_draw_compared_twice_is_one_draw():
    body = "a = x + laplace(s)\nif a > 0:\n    if a > 2:\n        return True\n    return False\nreturn a > 5"
    assert float(chance(one(body, "bool"), True, x=0, s=2)) == pytest.approx(math.exp(-1) / 2, rel=1e-14)


def test_a_copied_draw_cancels_exactly():
    assert chance(one("a = laplace(s)\nreturn x + a - a"), Fraction(7), x=7, s=2) == Interval.point(1)
    assert chance(one("a = laplace(s)\nreturn a >= a", "bool"), True, x=7, s=2) == Interval.point(1)
    assert chance(one("a = laplace(s)\nreturn a > a", "bool"), True, x=7, s=2) == Interval.point(0)


def test_the_sum_of_two_draws_is_their_convolution():
    body = "a = laplace(s)\nb = laplace(s)\nreturn x + a + b"
    assert float(chance(one(body), Between(Fraction(1)), x=0, s=1)) == pytest.approx(3 / 4 * math.exp(-1), rel=1e-12)


def test_single_values_of_a_real_answer_are_no_distribution():
    with pytest.raises(Uncomputable, match="real number"):
        distribution(one("return x + laplace(s)"), "f", {"x": Fraction(0), "s": Fraction(1)})


def test_what_is_improbable_is_not_called_impossible():
    """A score 10000 below the best has probability e^-10000, which is not 0; nor is a far tail."""
    got = chance(one("return choose([0, -10000], s)", "int"), Fraction(1), x=0, s=1)
    assert 0 < got.lower < got.upper < Fraction(1, 2**8000)
    far = chance(one("return laplace(s)"), Between(Fraction(10**4)), x=0, s=1)
    assert 0 < far.lower < far.upper < Fraction(1, 2**8000)


SPARSE = """
noise = KIND(s)
for i, y in enumerate([x, 1, -1 / 3]):
    if y + OTHER(2 * s) >= noise:
        return i
return 3
"""


@pytest.mark.parametrize("kind", ["laplace", "exponential", "gaussian"])
@pytest.mark.parametrize("other", ["laplace", "exponential", "gaussian"])
def test_sparse_vector_agrees_with_quadrature(kind, other):
    """P(i) = ∫ f(t)·F(t - y₀)…(1 - F(t - yᵢ)) dt."""
    module = one(SPARSE.strip("\n").replace("KIND", kind).replace("OTHER", other), "int")
    held, noise, levels = law(kind, 1.5), law(other, 3), (0.25, 1, -1 / 3)
    for answer in range(4):

        def height(t, answer=answer):
            above = noise.sf(t - levels[answer]) if answer < 3 else 1
            return held.pdf(t) * math.prod(noise.cdf(t - y) for y in levels[:answer]) * above

        found = chance(module, Fraction(answer), x=Fraction(1, 4), s=Fraction(3, 2))
        assert float(found) == pytest.approx(integral(height, (0, *levels)), rel=1e-8), (kind, other, answer)


NOISY_MAX = """
best = 0.0
index = 0
for i, y in enumerate([x, 1, -1 / 3, 1 / 5]):
    noisy = y + KIND(s)
    if i == 0 or noisy > best:
        best = noisy
        index = i
return ANSWER
"""


@pytest.mark.parametrize("kind", ["laplace", "exponential"])
def test_noisy_max_agrees_with_quadrature(kind):
    """P(i, noisy maximum in E) = ∫_E f(t - yᵢ)·Π F(t - yⱼ) dt."""
    text = NOISY_MAX.strip("\n").replace("KIND", kind)
    noise, levels = law(kind, 1.5), (0.25, 1, -1 / 3, 0.2)
    given = {"x": Fraction(1, 4), "s": Fraction(3, 2)}

    def height(t, i):
        return noise.pdf(t - levels[i]) * math.prod(noise.cdf(t - y) for j, y in enumerate(levels) if j != i)

    for i in range(4):
        found = chance(one(text.replace("ANSWER", "index"), "int"), Fraction(i), **given)
        assert float(found) == pytest.approx(integral(lambda t, i=i: height(t, i), levels), rel=1e-8)
    found = chance(one(text.replace("ANSWER", "best")), Between(Fraction(2), Fraction(3) - FINENESS), **given)
    expected = quad(lambda t: sum(height(t, i) for i in range(4)), 2, 3, epsabs=1e-13)[0]
    assert float(found) == pytest.approx(expected, rel=1e-8)


GAP = """
best = 0.0
second = 0.0
index = 0
for i, y in enumerate([x, 1, -1 / 3]):
    noisy = y + laplace(s)
    if i == 0:
        best = noisy
    elif noisy > best:
        second = best
        best = noisy
        index = i
    elif i == 1 or noisy > second:
        second = noisy
return (index, best - second)
"""


def test_the_gap_of_noisy_max_agrees_with_quadrature():
    """P(i, gap > g) = ∫ f(t - yᵢ)·Π F(t - g - yⱼ) dt."""
    module, noise, levels = one(GAP.strip("\n"), "tuple[int, float]"), law("laplace", 1.5), (0.25, 1, -1 / 3)
    for i, gap in ((0, 0), (0, 0.5), (1, 1), (2, 0.25)):

        def height(t, i=i, gap=gap):
            others = (noise.cdf(t - gap - y) for j, y in enumerate(levels) if j != i)
            return noise.pdf(t - levels[i]) * math.prod(others)

        event = (Fraction(i), Between(Fraction(gap)))
        found = chance(module, event, x=Fraction(1, 4), s=Fraction(3, 2))
        marks = [*levels, *(y + gap for y in levels)]
        assert float(found) == pytest.approx(integral(height, marks), rel=1e-8), (i, gap)


def test_states_of_noisy_max_stay_few():
    """n numbers take O(n²) states, not 2ⁿ."""
    module = parse_text(
        HEAD
        + "@mechanism(q=each(1))\ndef f(q: list[float], s: float) -> int:\n    best = 0.0\n    index = 0\n"
        + "    for i, y in enumerate(q):\n        noisy = y + laplace(s)\n        if i == 0 or noisy > best:\n"
        + "            best = noisy\n            index = i\n    return index\n"
    )
    arguments = {"q": tuple(map(Fraction, range(12))), "s": Fraction(2)}
    found = distribution(module, "f", arguments, Limits(2_000))
    assert len(found.masses) == 12
    assert sum(float(mass) for mass in found.masses.values()) == pytest.approx(1, abs=1e-12)


def test_laplace_has_closed_forms_too():
    module = one("a = laplace(s)\nreturn x + a")
    left, right = (
        closed_form(module, "f", {"x": Fraction(x), "s": Fraction(1)}, Between(None, -FINENESS)) for x in (0, 1)
    )
    assert left.fraction == Fraction(1, 2)
    assert right.numerator == ((Fraction(-1), Fraction(1, 2)),)


def test_any_event_can_be_asked_of_answers_walked_once():
    module = one("a = x + laplace(s)\nreturn (a > 1, a)", "tuple[bool, float]")
    given = {"x": Fraction(0), "s": Fraction(2)}
    answers = Answers.of(module, "f", given)
    for event in ((True, Between(Fraction(2))), (False, Between(Fraction(0))), Anything(), (True, Fraction(3))):
        assert float(answers.chance(event)) == pytest.approx(float(probability(module, "f", given, event)), rel=1e-12)


# --- whole numbers ---------------------------------------------------------------------------------------------------


def test_discrete_laplace_has_its_closed_form():
    q = math.exp(-1 / 2)
    module = one("return discrete_laplace(s)", "int")
    assert float(chance(module, Fraction(3), x=0, s=2)) == pytest.approx((1 - q) / (1 + q) * q**3, rel=1e-12)
    assert float(chance(module, Between(Fraction(3)), x=0, s=2)) == pytest.approx(q**3 / (1 + q), rel=1e-12)


def test_discrete_gaussian_has_its_masses():
    total = sum(math.exp(-k * k / 8) for k in range(-60, 61))
    module = one("return discrete_gaussian(s)", "int")
    for answer in (0, 2, -5):
        expected = math.exp(-answer * answer / 8) / total
        assert float(chance(module, Fraction(answer), x=0, s=2)) == pytest.approx(expected, rel=1e-12)


def test_the_sum_of_two_whole_draws_is_their_convolution():
    q = math.exp(-1)
    pmf = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-60, 61)}
    expected = sum(pmf[k] * pmf[2 - k] for k in range(-50, 51))
    body = "a = discrete_laplace(s)\nb = discrete_laplace(s)\nreturn a + b"
    assert float(chance(one(body, "int"), Fraction(2), x=0, s=1)) == pytest.approx(expected, rel=1e-10)


def test_a_whole_draw_beside_a_real_one():
    """P(k + laplace > 1) = Σ P(k)·P(laplace > 1 - k)."""
    q = math.exp(-1)
    body = "a = discrete_laplace(s)\nb = laplace(s)\nreturn a + b > 1"
    noise = law("laplace", 1)
    expected = sum((1 - q) / (1 + q) * q ** abs(k) * noise.sf(1 - k) for k in range(-80, 81))
    assert float(chance(one(body, "bool"), True, x=0, s=1)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kind", ["discrete_laplace", "discrete_gaussian"])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(37, 5)])
def test_masses_add_up(kind, scale):
    drawn = Law(kind, scale.numerator, scale.denominator)
    for cut in (-7, 0, 5):
        whole = mass(Draw(drawn, None, cut - 1)) + mass(Draw(drawn, cut, None))
        assert whole.contains(1)
    points = sum(float(mass(Draw(drawn, k, k))) for k in range(-400, 401))
    assert points == pytest.approx(1, abs=1e-12)
    assert float(mass(Draw(drawn, -3, 2))) == pytest.approx(sum(float(mass(Draw(drawn, k, k))) for k in range(-3, 3)))


# --- finite randomness -----------------------------------------------------------------------------------------------


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
    assert got.width < Fraction(1, 2**40)


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
    got = chance(module, ((Between(Fraction(1)),) * 40, (True,) * 40), x=0, s=1, limit=20_000)
    assert math.log(got.lower) == pytest.approx(40 * (math.log(1 / 4) - 1), rel=1e-9)


def test_a_prefix_is_the_sum_of_its_continuations():
    module = one("return [flip(1 / 3) for i in range(4)]", "list[bool]")
    assert chance(module, Prefix((True, False)), x=0, s=1) == Interval.point(Fraction(2, 9))
    assert chance(module, Prefix((True,) * 5), x=0, s=1) == Interval.point(0)


def test_a_list_that_is_emptied_again_is_not_pruned():
    body = "out = []\nout.append(True)\nfor i in range(2):\n    out = []\n    out.append(False)\nreturn out"
    assert chance(one(body, "list[bool]"), (False,), x=0, s=1) == Interval.point(1)


def _floored(value):
    if isinstance(value, tuple):
        return tuple(_floored(each) for each in value)
    return value if isinstance(value, bool) else value // FINENESS * FINENESS


@given(events, values)
def test_events_mean_the_same_to_the_kernel_as_to_everyone(event, answer):
    """Both speak of answers as they leave a run."""
    event = _on_floors(event)
    assert matches(event, inward(answer), NOTHING) == contains(event, _floored(answer))


def _on_floors(event):
    match event:
        case Fraction():
            return _floored(event)
        case tuple():
            return tuple(map(_on_floors, event))
        case Prefix(elements):
            return Prefix(tuple(map(_on_floors, elements)))
        case AnyOf(many):
            return AnyOf(tuple(map(_on_floors, many)))
    return event


# --- against Python itself, by enumerating its draws ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(120))
def test_programs_of_finite_randomness_agree_with_python(seed):
    """The same text run by Python, every draw branched on in turn, gives the same answers as often."""
    generated = seeded(seed)
    if "laplace(" in generated.text.partition("def ")[2]:
        pytest.skip("real noise is not enumerated")
    arguments = {name: _exact(value) for name, value in generated.inputs.items()}
    try:
        answers = enumerated(generated.text, NAME, generated.inputs)
    except (IndexError, ValueError, ZeroDivisionError):
        pytest.skip("Python fails where the language is total")
    module = parse_text(generated.text)
    found = distribution(module, NAME, arguments)
    assert sum(answers.values()) == pytest.approx(1)
    for answer, weight in answers.items():
        assert float(found.probability(answer)) == pytest.approx(weight, abs=1e-12), (generated.text, answer)


@pytest.mark.parametrize("seed", range(200, 260))
def test_probabilities_of_random_programs_add_up(seed):
    """Whatever is walked, all answers together are certain: nothing is lost and nothing counted twice."""
    generated = seeded(seed)
    module = parse_text(generated.text)
    arguments = {name: _exact(value) for name, value in generated.inputs.items()}
    try:
        everything = probability(module, NAME, arguments, Anything(), Limits(20_000, seconds=2))
    except LapwingError:
        pytest.skip("beyond what is computed")
    assert 1 in everything
    assert everything.width < Fraction(1, 2**30)


# --- patience --------------------------------------------------------------------------------------------------------


def test_hostile_programs_end_within_seconds():
    """Many draws compared with each other in every way: refused by the clock, not by luck."""
    body = "xs = [x, 1, 2, 3, 4, 5, 6, 7]\nout = 0\nnoisy = []\nfor y in xs:\n    noisy.append(y + laplace(s))\n"
    body += "for a in noisy:\n    for b in noisy:\n        if a + b > 1:\n            out += 1\nreturn out"
    start = time.monotonic()
    with pytest.raises(InvalidInput):
        probability(one(body, "int"), "f", {"x": Fraction(0), "s": Fraction(1)}, Fraction(7), Limits(seconds=2))
    assert time.monotonic() - start < 8


# --- traps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", ["2 *", "-3 *", "1 / 7 *", "-"])
def test_a_variable_that_is_a_multiple_of_a_draw_keeps_its_probability(factor):
    """A state takes the variable for the draw: a change of variables has its factor."""
    body = f"a = {factor} laplace(s) + x\nb = a\nif b > 100:\n    return 0\nreturn 1 if a > x else 2"
    module = one(body, "int")
    assert float(chance(module, Anything(), x=0, s=2)) == pytest.approx(1, abs=1e-12)
    assert float(chance(module, AnyOf((Fraction(0), Fraction(1))), x=0, s=2)) == pytest.approx(1 / 2, abs=1e-12)
    gaussian = one(body.replace("laplace", "gaussian"), "int")
    assert float(chance(gaussian, Anything(), x=0, s=2)) == pytest.approx(1, abs=1e-12)


def test_what_cannot_be_told_from_0_is_not_called_0():
    """A ball around 0 is a probability of at most its radius: only what excludes itself is impossible."""
    ball = arb(0, 1e-30)
    assert not is_good(ball, Fraction(0), 40)
    assert interval_of(ball, Fraction(0)).upper > 0
    assert _told({True: ball, False: arb(0)}, Fraction(0)).keys() == {True}


def test_what_an_enumeration_leaves_out_is_counted():
    """The square of a whole draw needs its values: those beyond reach may have any square."""
    module = one("a = discrete_laplace(s)\nreturn a * a", "int")
    found = distribution(module, "f", {"x": Fraction(0), "s": Fraction(2)})
    assert 0 < found.lost < Fraction(1, 2**100)
    q = math.exp(-1 / 2)
    got = found.probability(Fraction(4))
    assert float(got) == pytest.approx(2 * (1 - q) / (1 + q) * q**2, rel=1e-12)
    assert got.width >= found.lost
    assert found.probability(Fraction(10**9)) == Interval(Fraction(0), found.lost)
    assert interval_of(arb(1) / 2, Fraction(1, 8)) == Interval(Fraction(1, 2), Fraction(5, 8))


def test_laws_that_become_one_keep_their_weights():
    body = "if flip(1 / 3):\n    a = laplace(s)\nelse:\n    a = laplace(s) + 1\nreturn a > 1"
    expected = 1 / 3 * math.exp(-1 / 2) / 2 + 2 / 3 / 2
    assert float(chance(one(body, "bool"), True, x=0, s=2)) == pytest.approx(expected, rel=1e-12)
