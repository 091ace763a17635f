"""Claims that only some public values, records or weights break, and claims that are met exactly."""

import pytest

from lapwing.decide.claim_violation import refute_module
from lapwing.decide.privacy import decide_text
from lapwing.search.violation.asserted import solved
from lapwing.search.violation.publics import assignments, lengths
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

HEAD = (
    "from lapwing import added, clip, discrete_laplace, each, exp, flip, gaussian, laplace, log, mechanism\n"
    "from lapwing import replaced, sqrt, uniform, within\n\n\n"
)


def _mechanism(keywords, parameters, body, returns="float", claim='"epsilon"'):
    lines = "\n".join(f"    {line}" for line in body)
    return f"{HEAD}@mechanism({keywords}, claim={claim})\ndef f({parameters}, epsilon: float) -> {returns}:\n{lines}\n"


WRONG = {
    "only above 7": ("x=within(1)", "x: float", ["assert epsilon > 7", "return x + laplace(1 / epsilon ** 2)"]),
    "only below a thousandth": (
        "x=within(1)",
        "x: float",
        ["return x + laplace(1 / epsilon if epsilon > 0.001 else 0.9 / epsilon)"],
    ),
    "only for many": (
        "x=within(1)",
        "x: float, k: int",
        ["assert k >= 1", "return x + laplace(1 / epsilon if k < 17 else 0.5 / epsilon)"],
    ),
    "one bound below the other": (
        "rows=added()",
        "rows: list[float], low: float, high: float",
        ["assert low < high and high > 0", "return sum(clip(x, low, high) for x in rows) + laplace(high / epsilon)"],
    ),
    "both ends of what is kept": (
        "rows=replaced()",
        "rows: list[float]",
        ["return sum(x for x in rows if -3 <= x <= 3) + laplace(3 / epsilon)"],
    ),
    "in two bins": (
        "rows=added()",
        "rows: list[int]",
        [
            "a = sum(1 for x in rows if x <= 30)",
            "b = sum(1 for x in rows if 30 <= x)",
            "return a + laplace(1 / epsilon), b + laplace(1 / epsilon)",
        ],
        "tuple[float, float]",
    ),
    "far inside": (
        "rows=added()",
        "rows: list[int]",
        ["return 2 * len([x for x in rows if 40 <= x < 65]) + discrete_laplace(1 / epsilon)"],
        "int",
    ),
    "weights": (
        "x=replaced()",
        "x: list[float], w: list[float]",
        ["assert len(w) == len(x)", "return sum(clip(v, 0, 1) * u for v, u in zip(x, w)) + laplace(1 / epsilon)"],
    ),
    "asserts that take some solving": (
        "x=within(1)",
        "x: float, a: int, b: int",
        ["assert a * b == 391 and a > 1 and b > a", "return x + laplace(0.9 / epsilon)"],
    ),
    "lengths that take some solving": (
        "q=replaced()",
        "q: list[float], k: int",
        ["assert len(q) == 3 * k - 2 and k >= 4", "return sum(clip(x, 0, 1) for x in q) + laplace(0.9 / epsilon)"],
    ),
    "many answers to lie with": (
        "v=replaced()",
        "v: int, k: int",
        [
            "assert k >= 2 and epsilon > 0",
            "if flip(exp(epsilon) / (exp(epsilon) + 1)):",
            "    return clip(v, 0, k - 1)",
            "other = uniform(k - 1)",
            "return other + 1 if other >= clip(v, 0, k - 1) else other",
        ],
        "int",
    ),
    "gaussian noise for small claims": (
        "x=within(1)",
        "x: float, delta: float",
        ["assert epsilon > 0 and 0 < delta < 0.5", "return x + gaussian(sqrt(2 * log(1.25 / delta)) / epsilon)"],
        "float",
        '("epsilon", "delta")',
    ),
}


@pytest.mark.parametrize("program", WRONG.values(), ids=list(WRONG))
def test_what_few_values_break_is_refuted(program):
    assert refute_module(parse_text(_mechanism(*program)), "f", "<text>").verdict == "refuted"


RIGHT = {
    "a coin": ("v=replaced()", "v: bool", ["return v if flip(exp(epsilon) / (1 + exp(epsilon))) else not v"], "bool"),
    "bounds": (
        "rows=added()",
        "rows: list[float], low: float, high: float",
        ["return sum(clip(x, low, high) for x in rows) + laplace(max(abs(low), abs(high)) / epsilon)"],
    ),
}


@pytest.mark.parametrize("program", RIGHT.values(), ids=list(RIGHT))
def test_a_claim_that_is_met_exactly_is_neither_refuted_nor_doubted(program):
    decision = decide_text(_mechanism(*program), "f", limit=4)
    assert decision.verdict != "refuted"
    assert "does not count" not in (decision.reason or "")


def _subject(body, parameters="x: float, a: float"):
    module = parse_text(_mechanism("x=within(1)", parameters, [*body, "return x + laplace(1 / epsilon)"]))
    return Subject(module, module["f"])


def test_public_values_lie_on_both_sides_of_what_they_are_compared_with():
    found = {each["a"] for each in assignments(_subject(["y = 0 if a > 300 else 1", "x = x + y"]), {})}
    assert min(found) < 300 < max(found)


def test_every_assignment_meets_the_asserts_and_comes_once():
    found = list(assignments(_subject(["assert 5 < a < 6"]), {}))
    assert all(5 < each["a"] < 6 for each in found)
    assert len({tuple(each.items()) for each in found}) == len(found) > 1


def test_set_values_stay():
    assert {each["a"] for each in assignments(_subject(["assert a > 0"]), {"a": 3})} == {3}


def test_no_suggestion_where_nothing_meets_the_asserts():
    assert list(solved(_subject(["assert a > 1 and a < 0"]).mechanism)) == []


def test_lengths_follow_from_asserts():
    text = _mechanism("q=each(1)", "q: list[float], k: int", ["assert len(q) == 5 * k + 2", "return laplace(1)"])
    assert any(each % 5 == 2 for each in lengths(parse_text(text)["f"]))
