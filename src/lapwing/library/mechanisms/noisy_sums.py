"""Noisy sums: several totals of the same people, each of which may move."""

from lapwing import each, laplace, mechanism


@mechanism(sums=each("sensitivity"), claim="epsilon")
def noisy_sums(sums: list[float], sensitivity: float, epsilon: float) -> list[float]:
    """Every sum with Laplace noise; the price is shared out evenly among them.

    Where a person is in only one of the sums, use ``histogram``: it needs less noise.

    * ``sums``: private, at least one; between neighbours each moves by at most ``sensitivity``.
    * ``epsilon``: the price of all sums together.
    """
    assert len(sums) >= 1
    assert sensitivity > 0
    return [total + laplace(len(sums) * sensitivity / epsilon) for total in sums]
