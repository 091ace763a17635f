#: expect unknown
#: how -
#: truth no flow in truth; sums over lists are beyond the solver, and no leak is found
#: example {"visits": [1, 2]}
from lapwing import flow


@flow(visits="secret", result="public")
def sum_and_back(visits: list[int]) -> int:
    """An honest unknown."""
    return sum(visits) - sum(visits)
