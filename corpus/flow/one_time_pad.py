#: expect no flow
#: how enumeration
#: truth the exclusive or with a fair coin is a fair coin
#: example {"bit": true}
from lapwing import flip, flow


@flow(bit="secret", result="public")
def one_time_pad(bit: bool) -> bool:
    """Perfectly secret: all inputs and coins are gone through, and every answer is as likely as before."""
    key = flip(1 / 2)
    return bit != key
