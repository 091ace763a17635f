"""Numeric sparse vector: which answers are above a threshold, and what those are."""

from lapwing import each, laplace, mechanism


@mechanism(answers=each("sensitivity"), claim="epsilon")
def numeric_sparse_vector(
    answers: list[float], threshold: float, limit: int, sensitivity: float, epsilon: float
) -> tuple[list[bool], list[float]]:
    """Say which answers are above the threshold, about, and give the value of those with fresh noise.

    The result is a truth value per answer looked at, and a value per True among them. It stops after ``limit`` of
    these.

    * ``answers``: private; between neighbours each moves by at most ``sensitivity``.
    * ``threshold``: public.
    * ``limit``: how many answers above the threshold to report, at least 1. The noise grows with it.
    * ``epsilon``: the price of the whole result; a third each for the threshold, the tests and the values.
    """
    assert limit >= 1
    assert sensitivity > 0
    noisy_threshold = threshold + laplace(3 * sensitivity / epsilon)
    above = []
    values = []
    found = 0
    for answer in answers:
        if found < limit:
            if answer + laplace(6 * limit * sensitivity / epsilon) >= noisy_threshold:
                above.append(True)
                values.append(answer + laplace(3 * limit * sensitivity / epsilon))
                found += 1
            else:
                above.append(False)
    return (above, values)
