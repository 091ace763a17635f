"""Many clipped fields: a question about their ranges instead of every case, and what must hold for that."""

import pytest

from lapwing.kernel.folds.clipped_fields import never_below_zero
from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.values import LEFT
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.terms import ONE, ZERO, compare, extreme, minus, plus, times
from tests.search.privacy.proving import proved, unproved
from tests.strangers import HEAD

COLUMNS = """
@mechanism(rows=replaced(), claim="epsilon")
def f(rows: list[tuple[float, float, float]], epsilon: float) -> list[float]:
    a = [{a} for r in rows]
    b = [clip(r[1], 0, 1) for r in rows]
    c = [clip(r[2], 0, 1) for r in rows]
    s = 3 / epsilon
    ab = sum([x * y for x, y in zip(a, b)])
    bc = sum([x * y for x, y in zip(b, c)])
    ca = sum([x * y for x, y in zip(c, a)])
    return [ab + laplace(s), bc + laplace(s), ca + laplace(s)]
"""


def columns(a="clip(r[0], 0, 1)"):
    return HEAD + COLUMNS.format(a=a)


def test_products_of_three_columns():
    assert proved(columns()).bound == "epsilon"


@pytest.mark.parametrize(
    "text",
    [
        columns("min(r[0], 1)"),  # no lower end
        columns("max(r[0], 0)"),  # no upper end
    ],
    ids=["below", "above"],
)
def test_a_range_is_shown_at_both_ends(text):
    assert unproved(text)


def field(number):
    return ir.Name(f"{LEFT}.{number}")


def clipped(term):
    return extreme("min", [extreme("max", [term, ZERO]), ONE])


def holds(value):
    return never_below_zero(Cells(Terms()), value, Symbols(), ())


def test_what_moves_together_is_asked_as_it_is():
    """Of a field that is clipped twice, two unknowns know nothing of each other: the exact question holds."""
    doubled = extreme("min", [extreme("max", [times(ir.Number(2), field(0)), ZERO]), ONE])
    rest = plus(clipped(field(1)), clipped(field(2)))
    together = minus(doubled, clipped(field(0)))
    assert holds(plus(together, rest))
    assert not holds(plus(minus(clipped(field(0)), doubled), rest))


def test_ends_that_something_else_says_are_believed_only_where_it_holds():
    low, value = ir.Name("low"), ZERO
    for number in range(3):
        value = plus(value, extreme("max", [extreme("min", [field(number), ONE]), low]))
    questions, symbols = Cells(Terms()), Symbols()
    assert never_below_zero(questions, value, symbols, (compare(">=", low, ZERO),))
    assert not never_below_zero(questions, value, symbols, ())
