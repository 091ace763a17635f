#: expect proved
#: truth the same rule, solved for beta: the margin is given
#: example {"x": 3, "margin": 2, "epsilon": 1}
from lapwing import accurate, laplace, mechanism, within


@accurate("abs(result - x) <= margin", beta="exp(-margin * epsilon)")
@mechanism(x=within(1), claim="epsilon")
def laplace_answer(x: float, margin: float, epsilon: float) -> float:
    """One answer with Laplace noise, and a margin that somebody asked for."""
    assert margin > 0
    return x + laplace(1 / epsilon)
