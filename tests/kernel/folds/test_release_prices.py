"""Sums over records: what holds is confirmed, what does not is not, and what Python computes moves no further."""

import random

import pytest

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.extraction import Extraction
from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.folds.ways import Reading, Way
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.kernel.folds.programs import OTHERS, PLAIN, WRONG


def confirmed(program, bound):
    mechanism = parse_text(program.text)[program.name]
    try:
        Folds(Terms(), mechanism, program.measure).confirm(formula(bound), None)
    except Unproved:
        return False
    return True


@pytest.mark.parametrize("program", [*PLAIN, *OTHERS], ids=lambda program: program.name)
def test_the_textbook_bound_is_confirmed(program):
    assert confirmed(program, program.good)


@pytest.mark.parametrize("program", [*PLAIN, *OTHERS, *WRONG], ids=lambda program: program.name)
def test_a_smaller_or_wrong_bound_is_not(program):
    if program.bad is not None:
        assert not confirmed(program, program.bad)


@pytest.mark.parametrize("bound", ["0 * (epsilon // (epsilon - epsilon))", "0 % (2 * epsilon - epsilon - epsilon)"])
def test_a_bound_without_a_value_is_not(bound):
    assert not confirmed(PLAIN[0], bound)


def released(program, xs, **public):
    """What Python computes with noise 0, and the scales it draws with."""
    scales = []

    def noise(scale):
        scales.append(scale)
        return 0.0

    words = {
        "mechanism": lambda **_: lambda function: function,
        "laplace": noise,
        "clip": lambda x, low, high: max(low, min(x, high)),
        "replaced": lambda: None, "added": lambda: None, "one": lambda _: None,
    }  # fmt: skip
    body = program.text.split("\n\n", 1)[1]
    space = dict(words)
    exec(body, space)  # noqa: S102  # our own programs
    answer = space[program.name](xs, **public)
    return (list(answer) if isinstance(answer, tuple | list) else [answer]), scales


@pytest.mark.parametrize("program", PLAIN, ids=lambda program: program.name)
def test_what_python_computes_moves_no_further_than_the_bound_pays_for(program):
    chance = random.Random(program.name)
    for _ in range(300):
        xs = [chance.choice([-30, -1, 0, 0.05, 0.5, 1, 2, 4, 9.5, 15, 40]) for _ in range(chance.randint(1, 8))]
        public = {"epsilon": chance.choice([0.5, 1.0, 3.0])}
        if "top: float" in program.head:
            public["top"] = chance.choice([0.5, 1, 7])
        if "low: float" in program.head:
            public |= {"low": -2, "high": 3}
        if "c: float" in program.head:
            public["c"] = chance.choice([-1, 0.3, 2])
        if "added" in program.relation:
            ys = [*xs, chance.choice([-30, 0, 0.5, 2, 15, 40])]
        else:
            place = chance.randrange(len(xs))
            new = xs[place] + chance.uniform(-1, 1) if "one(" in program.relation else chance.choice([-50, 0.5, 3, 60])
            ys = [*xs[:place], new, *xs[place + 1 :]]
        left, scales = released(program, xs, **public)
        right, _ = released(program, ys, **public)
        cost = sum(abs(a - b) / scale for a, b, scale in zip(left, right, scales, strict=True))
        assert cost <= public["epsilon"] * (1 + 1e-9)


def test_a_loop_that_is_not_followed_forgets_no_answer_before_it():
    """Whoever reads a loop in another way then still has the ways that ended before it, with their prices."""
    text = """@mechanism(q=one(1))
def f(q: list[float], n: int) -> list[float]:
    out = []
    for i in range(n):
        out.append(sum(q))
        out.append(0)
    return out
"""
    mechanism = parse_text(f"from lapwing import mechanism, one\n\n\n{text}")["f"]
    reader = Extraction(mechanism, mechanism.parameters[0], Cells(Terms()))
    reader.ways.append(Way())
    with pytest.raises(Unproved):
        reader.block(mechanism.body, [Reading(reader.parameters())])
    assert reader.ways == [Way()]
