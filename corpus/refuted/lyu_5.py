#: expect refuted n=2 growth infinite
#: truth infinite (Lyu, Su & Li 2017, algorithm 5: Stoddard et al.)
#: example {"q": [0, 3, 1, 5], "threshold": 2, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def lyu_5(q: list[float], threshold: float, epsilon: float) -> list[bool]:
    """No noise on the answers, and no limit."""
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    for x in q:
        if x >= noisy_threshold:
            out.append(True)
        else:
            out.append(False)
    return out
