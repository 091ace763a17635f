#: expect refuted n=2 growth n*epsilon
#: truth n*epsilon: a person may be in every bin
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def histogram(q: list[float], epsilon: float) -> list[float]:
    """Every count with its own noise."""
    return [x + laplace(1 / epsilon) for x in q]
