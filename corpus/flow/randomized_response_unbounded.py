#: expect leak
#: how two runs
#: truth the same program, without neighbours there is no privacy to prove: 3/4 against 1/4
#: example {"answer": true}
from lapwing import flip, flow


@flow(answer="secret", result="public")
def randomized_response_unbounded(answer: bool) -> bool:
    """Noninterference speaks of the distribution of answers, and that depends on the secret."""
    if flip(1 / 2):
        out = answer
    else:
        out = flip(1 / 2)
    return out
