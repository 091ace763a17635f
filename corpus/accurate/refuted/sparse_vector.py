#: expect refuted
#: truth the threshold's own noise is forgotten, and so is the number of queries
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import accurate, each, laplace, mechanism


@accurate(
    "all(q[i] >= threshold - ln(1 / beta) / epsilon if result[i]"
    " else q[i] <= threshold + ln(1 / beta) / epsilon for i in range(len(result)))",
    beta="beta",
)
@mechanism(q=each(1), claim="epsilon")
def sparse_vector(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    """Which answers are above the threshold, until limit are."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out
