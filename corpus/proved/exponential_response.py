#: expect proved epsilon
#: truth epsilon exactly (lecture 19, Computing Privacy Loss, 2.2)
#: example {"x": true, "epsilon": 1}
from lapwing import choose, mechanism, replaced


@mechanism(x=replaced(), claim="epsilon")
def exponential_response(x: bool, epsilon: float) -> bool:
    """The truth with probability e^epsilon / (1 + e^epsilon), the opposite otherwise."""
    lie = choose([1, 0], 1 / epsilon)
    return x if lie == 0 else not x
