"""The k best: one after the other, each chosen by the exponential mechanism among those that are left."""

from lapwing import choose, each, mechanism


@mechanism(scores=each("sensitivity"), claim="epsilon")
def top_k(scores: list[float], k: int, floor: float, sensitivity: float, epsilon: float) -> list[int]:
    """The indices of k high scores, best first; what was chosen counts as ``floor`` from then on.

    * ``scores``: private, at least one; between neighbours each moves by at most ``sensitivity``.
    * ``k``: how many, at least 1; every choice has a k-th of the price.
    * ``floor``: a public score far below all others, so that hardly any index comes twice.
    * ``epsilon``: the price of all k choices together.
    """
    assert len(scores) >= 1
    assert k >= 1
    assert sensitivity > 0
    chosen = []
    for _ in range(k):
        index = choose(
            [floor if place in chosen else score for place, score in enumerate(scores)], 2 * k * sensitivity / epsilon
        )
        chosen.append(index)
    return chosen
