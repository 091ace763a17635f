"""The binary-tree counter: every running total, with a logarithmic number of noises in each."""

from lapwing import laplace, mechanism, one


@mechanism(values=one("sensitivity"), claim="epsilon")
def tree_counter(values: list[float], levels: int, sensitivity: float, epsilon: float) -> list[float]:
    """Every running total of the values, put together from noisy sums of blocks of 1, 2, 4, 8, … values.

    On each level but the top one, a running total takes the last finished block if that is a left half: these are the
    binary digits of the number of values so far. On the top level it takes every finished block, so the totals are
    right for any number of levels; 2 to the power of ``levels`` about the number of values gives the least error.

    * ``values``: private, in order; between neighbours one of them changes, by at most ``sensitivity``.
    * ``levels``: how many sizes of blocks to use, at least 1.
    * ``epsilon``: the price of all totals together; each level has an equal share [Chan, Shi & Song 2011].
    """
    assert levels >= 1
    assert sensitivity > 0
    totals = []
    for _ in values:
        totals.append(0.0)
    block = 1
    for level in range(levels):
        top = level + 1 == levels
        left = True
        inside = 0.0
        filled = 0
        noisy = 0.0
        finer = []
        for value, total in zip(values, totals):
            inside = inside + value
            filled += 1
            if filled == block:
                if left or top:
                    noisy = (noisy if top else 0.0) + inside + laplace(levels * sensitivity / epsilon)
                else:
                    noisy = 0.0
                left = not left
                inside = 0.0
                filled = 0
            finer.append(total + noisy)
        totals = finer[:]
        block = 2 * block
    return totals
