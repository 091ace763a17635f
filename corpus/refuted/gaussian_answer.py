#: expect refuted n=1 growth 1/(2*sigma*sigma)
#: truth exactly 1/(2 sigma²)-zCDP, twice what is claimed
#: example {"x": 3, "sigma": 2}
from lapwing import gaussian, mechanism, within, zcdp


@mechanism(x=within(1), claim=zcdp("1 / (4 * sigma * sigma)"))
def gaussian_answer(x: float, sigma: float) -> float:
    """One answer with Gaussian noise."""
    return x + gaussian(sigma)
