"""Smart sums: every running total, with noise on blocks of values and on the steps inside a block."""

from lapwing import laplace, mechanism, one


@mechanism(values=one("sensitivity"), claim="epsilon")
def smart_sum(values: list[float], block: int, sensitivity: float, epsilon: float) -> list[float]:
    """Every running total of the values, with as many noises in it as blocks are finished and steps made since.

    * ``values``: private, in order; between neighbours one of them changes, by at most ``sensitivity``.
    * ``block``: how many values make a block, at least 1; about the square root of the number of values is best.
    * ``epsilon``: the price of all totals together; half for the blocks, half for the steps.
    """
    assert block >= 1
    assert sensitivity > 0
    totals = []
    finished = 0.0
    running = 0.0
    inside = 0.0
    filled = 0
    for value in values:
        if filled + 1 == block:
            finished = finished + inside + value + laplace(2 * sensitivity / epsilon)
            running = finished
            inside = 0.0
            filled = 0
        else:
            running = running + value + laplace(2 * sensitivity / epsilon)
            inside = inside + value
            filled += 1
        totals.append(running)
    return totals
