"""Adaptive sparse vector with gap: answers far above the threshold cost half, so more of them fit in the budget."""

from lapwing import each, laplace, mechanism


@mechanism(answers=each("sensitivity"), claim="epsilon")
def adaptive_sparse_vector(
    answers: list[float], threshold: float, limit: int, margin: float, sensitivity: float, epsilon: float
) -> tuple[list[int], list[float]]:
    """Say of each answer whether it is clearly above the threshold (2), above it (1) or below (0), about.

    The result is one such number per answer looked at, and, per answer above, by how much it passes the noisy
    threshold. A clear answer is found with twice the noise and counts half, so between ``limit`` and twice as many are
    reported.

    * ``answers``: private; between neighbours each moves by at most ``sensitivity``.
    * ``threshold``: public.
    * ``limit``: how many answers above the threshold to report at least, 1 or more. The noise grows with it.
    * ``margin``: how far above the threshold is clearly above; about the scale 8 * limit * sensitivity / epsilon.
    * ``epsilon``: the price of the whole result.
    """
    assert limit >= 1
    assert sensitivity > 0
    noisy_threshold = threshold + laplace(2 * sensitivity / epsilon)
    above = []
    gaps = []
    spent = 0
    for answer in answers:
        if spent + 2 <= 2 * limit:
            clear = answer + laplace(8 * limit * sensitivity / epsilon) - noisy_threshold
            if clear >= margin:
                above.append(2)
                gaps.append(clear)
                spent += 1
            else:
                close = answer + laplace(4 * limit * sensitivity / epsilon) - noisy_threshold
                if close >= 0:
                    above.append(1)
                    gaps.append(close)
                    spent += 2
                else:
                    above.append(0)
    return (above, gaps)
