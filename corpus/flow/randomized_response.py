#: expect only by noise
#: how privacy, enumeration
#: truth epsilon = ln(3): 3/4 against 1/4 (Fredrikson, lecture 18, Theorem 4)
#: example {"answer": true}
from lapwing import flip, flow, mechanism, replaced


@mechanism(answer=replaced(), claim="ln(3)")
@flow(answer="secret", result="public")
def randomized_response(answer: bool) -> bool:
    """RandResp of the lecture: its feasible set is everything, and yet it tells something."""
    if flip(1 / 2):
        out = answer
    else:
        out = flip(1 / 2)
    return out
