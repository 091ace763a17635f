"""Between thresholds: the first of many answers that lies between two numbers, paying for that one only."""

from lapwing import each, laplace, mechanism


@mechanism(
    answers=each("sensitivity"),
    claim=("epsilon", "2.6 * exp(epsilon / 2 - epsilon * (high - low) / (4 * sensitivity))"),
)
def between_thresholds(answers: list[float], low: float, high: float, sensitivity: float, epsilon: float) -> int:
    """Give the place of the first answer between ``low`` and ``high``, about; how many answers there are, if none is.

    Answers outside cost nothing, so there may be any number of them. The price has a δ, which falls with the distance
    of the thresholds: at a distance of 100 sensitivities and epsilon 1, it is less than 1e-10.

    * ``answers``: private; between neighbours each moves by at most ``sensitivity``.
    * ``low``, ``high``: public; far apart, or there is no privacy to speak of.
    * ``epsilon``: the price of the whole result, with that δ [Bun, Steinke & Ullman 2017].
    """
    assert sensitivity > 0
    assert epsilon > 0
    shift = laplace(2 * sensitivity / epsilon)
    for place, answer in enumerate(answers):
        noisy = answer + laplace(6 * sensitivity / epsilon)
        if low - shift <= noisy <= high + shift:
            return place
    return len(answers)
