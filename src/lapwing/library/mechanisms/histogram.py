"""A histogram: counts of groups that share no one, each with its own noise."""

from lapwing import laplace, mechanism, one


@mechanism(counts=one("sensitivity"), claim="epsilon")
def histogram(counts: list[float], sensitivity: float, epsilon: float) -> list[float]:
    """Every count with Laplace noise.

    One person is in one group, so the number of groups does not matter. A person who changes groups moves two counts:
    pay twice, or use ``noisy_sums``.

    * ``counts``: private; between neighbours one of them changes, by at most ``sensitivity``.
    * ``epsilon``: the price of the whole histogram.
    """
    assert sensitivity > 0
    return [count + laplace(sensitivity / epsilon) for count in counts]
