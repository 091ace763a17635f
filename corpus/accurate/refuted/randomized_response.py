#: expect refuted
#: truth wrong with probability 1/4 exactly
#: example {"answer": true}
from lapwing import accurate, flip, mechanism, replaced


@accurate("result == answer", beta="1 / 5")
@mechanism(answer=replaced(), claim="ln(3)")
def randomized_response(answer: bool) -> bool:
    """The truth if a fair coin shows heads, otherwise whatever a second fair coin shows."""
    if flip(1 / 2):
        out = answer
    else:
        out = flip(1 / 2)
    return out
