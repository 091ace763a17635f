#: expect proved epsilon
#: truth epsilon: the gap costs nothing more
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def gap_sparse_vector(q: list[float], threshold: float, limit: int, epsilon: float) -> tuple[list[bool], list[float]]:
    """Which answers are above the threshold, and by how much over the noisy threshold."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    gaps = []
    above = 0
    for x in q:
        if above < limit:
            noisy = x + laplace(4 * limit / epsilon)
            if noisy >= noisy_threshold:
                out.append(True)
                gaps.append(noisy - noisy_threshold)
                above += 1
            else:
                out.append(False)
    return (out, gaps)
