#: expect refuted n=1 given block=1 growth infinite
#: truth infinite: block totals are released without noise
#: example {"q": [0, 3, 1, 5, 2], "block": 2, "epsilon": 1}
from lapwing import laplace, mechanism, one


@mechanism(q=one(1), claim="2 * epsilon")
def smart_sum(q: list[float], block: int, epsilon: float) -> list[float]:
    """Every running total: noisy steps inside a block, and the block total at its end."""
    assert block >= 1
    out = []
    finished = 0
    running = 0
    total = 0
    count = 0
    for x in q:
        if count + 1 == block:
            finished = finished + total + x
            running = finished
            total = 0
            count = 0
        else:
            running = running + x + laplace(1 / epsilon)
            total = total + x
            count += 1
        out.append(running)
    return out
