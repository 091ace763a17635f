#: mechanism sampled_count
#: expect refuted n=1 growth infinite
#: truth infinite: a sample as long as the longer list exists only there
#: example {"rows": [true, false, true], "p": "1/2", "epsilon": 1}
from lapwing import added, laplace, mechanism, sample


@mechanism(rows=added(), claim="epsilon")
def noisy_count(rows: list[bool], epsilon: float) -> float:
    """How many rows say yes, with noise."""
    return sum(1 for row in rows if row) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def sampled_count(rows: list[bool], p: float, epsilon: float) -> tuple[float, int]:
    """How many rows of a sample say yes, with noise, and how many there are, without any."""
    kept = sample(rows, p)
    return (noisy_count(kept, epsilon), len(kept))
