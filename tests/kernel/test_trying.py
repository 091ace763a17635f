"""Whether a mechanism runs on its inputs is asked without noise, and answered as a run with noise would."""

import pytest

from lapwing.errors import InvalidInput
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.kernel.run.trying import refusal
from lapwing.source.parse import parse_text

HEAD = "from lapwing import *\n\n@mechanism(x=within(1))\ndef f(x: float, n: int, xs: list[int]) -> {returns}:\n"
BODIES = {
    "scale": ("float", "    return x + laplace(1 / n)\n"),
    "zero scale": ("float", "    return x + laplace(n)\n"),
    "whole scale": ("int", "    return discrete_laplace(n) + xs[0]\n"),
    "whole sigma": ("int", "    return discrete_gaussian(n) + xs[n - n]\n"),
    "coin": ("bool", "    return flip(1 / (n + 1))\n"),
    "no coin": ("bool", "    return flip(n)\n"),
    "choice": ("int", "    return choose([1 for _ in range(n)], 1)\n"),
    "uniform": ("int", "    return uniform(n)\n"),
    "index": ("float", "    return xs[n] + laplace(1)\n"),
    "after a coin": ("float", "    if flip(0.5):\n        return x + laplace(1 / n)\n    return laplace(2)\n"),
    "waiting": ("int", "    k = 0\n    while flip(0.5):\n        k = k + 1\n    return k // n\n"),
    "assert": ("float", "    assert n > 0\n    return x + laplace(1)\n"),
}
INPUTS = [(n, xs) for n in (-1, 0, 1, 2**60) for xs in ((), (4,))]


@pytest.mark.parametrize("body", BODIES)
def test_a_run_is_refused_whatever_is_drawn(body):
    returns, text = BODIES[body]
    inputs = [(n, xs) for n, xs in INPUTS if n < 10 or body != "choice"]
    module = parse_text(HEAD.format(returns=returns) + text)
    seen = set()
    for n, xs in inputs:
        given = {"x": 3, "n": n, "xs": xs}
        found = refusal(module, "f", given)
        for _ in range(3):
            assert (found and found.code) == code(module, given)
        seen.add(found and found.code)
    assert None in seen
    assert len(seen) > 1


def code(module, given):
    try:
        program(module, "f")(dict(given), Meter(10**5))
    except InvalidInput as error:
        return error.code
    return None


def test_a_run_that_goes_on_is_not_refused():
    text = "    k = 0.0\n    while k < 10 ** 9:\n        k = k * 1\n    return k + laplace(1)\n"
    text = text.replace("10 ** 9", "1000000000")
    assert refusal(parse_text(HEAD.format(returns="float") + text), "f", {"x": 1, "n": 1, "xs": ()}, 1000) is None
