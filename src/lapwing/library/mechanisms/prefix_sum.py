"""Prefix sums: every running total, with noise on every step."""

from lapwing import laplace, mechanism, one


@mechanism(values=one("sensitivity"), claim="epsilon")
def prefix_sum(values: list[float], sensitivity: float, epsilon: float) -> list[float]:
    """Every running total of the values. The error grows with the square root of the number of steps.

    For more than a few dozen values ``smart_sum`` and ``tree_counter`` err less.

    * ``values``: private, in order; between neighbours one of them changes, by at most ``sensitivity``.
    * ``epsilon``: the price of all totals together.
    """
    assert sensitivity > 0
    totals = []
    total = 0.0
    for value in values:
        total = total + value + laplace(sensitivity / epsilon)
        totals.append(total)
    return totals
