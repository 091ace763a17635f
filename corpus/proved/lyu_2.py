#: expect proved epsilon
#: truth epsilon (Lyu, Su & Li 2017, algorithm 2: Dwork & Roth)
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def lyu_2(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    """The threshold is drawn again after each answer above it."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 * limit / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                noisy_threshold = threshold + laplace(2 * limit / epsilon)
                above += 1
            else:
                out.append(False)
    return out
