#: expect refuted n=1 growth 2*epsilon
#: truth 2*epsilon: the scale is half of what it should be
#: example {"x": true, "epsilon": 1}
from lapwing import choose, mechanism, replaced


@mechanism(x=replaced(), claim="epsilon")
def exponential_response(x: bool, epsilon: float) -> bool:
    """The truth with probability e^(2 epsilon) / (1 + e^(2 epsilon)), the opposite otherwise."""
    lie = choose([1, 0], 1 / (2 * epsilon))
    return x if lie == 0 else not x
