"""What the checker of accuracy says was shown: never the sharper claim, never a bound that says nothing."""

from dataclasses import replace

import pytest

from lapwing.decide.texts import check_accuracy
from lapwing.kernel.accuracy import Shown
from lapwing.kernel.accuracy.certificate import check_accuracy as kernel_check
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, Bound, Site
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.source.parse import parse_text

SOURCE = """from lapwing import flip, laplace, mechanism, within


@mechanism(x=within(1))
def f(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)


@mechanism(x=within(1))
def coin(x: float, p: float) -> bool:
    assert 0 < p < 1
    return flip(p)
"""
MARGIN, SHARPER = "ln(1 / beta) / epsilon", "ln(1 / beta) / epsilon - 1 / 100"


def certificate(function, condition, site, bounds, total):
    source = fingerprint(parse_text(SOURCE, only=function), function)
    return AccuracyCertificate("f.py", function, source, condition, "beta", total, (Site(1, *site),), bounds, ())


CLAIMED = certificate(
    "f", f"abs(result - x) <= {MARGIN}", ("margin", "1", "beta"), (Bound(MARGIN, MARGIN, "gamma(1)"),), "beta"
)
COIN = certificate("coin", "result", ("true", "1", "1 - p"), (), "1 - p")


def test_the_margin_that_was_proved_is_stated():
    shown = check_accuracy(CLAIMED, SOURCE)
    assert isinstance(shown, Shown)
    assert shown.statement == f"abs(result - x) <= {MARGIN} fails with probability at most beta"


def test_the_sharper_margin_is_not_proved():
    """A margin that is too small, said to be what stands in the condition, or standing there."""
    for value in (SHARPER, MARGIN):
        condition = f"abs(result - x) <= {SHARPER}"
        sharper = replace(CLAIMED, condition=condition, bounds=(Bound(SHARPER, value, "gamma(1)"),))
        assert isinstance(check_accuracy(sharper, SOURCE), Rejected)


def test_a_formula_for_a_probability_is_stated_where_it_is_one():
    assert (
        check_accuracy(COIN, SOURCE).statement == "result fails with probability at most 1 - p, where that is below 1"
    )


@pytest.mark.parametrize("total", ["1", "3 / 2", "7"])
def test_a_bound_of_one_or_more_is_no_statement(total):
    verdict = check_accuracy(replace(COIN, total=total), SOURCE)
    assert isinstance(verdict, Rejected)
    assert "no statement" in verdict.reason


@pytest.mark.parametrize("name", ["gamma", "beta"])
def test_what_a_comprehension_walks_with_is_not_left_open(name):
    """The reader gives it another name; a condition that keeps it would be shown of the margin, and of no element."""
    text = "from lapwing import each, mechanism\n@mechanism(q=each(1))\ndef f(q: list[float]) -> int:\n    return 0\n"
    module = parse_text(text)
    every = ir.Comprehension(ir.Compare("<=", ir.Name("result"), ir.Name(name)), ir.Over(((name, ir.Name("q")),)))
    claim = ir.Accuracy(ir.Builtin("all", (every,)), ir.Name("beta"))
    source, part = fingerprint(module, "f"), "beta" if name == "beta" else "1"
    forged = AccuracyCertificate("f.py", "f", source, "any", "beta", "beta", (), (Bound(name, part, "0"),), ())
    assert isinstance(kernel_check(forged, module, claim), Rejected)
