#: expect no flow
#: how self-composition
#: truth the value is 0 whatever the secret; a label cannot see that
#: example {"hidden": 5, "x": 2}
from lapwing import flow


@flow(hidden="secret", x="public", result="public")
def times_zero(hidden: int, x: int) -> int:
    """Rejected by typing: the expression mentions the secret."""
    return x + hidden * 0
