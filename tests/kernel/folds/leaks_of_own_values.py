"""Programs that leak through what is taken to be a record's own: earlier records, rounds, lengths of rows."""

LEAKS_OF_OWN_VALUES = """
@mechanism(rows=replaced(), claim="epsilon")
def own_to_both(rows: list[int], marked: list[int], epsilon: float) -> float:
    assert epsilon > 0
    n = 0
    for r in rows:
        n += 1 if r in marked else -1
    return n + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def one_bin_for_two(rows: list[float], edges: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * (len(edges) + 1)
    for x in rows:
        b = len(edges)
        for i in range(len(edges)):
            if x < edges[i]:
                b = i
                break
        counts[b] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def bin_and_its_neighbour(rows: list[float], edges: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * (len(edges) + 1)
    for x in rows:
        b = 0
        while b < len(edges) and x >= edges[b]:
            b += 1
        counts[b] += 1
        counts[b + 1] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def found_again_from_before(rows: list[float], edges: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * (len(edges) + 1)
    b = 0
    for x in rows:
        for i in range(len(edges)):
            if x < edges[i]:
                b = i
                break
        counts[b] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def decided_by_the_table(rows: list[float], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    n = 0
    for x in rows:
        b = 0
        for i in range(k):
            if counts[i] > 2:
                b = i
        if b > 0:
            n += 1
        counts[int(x > 0)] += 1
    return [n + laplace(1 / epsilon)]


@mechanism(rows=added(), claim="epsilon")
def decided_by_a_total(rows: list[float], edges: list[float], epsilon: float) -> float:
    assert epsilon > 0
    total = sum(clip(x, 0, 1) for x in rows)
    n = 0
    for x in rows:
        b = 0
        for e in edges:
            if e < total:
                b = 1
                break
        n += clip(b, 0, 1)
    return n + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def groups_overlap(rows: list[int], groups: list[list[int]], epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    for group in groups:
        n = 0
        for r in rows:
            if r in group:
                n += 1
        out.append(n + laplace(1 / epsilon))
    return out


@mechanism(rows=added(), claim="epsilon")
def groups_overlap_in_a_list(rows: list[int], groups: list[list[int]], epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [sum(1 for r in rows if r in group) for group in groups]
    return [n + laplace(1 / epsilon) for n in counts]


@mechanism(rows=added(), claim="epsilon")
def nearest_moves(rows: list[float], centers: list[float], rounds: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    for t in range(rounds):
        n = 0
        for x in rows:
            best = 0
            for j in range(len(centers)):
                if abs(x - centers[j] - t) < abs(x - centers[best] - t):
                    best = j
            if best == t:
                n += 1
        out.append(n + laplace(1 / epsilon))
    return out


@mechanism(rows=replaced(), claim="epsilon")
def every_column(rows: list[list[float]], d: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    sums = [0.0] * d
    for row in rows:
        for j in range(d):
            sums[j] += clip(row[j], 0, 1)
    return [s + laplace(1 / epsilon) for s in sums]


@mechanism(rows=added(), claim="epsilon")
def a_row_not_clipped(rows: list[list[float]], epsilon: float) -> float:
    assert epsilon > 0
    return sum(sum(row) for row in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def a_length_not_clipped(rows: list[list[float]], epsilon: float) -> float:
    assert epsilon > 0
    return sum(len(row) for row in rows) + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="0")
def a_length_told(rows: list[list[float]]) -> int:
    return sum(sum([1 for v in row]) for row in rows)


@mechanism(rows=replaced(), claim="0")
def a_part_of_a_length_told(rows: list[list[float]], k: int) -> int:
    n = 0
    for row in rows:
        n += len([1 for v in row if k > 0])
    return n


@mechanism(rows=replaced(), claim="0")
def the_last_of_a_length(rows: list[list[float]]) -> int:
    n = 0
    for row in rows:
        n += max([1 for v in row])
    return n


@mechanism(rows=added(), claim="epsilon")
def as_many_as_a_row_is_long(rows: list[list[float]], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for row in rows:
        for i in range(len(row)):
            counts[i] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=replaced(), claim="0")
def the_longest_row(rows: list[list[float]]) -> int:
    n = 0
    for row in rows:
        n = max(n, len(row))
    return n


@mechanism(rows=replaced(), claim="0")
def one_row(rows: list[list[float]]) -> int:
    return len(rows[0])


@mechanism(rows=replaced(), claim="0")
def a_loop_without_end(rows: list[float]) -> float:
    for x in rows:
        i = 0
        while x > 0:
            i += 1
    return 0.0


@mechanism(rows=replaced(), claim="0")
def a_loop_that_waits(rows: list[float], k: int) -> float:
    for x in rows:
        i = 0
        while i < k:
            if x > 0:
                i += 1
    return 0.0


@mechanism(rows=replaced(), claim="0")
def a_limit_that_moves(rows: list[float], k: int) -> float:
    for x in rows:
        i = 0
        top = k
        while i < top:
            i += 1
            top += 1 if x > 0 else 0
    return 0.0


@mechanism(rows=replaced(), claim="epsilon")
def parts_of_pairs(rows: list[tuple[int, list[float]]], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    sums = [0.0] * k
    for key, values in rows:
        sums[key] += clip(sum(values), 0, 1)
    return [s + laplace(1 / epsilon) for s in sums]


@mechanism(rows=replaced(), claim="epsilon")
def pairs_in_a_row(rows: list[list[tuple[float, float]]], epsilon: float) -> float:
    assert epsilon > 0
    total = 0.0
    for row in rows:
        a, b = row[0]
        total += clip(a, 0, 1) - clip(b, 0, 1)
    return total + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def a_left_over(rows: list[float], edges: list[float], epsilon: float) -> float:
    assert epsilon > 0
    b = 0
    for x in rows:
        b = 0
        for i in range(len(edges)):
            if x < edges[i]:
                b = i
                break
    return clip(b, 0, 2) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def left_by_the_loop_before(rows: list[float], edges: list[float], epsilon: float) -> float:
    assert epsilon > 0
    n = 0
    last = 0
    for x in rows:
        if last > 0:
            n += 1
        for i in range(len(edges)):
            if x < edges[i]:
                last = i
    return n + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def two_labels(rows: list[float], centers: list[float], epsilon: float) -> tuple[float, float]:
    assert epsilon > 0
    labels = []
    for x in rows:
        best = 0
        for j in range(len(centers)):
            if abs(x - centers[j]) < abs(x - centers[best]):
                best = j
        labels.append(best)
    a = sum(1 for b in labels if b == 0)
    b = sum(1 for b in labels if b == 1)
    return a + laplace(1 / epsilon), b + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim=zcdp("1 / (2 * sigma ** 2)"))
def one_bin_for_two_rho(rows: list[float], edges: list[float], sigma: float) -> list[float]:
    assert sigma > 0
    counts = [0] * (len(edges) + 1)
    for x in rows:
        b = sum(1 for e in edges if e <= x)
        counts[b] += 1
    return [c + gaussian(sigma) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def lengths_of_lists_less_one(rows: list[list[float]], epsilon: float) -> float:
    assert epsilon > 0
    return sum([min(1, len(each) - 2) for each in rows]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def numbers_that_are_no_lengths(rows: list[tuple[int, list[float]]], epsilon: float) -> float:
    assert epsilon > 0
    return sum([min(1, n) for n, each in rows]) + laplace(1 / epsilon)
""".strip().split("\n\n\n")
