#: expect proved len(a) * b * epsilon
#: truth n*b*epsilon (Barthe 2016, NoisySum2, by sequential composition)
#: example {"a": [0, 3, 1, 5], "b": 1, "epsilon": 1}
from lapwing import each, laplace, mechanism


@mechanism(a=each("b"), claim="len(a) * b * epsilon")
def noisy_sum_2(a: list[float], b: float, epsilon: float) -> float:
    """The sum of noisy elements."""
    assert b >= 0
    s = 0
    i = 0
    while i < len(a):
        noisy = a[i] + laplace(1 / epsilon)
        s = s + noisy
        i = i + 1
    return s
