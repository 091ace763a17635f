#: expect proved epsilon
#: truth epsilon: a third each for threshold, tests and fresh answers
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def numeric_sparse_vector(
    q: list[float], threshold: float, limit: int, epsilon: float
) -> tuple[list[bool], list[float]]:
    """Which answers are above the threshold, and those answers with fresh noise."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(3 / epsilon)
    out = []
    values = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(6 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                values.append(x + laplace(3 * limit / epsilon))
                above += 1
            else:
                out.append(False)
    return (out, values)
