#: expect refuted n=2 growth n*epsilon
#: truth n*epsilon
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def prefix_sum(q: list[float], epsilon: float) -> list[float]:
    """Every running total, each step with its own noise."""
    out = []
    total = 0
    for x in q:
        total = total + x + laplace(1 / epsilon)
        out.append(total)
    return out
