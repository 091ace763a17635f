"""Sums with Gaussian noise: several totals of the same people, for a price in rho."""

from lapwing import each, gaussian, mechanism, sqrt, zcdp


@mechanism(sums=each("sensitivity"), claim=zcdp("rho"))
def gaussian_sums(sums: list[float], sensitivity: float, rho: float) -> list[float]:
    """Every sum with Gaussian noise, whose deviation grows with the square root of their number.

    * ``sums``: private, at least one; between neighbours each moves by at most ``sensitivity``.
    * ``rho``: the price of all sums together, in zero-concentrated differential privacy.
    """
    assert len(sums) >= 1
    assert sensitivity > 0
    assert rho > 0
    sigma = sensitivity * sqrt(len(sums) / (2 * rho))
    return [total + gaussian(sigma) for total in sums]
