"""A name that the kernel makes up, or moves, is never taken for what a comprehension walks with.

The first two programs were proved at a price of 0 once: with their numbers mistaken for each other nothing private was
left in them.
"""

from fractions import Fraction

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.prices.named_functions import named
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import check_certificate
from lapwing.kernel.relational.plain import plain
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify, coupling

HEAD = """
from lapwing import each, exp, laplace, mechanism

@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], ys: list[float], c: float, epsilon: float) -> float:
"""
#: A variable of a loop that the kernel writes is called after that of the outer comprehension, with a number.
INNER = "sum([sum([x - x_1 for x_1 in ys]) for x in q])"
#: What rounds exp is a public number called outward_1, where nothing else is.
ROUNDED = "sum([exp(c) - x for outward_1, x in zip(q, q)])"


def text(total):
    return f"{HEAD}    total = {total}\n    return total + laplace(1 / epsilon)\n"


@pytest.mark.parametrize("total", [INNER, ROUNDED])
def test_numbers_that_are_mistaken_for_each_other_prove_nothing(total):
    written = text(total)
    module = parse_text(written)
    loops = [each for each in plain(named(module, "f")["f"]).body if isinstance(each, ir.For)]
    still = "hat(sum_1) == 0" if total == ROUNDED else "hat(sum_1) == 0 and hat(sum_2) == 0"
    invariants = [still] * (len(loops) if total == ROUNDED else 2)
    proof = coupling([("0", "1")], invariants)
    assert isinstance(check_certificate(certify("p.py", written, proof, "epsilon"), module), Rejected)
    assert decide_text(written, "f").verdict == "refuted"


@pytest.mark.parametrize("total", [INNER, "sum([max([x * x_1 + x_2 for x_1, x_2 in zip(ys, ys)]) for x in q])"])
def test_loops_in_place_of_comprehensions_say_the_same(total):
    module = parse_text(text(total))
    written = ir.Module((plain(module["f"]),))
    given = {"q": (Fraction(2), Fraction(7)), "ys": (Fraction(5), Fraction(1, 3)), "c": Fraction(1), "epsilon": 1}
    answers = [program(each, "f", lambda *_: Fraction(0))(dict(given), Meter(10**6)) for each in (module, written)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("before", "meanings", "after"),
    [
        ("[x + y for y in ys]", {"x": "y"}, "[y + y_1 for y_1 in ys]"),
        ("[x for y in ys if x > y]", {"x": "y"}, "[y for y_1 in ys if y > y_1]"),
        ("[x + y for y in ys]", {"y": "z"}, "[x + y_1 for y_1 in ys]"),
        ("[x + y for y in y_1]", {"x": "y"}, "[y + y_2 for y_2 in y_1]"),
        ("[y for y in x]", {"x": "y"}, "[y for y in y]"),
        ("[x + i for i in range(x)]", {"x": "i"}, "[i + i_1 for i_1 in range(i)]"),
        ("[x + i + y for i, y in enumerate(ys)]", {"x": "i"}, "[i + i_1 + y_1 for i_1, y_1 in enumerate(ys)]"),
        ("[sum([x + z for z in ys]) for y in ys]", {"x": "z"}, "[sum([z + z_1 for z_1 in ys]) for y in ys]"),
        ("[x + y for y in ys]", {"x": "z"}, "[z + y for y in ys]"),
    ],
)
def test_what_is_put_into_a_comprehension_keeps_its_meaning(before, meanings, after):
    names = {ir.Name(old): ir.Name(new) for old, new in meanings.items()}
    assert show(replaced(expression(before), names)) == after


def expression(written):
    """An expression of the language, as it stands in a program."""
    words = "x: int, y_1: list[int], ys: list[int]"
    if " in x]" in written:
        words = "x: list[int]"
    body = f"@mechanism(epsilon=within(1))\ndef f(epsilon: float, {words}) -> list[int]:\n    return {written}\n"
    (answer,) = parse_text(f"from lapwing import mechanism, within\n\n{body}")["f"].body
    return answer.value
