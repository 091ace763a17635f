#: expect proved (1 + 6 * limit) / 4 * epsilon
#: truth at most (1 + 6 limit)/4*epsilon (Lyu, Su & Li 2017, algorithm 4: Lee & Clifton)
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="(1 + 6 * limit) / 4 * epsilon")
def lyu_4(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    """Less noise on the answers than the limit needs."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(4 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 / (3 * epsilon)) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out
