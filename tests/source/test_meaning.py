"""A program does what Python does: the same draws, in the same order, to the same answer."""

import random
from collections.abc import Callable, Sequence
from typing import get_args

import pytest

from lapwing.kernel.program.ir import NoiseKind, Oracle
from lapwing.kernel.run.asking import asked
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.inputs import answer, private, public
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.source.generate import NAME, seeded

NOISE = get_args(NoiseKind)


class Script:
    """Noise that two readers of one program can both be given; remembers what was asked for."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.asked = []

    def draw(self, kind, arguments):
        flat = [x for a in arguments for x in (a if isinstance(a, Sequence) else [a])]
        self.asked.append((kind, [float(x) for x in flat]))
        if kind == "flip":
            return self.chance.random() < 0.5
        if kind == "uniform":
            return self.chance.randrange(int(arguments[0]))
        if kind == "choose":
            return self.chance.randrange(len(arguments[0]))
        return self.chance.randint(-3, 3)


def run_as_python(text, inputs, script):
    """Runs the text as Python itself would, decorators aside."""
    words = {kind: lambda *arguments, kind=kind: script.draw(kind, arguments) for kind in NOISE}
    words["clip"] = lambda x, low, high: max(low, min(x, high))
    words["sample"] = lambda xs, p: [x for x in xs if script.draw("flip", (p,))]
    words["Callable"] = Callable
    body = text[text.index("def ") :]
    exec(body, words)  # noqa: S102  # our own generated text
    return words[NAME](**inputs)


def run_as_program(text, inputs, script):
    return run_module(parse_text(text), inputs, script)


def run_module(module, inputs, script):
    env = environment(module, inputs)
    return answer(program(module, NAME, script.draw)(env, Meter(10**6)), module[NAME].returns, 20)


def environment(module, inputs):
    return {
        each.name: asked(inputs[each.name], each, each.type, 20)
        if isinstance(each.type, Oracle)
        else (private if each.private else public)(inputs[each.name], each.type, each.name)
        for each in module[NAME].parameters
    }


def check(text, inputs, seed):
    left, right = Script(seed), Script(seed)
    assert run_as_program(text, inputs, left) == run_as_python(text, inputs, right)
    assert [kind for kind, _ in left.asked] == [kind for kind, _ in right.asked]
    for (_, ours), (_, pythons) in zip(left.asked, right.asked, strict=True):
        assert ours == pytest.approx(pythons)


def test_random_programs_agree_with_python():
    outside = 0
    for seed in range(600 if EXPLORE else 200):
        generated = seeded(seed)
        try:
            check(generated.text, generated.inputs, seed)
        except IndexError:  # Python's: the language is total, and has just run it
            outside += 1
    assert 0 < outside < 200


HEAD = "@mechanism(q=each(1))\ndef program(q: list[int], k: int) -> {returns}:\n"


@pytest.mark.parametrize(
    ("returns", "body"),
    [
        ("bool", "return k > 0 and flip(0.5) and k > 1"),
        ("int", "return sum(x > k for x in q) + 10 * sum([k > 1, k > 2]) + 100 * sum([x > 0 for x in q if x < 2])"),
        ("int", "s = 0\n    for i in range(len(q) - 1, -1, -1):\n        s = 3 * s + q[i]\n    return s"),
        ("int", "s = 0\n    for i in range(7, k, -2):\n        s = 3 * s + i\n    return s"),
        ("int", "s = 0\n    for i in range(k + 4, 0, -3):\n        s = 3 * s + i\n    return s"),
        ("int", "s = 0\n    for i in range(2, 9, -1):\n        s = s + 1\n    return s"),
        ("list[int]", "return [q[i] + i for i in range(len(q) - 1, 0, -1)]"),
        ("int", "s = 0\n    for i in range(0, len(q), abs(k) + 1):\n        s = 3 * s + q[i]\n    return s"),
        (
            "int",
            "s = 0\n    w = 2 * k + 1\n    for i in range(k, 3 * k, w):\n        w += 1\n"
            "        s = 3 * s + i\n    return s",
        ),
        ("int", "s = 0\n    for i in range(9, -9, 2 * k + 1):\n        s = 3 * s + i\n    return s"),
        (
            "int",
            "s, i = 0, 5\n    for i in range(0, 7, abs(k) + 1):\n        if i == 2:\n"
            "            continue\n        s = 3 * s + i\n    return s + i",
        ),
        (
            "int",
            "s, i = 0, 5\n    for i in range(1, 9, abs(k) + 1):\n        s = 3 * s + i\n"
            "        if s > 9:\n            break\n    return s + i",
        ),
        ("int", "s, i = 0, 5\n    for i in range(k, k, abs(k) + 1):\n        s += 1\n    return s + i"),
        (
            "int",
            "s = 0\n    for w in range(1, 4):\n        for i in range(0, len(q), w):\n"
            "            s = 3 * s + sum(q[i:i + w])\n    return s",
        ),
        ("int", "heads = [flip(0.5) for x in q]\n    return sum(heads)"),
        ("bool", "return k > 5 or flip(0.5) or uniform(2) == 1"),
        ("bool", "return not (flip(0.5) and (flip(0.5) or flip(0.5)))"),
        ("float", "return laplace(1) if flip(0.5) else k"),
        ("float", "return (laplace(1) if k > 0 else laplace(2)) + (1 if flip(0.5) else uniform(3))"),
        ("list[float]", "return [x + laplace(1) for x in q if flip(0.5)]"),
        ("list[float]", "return [x + (laplace(1) if x > 0 else 0) for i, x in enumerate(q) if i != k]"),
        ("float", "return sum(x * uniform(3) for x in q) + sum(laplace(1) for x in q)"),
        ("int", "a, b = 1, 2\n    a, b = b, a + b\n    return a - b"),
        ("int", "a, b = uniform(3), uniform(3)\n    return 2 * a + b"),
        (
            "int",
            "n = 0\n    while flip(0.5) and n < 4:\n        n += 1\n        if n == 2:\n            continue\n"
            "    return n",
        ),
        ("int", "n = 0\n    while True:\n        n += uniform(3)\n        if n > 4:\n            break\n    return n"),
        (
            "list[int]",
            "out = []\n    for a, b in zip(q, q[1:]):\n        if a > b:\n            break\n"
            "        out.append(a - b)\n    return out",
        ),
        ("int", "k = k + 1\n    k *= 2\n    for k in range(k):\n        pass\n    return k"),
        ("int", "x = 5\n    ys = [x for x in q]\n    return x + sum(ys)"),
        ("int", "x = 5\n    ys = [x + uniform(2) for x in q]\n    return x + sum(ys)"),
        ("int", "out = [uniform(2)]\n    out = [y + uniform(2) for y in out]\n    return out[-1]"),
        ("tuple[int, bool]", "t = (uniform(3), k == 1)\n    n, b = t\n    return (n + t[0], not b)"),
        ("bool", "return 0 <= uniform(3) < k + 1 != 5"),
        ("int", "return q[-1] + q[0:2][1] + max(q) - min(q) + max(1, k)"),
        (
            "list[list[int]]",
            "rows = []\n    for x in q:\n        row = [x]\n        rows.append([y for y in row])\n    return rows",
        ),
    ],
)
def test_each_construct_agrees_with_python(returns, body):
    text = HEAD.format(returns=returns) + f"    {body}\n"
    for seed in range(12):
        for k in (0, 1, 2):
            check(text, {"q": [2, 1, 3], "k": k}, seed)
