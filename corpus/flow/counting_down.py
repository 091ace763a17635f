#: expect no flow
#: how self-composition
#: truth the secret decides how long it takes, and time is not observed; it always ends
#: example {"hidden": 5}
from lapwing import flow


@flow(hidden="secret", result="public")
def counting_down(hidden: int) -> int:
    """Typing rejects the loop, since it might not end; its test falls by one in every round."""
    left = hidden
    while left > 0:
        left -= 1
    return 0
