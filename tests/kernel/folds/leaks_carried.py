"""Programs that leak by what records leave for later ones, and by the largest of them: no claim holds."""

LEAKS_CARRIED = """
@mechanism(xs=added(), claim="2 * epsilon")
def rounds_move_apart(xs: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    for i in range(2):
        s = 0.0
        t = 0.0
        for x in xs:
            s = max(s, clip(x, 0, 1))
            t = max(t, clip(x, 0, 1) if i == 1 else 0)
        out.append(s + (2 * i - 1) * t + laplace(1 / epsilon))
    return out


@mechanism(xs=added(), claim=zcdp("2"))
def rounds_move_apart_in_rho(xs: list[float]) -> list[float]:
    out = []
    for i in range(2):
        s = 0.0
        t = 0.0
        for x in xs:
            s = max(s, clip(x, 0, 1))
            t = max(t, clip(x, 0, 1) if i == 1 else 0)
        out.append(s + (2 * i - 1) * t + gaussian(1))
    return out


@mechanism(xs=added(), claim="2 * epsilon")
def sizes_move_apart(xs: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0
    sizes = []
    for i in range(2):
        s = 0.0
        t = 0.0
        for x in xs:
            s = max(s, clip(x, 0, 1))
            t = max(t, clip(x, 0, 1) if i == 1 else 0)
        sizes.append(abs(s + (2 * i - 1) * t))
    out = []
    for size in sizes:
        out.append(size + laplace(1 / epsilon))
    return out


@mechanism(xs=replaced(), claim="epsilon")
def weights_of_others(xs: list[float], weights: list[float], n: int, epsilon: float) -> float:
    assert epsilon > 0
    ws = []
    for i in range(n):
        ws.append(weights[i])
    return max([clip(w, -1, 1) for x, w in zip(xs, ws) if x > 0]) + laplace(1 / epsilon)
""".strip().split("\n\n\n")
