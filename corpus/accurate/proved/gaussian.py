#: expect proved
#: truth the Chernoff bound of the normal law
#: example {"x": 3, "sigma": 2}
from lapwing import accurate, gaussian, mechanism, within


@accurate("abs(result - x) <= sigma * sqrt(2 * ln(2 / beta))", beta="beta")
@mechanism(x=within(1))
def gaussian_answer(x: float, sigma: float) -> float:
    """One answer with Gaussian noise."""
    return x + gaussian(sigma)
