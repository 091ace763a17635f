#: expect refuted n=1 given p=9/10 growth ln(1 + p / ((1 - p) * (1 - p)))
#: truth forgets the answer False, which tells more than True does when p > 1/2
#: example {"answer": true, "p": "9/10"}
from lapwing import flip, mechanism, replaced


@mechanism(answer=replaced(), claim="ln(1 + 1 / (1 - p))")
def randomized_response(answer: bool, p: float) -> bool:
    """The truth with probability p, otherwise a coin that shows True with probability p."""
    assert p > 0 and p < 1
    if flip(p):
        out = answer
    else:
        out = flip(p)
    return out
