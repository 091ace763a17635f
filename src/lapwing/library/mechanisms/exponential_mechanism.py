"""The exponential mechanism: an index, the likelier the higher its score."""

from lapwing import choose, each, mechanism


@mechanism(scores=each("sensitivity"), claim="epsilon")
def exponential_mechanism(scores: list[float], sensitivity: float, epsilon: float) -> int:
    """Index i with probability proportional to exp(epsilon * scores[i] / (2 * sensitivity)) [McSherry & Talwar 2007].

    * ``scores``: private, at least one; between neighbours each moves by at most ``sensitivity``.
    * ``epsilon``: the price, whatever the number of scores.
    """
    assert len(scores) >= 1
    assert sensitivity > 0
    return choose(scores, 2 * sensitivity / epsilon)
