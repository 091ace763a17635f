#: expect refuted n=3 given limit=1 growth n*epsilon/(2*limit)
#: truth n*epsilon/(2 limit), no finite bound (Lyu, Su & Li 2017, algorithm 3: Roth's notes)
#: example {"q": [0, 3, 1, 5], "threshold": 2, "limit": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def lyu_3(q: list[float], threshold: float, limit: int, epsilon: float) -> tuple[list[bool], list[float]]:
    """Releases the noisy answers that were compared, not only which are above."""
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    values = []
    above = 0
    for x in q:
        if above < limit:
            noisy = x + laplace(2 * limit / epsilon)
            if noisy >= noisy_threshold:
                out.append(True)
                values.append(noisy)
                above += 1
            else:
                out.append(False)
    return (out, values)
