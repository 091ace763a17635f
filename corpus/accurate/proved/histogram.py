#: expect proved
#: truth every bin at once: scale * ln(n/beta)
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import accurate, laplace, mechanism, one


@accurate("all(abs(result[i] - q[i]) <= ln(len(q) / beta) / epsilon for i in range(len(result)))", beta="beta")
@mechanism(q=one(1), claim="epsilon")
def histogram(q: list[float], epsilon: float) -> list[float]:
    """Every count with its own noise."""
    return [x + laplace(1 / epsilon) for x in q]
