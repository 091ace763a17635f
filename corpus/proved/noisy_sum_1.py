#: expect proved b * epsilon
#: truth b*epsilon exactly (Barthe 2016, NoisySum1)
#: example {"a": [0, 3, 1, 5], "b": 1, "epsilon": 1}
from lapwing import laplace, mechanism, one


@mechanism(a=one("b"), claim="b * epsilon")
def noisy_sum_1(a: list[float], b: float, epsilon: float) -> float:
    """The sum, with noise at the end."""
    assert b >= 0
    s = 0
    i = 0
    while i < len(a):
        s = s + a[i]
        i = i + 1
    s = s + laplace(1 / epsilon)
    return s
