#: expect proved epsilon
#: truth epsilon: k choices by the exponential mechanism, each at epsilon / k [Durfee-Rogers 2019]
#: example {"q": [0, 3, 1], "k": 2, "low": -100, "epsilon": 1}
from lapwing import choose, each, mechanism


@mechanism(q=each(1), claim="epsilon")
def top_k_peeling(q: list[float], k: int, low: float, epsilon: float) -> list[int]:
    """The indices of k high scores; one that was chosen counts as low from then on."""
    assert k >= 1
    taken = []
    for _ in range(k):
        i = choose([low if j in taken else x for j, x in enumerate(q)], 2 * k / epsilon)
        taken.append(i)
    return taken
