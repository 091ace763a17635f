#: expect refuted n=3 growth n*epsilon/2
#: truth n*epsilon/2, no finite bound (Lyu, Su & Li 2017, algorithm 6: Chen et al.)
#: example {"q": [0, 3, 1, 5], "threshold": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def lyu_6(q: list[float], threshold: float, epsilon: float) -> list[bool]:
    """Noise on the answers, and no limit."""
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    for x in q:
        if x + laplace(2 / epsilon) >= noisy_threshold:
            out.append(True)
        else:
            out.append(False)
    return out
