#: expect refuted n=1 growth ln(3)
#: truth ln 3, so a claim of 1 is too small
#: example {"answer": true}
from lapwing import flip, mechanism, replaced


@mechanism(answer=replaced(), claim="1")
def randomized_response(answer: bool) -> bool:
    """The truth if a fair coin shows heads, otherwise whatever a second fair coin shows."""
    if flip(1 / 2):
        out = answer
    else:
        out = flip(1 / 2)
    return out
