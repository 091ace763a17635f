#: expect proved epsilon
#: truth epsilon [McSherry-Talwar 2007]
#: example {"scores": [0, 2, 1], "sensitivity": 1, "epsilon": 1}
from lapwing import choose, each, mechanism


@mechanism(scores=each("sensitivity"), claim="epsilon")
def exponential_mechanism(scores: list[float], sensitivity: float, epsilon: float) -> int:
    """An index, the likelier the higher its score."""
    assert len(scores) >= 1 and sensitivity > 0
    return choose(scores, 2 * sensitivity / epsilon)
