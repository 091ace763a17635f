"""CheckDP's examples [WDKZ20] that the corpus does not have under another name."""

from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def adaptive_gap(q: list[float], threshold: float, limit: int, epsilon: float) -> tuple[list[int], list[float]]:
    """Which answers are far above the threshold, or just above it, and by how much; the far ones cost half as much."""
    assert limit >= 1
    bar = threshold + laplace(2 / epsilon)
    kinds = []
    gaps = []
    spent = 0
    for x in q:
        if spent + 2 <= 2 * limit:
            far = x + laplace(8 * limit / epsilon) - bar
            near = x + laplace(4 * limit / epsilon) - bar
            if far >= 16:
                kinds.append(2)
                gaps.append(far)
                spent += 1
            elif near >= 0:
                kinds.append(1)
                gaps.append(near)
                spent += 2
            else:
                kinds.append(0)
    return (kinds, gaps)


@mechanism(q=each(1), claim="epsilon")
def adaptive_value(q: list[float], threshold: float, limit: int, epsilon: float) -> tuple[list[int], list[float]]:
    """The same, but of answers that are far above the noisy answer itself."""
    assert limit >= 1
    bar = threshold + laplace(2 / epsilon)
    kinds = []
    told = []
    spent = 0
    for x in q:
        if spent + 2 <= 2 * limit:
            far = x + laplace(8 * limit / epsilon)
            near = x + laplace(4 * limit / epsilon) - bar
            if far - bar >= 16:
                kinds.append(2)
                told.append(far)
                spent += 1
            elif near >= 0:
                kinds.append(1)
                told.append(near)
                spent += 2
            else:
                kinds.append(0)
    return (kinds, told)
