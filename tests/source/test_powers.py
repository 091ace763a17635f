"""Powers by the counter of a loop are what Python computes, and others are refused."""

import pytest

from lapwing.errors import LapwingError
from lapwing.source.original import Source
from lapwing.source.run import Runnable

HEAD = "from lapwing import each, mechanism\n\n"
POWERS = {
    "counter": "for i in range(n):\n        out.append(2 ** i)",
    "from_two": "for i in range(2, n):\n        out.append(3 ** i - 1)",
    "in_a_product": "for i in range(n):\n        out.append((i + 1) * 2 ** i // 3)",
    "sum_of_counters": "for i in range(n):\n        for j in range(n):\n            out.append(2 ** (i + j + 1))",
    "place": "for i, x in enumerate(xs):\n        out.append(2 ** i * x)",
    "base_changes": "for i in range(n):\n        out.append(i ** i)",
    "in_a_condition": "for i in range(n):\n        if 2 ** i > 4 or 3 ** i == 1:\n            out.append(i)",
    "in_a_choice": "for i in range(n):\n        out.append(2 ** i if i > 1 else 3 ** (i + 1))",
    "in_a_while": "for i in range(n):\n        m = 0\n        while m < 2 ** i:\n            m += 1\n"
    "        out.append(m)",
    "in_a_list": "for i in range(n):\n        ys = [2 ** i + x for x in xs]\n        out.append(ys[1])",
    "step": "for i in range(n):\n        for j in range(0, 9, 2 ** i):\n            out.append(j)",
}
REFUSED = {
    "parameter": "out.append(2 ** n)",
    "difference": "for i in range(n):\n        out.append(2 ** (i - 1))",
    "counter_from_below": "for i in range(-2, n):\n        out.append(2 ** i)",
    "start_unknown": "for i in range(n, 9):\n        out.append(2 ** i)",
    "counter_set": "for i in range(n):\n        i = i - 1\n        out.append(2 ** i)",
    "behind_its_loop": "i = -1\n    for i in range(n):\n        pass\n    out.append(2 ** i)",
    "element": "for x in xs:\n        out.append(2 ** x)",
    "shadowed": "for i in range(n):\n        ys = [2 ** i for i in xs]\n        out.append(ys[1])",
}


def program(body):
    return f"def f(xs: list[int], n: int) -> list[int]:\n    out = []\n    {body}\n    return out\n"


def mechanism(body):
    return Runnable("f", Source(f"{HEAD}@mechanism(xs=each(1))\n{program(body)}"))


@pytest.mark.parametrize("name", POWERS)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_power_is_what_python_computes(name, n):
    space = {}
    exec(program(POWERS[name]), space)  # noqa: S102  # a text of this file
    assert mechanism(POWERS[name])([3, -1, 2], n) == space["f"]([3, -1, 2], n)


@pytest.mark.parametrize("name", REFUSED)
def test_a_power_that_may_be_below_0_is_refused(name):
    with pytest.raises(LapwingError) as refused:
        _ = mechanism(REFUSED[name]).module
    assert refused.value.code == "P113"
