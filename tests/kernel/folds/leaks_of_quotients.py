"""Programs that leak by a quotient whose divisor is not public, or is 0 where a public test stands in front of it."""

LEAKS_OF_QUOTIENTS = """
@mechanism(rows=added(), claim="epsilon")
def each_record_over_noise(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    n = laplace(1)
    return sum([clip(x, 0, 1) / n for x in rows]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def noise_over_each_record(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return sum([1 / x for x in rows]) + laplace(1 / epsilon)


@mechanism(rows=added())
def total_over_total(rows: list[float]) -> float:
    return sum([clip(x, 0, 1) for x in rows]) / len(rows)


@mechanism(rows=added(), claim="epsilon")
def noisy_total_over_total(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    s = sum([clip(x, 0, 1) for x in rows]) + laplace(1 / epsilon)
    return s / len(rows)


@mechanism(rows=added(), claim="epsilon")
def total_over_noise(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    n = laplace(1)
    return sum([clip(x, 0, 1) for x in rows]) / n + laplace(1 / epsilon)


@mechanism(x=within(1), claim="epsilon")
def private_number_over_noise(x: float, epsilon: float) -> float:
    assert epsilon > 0
    n = 1 + exponential(1)
    y = x / n
    return n * y + laplace(1 / (2 * epsilon))


@mechanism(x=within(1), claim="epsilon")
def noise_below(x: float, epsilon: float) -> float:
    assert epsilon > 0
    n = laplace(1 / epsilon)
    return 1 / (1 / (x + n) + 0) + n


@mechanism(x=within(1), claim="epsilon")
def noise_that_cancels(x: float, epsilon: float) -> float:
    assert epsilon > 0
    n = laplace(1 / epsilon)
    return (x + n) / n


@mechanism(rows=added(), claim="epsilon")
def bins_that_overlap(rows: list[float], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    n = laplace(1)
    out = []
    for j in range(k):
        at = j / n
        out.append(sum([1 for x in rows if at <= x < at + 1]) + laplace(1 / epsilon))
    return out


@mechanism(rows=added(), claim="epsilon")
def bins_of_one_edge(rows: list[float], edges: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0
    n = laplace(1)
    cuts = [edge / n for edge in edges]
    return [sum([1 for x in rows if cut <= x]) + laplace(1 / epsilon) for cut in cuts]


@mechanism(rows=added(), claim="epsilon")
def place_over_noise(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    n = 1 + exponential(1)
    return sum([1 if x > i / n else 0 for i, x in enumerate(rows)]) + laplace(1 / epsilon)


@mechanism(x=within(1), claim="epsilon")
def whole_noise_on_a_quotient(x: int, epsilon: float) -> float:
    assert epsilon > 0
    n = 1 + discrete_laplace(1)
    return x / n + discrete_laplace(1 / epsilon)


@mechanism(q=each(1), claim="epsilon")
def first_above_a_quotient(q: list[float], epsilon: float) -> int:
    assert epsilon > 0
    t = laplace(1 / epsilon)
    for i in range(len(q)):
        if q[i] / (2 + t) > 1:
            return i
    return -1


@mechanism(rows=added(), claim="epsilon")
def clipped_at_a_quotient_that_has_no_value(rows: list[tuple[float, float]], n: int, b: float, epsilon: float) -> float:
    assert n >= 0
    assert b >= 1
    total = 0.0
    for x, y in rows:
        total += clip(x * y, 0, 1 / n if n != 0 else b)
    return total + laplace((1 / n if n != 0 else 1) / epsilon)


@mechanism(rows=added(), claim="epsilon")
def clipped_between_ends_that_cross(
    rows: list[tuple[float, float]], n: float, b: float, c: float, epsilon: float
) -> float:
    assert n == 0 or b <= c
    total = 0.0
    for x, y in rows:
        total += clip(x * y / n, b, c) if n != 0 else 1
    return total + laplace((abs(b) + abs(c) + 1 if n != 0 else 0.01 if b > c else 5) / epsilon)


@mechanism(rows=added(), claim="2 * epsilon")
def total_over_zero_behind_and(rows: list[float], n: int, epsilon: float) -> list[float]:
    f = n != 0 and sum([clip(x, 0, 1) for x in rows]) / n > 3
    a = (1 if f else 0) + laplace(1 / epsilon)
    return [a, len(rows) + laplace((1 if n != 0 else 0.01) / epsilon)]


@mechanism(rows=replaced(), claim="2 * epsilon")
def total_over_zero_behind_or(rows: list[float], n: int, epsilon: float) -> list[float]:
    f = n == 0 or sum([clip(x, 0, 1) for x in rows]) / n > 3
    a = (1 if f else 0) + laplace(1 / epsilon)
    return [a, sum([clip(x, 0, 1) for x in rows]) + laplace((1 if n != 0 else 0.01) / epsilon)]


@mechanism(rows=added(), claim="epsilon")
def bins_of_a_width_of_zero(rows: list[float], k: int, m: float, epsilon: float) -> list[float]:
    out = []
    for j in range(k):
        if m != 0:
            out.append(sum([1 for x in rows if j <= x / m < j + 1]) + laplace(1 / epsilon))
        out.append(sum([(clip(x, 0, 1) if m == 0 else 0) for x in rows]) + laplace(1 / epsilon))
    return out


@mechanism(rows=added(), claim="epsilon")
def bins_over_how_many_rounds(rows: list[float], k: int, c: int, epsilon: float) -> list[float]:
    assert c >= 0
    assert c <= 1
    out = []
    for j in range(k):
        for i in range(c):
            out.append(sum([1 for x in rows if j <= x / c < j + 1]) + laplace(1 / epsilon))
        out.append(sum([clip(x, 0, 1) if c == 0 else 0 for x in rows]) + laplace(1 / epsilon))
    return out


@mechanism(rows=replaced(), claim="epsilon / 2")
def record_over_itself(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return sum([x / x for x in rows]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def shortened_where_it_is_short(rows: list[float], c: float, epsilon: float) -> float:
    assert epsilon > 0 and c > 0
    return sum([x * (c / abs(x)) if abs(x) < c else x for x in rows]) + laplace(c / epsilon)


@mechanism(rows=added(), claim="epsilon")
def shortened_to_a_side(rows: list[float], c: float, epsilon: float) -> float:
    assert epsilon > 0 and c > 0
    return sum([x / max(1, x / c) for x in rows]) + laplace(c / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def shortened_with_half_the_noise(rows: list[float], c: float, epsilon: float) -> float:
    assert epsilon > 0 and c > 0
    return sum([x / max(1, abs(x) / c) for x in rows]) + laplace(c / epsilon)


@mechanism(rows=added(), claim="epsilon")
def average_so_far(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    s = 1.0
    for x in rows:
        s = s + clip(x, 0, 1) / s
    return s + laplace(1 / (10 * epsilon))


@mechanism(rows=replaced(), claim="epsilon")
def share_of_the_total(rows: list[float], epsilon: float) -> float:
    assert epsilon > 0
    s = sum([abs(x) for x in rows])
    return sum([x / s for x in rows]) + laplace(1 / (10 * epsilon))
""".strip().split("\n\n\n")
