#: expect proved epsilon
#: truth epsilon: a unit is epsilon/(4 limit); clear cases cost 1, others 2, and 2*limit units may be spent
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "margin": 4, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def adaptive_sparse_vector(
    q: list[float], threshold: float, limit: int, margin: float, epsilon: float
) -> tuple[list[int], list[float]]:
    """Per answer 2 if clearly above, 1 if above, 0 if below; and by how much over the noisy threshold."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    gaps = []
    spent = 0
    for x in q:
        if spent + 2 <= 2 * limit:
            clear = x + laplace(8 * limit / epsilon) - noisy_threshold
            if clear >= margin:
                out.append(2)
                gaps.append(clear)
                spent += 1
            else:
                close = x + laplace(4 * limit / epsilon) - noisy_threshold
                if close >= 0:
                    out.append(1)
                    gaps.append(close)
                    spent += 2
                else:
                    out.append(0)
    return (out, gaps)
