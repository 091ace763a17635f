#: mechanism two_counts
#: expect refuted n=1 growth 2*epsilon
#: truth 2*epsilon by sequential composition
#: example {"rows": [true, false, true], "epsilon": 1}
from lapwing import added, laplace, mechanism


@mechanism(rows=added(), claim="epsilon")
def noisy_count(rows: list[bool], epsilon: float) -> float:
    """How many rows say yes, with noise."""
    return sum(1 for row in rows if row) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def two_counts(rows: list[bool], epsilon: float) -> tuple[float, float]:
    """The same count asked twice."""
    first = noisy_count(rows, epsilon)
    second = noisy_count(rows, epsilon)
    return (first, second)
