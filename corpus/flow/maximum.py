#: expect leak
#: how two runs
#: truth the result is the secret wherever it is larger than x
#: example {"hidden": 5, "x": 2}
from lapwing import flow


@flow(hidden="secret", x="public", result="public")
def maximum(hidden: int, x: int) -> int:
    """A leak that is there for some public inputs and secrets only."""
    return max(hidden, x)
