"""Division by numbers that are not public: what it means, in a run and where it is printed and proved."""

import pytest

from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.program.printer import show
from lapwing.source.original import Source
from lapwing.source.parse import parse_text
from lapwing.source.run import Runnable

HEAD = """from lapwing import *
@mechanism(x=within(1), rows=added(), q=each(1))
def program(x: float, rows: list[float], q: list[float], k: int) -> float:
"""
GIVEN = {"x": 3, "rows": [1.0, 2.0], "q": [1.0, 0.0], "k": 4}


def run(body, **given):
    return Runnable("program", Source(f"{HEAD}    {body}\n")).run({**GIVEN, **given})


def quotients(body):
    [mechanism] = parse_text(f"{HEAD}    {body}\n")
    found = [part for part in walk.nodes(mechanism) if isinstance(part, ir.Builtin) and part.function == "/"]
    return [show(each) for each in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1 / x", ["1 / x"]),
        ("y = x + 1\n    return 1 / y", ["1 / y"]),
        ("n = 0\n    for r in rows:\n        n += 1\n    return 1 / n", ["1 / n"]),
        ("return 1 / len(rows)", ["1 / len(rows)"]),
        ("y = 1\n    if x > 0:\n        y = 2\n    return 1 / y", ["1 / y"]),
        ("y = 1\n    for z in q:\n        if z > 0:\n            break\n        y += 1\n    return 1 / y", ["1 / y"]),
        ("return sum([1 / y for y in q])", ["1 / y"]),
        ("return sum([1 / y for y in q if k / y > 2])", ["1 / y", "k / y"]),
        ("n = laplace(1)\n    return (x / n + 1 / k) / (n / x)", ["(x / n + 1 / k) / (n / x)", "x / n", "n / x"]),
        ("return x / k + laplace(1 / k)", []),
        ("return sum([y / len(q) for y in q])", []),
    ],
)
def test_what_private_data_or_noise_can_reach_is_divided_by_in_a_word_of_its_own(body, expected):
    assert quotients(body) == expected


@pytest.mark.parametrize(
    ("body", "given", "expected"),
    [
        ("return 1 / x", {}, 0.33333301544189453),
        ("return 1 / x", {"x": 0}, 0),
        ("return k / len(rows)", {}, 2),
        ("return k / len(rows)", {"rows": []}, 0),
        ("return sum([1 / y for y in q])", {}, 1),
        ("n = laplace(1)\n    return 2 * n / n + 1", {}, 3),
        ("n = laplace(1)\n    return 1 / (n - n) + 1", {}, 1),
        ("n = discrete_laplace(1)\n    return 1 / (n * 0)", {}, 0),
        ("n = 1 + exponential(1)\n    return 1 if 1 / n < 1 and x / n <= 3 / n else 0", {}, 1),
        ("n = laplace(1)\n    return max(1 / (n * n), 0) * n * n", {}, 1),
        ("n = exponential(1)\n    return clip(-1 / n, -k, 0) if n < 0.25 else -k", {}, -4),
    ],
)
def test_a_quotient_has_a_value_whatever_it_divides_by(body, given, expected):
    assert run(body, **given) == expected


def test_a_public_divisor_of_0_still_stops_a_run_before_it_begins():
    with pytest.raises(InvalidInput, match="P203"):
        run("return x / k if x > 0 else 0", k=0, x=-1)


def test_the_quotient_of_whole_numbers_is_none():
    """Or whole-number noise, which hides whole steps only, would be said to hide it."""
    assert types.type_of(ir.Builtin("/", (ir.Name("a"), ir.Name("a"))), {"a": ir.Integer()}) == ir.Real()
