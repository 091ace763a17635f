#: expect proved epsilon, 10 / epsilon * exp(1 - epsilon * (high - low) / 12)
#: truth (epsilon, delta) if high - low >= 12/epsilon * (ln(10/epsilon) + ln(1/delta) + 1) [Bun-Steinke-Ullman 2017]
#: needs approximate couplings
#: example {"q": [0, 30, 10, 50], "low": 20, "high": 40, "epsilon": "1/2"}
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim=("epsilon", "10 / epsilon * exp(1 - epsilon * (high - low) / 12)"))
def between_thresholds(q: list[float], low: float, high: float, epsilon: float) -> int:
    """The index of the first answer between two noisy thresholds; the number of answers if there is none."""
    assert epsilon > 0 and epsilon < 1 and low < high
    u = laplace(2 / epsilon)
    noisy_low = low - u
    noisy_high = high + u
    for i, x in enumerate(q):
        noisy = x + laplace(6 / epsilon)
        if noisy_low <= noisy <= noisy_high:
            return i
    return len(q)
