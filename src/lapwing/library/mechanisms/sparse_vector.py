"""Sparse vector: which of many answers are above a threshold, paying only for those that are."""

from lapwing import each, laplace, mechanism


@mechanism(answers=each("sensitivity"), claim="epsilon")
def sparse_vector(answers: list[float], threshold: float, limit: int, sensitivity: float, epsilon: float) -> list[bool]:
    """Say of each answer whether it is above the threshold, about; stop after ``limit`` that are.

    The result has one truth value per answer looked at. Answers below the threshold cost nothing, so there may be any
    number of them.

    * ``answers``: private; between neighbours each moves by at most ``sensitivity``.
    * ``threshold``: public.
    * ``limit``: how many answers above the threshold to report, at least 1. The noise grows with it.
    * ``epsilon``: the price of the whole result [Lyu, Su & Li 2017, algorithm 1].
    """
    assert limit >= 1
    assert sensitivity > 0
    noisy_threshold = threshold + laplace(2 * sensitivity / epsilon)
    above = []
    found = 0
    for answer in answers:
        if found < limit:
            if answer + laplace(4 * limit * sensitivity / epsilon) >= noisy_threshold:
                above.append(True)
                found += 1
            else:
                above.append(False)
    return above
