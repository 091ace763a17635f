"""Shares of β: they add up to it, and no others give a smaller margin."""

from fractions import Fraction
from math import log

from hypothesis import given
from hypothesis import strategies as st

from lapwing.kernel.program import ir
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.search.accuracy.shares import Priced, shares

numbers = st.fractions(Fraction(1, 8), 8, max_denominator=8)
BETA = ir.Name("beta")


def priced(site, scale, count=1):
    one = ir.Number(Fraction(1))
    return Priced(site, "laplace", ir.Number(scale), ir.Number(Fraction(count)), one, one)


@given(st.lists(st.tuples(numbers, st.integers(1, 9)), min_size=1, max_size=4), st.data())
def test_the_first_share_is_the_best(sites, data):
    priced_sites = [priced(n, scale, count) for n, (scale, count) in enumerate(sites, 1)]
    best = next(iter(shares(priced_sites, BETA)))
    beta = Fraction(1, 10)
    failures = [Fraction(evaluate(formula(best.failures[n]), {"beta": beta})) for n in range(1, len(sites) + 1)]
    assert sum(count * failure for (_, count), failure in zip(sites, failures, strict=True)) == beta
    others = data.draw(st.lists(numbers, min_size=len(sites), max_size=len(sites)))
    other = [part / sum(others) * beta / count for part, (_, count) in zip(others, sites, strict=True)]
    margin = sum(scale * log(1 / failure) for (scale, _), failure in zip(sites, failures, strict=True))
    assert margin <= sum(scale * log(1 / f) for (scale, _), f in zip(sites, other, strict=True)) + 1e-9


def test_symbolic_scales_give_symbolic_shares():
    two = Priced(2, "laplace", formula("4 * limit / epsilon"), formula("len(q)"), formula("1"), formula("1"))
    first = Priced(1, "laplace", formula("2 / epsilon"), formula("1"), formula("1"), formula("1"))
    best = next(iter(shares([first, two], BETA)))
    assert best.failures[1] == "beta / (1 + 2 * limit)"
    assert best.failures[2] == "(2 * limit * beta / len(q)) / (1 + 2 * limit)"
