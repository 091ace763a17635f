"""Programs that leak through a place: an index that a record decides, a table that rounds share, parts of a record."""

LEAKS_BY_PLACE = """
@mechanism(rows=added(), claim="epsilon")
def half_the_noise(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 1
    return [c + laplace(1 / (2 * epsilon)) for c in counts]


@mechanism(rows=replaced(), claim="epsilon")
def one_cell_for_two(rows: list[int], epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * 4
    for r in rows:
        counts[r % 4] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=replaced(), claim=zcdp("1 / (2 * sigma ** 2)"))
def one_cell_for_two_rho(rows: list[int], sigma: float) -> list[float]:
    assert sigma > 0
    counts = [0] * 4
    for r in rows:
        counts[r % 4] += 1
    return [c + gaussian(sigma) for c in counts]


@mechanism(rows=replaced(), claim=zcdp("1 / sigma ** 2"))
def signs_in_one_cell(rows: list[tuple[int, float]], sigma: float) -> list[float]:
    assert sigma > 0
    sums = [0.0] * 3
    for key, v in rows:
        sums[key] += clip(v, -1, 1)
    return [s + gaussian(sigma) for s in sums]


@mechanism(rows=added(), claim="epsilon")
def not_clipped(rows: list[tuple[int, float]], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    sums = [0.0] * k
    for key, v in rows:
        sums[key] += v
    return [s + laplace(1 / epsilon) for s in sums]


@mechanism(rows=added(), claim="epsilon")
def two_marks(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 1
        counts[r - 1] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def from_the_end(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        if r >= 0:
            counts[r] += 1
        counts[-1] += 1
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="0")
def key_later(rows: list[int], k: int) -> int:
    counts = [0] * k
    last = 0
    for r in rows:
        counts[r] += 1
        last = r
    return last


@mechanism(rows=added(), claim="epsilon")
def table_read_in_the_loop(rows: list[int], k: int, epsilon: float) -> float:
    assert epsilon > 0
    counts = [0] * k
    pairs = 0
    for r in rows:
        pairs += counts[r]
        counts[r] += 1
    return pairs + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def table_decides(rows: list[int], k: int, epsilon: float) -> float:
    assert epsilon > 0
    counts = [0] * k
    n = 0
    for r in rows:
        if counts[0] > 2:
            n += 1
        counts[r] += 1
    return n + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def carried(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    last = 0
    for r in rows:
        counts[last] += 1
        last = clip(r, 0, k)
    return [c + laplace(1 / epsilon) for c in counts]


@mechanism(rows=added(), claim="epsilon")
def counted_places(rows: list[float], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    sums = [0.0] * k
    i = 0
    for r in rows:
        sums[i] += clip(r, 0, 1)
        i += 1
    return [s + laplace(1 / epsilon) for s in sums]


@mechanism(rows=replaced(), claim="0")
def public_list_at_a_record(rows: list[int], ws: list[float]) -> float:
    return sum(ws[r] for r in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def released_list_at_a_record(rows: list[int], ws: list[float]) -> float:
    vs = [w + laplace(1) for w in ws]
    return sum(vs[r] for r in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def kept_list_at_a_record(rows: list[int], ws: list[float]) -> float:
    vs = [w for w in ws if w > 0]
    return sum(clip(vs[r], 0, 1) for r in rows) + laplace(1)


@mechanism(v=replaced(), claim="0")
def released_list_at_a_number(v: int, ws: list[float]) -> float:
    vs = [w + laplace(1) for w in ws]
    return vs[v]


@mechanism(v=replaced(), claim="0")
def updated_at_a_number(v: int, k: int) -> list[int]:
    cells = [0] * k
    cells[v] = 1
    return cells


@mechanism(v=replaced(), claim="0")
def updated_on_one_side(v: float, k: int) -> list[int]:
    cells = [0] * k
    if v > 0:
        cells[0] = 1
    return cells


@mechanism(rows=replaced(), claim="0")
def unknowns_at_two_places(rows: list[float], ws: list[float]) -> float:
    vs = [w + laplace(1) for w in ws]
    cells = [0.0] * 2
    for r in rows:
        cells = [c + r * vs[i] for i, c in enumerate(cells)]
    return cells[0] - cells[1] + laplace(1)


@mechanism(rows=added(), claim="epsilon")
def table_without_noise(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 1
    counts[0] = 0
    return [(c + laplace(1 / epsilon) if i > 1 else c) for i, c in enumerate(counts)]


@mechanism(rows=added(), claim="epsilon")
def shared_noise_in_a_table(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 1
    n = laplace(1 / epsilon)
    return [c + n for c in counts]


@mechanism(rows=added(), claim="epsilon")
def table_twice(rows: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 1
    one = [c + laplace(1 / epsilon) for c in counts]
    two = [c + laplace(1 / epsilon) for c in counts]
    return [a + b for a, b in zip(one, two)]


@mechanism(rows=added(), claim="epsilon")
def sums_and_counts(rows: list[tuple[int, float]], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    sums = [0.0] * k
    counts = [0] * k
    for key, v in rows:
        sums[key] += clip(v, 0, 1)
        counts[key] += 1
    out = []
    for s, c in zip(sums, counts):
        out.append(s + laplace(1 / epsilon))
        out.append(c + laplace(1 / epsilon))
    return out


@mechanism(rows=added(), claim="epsilon")
def rows_and_columns(rows: list[tuple[int, int]], r: int, c: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    return [[sum(1 for a, b in rows if a == i) + laplace(1 / epsilon) for j in range(c)] for i in range(r)]


@mechanism(rows=added(), claim="epsilon")
def triangle(rows: list[tuple[int, int]], k: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    return [[sum(1 for a, b in rows if a >= j and a <= i) + laplace(1 / epsilon) for j in range(i)] for i in range(k)]


@mechanism(rows=added(), claim="epsilon")
def wide_remainder(rows: list[int], epsilon: float) -> float:
    assert epsilon > 0
    return sum(r % 3 for r in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def below_zero_remainder(rows: list[int], epsilon: float) -> float:
    assert epsilon > 0
    return sum(abs(clip(r, -1, 1) % 4) for r in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def rounded_down(rows: list[int], epsilon: float) -> float:
    assert epsilon > 0
    return sum(clip(r, -1, 1) // 2 + clip(r, 0, 3) // 2 for r in rows) + laplace(1 / (2 * epsilon))


@mechanism(rows=added(), claim="epsilon")
def by_a_negative(rows: list[int], epsilon: float) -> float:
    assert epsilon > 0
    return sum(clip(r, 0, 1) // -3 * 2 for r in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_part(rows: list[int], m: int) -> float:
    return sum(r - r % m for r in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def parts_of_parts(rows: list[tuple[int, tuple[float, float]]]) -> float:
    t = 0.0
    for k, (a, b) in rows:
        t += b
    return t + laplace(1)


@mechanism(rows=replaced(), claim="epsilon")
def other_part(rows: list[tuple[float, float]], epsilon: float) -> float:
    assert epsilon > 0
    return sum(clip(x, 0, 1) + clip(y, 0, 1) for x, y in rows) + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="0")
def length_of_kept_parts(rows: list[tuple[float, bool]]) -> list[float]:
    kept = [x for x, b in rows if b]
    return [0.0 for x in kept]


@mechanism(rows=added(), claim="epsilon")
def choice_of_wide_scores(rows: list[int], k: int, epsilon: float) -> int:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 2
    return choose(counts, 1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def choice_of_two_moves(rows: list[int], k: int, epsilon: float) -> int:
    assert epsilon > 0
    counts = [0] * k
    for r in rows:
        counts[r] += 1
    return choose(counts, 1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def best_of_a_table(rows: list[int], epsilon: float) -> int:
    assert epsilon > 0
    counts = [0] * 3
    for r in rows:
        counts[r] += 1
    best = 0
    top = 0.0
    for i, c in enumerate(counts):
        v = c + laplace(1 / epsilon)
        if i == 0 or v > top:
            best = i
            top = v
    return best


@mechanism(rows=added(), claim="epsilon")
def place_as_weight(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    total = 0.0
    for i in range(len(rows)):
        total += clip(rows[i], 0, 1) if i > 2 else 0
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def place_before(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    total = 0.0
    for i in range(len(rows)):
        total += clip(rows[i - 1] - rows[i], 0, 1)
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def place_in_a_public_list(rows: list[float], ws: list[float], epsilon: float) -> float:
    assert epsilon > 0
    total = 0.0
    for i in range(len(rows)):
        total += clip(rows[i], 0, 1) * clip(ws[i], 0, 1)
    return total + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def place_of_what_is_kept(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    kept = [x for x in rows if x > 0]
    return sum(clip(kept[i] - rows[i], 0, 1) for i in range(len(kept))) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def how_many_places(rows: list[float]) -> list[float]:
    return [1.0 for i in range(len(rows))]


@mechanism(rows=added(), claim="epsilon")
def while_half_the_noise(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    total = 0.0
    i = 0
    while i < len(rows):
        total += clip(rows[i], 0, 2)
        i += 1
    return total + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="0")
def while_from_elsewhere(rows: list[float], k: int) -> float:
    total = 0.0
    i = k
    while i < len(rows):
        total += rows[i]
        i += 1
    return total - sum(x for x in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def while_that_skips(rows: list[float]) -> float:
    total = 0.0
    i = 0
    while i < len(rows):
        total += rows[i]
        if rows[i] > 0:
            i += 1
        i += 1
    return total - sum(x for x in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def while_with_a_moving_end(rows: list[float]) -> float:
    total = 0.0
    i = 0
    n = len(rows)
    while i < n:
        total += rows[i]
        n -= 1
        i += 1
    return total - sum(x for x in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def while_that_stops(rows: list[float]) -> float:
    total = 0.0
    i = 0
    while i < len(rows):
        if rows[i] > 3:
            break
        total += rows[i]
        i += 1
    return total - sum(x for x in rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def while_tells_where(rows: list[float]) -> int:
    i = 0
    while i < len(rows) and rows[i] > 0:
        i += 1
    return i


@mechanism(rows=added(), claim="epsilon")
def largest_of_more(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return max([clip(r, -5, 1) for r in rows]) + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def largest_of_kept(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return max([clip(r, 0, 1) + 5 for r in rows if r > 0]) + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def largest_at_half(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return max([clip(r, 0, 1) for r in rows]) + laplace(1 / (2 * epsilon))


@mechanism(rows=replaced(), claim="0")
def largest_less_the_sum(rows: list[float]) -> float:
    return max(rows) - sum(rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def largest_less_smallest(rows: list[float]) -> float:
    return max(rows) - min(rows) + laplace(1)


@mechanism(rows=replaced(), claim="0")
def largest_decides(rows: list[float], epsilon: float) -> float:
    top = max(rows)
    return sum(1 if x < top else 0 for x in rows) + laplace(1)

@mechanism(x=within(1), claim="epsilon")
def while_below_a_real_number(x: float, n: float, epsilon: float) -> list[float]:
    assert epsilon > 0
    assert n > 0
    out = []
    i = 0
    while i < n:
        out.append(x + laplace(n / epsilon))
        i += 1
    return out


@mechanism(rows=replaced(), claim="epsilon")
def while_below_two_and_a_half(rows: list[bool], epsilon: float) -> list[float]:
    assert epsilon > 0
    total = sum(1 if r else 0 for r in rows)
    out = []
    i = 0
    while i < 2.5:
        out.append(total + laplace(2.5 / epsilon))
        i += 1
    return out

@mechanism(rows=replaced(), claim="0")
def sums_of_the_others_by_place(rows: list[int], k: int) -> int:
    others = [sum([0 if i == j else r for j, r in enumerate(rows)]) for i in range(k)]
    return sum([others[j] for j in range(len(rows))])


@mechanism(rows=replaced(), claim="0")
def sums_of_the_others_beside(rows: list[int], k: int) -> int:
    others = []
    for i in range(k):
        others.append(sum([0 if i == j else r for j, r in enumerate(rows)]))
    total = 0
    for r, other in zip(rows, others):
        total += other
    return total


@mechanism(rows=replaced(), claim="0")
def sums_of_the_others_in_a_table(rows: list[int], k: int) -> int:
    others = [0] * k
    for j, r in enumerate(rows):
        others = [x + (0 if i == j else r) for i, x in enumerate(others)]
    total = 0
    for j in range(len(rows)):
        total += others[j]
    return total


@mechanism(rows=replaced(), claim="0")
def sums_of_the_others_in_pairs(rows: list[int], k: int) -> int:
    others = [(sum([0 if i == j else r for j, r in enumerate(rows)]), 1) for i in range(k)]
    return sum([x for (x, y), r in zip(others, rows)])


@mechanism(rows=added(), claim="0")
def how_many_are_others(rows: list[int]) -> int:
    others = [sum([0 if i == (r if r >= 0 else 5 + r) else 1 for r in rows]) for i in range(5)]
    total = 0
    for r in rows:
        total += others[r]
    return total


@mechanism(rows=added(), claim="0")
def how_many_are_others_in_a_table(rows: list[int]) -> int:
    others = [0] * 5
    for r in rows:
        others = [x + (0 if i == (r if r >= 0 else 5 + r) else 1) for i, x in enumerate(others)]
    total = 0
    for r in rows:
        total += others[r]
    return total


@mechanism(rows=replaced(), claim="epsilon")
def one_cell_of_a_table_for_two(rows: list[tuple[int, int]], r: int, c: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    m = [[0] * c for _ in range(r)]
    for a, b in rows:
        m[a][b] += 1
    return [[m[i][j] + laplace(1 / epsilon) for j in range(c)] for i in range(r)]


@mechanism(rows=added(), claim="epsilon")
def both_ways(rows: list[tuple[int, int]], r: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    m = [[0] * r for _ in range(r)]
    for a, b in rows:
        m[a][b] += 1
        m[b][a] += 1
    return [[m[i][j] + laplace(1 / epsilon) for j in range(r)] for i in range(r)]


@mechanism(rows=added(), claim="epsilon")
def a_whole_row_of_a_table(rows: list[int], r: int, c: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    m = [[0] * c for _ in range(r)]
    for a in rows:
        for j in range(c):
            m[a][j] += 1
    return [[m[i][j] + laplace(1 / epsilon) for j in range(c)] for i in range(r)]


@mechanism(rows=added(), claim="epsilon")
def sum_and_count_for_one(rows: list[tuple[int, float]], k: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    table = [[0.0, 0.0] for _ in range(k)]
    for g, v in rows:
        table[g][0] += clip(v, 0, 1)
        table[g][1] += 1
    return [[table[i][0] + laplace(1 / epsilon), table[i][1] + laplace(1 / epsilon)] for i in range(k)]


@mechanism(rows=added(), claim="epsilon")
def cells_decide(rows: list[tuple[int, int]], r: int, c: int, epsilon: float) -> list[list[float]]:
    assert epsilon > 0
    m = [[0] * c for _ in range(r)]
    for a, b in rows:
        m[a][0] += 1
        m[m[0][0]][b] += 1
    return [[m[i][j] + laplace(2 / epsilon) for j in range(c)] for i in range(r)]


@mechanism(rows=added(), claim="epsilon")
def cells_add_up(rows: list[tuple[int, int]], r: int, c: int, epsilon: float) -> float:
    assert epsilon > 0
    m = [[0] * c for _ in range(r)]
    pairs = 0
    for a, b in rows:
        pairs += m[a][b]
        m[a][b] += 1
    return pairs + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def a_cell_told(rows: list[tuple[int, int]], r: int, c: int) -> int:
    m = [[0] * c for _ in range(r)]
    for a, b in rows:
        m[a][b] += 1
    return m[0][0]


@mechanism(rows=added(), claim="epsilon")
def margins_for_free(rows: list[tuple[int, int]], r: int, c: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    m = [[0] * c for _ in range(r)]
    for a, b in rows:
        m[a][b] += 1
    out = []
    for i in range(r):
        out.append(m[i][0] + m[0][i] + laplace(1 / epsilon))
    return out


@mechanism(x=within(1), claim="epsilon")
def all_but_the_diagonal(x: float, k: int, epsilon: float) -> list[list[float]]:
    return [[(0 if i == j else x) for j in range(k)] for i in range(k)]


@mechanism(rows=replaced(), claim="epsilon")
def all_but_the_diagonal_of_a_total(rows: list[float], k: int, epsilon: float) -> list[list[float]]:
    total = sum(rows)
    table = [[(0 if i == j else total) for j in range(k)] for i in range(k)]
    return [[v for v in row] for row in table]


@mechanism(rows=added(), claim="epsilon")
def all_but_the_diagonal_of_what_others_left(rows: list[float], k: int, epsilon: float) -> float:
    assert k >= 2
    n = 0
    total = 0.0
    for x in rows:
        table = [[(0 if i == j else n) for j in range(k)] for i in range(k)]
        total += clip(sum([sum(row) for row in table]), 0, 1) * clip(x, 0, 1)
        n += 1
    return total + laplace(1 / epsilon)
""".strip().split("\n\n\n")
