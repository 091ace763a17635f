"""Lists inside lists, as terms: two are taken for one another only if they hold the same."""

from collections import defaultdict
from fractions import Fraction

import pytest

from lapwing.kernel.accuracy.questions import Questions
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import NOWHERE
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.kernel.symbolic.meanings import Scope
from lapwing.kernel.symbolic.states import Goal
from lapwing.kernel.symbolic.terms import FALSE, compare, number
from lapwing.kernel.symbolic.world import World
from lapwing.source.parse import parse_text

SOURCE = """from lapwing import each, mechanism


@mechanism(q=each(1))
def f(q: list[float]) -> float:
    return sum(q)
"""
VARIABLES = ("x", "y", "z")
LISTS = [(Fraction(3),), (1, 2, 4), (3, -1)]


def numbers(depth, bound=()):
    """Every number that is the sum or largest of a list over q, computed from such numbers, nested so deep."""
    inner = numbers(depth - 1, (*bound, VARIABLES[len(bound)])) if depth else []
    lists = ["q", *(f"[{each} for {VARIABLES[len(bound)]} in q]" for each in inner)]
    return [*bound, *(f"{function}({each})" for function in ("max", "sum") for each in lists)]


def scope():
    world = World(parse_text(SOURCE).mechanisms[0])
    return Scope(world, {each.name: world.parameter(each) for each in world.mechanism.parameters})


def test_equal_terms_are_equal_numbers():
    here, same = scope(), defaultdict(set)
    for text in numbers(3):
        values = tuple(evaluate(formula(text), {"q": each}) for each in LISTS)
        same[here.term(formula(text))].add(values)
    assert len(same) > 20
    assert all(len(values) == 1 for values in same.values())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sum([x for x in q])", "sum(q)"),
        ("max([sum([x + y for y in q]) for x in q])", "max([sum([z + y for y in q]) for z in q])"),
        ("sum([sum(q) for x in q if x > sum(q)])", "sum([sum(q) for y in q if y > sum(q)])"),
    ],
)
def test_the_same_list_written_in_two_ways(left, right):
    here = scope()
    assert here.term(formula(left)) == here.term(formula(right))


@pytest.mark.parametrize("largest", [0, 1, 2])
@pytest.mark.parametrize(
    "text",
    [
        "sum([max([max([x for z in q]) for y in q]) + min([min([x for z in q]) for y in q]) for x in q])",
        "sum([sum([max([x for z in q]) for y in q]) for x in q])",
        "max([min([max([x + y for z in q]) for y in q]) for x in q])",
    ],
)
def test_what_is_known_of_lists_inside_lists_does_not_contradict_itself(text, largest):
    here = scope()
    world = here.world
    here.term(formula(text))
    here.term(formula("max(q) - min(q)"))
    known = [compare("==", here.term(formula("len(q)")), number(3))]
    known += [compare("==", ir.Index(ir.Name("q"), number(n), ir.Real()), number(n)) for n in range(3)]
    known += [compare("==", ir.Name(name), number(largest)) for name in world.constants if name.startswith("%position")]
    for position in range(3):
        world.mention(number(position))
    with pytest.raises(Unproved, match="never"):
        Questions(Terms(milliseconds=20_000), world, {}).confirm(Goal(tuple(known), FALSE, "never", NOWHERE))
