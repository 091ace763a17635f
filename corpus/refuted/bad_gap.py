#: expect refuted n=5 given limit=1 growth n*epsilon/(4*limit)
#: truth n*epsilon/(4 limit): violated exactly when n > 4 limit
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def bad_gap(q: list[float], threshold: float, limit: int, epsilon: float) -> tuple[list[bool], list[float]]:
    """Which answers are above the threshold, and the noisy answer itself."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    values = []
    above = 0
    for x in q:
        if above < limit:
            noisy = x + laplace(4 * limit / epsilon)
            if noisy >= noisy_threshold:
                out.append(True)
                values.append(noisy)
                above += 1
            else:
                out.append(False)
    return (out, values)
