"""Report noisy max with its gap: the index of the largest score, about, and how far it leads."""

from lapwing import each, laplace, mechanism


@mechanism(scores=each("sensitivity"), claim="epsilon")
def noisy_max_with_gap(scores: list[float], sensitivity: float, epsilon: float) -> tuple[int, float]:
    """The index of the score that is largest with noise, and by how much it is above all others with noise.

    The gap costs nothing more than the index; the noisy scores themselves are not part of the result.

    * ``scores``: private, at least two; between neighbours each moves by at most ``sensitivity``.
    * ``epsilon``: the price, whatever the number of scores.
    """
    assert len(scores) >= 2
    assert sensitivity > 0
    best = 0
    largest = 0.0
    second = 0.0
    for index, score in enumerate(scores):
        noisy = score + laplace(2 * sensitivity / epsilon)
        if index == 0:
            largest = noisy
        elif noisy > largest:
            second = largest
            largest = noisy
            best = index
        elif index == 1 or noisy > second:
            second = noisy
    return (best, largest - second)
