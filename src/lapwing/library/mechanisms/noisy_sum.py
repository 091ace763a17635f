"""A noisy sum: one total of values of which a neighbour changes one."""

from lapwing import laplace, mechanism, one


@mechanism(values=one("sensitivity"), claim="epsilon")
def noisy_sum(values: list[float], sensitivity: float, epsilon: float) -> float:
    """The sum of the values, with Laplace noise.

    * ``values``: private; between neighbours one of them changes, by at most ``sensitivity``.
    * ``epsilon``: the price.
    """
    assert sensitivity > 0
    return sum(values) + laplace(sensitivity / epsilon)
