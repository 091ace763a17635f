#: expect proved ln(3)
#: truth ln 3 exactly, however many rows: one row changes, and each is answered alone (lecture 19, section 2.1)
#: example {"rows": [true, false, true]}
from lapwing import flip, mechanism, replaced


@mechanism(rows=replaced(), claim="ln(3)")
def coin_toss(rows: list[bool]) -> list[bool]:
    """For every person. Heads: the true value. Tails: toss again and answer what the coin shows."""
    out = []
    for x in rows:
        heads = flip(1 / 2)
        if heads:
            out.append(x)
        else:
            out.append(flip(1 / 2))
    return out
