#: expect proved ln(max(1 + p / ((1 - p) * (1 - p)), 1 + 1 / (1 - p)))
#: truth False: (p + (1-p)²) against (1-p)²; True: (2p - p²) against p(1-p) (Fredrikson, lecture 18, section 2.1)
#: example {"answer": true, "p": "1/3"}
from lapwing import flip, mechanism, replaced


@mechanism(answer=replaced(), claim="ln(max(1 + p / ((1 - p) * (1 - p)), 1 + 1 / (1 - p)))")
def randomized_response(answer: bool, p: float) -> bool:
    """The truth with probability p, otherwise a coin that shows True with probability p."""
    assert p > 0 and p < 1
    if flip(p):
        out = answer
    else:
        out = flip(p)
    return out
