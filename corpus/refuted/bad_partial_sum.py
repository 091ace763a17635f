#: expect refuted n=1 growth 2*epsilon
#: truth 2*epsilon: half the noise it needs
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import laplace, mechanism, one


@mechanism(q=one(1), claim="epsilon")
def partial_sum(q: list[float], epsilon: float) -> float:
    """The sum, with noise."""
    total = 0
    for x in q:
        total += x
    return total + laplace(1 / (2 * epsilon))
