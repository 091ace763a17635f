#: mechanism sampled_count
#: expect proved ln(1 + p * (exp(epsilon) - 1))
#: truth ln(1 + p * (exp(epsilon) - 1)) by amplification [Balle-Barthe-Gaboardi 2018]
#: needs amplification by sampling
#: example {"rows": [true, false, true], "p": "1/2", "epsilon": 1}
from lapwing import added, laplace, mechanism, sample


@mechanism(rows=added(), claim="epsilon")
def noisy_count(rows: list[bool], epsilon: float) -> float:
    """How many rows say yes, with noise."""
    return sum(1 for row in rows if row) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="ln(1 + p * (exp(epsilon) - 1))")
def sampled_count(rows: list[bool], p: float, epsilon: float) -> float:
    """How many rows of a sample say yes, with noise: who is probably not in it loses less."""
    return noisy_count(sample(rows, p), epsilon)
