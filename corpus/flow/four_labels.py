#: expect no flow
#: how typing
#: truth mid may flow to high; left stays where it is
#: example {"budget": 5, "rumour": 7, "note": 1}
from lapwing import flow


@flow(lattice="low < mid < high, low < left < high", budget="mid", rumour="left", note="low", result="mid")
def four_labels(budget: int, rumour: int, note: int) -> int:
    """A lattice with two labels that are not comparable."""
    gossip = rumour + budget
    if gossip > 10:
        gossip = 10
    if budget > 10:
        return budget + note
    return note
