#: expect refuted
#: truth half the margin that is needed
#: example {"x": 3, "epsilon": 1}
from lapwing import accurate, laplace, mechanism, within


@accurate("abs(result - x) <= ln(1 / beta) / (2 * epsilon)", beta="beta")
@mechanism(x=within(1), claim="epsilon")
def laplace_answer(x: float, epsilon: float) -> float:
    """One answer with Laplace noise."""
    return x + laplace(1 / epsilon)
