"""Report noisy max: the index of the largest score, about."""

from lapwing import each, laplace, mechanism


@mechanism(scores=each("sensitivity"), claim="epsilon")
def noisy_max(scores: list[float], sensitivity: float, epsilon: float) -> int:
    """The index of the score that is largest with noise.

    Only the index is private at this price: the noisy score itself is not part of the result.

    * ``scores``: private, at least one; between neighbours each moves by at most ``sensitivity``.
    * ``epsilon``: the price, whatever the number of scores.
    """
    assert len(scores) >= 1
    assert sensitivity > 0
    best = 0
    largest = 0.0
    for index, score in enumerate(scores):
        noisy = score + laplace(2 * sensitivity / epsilon)
        if index == 0 or noisy > largest:
            best = index
            largest = noisy
    return best
