#: expect proved
#: truth one-sided noise never lowers an answer
#: example {"x": 3, "scale": 2}
from lapwing import accurate, exponential, mechanism, within


@accurate("x <= result and result <= x + scale * ln(1 / beta)", beta="beta")
@mechanism(x=within(1))
def noisy_count(x: float, scale: float) -> float:
    """An answer that is never below the truth: accurate, and not private."""
    return x + exponential(scale)
