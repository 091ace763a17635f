#: expect proved
#: truth the Laplace rule of union bound logic: scale * ln(1/beta) (Barthe 2016)
#: example {"x": 3, "epsilon": 1}
from lapwing import accurate, laplace, mechanism, within


@accurate("abs(result - x) <= ln(1 / beta) / epsilon", beta="beta")
@mechanism(x=within(1), claim="epsilon")
def laplace_answer(x: float, epsilon: float) -> float:
    """One answer with Laplace noise."""
    return x + laplace(1 / epsilon)
