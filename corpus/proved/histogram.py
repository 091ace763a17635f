#: expect proved epsilon
#: truth epsilon exactly: a person is in one bin
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import laplace, mechanism, one


@mechanism(q=one(1), claim="epsilon")
def histogram(q: list[float], epsilon: float) -> list[float]:
    """Every count with its own noise."""
    return [x + laplace(1 / epsilon) for x in q]
