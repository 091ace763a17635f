"""Sparse vector with gap: which answers are above a threshold, and by how much, for the same price."""

from lapwing import each, laplace, mechanism


@mechanism(answers=each("sensitivity"), claim="epsilon")
def gap_sparse_vector(
    answers: list[float], threshold: float, limit: int, sensitivity: float, epsilon: float
) -> tuple[list[bool], list[float]]:
    """Say which answers are above the threshold, about, and by how much those pass the noisy threshold.

    The result is a truth value per answer looked at, and a gap of 0 or more per True among them. It stops after
    ``limit`` of these. The gap costs nothing more than ``sparse_vector`` does; add the threshold to get an estimate.

    * ``answers``: private; between neighbours each moves by at most ``sensitivity``.
    * ``threshold``: public.
    * ``limit``: how many answers above the threshold to report, at least 1. The noise grows with it.
    * ``epsilon``: the price of the whole result.
    """
    assert limit >= 1
    assert sensitivity > 0
    noisy_threshold = threshold + laplace(2 * sensitivity / epsilon)
    above = []
    gaps = []
    found = 0
    for answer in answers:
        if found < limit:
            noisy = answer + laplace(4 * limit * sensitivity / epsilon)
            if noisy >= noisy_threshold:
                above.append(True)
                gaps.append(noisy - noisy_threshold)
                found += 1
            else:
                above.append(False)
    return (above, gaps)
