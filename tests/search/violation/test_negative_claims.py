"""A claim below 0 counts as 0, for the search and for the checker alike: no loss is less than that."""

from fractions import Fraction

from lapwing.algebra.balls import Interval
from lapwing.search.violation.claimed_numbers import claim_value
from lapwing.source.parse import parse_text

TEXT = "@mechanism(x=within(1), claim={})\ndef f(x: float, k: float) -> float:\n    return 0.0\n"


def test_a_claim_below_0_counts_as_0():
    for claim in ("'k'", "('k', 'k')", "zcdp('k')"):
        mechanism = parse_text(TEXT.format(claim))["f"]
        for k, expected in ((-3, 0), (2, 2)):
            found = claim_value(mechanism, {"x": Fraction(0), "k": Fraction(k)})
            assert found.value == Interval.point(expected)
            assert found.delta in (None, Interval.point(expected))
