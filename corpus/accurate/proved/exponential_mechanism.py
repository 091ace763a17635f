#: expect proved
#: truth the textbook theorem (McSherry & Talwar 2007; Dwork & Roth 2014, corollary 3.12)
#: example {"scores": [0, 2, 1], "sensitivity": 1, "epsilon": 1}
from lapwing import accurate, choose, each, mechanism


@accurate("scores[result] >= max(scores) - 2 * sensitivity / epsilon * ln(len(scores) / beta)", beta="beta")
@mechanism(scores=each("sensitivity"), claim="epsilon")
def exponential_mechanism(scores: list[float], sensitivity: float, epsilon: float) -> int:
    """An index, the likelier the higher its score."""
    assert len(scores) >= 1 and sensitivity > 0
    return choose(scores, 2 * sensitivity / epsilon)
