#: expect proved
#: truth the textbook theorem: the answer chosen is within 2 * scale * ln(n/beta) of the best
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import accurate, each, laplace, mechanism


@accurate("all(q[result] >= x - 4 / epsilon * ln(len(q) / beta) for x in q)", beta="beta")
@mechanism(q=each(1), claim="epsilon")
def noisy_max(q: list[float], epsilon: float) -> int:
    """The index of the largest noisy answer."""
    best = 0
    largest = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best
