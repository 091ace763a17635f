#: expect no flow
#: how self-composition
#: truth twice a whole number is even, and halving it gives it back
#: example {"hidden": -3, "n": 4}
from lapwing import flow


@flow(hidden="secret", n="public", result="public")
def parity_of_a_double(hidden: int, n: int) -> int:
    """The rest of a doubled secret, and what is left of it when it is taken away."""
    double = 2 * hidden
    return n + double % 2 + (double // 2 - hidden)
