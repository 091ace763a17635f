"""Programs that leak where lists of records are paired, counted, cut or begun with noise: no claim here holds."""

LEAKS_OF_PAIRS = """
@mechanism(rows=added(), claim="epsilon")
def pairs_of_two_filters(rows: list[float], epsilon: float) -> float:
    low = [clip(x, 0, 1) for x in rows if x < 1]
    high = [clip(x, 0, 1) for x in rows if x > 0]
    return sum([x * y for x, y in zip(low, high)]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def pairs_with_public(rows: list[float], w: list[float], epsilon: float) -> float:
    low = [clip(x, 0, 1) for x in rows]
    high = [clip(x, 0, 1) for x in rows]
    return sum([x * y * clip(z, -1, 1) for x, y, z in zip(low, high, w)]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def pairs_by_number(rows: list[float], epsilon: float) -> float:
    low = [clip(x, 0, 1) for x in rows]
    high = [clip(x, 0, 1) for x in rows]
    return sum([x * y if i % 2 == 0 else 0 for i, (x, y) in enumerate(zip(low, high))]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def one_fewer(rows: list[float], epsilon: float) -> float:
    n = len(rows) - 1
    total = 0.0
    for i in range(n):
        total += clip(rows[i], -1, 1)
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def as_many_as_pass(rows: list[float], epsilon: float) -> float:
    n = len([x for x in rows if x > 0])
    total = 0.0
    for i in range(n):
        total += clip(rows[i], 0, 1)
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def as_many_as_weigh(rows: list[float], epsilon: float) -> float:
    n = 0
    for x in rows:
        n += 2 if x > 0 else 0
    total = 0.0
    for i in range(n):
        total += clip(rows[i], 0, 1)
    return total + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def smaller_of_two(rows: list[float], epsilon: float) -> float:
    a = sum(clip(x, 0, 1) for x in rows)
    b = sum(clip(x, -3, 3) for x in rows)
    return min(a, b) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def larger_of_three(rows: list[float], epsilon: float) -> float:
    a = len(rows)
    b = sum(clip(x, 0, 2) for x in rows)
    return max(a, 1, b) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def clipped_by_totals(rows: list[float], c: float, epsilon: float) -> float:
    a = len(rows)
    b = 2 * len([x for x in rows if x > 0])
    return clip(c, a, b) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def scores_of_two(rows: list[float], grid: list[float], epsilon: float) -> int:
    scores = []
    for g in grid:
        a = len([x for x in rows if x <= g])
        b = 2 * len([x for x in rows if x >= g])
        scores.append(min(a, b))
    return choose(scores, 2 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def noise_is_asked(rows: list[float], epsilon: float) -> float:
    total = laplace(1 / epsilon)
    n = 0
    for x in rows:
        total += clip(x, 0, 1)
        if total > 100:
            n += 1
    return total if n > 0 else 0.0


@mechanism(rows=added(), claim="epsilon")
def noise_is_told(rows: list[float], epsilon: float) -> tuple[float, float]:
    z = laplace(1 / epsilon)
    total = z
    for x in rows:
        total += clip(x, 0, 1)
    return total, z


@mechanism(rows=added(), claim="epsilon")
def noise_is_doubled(rows: list[float], epsilon: float) -> float:
    total = laplace(1 / epsilon)
    for x in rows:
        total = total + total - total
        total += 2 * clip(x, 0, 1)
    return total


@mechanism(rows=added(), claim="epsilon")
def noise_is_left(rows: list[float], epsilon: float) -> float:
    total = laplace(1 / epsilon)
    for x in rows:
        if x > 5:
            total = 0.0
        total += clip(x, 0, 1)
    return total


@mechanism(rows=one(1), claim="epsilon")
def counter_read_late(rows: list[float], epsilon: float) -> float:
    i = 0
    total = 0.0
    while i < len(rows):
        x = rows[i]
        i += 1
        total += x if i > 1 else 5 * x
    return total + laplace(1 / epsilon)


@mechanism(rows=one(1), claim="epsilon")
def counter_raised_twice(rows: list[float], epsilon: float) -> float:
    i = 0
    total = 0.0
    while i < len(rows):
        i += 1
        total += 2 * rows[i - 1]
        i += 0
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def weights_cut(rows: list[int], w: list[float], epsilon: float) -> float:
    v = w[1:]
    total = 0.0
    for r in rows:
        if 0 <= r < len(v):
            total += v[r] if w[r] <= 1 and w[r] >= -1 else 0.0
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def cut_totals(rows: list[float], epsilon: float) -> list[float]:
    totals = [sum(clip(x, 0, 9) for x in rows), len(rows), sum(clip(x, 0, 9) for x in rows)]
    return [t + laplace(1 / epsilon) for t in totals[1:]]


@mechanism(rows=added(), claim="epsilon")
def next_place_too(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(k):
            if r == j:
                counts[j] += 1
                counts[j + 1] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def handed_on(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(k):
            if r >= j:
                counts[j + 1] = counts[j + 2]
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def place_before(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(k):
            if r == j or counts[j - 1] > 0:
                counts[j] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def remembered(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        seen = 0
        for j in range(k):
            if r == j:
                seen = 1
            counts[j] += seen
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def always_the_first(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(k):
            counts[0] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def moved_on(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(1, k):
            if r == j:
                counts[j - 1] += 1
            if r == 0 - j:
                counts[j] += 2
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def all_that_are_larger(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(k):
            if r >= j:
                counts[j] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def until_it_breaks(rows: list[int], k: int, epsilon: float) -> list[float]:
    counts = [0] * k
    for r in rows:
        for j in range(k):
            counts[j] += 1
            if r == j:
                break
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def two_other_places_alike(rows: list[int], epsilon: float) -> list[float]:
    counts = [0, 0, 0]
    for r in rows:
        for j in range(3):
            more = 0
            if counts[0] != counts[1]:
                more = 5
            if j == 2:
                counts[j] += more
            if j == 0:
                counts[j] += clip(r, 0, 1)
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def scored_by_drawn_edges(rows: list[int], k: int, epsilon: float) -> int:
    edges = []
    for i in range(k):
        edges.append(laplace(1))
    scores = [0] * k
    for r in rows:
        for j, e in enumerate(edges):
            scores[j] += 1 if r > e else -1
    return choose(scores, 1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def places_that_were_drawn(rows: list[int], k: int, epsilon: float) -> list[float]:
    drawn = []
    for i in range(k):
        drawn.append(discrete_laplace(1))
    counts = [0] * k
    for r in rows:
        for j, e in enumerate(drawn):
            if j == e:
                counts[j] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def two_for_one(rows: list[int], k: int, epsilon: float) -> list[float]:
    kept = []
    for r in rows:
        for j in range(k):
            kept.append(1)
    return [len(kept) + laplace(1 / epsilon)]
""".strip().split("\n\n\n")
