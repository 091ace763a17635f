#: expect refuted n=1 growth ln(3)
#: truth ln 3; ln 2 is what one coin would give if the second told nothing
#: example {"rows": [true, false, true]}
from lapwing import flip, mechanism, replaced


@mechanism(rows=replaced(), claim="ln(2)")
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
