#: expect proved 1 / (2 * sigma * sigma)
#: truth exactly 1/(2 sigma²)-zCDP, also on the lattice [CKS20]
#: example {"x": 3, "sigma": 2}
from lapwing import gaussian, mechanism, within, zcdp


@mechanism(x=within(1), claim=zcdp("1 / (2 * sigma * sigma)"))
def gaussian_answer(x: float, sigma: float) -> float:
    """One answer with Gaussian noise."""
    return x + gaussian(sigma)
