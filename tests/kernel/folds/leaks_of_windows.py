"""Programs that leak through places that several rounds look at: windows, steps, one element read again and again."""

LEAKS_OF_WINDOWS = """
@mechanism(q=one(1), claim="epsilon")
def one_place_too_wide(q: list[float], w: int, epsilon: float) -> list[float]:
    assert w >= 1
    return [sum(q[i:i + w + 1]) + laplace(w / epsilon) for i in range(len(q))]


@mechanism(q=one(1), claim="epsilon")
def width_no_whole_number(q: list[float], w: float, epsilon: float) -> list[float]:
    assert w > 1
    out = []
    for i in range(len(q)):
        s = sum([x for j, x in enumerate(q) if i <= j and j < i + w])
        out.append(s + laplace(w / epsilon))
    return out


@mechanism(q=one(1), claim="epsilon")
def two_far_places(q: list[float], epsilon: float) -> list[float]:
    return [q[i] + q[i + 5] + laplace(1 / epsilon) for i in range(len(q) - 5)]


@mechanism(q=one(1), claim="epsilon")
def first_place_again(q: list[float], epsilon: float) -> list[float]:
    return [q[i] + q[0] + laplace(1 / epsilon) for i in range(len(q))]


@mechanism(q=one(1), claim="epsilon")
def round_the_corner(q: list[float], epsilon: float) -> list[float]:
    assert len(q) >= 2
    return [q[i] + q[i - 1] + laplace(1 / epsilon) for i in range(len(q))]


@mechanism(q=one(1), claim="epsilon")
def answer_says_where(q: list[float], k: int, epsilon: float) -> list[float]:
    assert k <= len(q)
    out = []
    place = 0
    for i in range(k):
        noisy = q[i + place] + laplace(1 / epsilon)
        out.append(noisy)
        place = 1 if noisy > 0 else 0
    return out


@mechanism(q=one(1), claim="epsilon")
def step_shrinks(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 2
    out = []
    start = 0
    width = size
    while start < len(q):
        out.append(sum(q[start:start + size]) + laplace(1 / epsilon))
        start += width
        width = 1
    return out


@mechanism(q=one(1), claim="epsilon")
def step_of_one(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 2
    out = []
    start = 0
    while start < len(q):
        out.append(sum(q[start:start + size]) + laplace(1 / epsilon))
        start += 1
    return out


@mechanism(q=one(1), claim="len(q) * epsilon")
def scale_of_the_next_round(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 2 and epsilon > 0
    out = []
    start = 0
    while start < len(q):
        s = sum(q[start:start + size])
        start += size
        out.append(s + laplace(1 / (start * epsilon)))
    return out


@mechanism(q=one(1), claim="epsilon")
def step_of_nothing(q: list[float], k: int, size: int, epsilon: float) -> list[float]:
    out = []
    start = 0
    n = 0
    while n < k:
        out.append(sum(q[start:start + 1]) + laplace(1 / epsilon))
        start += size
        n += 1
    return out


@mechanism(q=one(1), claim="epsilon")
def step_left_out(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 1
    out = []
    start = 0
    for i in range(len(q)):
        noisy = sum(q[start:start + size]) + laplace(1 / epsilon)
        out.append(noisy)
        if noisy > 0:
            continue
        start += size
    return out


@mechanism(q=one(1), claim="epsilon")
def step_taken_back(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 1
    out = []
    start = 0
    for i in range(len(q)):
        out.append(sum(q[start:start + size]) + laplace(1 / epsilon))
        start += size
        if i == 3:
            start = 0
    return out


@mechanism(q=one(1), claim="epsilon")
def record_ends_the_loop(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 1
    out = []
    start = 0
    while q[start] > 0:
        out.append(laplace(1 / epsilon))
        start += size
    return out


@mechanism(q=one(1), claim="epsilon")
def total_ends_the_loop(q: list[float], size: int, epsilon: float) -> list[float]:
    assert size >= 1
    s = sum(q)
    out = []
    start = 0
    while start < s:
        out.append(laplace(1 / epsilon))
        start += size
    return out


@mechanism(q=one(1), claim="epsilon")
def element_kept(q: list[float], epsilon: float) -> list[float]:
    out = []
    kept = 0.0
    for x in q:
        out.append(x + kept + laplace(1 / epsilon))
        kept = x
    return out


@mechanism(q=one(1), claim="epsilon")
def element_without_noise(q: list[float], epsilon: float) -> list[float]:
    out = []
    for x in q:
        out.append(x + laplace(1 / epsilon))
        out.append(1.0 if x > 0 else 0.0)
    return out


@mechanism(q=replaced(), claim="epsilon")
def place_by_record(q: list[int], epsilon: float) -> list[float]:
    out = []
    for x in q:
        out.append(clip(q[x], 0, 1) + laplace(1 / epsilon))
    return out


@mechanism(q=added(), claim="epsilon")
def place_of_one_more(q: list[float], k: int, epsilon: float) -> list[float]:
    return [clip(q[i], 0, 1) + laplace(1 / epsilon) for i in range(k)]


@mechanism(q=one(1), claim=zcdp("1 / (2 * sigma ** 2)"))
def window_in_rho(q: list[float], sigma: float) -> list[float]:
    assert sigma > 0
    return [q[i] + q[i + 1] + gaussian(sigma) for i in range(len(q) - 1)]


@mechanism(q=each(1), claim="w * epsilon")
def window_of_all(q: list[float], w: int, epsilon: float) -> list[float]:
    assert w >= 1
    return [sum(q[i:i + w]) + laplace(w / epsilon) for i in range(len(q) - w + 1)]


@mechanism(q=one(1), claim="epsilon")
def counts_from_two(q: list[float], epsilon: float) -> list[float]:
    out = []
    i = 2
    while i - 1 <= len(q):
        out.append(sum(q[0:i]) + laplace(1 / epsilon))
        i += 1
    return out


@mechanism(q=one(1), claim="(1 + max(m, 0)) * epsilon")
def inner_loop_without_rounds(q: list[float], n: int, m: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    for i in range(n):
        k = i if m >= 1 else 0
        out.append(sum(q[k:k + 1]) + laplace(1 / epsilon))
        for j in range(m):
            out.append(sum(q[i:i + 1]) + laplace(1 / epsilon))
    return out


@mechanism(rows=added(), claim="2 * epsilon")
def cells_of_no_columns(rows: list[tuple[float, float]], a: int, b: int, epsilon: float) -> list[float]:
    out = []
    for i in range(a):
        for j in range(b):
            out.append(sum([1 for x, y in rows if i <= x < i + 1 and j <= y < j + 1]) + laplace(1 / epsilon))
    out.append(len(rows) + laplace((0.01 if a >= 1 and b < 1 else 1) / epsilon))
    return out
""".strip().split("\n\n\n")
