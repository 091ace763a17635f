#: expect proved rounds / (2 * sigma * sigma)
#: truth rho = rounds / (2 * sigma^2): one record moves a clipped slope by 1 [Bun-Steinke 2016]
#: needs composition in zCDP
#: example {"rows": [0, 3, 1], "rounds": 2, "rate": "1/10", "sigma": 2}
from lapwing import added, clip, gaussian, mechanism, zcdp


@mechanism(rows=added(), claim=zcdp("rounds / (2 * sigma * sigma)"))
def noisy_descent(rows: list[float], rounds: int, rate: float, sigma: float) -> float:
    """Towards the median: every round follows the sum of clipped slopes, with Gaussian noise."""
    theta = 0.0
    for _ in range(rounds):
        slope = sum(clip(x - theta, -1, 1) for x in rows)
        theta = theta + rate * (slope + gaussian(sigma))
    return theta
