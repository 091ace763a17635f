#: expect leak
#: how two runs
#: truth left is not below mid, so it may not flow there
#: example {"budget": 5, "rumour": 7}
from lapwing import flow


@flow(lattice="low < mid < high, low < left < high", budget="mid", rumour="left", result="mid")
def sideways(budget: int, rumour: int) -> int:
    """Neither label is above the other."""
    return budget + rumour
