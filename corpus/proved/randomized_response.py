#: expect proved ln(3)
#: truth ln 3 exactly: 3/4 against 1/4 (Fredrikson, lecture 18, Theorem 4)
#: example {"answer": true}
from lapwing import flip, mechanism, replaced


@mechanism(answer=replaced(), claim="ln(3)")
def randomized_response(answer: bool) -> bool:
    """The truth if a fair coin shows heads, otherwise whatever a second fair coin shows."""
    if flip(1 / 2):
        out = answer
    else:
        out = flip(1 / 2)
    return out
