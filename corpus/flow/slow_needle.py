#: expect unknown
#: how -
#: truth a leak in truth, after a thousand rounds: more than the search goes, and bounded search is no proof
#: example {"hidden": 5}
from lapwing import flow


@flow(hidden="secret", result="public")
def slow_needle(hidden: int) -> int:
    """Loops are followed for a few rounds only; that they show no difference is not taken for a proof."""
    total = 0
    for i in range(1000):
        if i > 998 and hidden * hidden * hidden == 1882280505923:
            total = 1
    return total
