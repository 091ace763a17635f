#: expect proved
#: truth n draws are added up, each within its margin
#: example {"q": [0, 3, 1, 5], "epsilon": 1}
from lapwing import accurate, laplace, mechanism, one


@accurate("all(abs(result[i] - sum(q[:i + 1])) <= gamma for i in range(len(result)))", beta="beta")
@mechanism(q=one(1), claim="epsilon")
def prefix_sum(q: list[float], epsilon: float) -> list[float]:
    """Every running total, each step with its own noise."""
    out = []
    total = 0
    for x in q:
        total = total + x + laplace(1 / epsilon)
        out.append(total)
    return out
