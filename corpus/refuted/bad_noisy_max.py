#: expect refuted n=3 growth n*epsilon/2
#: truth n*epsilon/2: releases the largest noisy answer itself
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def bad_noisy_max(q: list[float], epsilon: float) -> float:
    """The largest noisy answer (not its index)."""
    largest = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        if i == 0 or noisy > largest:
            largest = noisy
    return largest
