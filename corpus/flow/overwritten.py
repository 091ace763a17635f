#: expect no flow
#: how self-composition
#: truth the secret is overwritten before it is returned
#: example {"hidden": 5, "x": 2}
from lapwing import flow


@flow(hidden="secret", x="public", result="public")
def overwritten(hidden: int, x: int) -> int:
    """Rejected by typing, in which a variable has one label for its whole life."""
    out = hidden
    out = x
    return out
