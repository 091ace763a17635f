"""Over the reals: what a lattice would have refuted is left alone, and half the noise is refuted all the same."""

from fractions import Fraction
from math import log

import pytest

from lapwing.decide.texts import check_witness
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.distribution.witness import Accepted
from lapwing.kernel.evidence.event import FINENESS, Between
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

HEAD = "from lapwing import clip, each, exponential, gaussian, laplace, mechanism, one, replaced, within, zcdp\n"


def subject_of(body, claim='"epsilon"', parameters="x: float, epsilon: float", returns="float", private="x=within(1)"):
    lines = "\n    ".join(body.splitlines())
    text = f"{HEAD}@mechanism({private}, claim={claim})\ndef f({parameters}) -> {returns}:\n    {lines}\n"
    module = parse_text(text)
    return text, Subject(module, module["f"])


def outcome_of(*arguments, **options):
    settings = options.pop("settings", {"epsilon": 1})
    sizes = options.pop("max_n", 3)
    text, subject = subject_of(*arguments, **options)
    outcome = refute(subject, settings=settings, max_n=sizes)
    if outcome.violation is not None:
        verdict = check_witness(outcome.witness(subject, "f.py"), text)
        assert isinstance(verdict, Accepted), verdict
    return outcome


ONE = {"parameters": "xs: list[float], epsilon: float", "private": "xs=one(1)"}
MEANS = {
    "mean": ("return sum(xs) / len(xs) + laplace(NOISE / (len(xs) * epsilon))", ONE),
    "third": ("return x / 3 + laplace(NOISE / (3 * epsilon))", {}),
    "clipped": ("return sum([clip(x, 0, 0.1) for x in xs]) + laplace(NOISE * 0.1 / epsilon)", ONE),
    "weighted": (
        "return sum([x / (i + 3) for i, x in enumerate(xs)]) + laplace(NOISE / (3 * epsilon))",
        ONE,
    ),
    "harmonic": (
        "return sum([x / (i + 1) for i, x in enumerate(xs)]) + laplace(NOISE / epsilon)",
        ONE,
    ),
    "half a clip": ("return clip(x, 0, 0.5) + laplace(NOISE * 0.5 / epsilon)", {}),
    "a quarter": ("return (0.25 if x > 0 else 0) + laplace(NOISE / (4 * epsilon))", {}),
    "a product": ("return 0.5 * (0.5 if x > 0 else 0) + laplace(NOISE / (4 * epsilon))", {}),
}


@pytest.mark.parametrize("name", MEANS)
def test_textbook_noise_is_never_refuted(name):
    body, options = MEANS[name]
    outcome = outcome_of(body.replace("NOISE", "1"), **options)
    assert outcome.violation is None
    assert outcome.largest.loss == pytest.approx(1, abs=1e-9)  # and the search looked at the right places


@pytest.mark.parametrize("name", MEANS)
def test_half_the_noise_is_refuted(name):
    body, options = MEANS[name]
    outcome = outcome_of(body.replace("NOISE", "0.5"), **options)
    assert outcome.violation is not None
    assert outcome.violation.loss > 1


@pytest.mark.parametrize("t", ["1/2", "3/8", "1/3", "1"])
def test_a_public_number_off_every_lattice_is_no_violation_either(t):
    options = {"parameters": "x: float, t: float, epsilon: float", "settings": {"epsilon": 1, "t": t}}
    assert outcome_of("return (t if x > 0 else 0) + laplace(t / epsilon)", **options).violation is None


@pytest.mark.parametrize(
    ("body", "claim", "true"),
    [
        # δ(0) of Laplace noise is 1 - e^(-1/2) = 0.39347, of the Gaussian of σ = 1/2 δ(1) = 0.50…, by [BW18]
        ("return x + laplace(1)", '("0", "0.3935")', True),
        ("return x + laplace(1)", '("0", "0.3934")', False),
        ("return x + gaussian(0.5)", '("1", "0.511")', True),
        ("return x + gaussian(0.5)", '("1", "0.5")', False),
        ("return x + exponential(1)", '("1/2", "0.64")', True),
        ("return x + exponential(1)", '("1/2", "0.6")', False),
        ("return x + laplace(1)", 'zcdp("0.5")', True),
        ("return x + gaussian(1)", 'zcdp("0.5")', True),
        ("return x + gaussian(1)", 'zcdp("0.25")', False),
    ],
)
def test_claims_of_delta_and_rho(body, claim, true):
    outcome = outcome_of(body, claim=claim, parameters="x: float", settings={})
    assert (outcome.violation is None) == true


@pytest.mark.parametrize(
    ("claim", "threshold", "true"),
    [("0.9", "1", True), ("0.8319", "1", True), ("0.8317", "1", False), ("0.4950", "1 + other", True)],
)
def test_ties_never_happen(claim, threshold, true):
    """Whether a bit, doubled, and noise are above 1: on whole numbers the loss would be 1; it is 0.8318."""
    body = f"other = laplace(2)\nreturn (2 if b else 0) + laplace(2) > {threshold}"
    outcome = outcome_of(
        body, claim=f'"{claim}"', parameters="b: bool", returns="bool", private="b=replaced()", settings={}
    )
    assert (outcome.violation is None) == true


# --- kernel.md: losses over the reals, ε = 1 ------------------------------------------------------------------------


SPARSE = """assert limit >= 1
noisy_threshold = threshold + laplace({held} / epsilon)
out = []
above = 0
for x in q:
    if above < limit:
        if x + laplace({asked} / epsilon) >= noisy_threshold:
            out.append(True)
            above += 1
        else:
            out.append(False)
return out"""
UNLIMITED = """noisy_threshold = laplace(2 / epsilon)
out = []
for x in q:
    out.append(x + laplace(2 / epsilon) >= noisy_threshold)
return out"""
PUBLIC = "q: list[float], threshold: float, limit: int, epsilon: float"
FAR = 1000


def lost(text, left, right, event, **public):
    """ln P(event | left)/P(event | right)."""
    module = parse_text(text)
    chances = [
        probability(module, "f", {"q": tuple(map(Fraction, q)), **{k: Fraction(v) for k, v in public.items()}}, event)
        for q in (left, right)
    ]
    return log(chances[0].lower / chances[1].upper)


def sparse(held, asked):
    return subject_of(
        SPARSE.format(held=held, asked=asked), parameters=PUBLIC, returns="list[bool]", private="q=each(1)"
    )[0]


GIVEN = {"threshold": 0, "limit": 1, "epsilon": 1}


@pytest.mark.parametrize(("n", "limit"), [(1, 1 / 4), (2, 1 / 2), (3, 3 / 4), (4, 1)])
def test_sparse_vector_loses_a_quarter_for_each_number_up_to_one(n, limit):
    """All but the last below (a rise of them is a fall of the threshold), or the last alone."""
    text, worst = sparse(2, 4), 0.0
    for level in (40, FAR):
        up, down = [level] * (n - 1) + [-level], [level + 1] * (n - 1) + [-level - 1]
        event = (False,) * (n - 1) + (True,)
        worst = max(worst, lost(text, up, down, event, **GIVEN), lost(text, down, up, event, **GIVEN))
    assert limit * 0.99 < worst <= limit + 1e-9


@pytest.mark.parametrize(("n", "limit"), [(1, 1 / 4), (2, 3 / 2), (3, 7 / 4), (4, 7 / 4)])
def test_lyu_4_loses_seven_quarters(n, limit):
    text, worst = sparse(4, "(4 / 3)"), 0.0
    for level in (24, 40, FAR):
        up, down = [level] * (n - 1) + [-level], [level + 1] * (n - 1) + [-level - 1]
        event = (False,) * (n - 1) + (True,)
        worst = max(worst, lost(text, up, down, event, **GIVEN), lost(text, down, up, event, **GIVEN))
    assert limit * 0.998 < worst <= limit + 1e-9


@pytest.mark.parametrize(
    ("scales", "n", "level", "loss"),
    [
        ((2, 4), 3, 12, 0.746083), ((2, 4), 4, 6, 0.902825), ((2, 4), 4, 40, 0.977426), ((2, 4), 4, 1000, 0.999004),
        ((4, "(4 / 3)"), 3, 12, 1.749763), ((4, "(4 / 3)"), 4, 6, 1.749978),
    ],
)  # fmt: skip
def test_the_largest_losses_on_small_whole_numbers(scales, n, level, loss):
    up, down = [level] * (n - 1) + [-level], [level + 1] * (n - 1) + [-level - 1]
    found = lost(sparse(*scales), up, down, (False,) * (n - 1) + (True,), **GIVEN)
    assert found == pytest.approx(loss, abs=6e-7)


VALUES = SPARSE.replace(
    "if x + laplace({asked} / epsilon) >=", "noisy = x + laplace({asked} / epsilon)\n        if noisy >="
)
VALUES = VALUES.replace("append(True)", "append(noisy)").replace("append(False)", "append(0)")


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("asked", [2, 4])
def test_lyu_3_loses_the_price_of_a_number_for_each_number(n, asked):
    """A value far below shows that the threshold, and with it all noise before it, was further below still."""
    body = VALUES.format(held=2, asked=asked)
    text = subject_of(body, parameters=PUBLIC, returns="list[float]", private="q=each(1)")[0]
    event = (Fraction(0),) * (n - 1) + (Fraction(-40),)
    assert lost(text, [0] * n, [1] * n, event, **GIVEN) == pytest.approx(n / asked, abs=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_lyu_6_loses_half_for_each_number(n):
    text = subject_of(
        UNLIMITED, parameters="q: list[float], epsilon: float", returns="list[bool]", private="q=each(1)"
    )[0]
    half = n // 2
    worst = 0.0
    for level in (40, FAR):
        up = [level] * half + [-level] * (n - half)
        down = [level + 1] * half + [-level - 1] * (n - half)
        event = (False,) * half + (True,) * (n - half)
        worst = max(worst, lost(text, up, down, event, epsilon=1))
    assert n / 2 * 0.98 < worst <= n / 2 + 1e-9
    if n > 2:
        level, loss = (12, 1.434759) if n == 3 else (6, 1.990684)
        up, down = [level] * half + [-level] * (n - half), [level + 1] * half + [-level - 1] * (n - half)
        assert lost(text, up, down, event, epsilon=1) == pytest.approx(loss, abs=6e-7)


MAX_VALUE = """best = 0.0
for i, x in enumerate(q):
    noisy = x + laplace({scale} / epsilon)
    if i == 0 or noisy > best:
        best = noisy
return best"""


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_noisy_maximum_itself_loses_half_for_each_number(n):
    text = subject_of(MAX_VALUE.format(scale=2), parameters="q: list[float], epsilon: float", private="q=each(1)")[0]
    found = lost(text, [0] * n, [1] * n, Between(None, Fraction(-1)), epsilon=1)
    assert found == pytest.approx(n / 2, abs=1e-6)


MAX_INDEX = MAX_VALUE.replace("best = 0.0\n", "best = 0.0\nindex = 0\n").replace(
    "        best = noisy\n", "        best = noisy\n        index = i\n"
).replace("return best", "return index")  # fmt: skip


@pytest.mark.parametrize("n", [2, 3, 4])
def test_noisy_max_with_half_the_noise_loses_two(n):
    text = subject_of(
        MAX_INDEX.format(scale=1), parameters="q: list[float], epsilon: float", returns="int", private="q=each(1)"
    )[0]
    low, high = [0] * (n - 1) + [-79], [1] * (n - 1) + [-80]
    found = lost(text, low, high, Fraction(n - 1), epsilon=1)
    assert 1.97 < found <= 2 + 1e-9


GAP = """best = 0.0
second = 0.0
index = 0
for i, x in enumerate(q):
    noisy = x + laplace({scale} / epsilon)
    if i == 0:
        best = noisy
    elif noisy > best:
        second = best
        best = noisy
        index = i
    elif i == 1 or noisy > second:
        second = noisy
return (index, best - second)"""
GAPPED = {"parameters": "q: list[float], epsilon: float", "returns": "tuple[int, float]", "private": "q=each(1)"}


def test_noisy_max_with_gap_has_the_loss_of_its_closed_form():
    text = subject_of(GAP.format(scale=2), **GAPPED)[0]
    event = (Fraction(2), Fraction(0))  # a gap in [0, 2⁻²⁰)
    found = lost(text, [0, 0, -2, -2], [1, 1, -3, -3], event, epsilon=1)
    assert found == pytest.approx(0.849536, abs=1e-6)
    far = lost(text, [0, 0, -40], [1, 1, -41], event, epsilon=1)
    assert far == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("left", [(0, 0, 0), (0, 0, -6), (3, 0, -3), (0, 1, 5)])
@pytest.mark.parametrize("signs", [(1, 1, -1), (1, -1, -1), (-1, 1, 1), (1, 1, 1)])
def test_noisy_max_with_gap_never_loses_more_than_epsilon(left, signs):
    text = subject_of(GAP.format(scale=2), **GAPPED)[0]
    right = [x + s for x, s in zip(left, signs, strict=True)]
    for index in range(3):
        for region in (Fraction(0), Fraction(1), Between(Fraction(2)), Between(None, Fraction(1, 2) - FINENESS)):
            assert lost(text, left, right, (Fraction(index), region), epsilon=1) <= 1 + 1e-9


def test_noisy_max_with_gap_is_not_refuted_and_with_half_the_noise_it_is():
    assert outcome_of(GAP.format(scale=2), **GAPPED, max_n=2).violation is None
    assert outcome_of(GAP.format(scale=1), **GAPPED, max_n=3).violation is not None
