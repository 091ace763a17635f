"""Questions made linear lose no truth: what is entailed with products named was entailed before."""

import pytest

from lapwing.kernel.accuracy.questions import Questions
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import NOWHERE
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.kernel.symbolic.meanings import Scope
from lapwing.kernel.symbolic.states import Goal
from lapwing.kernel.symbolic.terms import Outside
from lapwing.kernel.symbolic.world import World
from lapwing.source.parse import parse_text

MECHANISM = parse_text(
    "from lapwing import laplace, mechanism, one\n\n\n@mechanism(q=one(1))\n"
    "def f(q: list[float], n: int, m: int, x: float) -> float:\n    return laplace(1)\n"
).mechanisms[0]


def entailed(facts, goal):
    world = World(MECHANISM)
    variables = {each.name: world.parameter(each) for each in MECHANISM.parameters}
    words = {"gamma(1)": world.unknown("gamma(1)", ir.Real())}
    scope = Scope(world, variables, words)
    world.facts.append(scope.term(formula("gamma(1) >= 0")))
    question = Goal(tuple(scope.term(formula(each)) for each in facts), scope.term(formula(goal)), "it fails", NOWHERE)
    try:
        Questions(Terms(), world, {}).confirm(question)
    except Unproved:
        return False
    return True


@pytest.mark.parametrize(
    ("facts", "goal"),
    [
        (["n <= m"], "n * gamma(1) <= m * gamma(1)"),
        (["n < m"], "(n + 1) * gamma(1) <= m * gamma(1)"),
        (["n >= 0"], "n * gamma(1) >= 0"),
        (["n == m + 1"], "n * gamma(1) == m * gamma(1) + gamma(1)"),
        (["m >= 1", "m * n <= len(q)"], "n * gamma(1) <= len(q) / m * gamma(1)"),
        (["m >= 1", "m * n <= len(q)"], "n <= len(q) / m"),
        ([], "sum(q[:0]) == 0"),
        (["n >= 0", "n < len(q)"], "sum(q[:n + 1]) == sum(q[:n]) + q[n]"),
        (["n >= 0", "n < len(q)"], "max(q) >= q[n]"),
        ([], "q[len(q)] == 0"),
    ],
)
def test_entailed(facts, goal):
    assert entailed(facts, goal)


@pytest.mark.parametrize(
    ("facts", "goal"),
    [
        ([], "n * gamma(1) >= 0"),
        (["n <= m"], "n * gamma(1) < m * gamma(1)"),
        (["n / 2 < 1"], "n * gamma(1) <= 0"),
        (["n / 3 < m / 2"], "2 * n * gamma(1) + 6 * gamma(1) <= 3 * m * gamma(1)"),
        (["n < x"], "(n + 1) * gamma(1) <= x * gamma(1)"),
        (["m * n <= len(q)"], "n <= len(q) / m"),
        (["n < len(q)"], "max(q) == q[n]"),
        (["n >= 0"], "sum(q[:n + 1]) == sum(q[:n]) + q[n] + 1"),
        (["n < 0"], "sum(q[:n]) == 0"),
        (["x * x <= 4"], "x <= 1"),
    ],
)
def test_not_entailed(facts, goal):
    assert not entailed(facts, goal)


@pytest.mark.parametrize("text", ["x +", "f(x)", "x if", "[y for y in q for z in q]", "(1, 2)", "'a'"])
def test_what_is_no_formula(text):
    with pytest.raises(Outside):
        formula(text)
