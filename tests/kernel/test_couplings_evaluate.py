"""The solver's reading of an expression, in either run, is what a run computes."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.relational.runs import FIRST, SECOND, State
from lapwing.kernel.relational.values_in_runs import Evaluator, inputs_of
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text

LEAVES = ["x", "y", "t", "n", "q[0]", "q[-1]", "q[n]", "q[x]", "p[0]", "p[n]", "1", "0.5", "len(q)", "len(p)"]
HEAD = """from lapwing import clip, each, match, mechanism, within
@mechanism(x=within(1), y=within(2), q=each(1))
def f(x: int, y: float, q: list[int], p: list[float], t: float, n: int, b: bool) -> """


def number(chance, depth):
    if depth == 0:
        return chance.choice(LEAVES)
    a, b, c = (number(chance, depth - 1) for _ in range(3))
    return chance.choice(
        [f"({a} + {b})", f"({a} - {b})", f"-{a}", f"abs({a})", f"0.5 * {a}", f"max({a}, {b}, {c})", f"min({a}, {b})",
         f"clip({a}, {b}, {c})", f"({a} if {truth(chance, depth - 1)} else {b})", f"({a} / -4)"]
    )  # fmt: skip


def truth(chance, depth):
    if depth == 0:
        return chance.choice(["b", "True", "(x > 0)"])
    a, b = number(chance, depth - 1), number(chance, depth - 1)
    f, g = truth(chance, depth - 1), truth(chance, depth - 1)
    order = chance.choice(["<", "<=", ">", ">=", "==", "!="])
    return chance.choice(
        [f"({a} {order} {b})", f"({f} and {g})", f"({f} or {g})", f"(not {f})", f"({f} == {g})", f"match({a}, {b})",
         f"({a} < {b} <= {a})"]
    )  # fmt: skip


def neighbours(chance):
    public = {
        "t": Fraction(chance.randint(-6, 6), 4), "n": chance.randint(-3, 3), "b": chance.random() < 0.5,
        "p": [Fraction(chance.randint(-3, 3), 3) for _ in range(chance.randint(0, 3))],
    }  # fmt: skip
    first = {"x": chance.randint(-2, 2), "y": Fraction(chance.randint(-4, 4), 2), "q": [chance.randint(-2, 2), 1]}
    second = {"x": first["x"] + 1, "y": first["y"] - 2, "q": [each + chance.choice([-1, 0, 1]) for each in first["q"]]}
    return {**first, **public}, {**second, **public}


def stated(inputs, run, values):
    """The facts that the inputs of that run are these."""
    terms = inputs.terms

    def term(value):
        return terms.truth(value) if isinstance(value, bool) else terms.number(value)

    for name, value in values.items():
        if name in inputs.scalars:
            yield terms.compare("==", inputs.scalars[name][run], term(value))
        else:
            yield terms.compare("==", inputs.lengths[name], terms.number(len(value)))
            places = ((terms.at(inputs.elements[name][run], terms.number(k)), each) for k, each in enumerate(value))
            yield from (terms.compare("==", place, term(each)) for place, each in places)


@pytest.mark.parametrize("block", range(4))
def test_terms_and_runs_agree(block):
    for seed in range(block * 20, block * 20 + 20):
        chance = random.Random(seed)
        kind, text = ("bool", truth(chance, 2)) if seed % 3 == 0 else ("float", number(chance, 3))
        mechanism = parse_text(f"{HEAD}{kind}:\n    return {text}\n", "p.py")["f"]
        terms = Terms()
        inputs = inputs_of(terms, mechanism)
        look, sides = Evaluator(inputs, State(inputs.scalars, inputs.lengths)), neighbours(chance)
        facts = [fact for run in (FIRST, SECOND) for fact in stated(inputs, run, sides[run])]
        for run in (FIRST, SECOND):
            found, true = look.value(mechanism.body[0].value, run), evaluate(mechanism.body[0].value, sides[run])
            known = [*inputs.facts, *facts]
            assert not terms.entailed(known, terms.truth(False)), "the neighbours contradict their relation"
            expected = terms.truth(true) if isinstance(true, bool) else terms.number(true)
            assert terms.entailed(known, terms.compare("==", found, expected)), f"{text} in run {run + 1}: {sides[run]}"
