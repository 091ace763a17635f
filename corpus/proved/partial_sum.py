#: expect proved epsilon
#: truth epsilon exactly
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import laplace, mechanism, one


@mechanism(q=one(1), claim="epsilon")
def partial_sum(q: list[float], epsilon: float) -> float:
    """The sum, with noise."""
    total = 0
    for x in q:
        total += x
    return total + laplace(1 / epsilon)
