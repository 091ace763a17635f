"""Printing a program and reading it back gives the same program."""

import pytest
from hypothesis import HealthCheck, given, settings

from lapwing.kernel.program.printer import fingerprint
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from tests.conftest import EXPLORE
from tests.source.generate import programs, seeded


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_programs_read_back_as_themselves(generated):
    module = parse_text(generated.text)
    assert parse_text(show_module(module)) == module


def test_programs_of_the_fixed_sequence_read_back():
    for seed in range(500 if EXPLORE else 150):
        module = parse_text(seeded(seed).text)
        assert parse_text(show_module(module)) == module, seed


HEAD = "@mechanism(q=each(1), claim='epsilon')\ndef f(q: list[float], k: int, epsilon: float) -> float:\n"


@pytest.mark.parametrize(
    "expression",
    [
        "k - (k - 1)",
        "(k - k) - 1",
        "-(k * 2)",
        "-k * 2",
        "k / (2 * 3) / 4",
        "2.0 * 1e3",
        "0.1 + 1e-5 + 1e300 + 2.5e20",
        "(1 if k > 0 else 2) if k < 5 else 3",
        "1 if (True if k > 0 else False) else (2 if k > 1 else 3)",
        "[x for x in q if (x > 1 or x < 0) and not (x == 3)][0]",
        "sum(x if x > 0 else -x for x in q[1:k])",
        "max([i * y for i, (x, y) in enumerate(zip(q, q)) if (x > 0) == (y > 0)])",
        "sum([sum([x * z for x in q]) for z in q])",
        "min(k, 1, 2) + clip(k, 0, 1) - len(q[:-1])",
        "(1, 2)[0]",
    ],
)
def test_parentheses_stand_where_they_must(expression):
    module = parse_text(f"{HEAD}    y = {expression}\n    return y\n")
    assert parse_text(show_module(module)) == module


@pytest.mark.parametrize(
    "decorators",
    [
        "@mechanism(q=each('2 * b'), claim=('epsilon', 'b / 10'))",
        "@mechanism(q=each('1 / 3'), claim=zcdp('epsilon * epsilon / 2'))",
        "@mechanism(q=one(0.5), claim='ln(3) + sqrt(len(q)) * exp(-b)')",
        "@mechanism(q=added())",
        "@mechanism(q=each(1))\n@accurate('abs(result - sum(q)) <= b', beta='exp(-b * epsilon)')",
        "@flow(q='secret', b='public', epsilon='public', result='public')",
    ],
)
def test_heads_read_back(decorators):
    body = "def f(q: list[float], b: float, epsilon: float) -> float:\n    return sum(q) + laplace(1 / epsilon)\n"
    module = parse_text(f"{decorators}\n{body}")
    assert parse_text(show_module(module)) == module


def test_fingerprint_ignores_layout_and_sees_everything_else():
    text = f"{HEAD}    assert k > 0\n    return sum(q) + laplace(1 / epsilon)\n"
    mark = fingerprint(parse_text(text), "f")
    assert fingerprint(parse_text(text.replace("    assert", "    # a comment\n\n    assert")), "f") == mark
    for old, new in (("1 / ", "2 / "), ("'epsilon'", "'2 * epsilon'"), ("each(1)", "one(1)"), ("k > 0", "k > 1")):
        assert fingerprint(parse_text(text.replace(old, new)), "f") != mark


def test_fingerprint_covers_callees_and_constants():
    text = (
        "STEP = 2\n"
        "@mechanism(x=within(1))\ndef inner(x: float) -> float:\n    return x + laplace(STEP)\n"
        "@mechanism(x=within(1))\ndef outer(x: float) -> float:\n    return inner(x)\n"
    )
    mark = fingerprint(parse_text(text), "outer")
    assert fingerprint(parse_text(text.replace("STEP = 2", "STEP = 3")), "outer") != mark
    assert fingerprint(parse_text(text.replace("x + lap", "2 * x + lap")), "outer") != mark
