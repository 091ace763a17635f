"""Stable histogram: counts of groups that nobody listed before; a group of one stays unseen but for a small δ."""

from lapwing import laplace, mechanism, one


@mechanism(counts=one(1), claim=("epsilon", "exp(-epsilon * (threshold - 1)) / 2"))
def stable_histogram(counts: list[int], threshold: float, epsilon: float) -> list[float]:
    """Give each count with noise if that is above the threshold, and 0 otherwise.

    Groups without members get no noise at all, so that there may be any number of them: all possible words, say.

    * ``counts``: private; between neighbours one count moves by 1.
    * ``threshold``: public, at least 1. The δ of the price is e^(-epsilon · (threshold - 1)) / 2.
    * ``epsilon``: the price of the whole result, with that δ [Korolova, Kenthapadi, Mishra & Ntoulas 2009].
    """
    assert threshold >= 1
    assert epsilon > 0
    found = []
    for count in counts:
        shown = 0.0
        if count > 0:
            noisy = count + laplace(1 / epsilon)
            if noisy > threshold:
                shown = noisy
        found.append(shown)
    return found
