"""Certificates of accuracy: true ones are accepted, every bent one and every false claim is rejected."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.decide.texts import check_accuracy, check_failure
from lapwing.errors import InvalidInput
from lapwing.kernel.accuracy import Shown
from lapwing.kernel.accuracy.failure import Fails
from lapwing.kernel.accuracy.logarithms import Logarithms
from lapwing.kernel.evidence.accuracy import (
    AccuracyCertificate,
    AccuracyWitness,
    Bound,
    Site,
    accuracy_from_json,
    write_accuracy,
)
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.source.parse import parse_text

SUM = """from lapwing import flip, laplace, mechanism, one, within


@mechanism(q=one(1))
def noisy_sum(q: list[float], epsilon: float) -> float:
    s = 0
    for x in q:
        s = s + x + laplace(1 / epsilon)
    return s


@mechanism(x=within(1))
def two(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon) + laplace(2 / epsilon)


@mechanism(x=within(1))
def coin(x: float, p: float) -> bool:
    assert p > 0 and p < 1
    return flip(p)


@mechanism(q=one(1))
def twice(q: list[float], epsilon: float) -> list[float]:
    out = []
    for x in q:
        noise = laplace(1 / epsilon)
        out.append(x + noise + laplace(1 / epsilon))
    return out
"""


def certificate(function, condition, sites, bounds, invariants=(), total="beta", beta="beta"):
    return AccuracyCertificate(
        "f.py",
        function,
        fingerprint(parse_text(SUM, only=function), function),
        condition,
        beta,
        total,
        tuple(Site(n, *site) for n, site in enumerate(sites, 1)),
        tuple(Bound(*bound) for bound in bounds),
        tuple(Invariant(n, text) for n, text in enumerate(invariants, 1)),
    )


ADDED = certificate(
    "noisy_sum",
    "abs(result - sum(q)) <= gamma",
    [("margin", "len(q)", "beta / len(q)")],
    [("gamma", "len(q) / epsilon * ln(len(q) / beta)", "len(q) * gamma(1)")],
    ["s == sum(q[:round(1)]) + noise(1) and draws(1) == round(1)"],
)
PAIR = certificate(
    "two",
    "abs(result - x) <= gamma",
    [("margin", "1", "beta / 3"), ("margin", "1", "2 * beta / 3")],
    [("gamma", "ln(3 / beta) / epsilon + 2 / epsilon * ln(3 / (2 * beta))", "gamma(1) + gamma(2)")],
)
COIN = certificate("coin", "result", [("true", "1", "1 - p")], [], total="1 - p")
EACH = certificate(
    "twice",
    "all(abs(result[i] - q[i]) <= gamma for i in range(len(result)))",
    [("margin", "len(q)", "beta / (2 * len(q))"), ("margin", "len(q)", "beta / (2 * len(q))")],
    [("gamma", "2 / epsilon * ln(2 * len(q) / beta)", "gamma(1) + gamma(2)")],
    [
        "len(out) == round(1) and draws(1) == round(1) and draws(2) == round(1) and"
        " (ghost(1) >= len(out) or abs(out[ghost(1)] - q[ghost(1)]) <= gamma(1) + gamma(2))"
    ],
)
HONEST = [ADDED, PAIR, COIN, EACH]


@pytest.mark.parametrize("honest", HONEST, ids=lambda each: each.function)
def test_true_certificates_are_accepted(honest):
    assert isinstance(check_accuracy(honest, SUM), Shown)


@pytest.mark.parametrize("honest", HONEST, ids=lambda each: each.function)
def test_json_is_read_back(honest):
    assert accuracy_from_json(json.loads(write_accuracy(honest))) == honest


def bent(honest, **changes):
    return replace(honest, **changes)


def with_site(honest, place, **changes):
    sites = list(honest.sites)
    sites[place] = replace(sites[place], **changes)
    return replace(honest, sites=tuple(sites))


def with_bound(honest, **changes):
    return replace(honest, bounds=(replace(honest.bounds[0], **changes), *honest.bounds[1:]))


def with_invariant(honest, text):
    return replace(honest, invariants=(Invariant(1, text),))


BENT = {
    "another source": bent(ADDED, source="0" * 64),
    "a stronger condition": bent(ADDED, condition="abs(result - sum(q)) <= gamma / 2"),
    "another condition": bent(ADDED, condition="abs(result) <= gamma"),
    "a smaller total": bent(ADDED, total="beta / 2"),
    "a smaller total of coins": bent(COIN, total="(1 - p) / 2"),
    "the other side of a coin": with_site(COIN, 0, assumed="false"),
    "nothing of a coin": with_site(COIN, 0, assumed="nothing"),
    "a coin with a margin": with_site(COIN, 0, assumed="margin"),
    "a smaller margin": with_bound(ADDED, value="len(q) / epsilon * ln(len(q) / beta) - 1 / 100"),
    "one margin for many draws": with_bound(ADDED, value="ln(len(q) / beta) / epsilon", need="gamma(1)"),
    "a need that does not fit": with_bound(ADDED, need="(len(q) - 1) * gamma(1)"),
    "a margin of no site": with_bound(ADDED, need="len(q) * gamma(2)"),
    "more failures than paid for": with_site(ADDED, 0, failure="beta"),
    "a negative failure": with_site(PAIR, 0, failure="-beta / 3"),
    "fewer draws": with_site(ADDED, 0, count="1"),
    "fewer draws by one": with_site(ADDED, 0, count="len(q) - 1"),
    "half a draw": with_site(PAIR, 0, count="1 / 2"),
    "no draws": with_site(PAIR, 0, count="0"),
    "a wrong invariant": with_invariant(ADDED, "s == sum(q[:round(1)]) and draws(1) == round(1)"),
    "an invariant that is not kept": with_invariant(ADDED, "s == 0"),
    "an invariant that never holds": with_invariant(ADDED, "False"),
    "a weak invariant": with_invariant(ADDED, "draws(1) == round(1)"),
    "no invariant": bent(ADDED, invariants=()),
    "two invariants": bent(ADDED, invariants=(*ADDED.invariants, *ADDED.invariants)),
    "an invariant with a division by zero": with_invariant(
        ADDED, "s == sum(q[:round(1)]) + noise(1) * (epsilon / (epsilon - 1))"
    ),
    "an invariant about nothing": with_invariant(ADDED, "nothing == 0"),
    "an invariant that is no formula": with_invariant(ADDED, "__import__('os')"),
    "a site too few": bent(PAIR, sites=PAIR.sites[:1]),
    "a site too many": bent(PAIR, sites=(*PAIR.sites, Site(3, "nothing", "1", "0"))),
    "a site that does nothing": with_site(PAIR, 1, assumed="nothing"),
    "an unknown assumption": with_site(PAIR, 1, assumed="luck"),
    "a private margin": with_bound(PAIR, value="abs(x) + 100"),
    "another parameter's margin": with_bound(PAIR, part="epsilon", value="epsilon", need="0 * gamma(1)"),
    "a bound that nothing backs": with_bound(PAIR, value="1 / epsilon"),
    "one of two draws in a round": with_site(EACH, 1, assumed="nothing"),
    "half of the pairs": with_bound(EACH, need="gamma(1)"),
    "a beta above one": bent(PAIR, beta="2", total="2"),
    "a beta that is private": bent(PAIR, beta="x", total="x"),
}


@pytest.mark.parametrize("name", BENT)
def test_bent_certificates_are_rejected(name):
    assert isinstance(check_accuracy(BENT[name], SUM), Rejected), name


def test_a_certificate_is_about_one_source():
    changed = SUM.replace("laplace(2 / epsilon)", "laplace(3 / epsilon)")
    assert isinstance(check_accuracy(PAIR, changed), Rejected)


@pytest.mark.parametrize(
    "condition",
    [
        "all(abs(result[i + 1] - q[i]) <= gamma for i in range(len(result)))",
        "all(result[i] <= q[i] + gamma for i in range(-1, len(result)))",
        "not all(abs(result[i] - q[i]) > gamma for i in range(len(result)))",
        "all(abs(result[i] - q[0]) <= gamma for i in range(len(result)))",
    ],
)
def test_every_position_is_meant(condition):
    assert isinstance(check_accuracy(bent(EACH, condition=condition), SUM), Rejected)


# --- JSON ------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_json_is_refused_or_rejected(data):
    document = json.loads(write_accuracy(PAIR))
    place = data.draw(st.sampled_from([*document, "sites.0", "bounds.0"]))
    value = data.draw(st.sampled_from([None, 3, "", [], {}, "x" * 30_000, True]))
    if "." in place:
        name, _, number = place.partition(".")
        document[name][int(number)] = value
    else:
        document[place] = value
    try:
        read = accuracy_from_json(document)
    except InvalidInput:
        return
    assert read in (None, PAIR) or isinstance(check_accuracy(read, SUM), Rejected)


# --- formulas with logarithms ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("larger", "smaller", "expected"),
    [
        ("ln(6 / beta)", "ln(2) + ln(3 / beta)", True),
        ("ln(n) + ln(2 / beta)", "ln(2 * n / beta)", True),
        ("ln(2 * n / beta)", "ln(n / beta)", True),
        ("ln(n / beta)", "ln(2 * n / beta)", False),
        ("2 * ln(n / beta)", "ln(n / beta)", True),
        ("ln((3 + 3 * n) / beta)", "ln(1 + n) + ln(3 / beta)", True),
        ("ln(1 / exp(-3 * n))", "3 * n", True),
        ("beta", "n * (beta / (2 * n)) + beta / 2", True),
        ("beta", "n * (beta / n) + beta / 100", False),
        ("beta", "beta / (1 + 2 * n) + 2 * n * beta / (1 + 2 * n)", True),
        ("1.0987", "ln(3)", True),
        ("1.0986", "ln(3)", False),
        ("sqrt(2 * ln(n / beta))", "0", True),
        ("n - 2", "0", False),
    ],
)
def test_inequalities_with_logarithms(larger, smaller, expected):
    logarithms = Logarithms(Terms(), {"n": True, "beta": False})
    read = logarithms.read
    for symbol, fact in ((">=", "n - 1"), (">", "beta"), (">", "1 - beta")):
        logarithms.know(symbol, read(formula(fact)))
    assert logarithms.holds(read(formula(larger)) - read(formula(smaller))) is expected


# --- witnesses -------------------------------------------------------------------------------------------

WITNESS = AccuracyWitness(
    "f.py",
    "coin",
    fingerprint(parse_text(SUM, only="coin"), "coin"),
    "result",
    "1 / 5",
    {},
    {"x": Fraction(0), "p": Fraction(3, 4)},
    Fraction(1, 4),
)


def test_a_witness_of_an_older_format_is_refused():
    with pytest.raises(InvalidInput, match="C105"):
        AccuracyWitness.from_json({**WITNESS.to_json(), "lattice": "1/1048576", "answers": [False]})


REAL = """from lapwing import laplace, mechanism, within


@mechanism(x=within(1))
def f(x: float, epsilon: float) -> float:
    return x / 3 + laplace(1 / epsilon)
"""


def real(condition, beta, probability, given):
    inputs = {"x": Fraction(1, 7), "epsilon": Fraction(1)}
    return AccuracyWitness(
        "f.py", "f", fingerprint(parse_text(REAL), "f"), condition, beta, given, inputs, Fraction(probability)
    )


def test_failures_of_real_answers_are_exact():
    """P(|laplace(1)| > ln(4)) is 1/4: above it nothing is confirmed, and below it everything."""
    margin = "abs(result - x / 3) <= ln(1 / beta) / epsilon"
    low, high = Fraction(1, 4) - Fraction(1, 10**9), Fraction(1, 4) + Fraction(1, 10**9)
    assert isinstance(check_failure(real(margin, "beta - 1 / 100", low, {"beta": Fraction(1, 4)}), REAL), Fails)
    assert isinstance(check_failure(real(margin, "beta - 1 / 100", high, {"beta": Fraction(1, 4)}), REAL), Rejected)
    # the claim itself is true: no probability above beta is confirmed
    assert isinstance(check_failure(real(margin, "beta", high, {"beta": Fraction(1, 4)}), REAL), Rejected)


def test_a_true_witness_is_accepted_and_read_back():
    assert isinstance(check_failure(WITNESS, SUM), Fails)
    assert accuracy_from_json(json.loads(write_accuracy(WITNESS))) == WITNESS


@pytest.mark.parametrize(
    "changes",
    [
        {"probability": Fraction(1, 3)},
        {"probability": Fraction(1, 6)},
        {"beta": "1 / 3"},
        {"inputs": {"x": Fraction(0)}},
        {"inputs": {"x": Fraction(0), "p": Fraction(2)}},
        {"given": {"p": Fraction(1, 10)}},
        {"source": "1"},
        {"condition": "result or not result"},
    ],
    ids=str,
)
def test_bent_witnesses_are_rejected(changes):
    assert isinstance(check_failure(replace(WITNESS, **changes), SUM), Rejected)


HOLE = """from lapwing import laplace, mechanism, within


@mechanism(x=within(1))
def f(x: float, j: int, epsilon: float) -> float:
    assert j >= 0
    assert j * (j - 1) >= 0
    return x + laplace(1 / epsilon)
"""


def test_a_total_above_beta_is_not_left_out_as_no_statement():
    """With j = 1 the total is above 1, and the claim fails more often than one time in ten."""
    margin = "ln(1 / (1 / 10 + j)) / epsilon"
    forged = AccuracyCertificate(
        "f.py",
        "f",
        fingerprint(parse_text(HOLE), "f"),
        f"abs(result - x) <= {margin}",
        "1 / 10",
        "1 / 10 + j",
        (Site(1, "margin", "1", "1 / 10 + j"),),
        (Bound(margin, margin, "gamma(1)"),),
        (),
    )
    verdict = check_accuracy(forged, HOLE)
    assert isinstance(verdict, Rejected)
    assert "above the β" in verdict.reason


@pytest.mark.parametrize("empty", ["min()", "max()", "abs()", "sum()", "len()", "ln()"])
def test_functions_of_nothing_are_rejected(empty):
    for changed in (
        with_bound(PAIR, need=empty),
        with_bound(PAIR, value=empty),
        with_invariant(ADDED, f"s == {empty}"),
        with_site(PAIR, 0, count=empty),
        with_site(PAIR, 0, failure=empty),
    ):
        assert isinstance(check_accuracy(changed, SUM), Rejected)


ANSWERS = """from lapwing import laplace, mechanism, within


@mechanism(x=within(1))
def f(x: float, result: float) -> float:
    assert result >= 5
    return x + laplace(1)
"""


def test_a_parameter_is_not_taken_for_the_answer():
    """Read as the parameter, the answer is 5 or more; in truth it is seldom that."""
    forged = AccuracyCertificate(
        "f.py",
        "f",
        fingerprint(parse_text(ANSWERS), "f"),
        "result >= 5",
        "1 / 10",
        "1 / 10",
        (Site(1, "nothing", "1", "0"),),
        (Bound("result", "result", "5"),),
        (),
    )
    verdict = check_accuracy(forged, ANSWERS)
    assert isinstance(verdict, Rejected)
    assert verdict.reason.startswith("P170")


def test_the_answer_is_no_margin():
    verdict = check_accuracy(with_bound(PAIR, part="result", value="1", need="1"), SUM)
    assert isinstance(verdict, Rejected)
    assert verdict.reason == "the answer is no margin"
