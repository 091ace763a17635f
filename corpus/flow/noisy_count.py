#: expect only by noise
#: how privacy, sensitivity
#: truth Laplace noise on a count
#: example {"count": 5, "epsilon": 1}
from lapwing import flow, laplace, mechanism, within


@mechanism(count=within(1), claim="epsilon")
@flow(count="secret", result="public")
def noisy_count(count: int, epsilon: float) -> float:
    """What leaves is the count plus noise."""
    assert epsilon > 0
    return count + laplace(1 / epsilon)
