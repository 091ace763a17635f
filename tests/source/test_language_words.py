"""The words that people write: each says what Python says, and the printed program reads back as the same."""

import pytest

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module

HEAD = "from lapwing import *\n"


def module(body, helpers="", returns="int"):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse_text(
        f"{HEAD}{helpers}\n@mechanism(q=each(1), x=replaced())\n"
        f"def f(q: list[int], x: int, k: int, ks: list[int]) -> {returns}:\n{lines}\n"
    )


def python(body, helpers, values):
    space = {}
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    exec(f"{helpers}\ndef f(q, x, k, ks):\n{lines}\n", space)  # noqa: S102  # our own text
    return space["f"](**values)


def ran(read, values):
    exact = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return program(read, "f")(exact, Meter(10**6))


def plain(value):
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value


BODIES = [
    "return x // 3 + x % 3",
    "return x // -2 * 100 + x % -2",
    "return -x // 2 * 2 - -(x // 2)",
    "return x % 7 % 3 // 2",
    "return x ** 3 - x ** 0 + abs(x) ** 2 - (x + 1) ** 8",
    "return 2 * x ** 2",
    "xs = [0] * k\nxs[1] = x\nxs[-1] += 3\nreturn sum([i * y for i, y in enumerate(xs)])",
    "xs = k * [x]\nreturn sum(xs)",
    "xs = [False] * k\nxs[0] = x > 1\nreturn sum([1 for y in xs if y])",
    "xs = q[:]\nxs[k - 1] = xs[0] + xs[k - 1]\nreturn xs[k - 1]",
    "return 1 if x in ks else 2",
    "return 1 if x not in ks else 2",
    "return 1 if x in [1, 2, k] else 2",
    "return 1 if x in (3, 4) and (x > 2) in [True] else 2",
    "return 1 if x in [] else 2",
    "a = b = c = x\na += 1\nreturn a * 100 + b * 10 + c",
    "a = 0\nfor i in range(1, 12, 3):\n    a = a * 10 + i\nreturn a",
    "a = 0\nfor i in range(k, 12, 5):\n    k = 1\n    a = a * 10 + i\nreturn a",
    "a = 0\nfor i in range(0, -k, 2):\n    a += 1\nreturn a",
    "a = 0\nfor i, y in enumerate(q, 1):\n    a += i * y\nreturn a",
    "a = 0\nfor i, (y, z) in enumerate(zip(q, ks), start=k):\n    a += i * y - z\nreturn a",
    "a = 0\nfor i in reversed(range(1, k)):\n    a = a * 10 + i\nreturn a",
    "a = 0\nfor y in reversed(q):\n    a = a * 10 + y\nreturn a",
    "xs = [1, 2]\na = 0\nfor y in reversed(xs):\n    xs.append(3)\n    a = a * 10 + y\nreturn a + len(xs)",
    "xs = [1, 2, 3]\na = 0\nfor y in reversed(xs):\n    xs[0] = 7\n    a = a * 10 + y\nreturn a",
    "return sum(y * z for y in q for z in ks if y > 1 if z > 1)",
    "return sum([i - j for i in range(k) for j in range(i)])",
    "return len([y for y in q if y > 0 if y < 3])",
    "xs = [(y, z) for y in q if y > 0 for z in range(y)]\nreturn len(xs)",
    "xs = [i * 10 for i in range(1, 9, 2) for i in range(i)]\nreturn sum(xs)",
    "return sum([y for i, y in enumerate(q, 1) if i % 2 == 0])",
    "return sum([sum([i for i in range(i, 9, 2)]) for i in range(0, 9, 3)])",
    "return sum([i for i in reversed(range(k))][:2])",
    "rows = [(y, y * 2) for y in q]\nreturn sum(y * z for y, z in rows if y < z)",
    "rows = [(y, (z, y > z)) for y, z in zip(q, ks)]\nreturn sum([y - z if b else z for y, (z, b) in rows])",
    "rows = [(y, y * 2) for y in q]\na = y = 0\nfor i, (y, z) in enumerate(rows):\n    y += i\n    a += z\nreturn a",
    "rows = [(y, y * 2) for y in q]\na = 0\nfor (y, z), w in zip(rows, q):\n    a = a * 7 + y * z + w\nreturn a",
    "rows = [(y, y * 2) for y in q]\nreturn sum(i * y + z for i, (y, z) in enumerate(rows, 2))",
    "rows = [(y, y * 2) for y in q]\nreturn sum([x * z for x, z in rows]) + x",
    "rows = [(y, y * 2) for y in q]\nreturn sum([y * b for y, z in rows for a, b in rows if a < z])",
    "xs = [0] * k\nfor y in q:\n    xs[y % k] = xs[y % k] * 2 + xs[0]\nreturn xs[0] * 100 + xs[k - 1]",
    "xs = [1, 2, 3]\ni = 1\nxs[i] = xs[i] + sum([xs[i] for i in range(3)]) + xs[xs[i] - 1]\nreturn sum(xs) + xs[1]",
    "xs = [1, 2, 3]\nxs[-1] += xs[-1] * xs[x % 3]\nreturn sum(xs)",
]
DOUBLING = "def g0(y):\n    return y\n"
DOUBLING += "".join(f"def g{i + 1}(y):\n    return g{i}(y) + g{i}(y + 1)\n" for i in range(40))
HELPERS = '''
TOP = 3

def square(x):
    """A square."""
    return x * x

def clamp(x, low, high):
    if x < low:
        return low
    elif x > high:
        return high
    return x

def steps(x):
    y = x
    if x > 2:
        y = 2
        if x > 5:
            y += 3
    elif x < 0:
        y = -1
    y += 1
    return y + TOP

def total(xs):
    s = 0
    for x in xs:
        s += clamp(x, 0, TOP)
    return s

def built(xs, n):
    out = []
    for i in range(n):
        out.append(square(i))
    if len(xs) > n:
        return out
    out[0] = 9
    return out

def swapped(x, k):
    x, k = k, x
    return x - k
'''
CALLS = [
    "return square(x + 1)",
    "return sum([square(clamp(y, 0, k)) for y in q])",
    "return steps(x) * 100 + steps(k)",
    "return total(q) + total([x, 5])",
    "xs = built(q, k)\nxs.append(x)\nreturn sum(xs)",
    "return sum([total([y, k]) for y in q])",
    "return total(built(q, 2)) if x > 1 else total(ks)",
    "x = 7\nreturn swapped(x, k) + x",
    "y = 3\nreturn square(x=square(y)) - clamp(high=k, x=x, low=0)",
    "return sum([x * square(x) for x in q]) + x",
]
INPUTS = [
    {"q": [1, 2, 3], "x": 2, "k": 3, "ks": [2, 3, 5]},
    {"q": [4, 0, 2], "x": -5, "k": 3, "ks": [4, 4]},
    {"q": [0, 6, 1], "x": 4, "k": 3, "ks": []},
]


@pytest.mark.parametrize(("body", "helpers"), [*((each, "") for each in BODIES), *((each, HELPERS) for each in CALLS)])
def test_it_says_what_python_says(body, helpers):
    read = module(body, helpers)
    for values in INPUTS:
        assert plain(ran(read, values)) == python(body, helpers, {**values, "q": [*values["q"]]}), values
    assert parse_text(show_module(read)) == read


def test_a_helper_that_draws_is_its_draw():
    helpers = "def noisy(y, scale):\n    eta = discrete_laplace(scale)\n    return y + eta\n"
    read = module("return sum([noisy(y, k) for y in q])", helpers)
    draws = [part for part in show_module(read).split("\n") if "discrete_laplace(k)" in part]
    assert len(draws) == 1
    assert "for y_1 in q" in show_module(read)


@pytest.mark.parametrize(
    ("helpers", "body", "code"),
    [
        ("def g(y):\n    return g(y)\n", "return g(x)", "P119"),
        ("def g(y):\n    return h(y)\ndef h(y):\n    z = 0\n    for i in range(y):\n        z += g(i)\n    return z\n",
         "return g(x)", "P119"),
        ("def g(y):\n    for i in range(3):\n        return i\n    z = y * 2\n    return z\n", "return g(x)", "P119"),
        ("def g(y):\n    if y > 0:\n        return 1\n", "return g(x)", "P171"),
        ("def g(y):\n    if y > 0:\n        z = 1\n    return z\n", "return g(x)", "P120"),
        ("def g(y):\n    return x\n", "return g(x)", "P120"),
        ("def g(y):\n    return xs\n", "xs = 1\nreturn g(x)", "P120"),
        ("def g(y, z=[1]):\n    return y\n", "return g(x)", "P163"),
        ("def g(y, z=k):\n    return y\n", "k = 1\nreturn g(x)", "P163"),
        ("def g(y, z=True):\n    return z * y\n", "return g(x)", "P132"),
        ("def g(ys):\n    ys += [1]\n    return 1\n", "out = []\nreturn g(out)", "P158"),
        ("def g(*y):\n    return 1\n", "return g(x)", "P163"),
        ("def g(y: list[int]):\n    return 1\n", "return g(x)", "P141"),
        ("def g(y):\n    return 1\n", "return g(x, x)", "P140"),
        ("def g(ys):\n    ys.append(1)\n    return 1\n", "out = []\nreturn g(out)", "P158"),
        ("def g(ys):\n    ys[0] = 1\n    return 1\n", "out = [1]\nreturn g(out)", "P158"),
        ("def g(ys):\n    zs = ys\n    zs.append(1)\n    return 1\n", "out = []\nn = g(out)\nreturn len(out)", "P174"),
        ("def g(y):\n    return 1\ng = 2\n", "return g(x)", "P118"),
        ("import functools\n@functools.cache\ndef g(y):\n    return 1\n", "return g(x)", "P118"),
        ("def laplace(y):\n    return 0\n", "return laplace(x)", "P103"),
        ("def g(len):\n    return 1\n", "return g(x)", "P156"),
        ("def g(y):\n    laplace = y\n    return laplace\n", "return g(x)", "P156"),
        ("def g(h):\n    return h(1)\n", "return g(x)", "P156"),
        (DOUBLING, "return g40(x)", "P119"),
        ("def g(y):\n" + "    y = y * y\n" * 40 + "    return y\n", "return g(x)", "P102"),
    ],
)  # fmt: skip
def test_helpers_that_are_refused(helpers, body, code):
    with pytest.raises(InvalidProgram) as caught:
        module(body, helpers)
    assert caught.value.code == code, caught.value


def test_an_answer_that_may_be_none_is_told_what_to_return():
    for returns in ("int | None", "Optional[int]", "'int | None'"):
        with pytest.raises(InvalidProgram) as caught:
            module("return 1", returns=returns)
        assert caught.value.code == "P130"
        assert "-1" in caught.value.remedy


def test_a_private_index_makes_no_error():
    read = module("xs = [0] * k\nxs[x] = 1\nreturn sum(xs)")
    found = [ran(read, {"q": [], "x": x, "k": 3, "ks": []}) for x in (-4, -3, 0, 2, 3, 10**9)]
    assert found == [0, 1, 1, 1, 0, 0]


def test_a_public_divisor_of_zero_is_refused_before_anything_private_decides():
    read = module("a = 0\nif x > 0:\n    a = x % k\nreturn a")
    with pytest.raises(InvalidInput) as caught:
        ran(read, {"q": [], "x": 0, "k": 0, "ks": []})
    assert caught.value.code == "P203"


def test_lengths_are_known_in_preconditions():
    read = parse_text(
        f"{HEAD}@mechanism(q=each(1))\ndef f(q: list[int], m: int) -> int:\n"
        "    assert len(q) == 4\n    assert m < len(q)\n    return q[m]\n"
    )
    with pytest.raises(InvalidInput):
        program(read, "f")({"q": (1, 2), "m": 0}, Meter(100))
