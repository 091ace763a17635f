"""Programs that leak by what records leave for later records, by tests of totals, or by the largest of records."""

LEAKS_OF_STATES = """
@mechanism(xs=replaced(), claim="0")
def flag_told(xs: list[float]) -> bool:
    found = False
    for x in xs:
        if x > 0:
            found = True
    return found


@mechanism(xs=replaced(), claim="0")
def flag_picks_a_list(xs: list[float]) -> list[int]:
    found = False
    for x in xs:
        if x > 0:
            found = True
    return [1] if found else [2, 3]


@mechanism(xs=replaced(), claim="epsilon")
def flag_picks_all_records(xs: list[float], epsilon: float) -> float:
    found = False
    for x in xs:
        if x > 5:
            found = True
    return sum(clip(x, 0, 1) if found else 0 for x in xs) + laplace(2 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def flag_filters_records(xs: list[float], epsilon: float) -> float:
    many = sum(clip(x, 0, 1) for x in xs) > 3
    return len([x for x in xs if many]) + laplace(2 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def flag_in_a_loop_over_records(xs: list[float], epsilon: float) -> float:
    many = len([x for x in xs if x > 0]) > 3
    s = 0.0
    for x in xs:
        if many:
            s += clip(x, 0, 1)
    return s + laplace(2 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def flag_counts_rounds(xs: list[float], epsilon: float) -> list[float]:
    k = 1 if sum(clip(x, 0, 1) for x in xs) > 3 else 2
    return [laplace(1 / epsilon) for i in range(k)]


@mechanism(xs=replaced(), claim="epsilon")
def flag_draws(xs: list[float], epsilon: float) -> float:
    v = 0.0
    if sum(clip(x, 0, 1) for x in xs) > 3:
        v = laplace(1 / epsilon)
    return v


@mechanism(xs=replaced(), claim="epsilon")
def flag_answers(xs: list[float], epsilon: float) -> float:
    if sum(clip(x, 0, 1) for x in xs) > 3:
        return 1.0
    return laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def flag_picks_far_numbers(xs: list[float], c: float, epsilon: float) -> float:
    v = c if len(xs) > 3 else 0
    return v + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def flag_picks_a_total(xs: list[float], epsilon: float) -> float:
    s = sum(clip(x, 0, 1) for x in xs)
    v = s if len(xs) > 3 else 0
    return v + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def flags_together(xs: list[float], epsilon: float) -> float:
    v = (1 if len(xs) > 3 else 0) - (1 if sum(clip(x, 0, 1) for x in xs) < 1 else 0)
    return v + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def flag_and_a_total(xs: list[float], epsilon: float) -> float:
    s = sum(clip(x, 0, 1) for x in xs)
    return s + (1 if s > 1 else 0) + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def state_and_a_total(xs: list[float], epsilon: float) -> float:
    m = 0.0
    for x in xs:
        if x > 0:
            m = max(m, clip(x, 0, 1))
    return m + sum(clip(x, 0, 1) for x in xs if x <= 2) + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def break_loses_all_that_follows(xs: list[float], epsilon: float) -> float:
    s = 0.0
    for x in xs:
        if x > 5:
            break
        s += clip(x, 0, 1)
    return s + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def break_cuts_a_list(xs: list[float], epsilon: float) -> float:
    ys = []
    for x in xs:
        if x > 5:
            break
        ys.append(clip(x, 0, 1))
    return sum(ys) + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def break_in_a_table(xs: list[int], epsilon: float) -> float:
    counts = [0] * 3
    for x in xs:
        if x > 5:
            break
        counts[x % 3] += 1
    return counts[0] + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def state_goes_on(xs: list[float], epsilon: float) -> float:
    s = 0.0
    for x in xs:
        s += clip(x, 0, 1)
    for x in xs:
        s = max(s, clip(x, 0, 1))
    return s + laplace(0.5 / epsilon)


@mechanism(xs=replaced(), claim="0")
def largest_told(xs: list[float]) -> float:
    return max([x for x in xs if x > 0])


@mechanism(xs=added(), claim="epsilon")
def largest_for_each(xs: list[float], epsilon: float) -> float:
    m = max([clip(x, 0, 1) for x in xs])
    return sum(m - clip(x, 0, 1) for x in xs) + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def largest_of_empty(xs: list[float], epsilon: float) -> float:
    return max([clip(x, 4, 5) for x in xs]) + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def largest_of_few(xs: list[float], epsilon: float) -> float:
    return max([clip(x, 4, 5) for x in xs if x > 9]) + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def largest_in_bins(xs: list[float], k: int, epsilon: float) -> list[float]:
    return [max([clip(x, 0, 1) for x in xs if x > j]) + laplace(1 / epsilon) for j in range(k)]


@mechanism(xs=added(), claim="epsilon")
def states_in_bins(xs: list[float], k: int, epsilon: float) -> list[float]:
    out = []
    for j in range(k):
        m = 0.0
        for x in xs:
            if x > j:
                m = max(m, clip(x, 0, 1))
        out.append(m + laplace(1 / epsilon))
    return out


@mechanism(xs=added(), claim="epsilon")
def last_in_bins(xs: list[int], k: int, epsilon: float) -> list[float]:
    out = []
    for j in range(k):
        last = 0
        m = 0
        for x in xs:
            if last == j:
                m = min(m + 1, 1)
            last = x
        out.append(m + laplace(1 / epsilon))
    return out


@mechanism(xs=added(), claim="epsilon")
def no_place_to_rest(xs: list[float], q: float, b: float, epsilon: float) -> float:
    assert epsilon > 0
    assert b > 0
    assert q >= 0
    assert q <= 1
    assert b * epsilon * q >= 1 or q == 0
    t = 0.0
    for x in xs:
        if x > 5:
            t = 0.0
        elif q == 0:
            t = x
        else:
            t = (1 - q) * t + clip(x, 0.0, 1.0)
    return t + laplace(b)


@mechanism(xs=added(), claim="epsilon")
def no_place_asked_about(xs: list[float], q: float, b: float, epsilon: float) -> float:
    assert epsilon > 0
    assert b > 0
    assert q >= 0
    assert q <= 1
    assert b * epsilon * q >= 1 or q == 0
    t = 0.0
    for x in xs:
        if x > 5:
            t = 0.0
        elif q == 0:
            t = x
        elif t < 1 / q:
            t = clip(t + clip(x, 0.0, 1.0), 0.0, 1 / q)
    return t + laplace(b)


@mechanism(xs=added(), claim="epsilon")
def no_whole_place_asked_about(xs: list[float], q: int, epsilon: float) -> float:
    assert epsilon > 0
    t = 0.0
    for x in xs:
        if q == 0:
            t = x
        elif t < 1 // q:
            t = max(t, clip(x, 0.0, 1.0))
        else:
            t = max(t, clip(x, 0.0, 1.0))
    return t + laplace(1 / epsilon)
""".strip().split("\n\n\n")
