#: expect proved epsilon
#: truth epsilon: all answers move one way, so half the noise will do
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import laplace, mechanism, rises


@mechanism(q=rises(1), claim="epsilon")
def sparse_vector(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    """Which answers are above the threshold, until limit are."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(2 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out
