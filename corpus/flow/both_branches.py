#: expect no flow
#: how self-composition
#: truth both branches do the same
#: example {"hidden": 5, "x": 2}
from lapwing import flow


@flow(hidden="secret", x="public", result="public")
def both_branches(hidden: int, x: int) -> int:
    """Rejected by typing: the assignments stand under a secret test."""
    if hidden > x:
        out = x + x
    else:
        out = 2 * x
    return out
