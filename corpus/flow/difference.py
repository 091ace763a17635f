#: expect no flow
#: how self-composition
#: truth the secret is added and taken away again
#: example {"hidden": 5, "x": 2}
from lapwing import flow


@flow(hidden="secret", x="public", result="public")
def difference(hidden: float, x: float) -> float:
    """A mask that is removed before anybody looks."""
    masked = x + hidden
    return masked - hidden
