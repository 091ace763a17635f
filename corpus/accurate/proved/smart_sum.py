#: expect proved
#: truth n/block totals of blocks and at most block single steps are added up
#: example {"q": [0, 3, 1, 5, 2], "block": 2, "epsilon": 1}
from lapwing import accurate, laplace, mechanism, one


@accurate("all(abs(result[i] - sum(q[:i + 1])) <= gamma for i in range(len(result)))", beta="beta")
@mechanism(q=one(1), claim="2 * epsilon")
def smart_sum(q: list[float], block: int, epsilon: float) -> list[float]:
    """Every running total: noisy steps inside a block, and a noisy block total at its end."""
    assert block >= 1
    out = []
    finished = 0
    running = 0
    total = 0
    count = 0
    for x in q:
        if count + 1 == block:
            finished = finished + total + x + laplace(1 / epsilon)
            running = finished
            total = 0
            count = 0
        else:
            running = running + x + laplace(1 / epsilon)
            total = total + x
            count += 1
        out.append(running)
    return out
