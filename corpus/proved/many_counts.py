#: mechanism many_counts
#: expect proved epsilon, delta
#: truth (epsilon, delta) by advanced composition of k counts [Dwork-Rothblum-Vadhan 2010, Kairouz-Oh-Viswanath 2015]
#: needs advanced composition
#: example {"rows": [true, false, true], "k": 3, "epsilon": 1, "delta": "1/1000"}
from lapwing import added, laplace, ln, mechanism, sqrt


@mechanism(rows=added(), claim="epsilon")
def noisy_count(rows: list[bool], epsilon: float) -> float:
    """How many rows say yes, with noise."""
    return sum(1 for row in rows if row) + laplace(1 / epsilon)


@mechanism(rows=added(), claim=("epsilon", "delta"))
def many_counts(rows: list[bool], k: int, epsilon: float, delta: float) -> list[float]:
    """The same count asked k times, with noise that grows as the square root of k."""
    assert k >= 1 and 0 < epsilon <= 1 and 0 < delta < 1 / 2
    out = []
    for _ in range(k):
        out.append(noisy_count(rows, epsilon / (2 * sqrt(2 * k * ln(1 / delta)))))
    return out
