#: expect leak
#: how two runs
#: truth a key that is more often True than False gives the bit away
#: example {"bit": true}
from lapwing import flip, flow


@flow(bit="secret", result="public")
def biased_pad(bit: bool) -> bool:
    """The one-time pad with a bad key."""
    key = flip(2 / 3)
    return bit != key
