#: expect refuted n=2 growth 2*epsilon
#: truth 2*epsilon: the noise is for one answer, and all of them move
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def noisy_max(q: list[float], epsilon: float) -> int:
    """The index of the largest noisy answer."""
    best = 0
    largest = 0
    for i, x in enumerate(q):
        noisy = x + laplace(1 / epsilon)
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best
