"""Spellings that mean something simpler: read as what Python does, and left alone where that is not certain."""

import pytest

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.source.original import Source
from lapwing.source.run import Runnable

HEAD = """from lapwing import *
@mechanism(q=each(1))
def program(q: list[float], pub: list[float], k: int) -> list[float]:
"""
GIVEN = {"q": [1.0, 2.0, 4.0, 8.0, 16.0], "pub": [7.0, 9.0], "k": 4}
BODIES = [
    "return [1.0] + q",
    "return [1.0, q[0]] + [2.0] + q[1:]",
    "xs = [0.5] + pub\n    return xs",
    "xs = q[:2]\n    ys = xs + [3.0, 5.0]\n    ys.append(6.0)\n    return ys",
    "out = []\n    for x in q:\n        out = out + [x, 2 * x]\n    return out",
    "out = []\n    for x in q:\n        out += [x]\n        out += []\n    return out",
    "out = [1.0]\n    out += [len(out) + 0.0]\n    return out",
    "out = []\n    out.extend(q)\n    out.extend([x + 1 for x in pub])\n    return out",
    "out = []\n    for x in q:\n        if x > 3:\n            x = 3\n        out.append(x)\n    return out",
    "out = []\n    x = 9.0\n    for x in pub:\n        x = x * 2\n    out.append(x)\n    return out",
    "out = []\n    for a, b in zip(q, pub):\n        b = a + b\n        out.append(b)\n    return out",
    "out = []\n    for i in range(k):\n        i = i * i\n        out.append(i + 0.0)\n    return out",
    "out = []\n    for i in range(0, len(q), 2):\n        out.append(q[i])\n    return out",
    "t = 0.0\n    for i in range(0, len(q), 3):\n        t += q[i]\n        if t > 5: break\n    return [t]",
    "i = 0\n    for i in range(0, len(q), 2):\n        x = q[i]\n    return [i + 0.0]",
    "out = []\n    for i in range(0, len(q), 2):\n        out.append(q[i] + i)\n    return out",
    "return q[1:4:2]",
    "return q[::3]",
    "return [x for x in q[-3::2]]",
    "n = len(q)\n    assert n > 2\n    return [n + 0.0]",
    "half = k / 2\n    assert half > 1\n    whole = half * 2\n    assert whole == k < 100\n    return [half, whole]",
    "k = k + 1\n    assert k == 5\n    k = k + 1\n    assert k == 6\n    return [k + 0.0]",
]


@pytest.mark.parametrize("body", BODIES)
def test_it_means_what_python_does(body):
    space = {}
    exec(f"def program(q, pub, k):\n    {body}\n", space)  # noqa: S102  # the bodies above, as Python runs them
    expected = space["program"](**{name: list(v) if isinstance(v, list) else v for name, v in GIVEN.items()})
    assert Runnable("program", Source(f"{HEAD}    {body}\n")).run(GIVEN) == [float(each) for each in expected]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("y = q[0] + 1\n    assert y > 0\n    return q", "P154"),
        ("y = laplace(1)\n    assert y > 0\n    return q", "P154"),
        ("n = 1\n    for x in q:\n        n += 1\n    assert n > 0\n    return q", "P154"),
        ("m = k\n    assert sum([m for k in pub]) > 0\n    return [m + 0.0]", "P154"),  # another k
        ("return q[::-1]", "P115"),
        ("return q[::k]", "P115"),
        ("return q + 1", "P132"),
        ("q += [1.0]\n    xs = q\n    q += [2.0]\n    return xs", "P158"),
    ],
)
def test_what_it_does_not_say_is_refused(body, code):
    with pytest.raises(InvalidProgram, match=code):
        Runnable("program", Source(f"{HEAD}    {body}\n")).run(GIVEN)


def test_an_assert_about_a_variable_is_one_about_the_parameters():
    runnable = Runnable("program", Source(f"{HEAD}    n = len(q) - k\n    assert n > 0\n    return [n + 0.0]\n"))
    assert runnable.run(GIVEN) == [1]
    with pytest.raises(InvalidInput, match="P201"):
        runnable.run({**GIVEN, "k": 5})
