"""Programs that leak, each by a way of writing a sum over records that a careless reading takes for something else.

A claim that is written does not hold, or holds for a reason that no sum over records gives; where none is written,
what is private is told without noise, and no bound holds.
"""

HEAD = (
    "from lapwing import added, choose, clip, discrete_gaussian, discrete_laplace, each, exponential, falls, flip, "
    "gaussian, laplace, match, mechanism, monotone, one, replaced, rises, uniform, within, zcdp\n\n\n"
)
LEAKS = """
@mechanism(xs=replaced(), claim="0")
def lazy(xs: list[float], epsilon: float) -> list[float]:
    a = sum(x for x in xs)
    ys = [a for i in range(1)]
    a = 0.0
    return ys


@mechanism(xs=replaced(), claim="epsilon")
def scale_late(xs: list[float], epsilon: float) -> float:
    assert epsilon > 0
    b = 1 / 1000000
    n = laplace(b)
    b = 1 / epsilon
    return sum(clip(x, 0, 1) for x in xs) + n


@mechanism(xs=added(), claim="epsilon")
def shared_noise(xs: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    n = laplace(1 / epsilon)
    return [sum((1 if x == i else 0) for x in xs) + n for i in range(k)]


@mechanism(xs=added(), claim=zcdp("rho"))
def rho_shared(xs: list[int], k: int, rho: float, sigma: float) -> list[float]:
    assert rho > 0
    assert sigma > 0
    assert 1 <= 2 * rho * sigma * sigma
    n = gaussian(sigma)
    return [sum((1 if x >= i else 0) for x in xs) + n for i in range(k)]


@mechanism(v=within(1), claim="0")
def items_eq(v: float) -> list[float]:
    ys = [1.0] if v > 0 else [2.0]
    return ys


@mechanism(xs=replaced(), claim="0")
def items_eq2(xs: list[float], c: float) -> list[float]:
    ys = [0.0] if c > 0 else [sum(x for x in xs)]
    return ys


@mechanism(v=within(1), claim="0")
def items_branch(v: float) -> list[float]:
    ys = [1.0]
    if v > 0:
        ys = [2.0]
    return ys


@mechanism(v=within(1), claim="0")
def parted_append(v: float) -> list[float]:
    out = []
    if v > 0:
        out.append(1.0)
    else:
        out.append(2.0)
    return out


@mechanism(v=within(1), claim="0")
def parted_length(v: float) -> list[float]:
    out = []
    out.append(0.0)
    if v > 0:
        out.append(1.0)
    return out


@mechanism(v=within(1), claim="0")
def parted_loop(v: float, k: int) -> list[float]:
    out = []
    for i in range(k):
        if v > i:
            out.append(1.0)
        else:
            out.append(2.0)
    return out


@mechanism(v=within(1), claim="0")
def parted_while(v: float, k: int) -> int:
    c = 0
    if v > 0:
        for i in range(k):
            c = c + 1
    else:
        for i in range(k):
            c = c + 2
    return c


@mechanism(v=within(1), claim="0")
def parted_coin(v: float) -> bool:
    c = flip(1 / 2)
    if v > 0:
        c = flip(1)
    return c


@mechanism(v=within(1), claim="epsilon")
def private_index(v: int, ws: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return ws[v] + laplace(1 / epsilon)


@mechanism(v=replaced(), claim="0")
def private_len(v: bool, ws: list[float]) -> list[float]:
    return [w for w in ws if v]


@mechanism(v=within(1), claim="0")
def private_range(v: int, k: int) -> int:
    n = 0
    for i in range(v, k + v):
        n = n + 1
    return n


@mechanism(v=within(1), claim="0")
def private_range2(v: int, k: int) -> list[int]:
    out = []
    for i in range(v, k + v):
        out.append(len(out))
    return out


@mechanism(v=within(1), claim="0")
def scalar_loop(v: float, k: int, epsilon: float) -> float:
    t = v
    for i in range(k):
        t = t + 1
    return t


@mechanism(v=within(1), claim="0")
def scalar_loop2(v: float, k: int) -> float:
    t = v
    out = 0.0
    for i in range(k):
        out = t
        t = t + 1
    return out


@mechanism(v=within(1), claim="0")
def truth_loop(v: float, k: int) -> bool:
    b = v > 0
    for i in range(k):
        b = not b
    return b


@mechanism(v=replaced(), claim="0")
def tuple_loop(v: tuple[float, bool], k: int) -> tuple[float, bool]:
    t = v
    for i in range(k):
        t = (t[0], t[1])
    return t


@mechanism(xs=replaced(), claim="0")
def read_own_list(xs: list[float], epsilon: float) -> float:
    t = 0.0
    ys = []
    for x in xs:
        ys.append(x)
        t = t + ys[-1]
    return t + laplace(1)


@mechanism(xs=replaced(), claim="0")
def family_read(xs: list[float], k: int, epsilon: float) -> list[float]:
    ys = []
    out = []
    for i in range(k):
        ys.append(sum(x for x in xs))
        out.append(ys[0])
    return out


@mechanism(xs=replaced(), claim="0")
def early_return(xs: list[float], k: int) -> list[float]:
    ys = []
    for i in range(k):
        ys.append(sum(x for x in xs))
        if i == 2:
            return ys
    return [0.0]


@mechanism(xs=replaced(), claim="epsilon")
def prefix(xs: list[float], epsilon: float) -> float:
    assert epsilon > 0
    t = 0.0
    ys = []
    for x in xs:
        t = t + clip(x, 0, 1)
        ys.append(t)
    return sum(y for y in ys) + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="0")
def nested_continue(xs: list[float], epsilon: float) -> float:
    t = 0.0
    for x in xs:
        t = t + x
        if x > 0:
            if x > 1:
                continue
        t = t - x
    return t + laplace(1)


@mechanism(xs=replaced(), claim="0")
def continue_last(xs: list[float]) -> float:
    t = 0.0
    for x in xs:
        t = t + x
        if x > 0:
            t = t + 0
        else:
            if x < -1:
                continue
        t = t - x
    return t + laplace(1)


@mechanism(xs=added(), claim="epsilon")
def target_shadow(xs: list[int], epsilon: float) -> float:
    assert epsilon > 0
    t = 0
    for t in xs:
        t = t + 1
    return t + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="0")
def stale_target(xs: list[float], k: int) -> float:
    s = sum(x for x in xs)
    ys = [s * 1 for i in range(k)]
    t = 0.0
    c = 0
    for t in ys:
        c = c + 1
    return t


@mechanism(xs=replaced(), claim="0")
def range_more(xs: list[int]) -> float:
    t = 0
    for i in range(len(xs) + sum(x for x in xs)):
        t = t + 1
    return t + laplace(1)


@mechanism(xs=replaced(), claim="0")
def zipped(xs: list[float], ws: list[float]) -> float:
    a = sum(x for x, w in zip(xs, ws))
    b = sum(x for x in xs)
    return b - a + laplace(1)


@mechanism(xs=added(), claim="0")
def choose_weights(xs: list[float], w: list[float], epsilon: float) -> int:
    scores = []
    for v in w:
        scores.append(sum(clip(x, 0, 1) * v for x in xs))
    return choose(scores, 1)


@mechanism(xs=added(), claim="epsilon")
def bins(xs: list[int], w: list[int], epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    for i, v in enumerate(w):
        out.append(sum((1 if x == i + v else 0) for x in xs) + laplace(1 / epsilon))
    return out


@mechanism(xs=added(), claim="0")
def choose_m(xs: list[float], k: int, epsilon: float) -> int:
    scores = []
    m = 0
    for i in range(k):
        m = m + 1
        scores.append(m * sum(clip(x, 0, 1) for x in xs))
    return choose(scores, 1)


@mechanism(xs=added(), claim="0")
def uniform_family(xs: list[int], k: int) -> int:
    scores = []
    for i in range(k):
        c = uniform(100)
        scores.append(c * sum(1 for x in xs))
    return choose(scores, 1)


@mechanism(xs=added(), claim="0")
def choose_mixed(xs: list[int], k: int) -> int:
    scores = []
    for i in range(1):
        scores.append(0)
    for i in range(k):
        scores.append(sum(1 for x in xs))
    return choose(scores, 1)


@mechanism(xs=added(), claim="0")
def outer_families(xs: list[int], k: int) -> list[int]:
    scores = []
    out = []
    for j in range(k):
        for i in range(1):
            scores.append(j * sum(1 for x in xs))
        c = choose(scores, 1)
        out.append(c)
    return out


@mechanism(xs=added(), claim="epsilon")
def loose_oneway(xs: list[float], cs: list[float], epsilon: float) -> int:
    assert epsilon > 0
    scores = [abs(sum(1 for x in xs) - c) for c in cs]
    best = 0
    top = 0.0
    i = 0
    for s in scores:
        v = s + exponential(1 / epsilon)
        if i == 0 or v > top:
            best = i
            top = v
        i = i + 1
    return best


@mechanism(xs=added(), claim="epsilon")
def here4(xs: list[float], ws: list[float], epsilon: float) -> int:
    assert epsilon > 0
    best = 0
    top = 0.0
    i = 0
    for w in ws:
        total_1_here = 0.0
        v = sum(clip(x, 0, clip(w, 0, 1000)) for x in xs) + exponential(1 / epsilon)
        if i == 0 or v > top:
            best = i
            top = v
        i = i + 1
    return best


@mechanism(xs=added(), claim="epsilon")
def here_name(xs: list[float], ws: list[float], epsilon: float) -> list[bool]:
    assert epsilon > 0
    out = []
    noisy = laplace(1 / epsilon)
    for w in ws:
        total_1_here = 0.0
        if sum(clip(x, 0, 1) for x in xs) > w + noisy:
            out.append(True)
        else:
            out.append(False)
    return out


@mechanism(xs=replaced(), claim="0")
def lost_release(xs: list[float], c: float) -> list[float]:
    s = sum(x for x in xs)
    n = laplace(1 / 1000000)
    ys = [(s + n) * c for i in range(1)]
    if c > 0:
        return ys
    return ys


@mechanism(xs=added(), claim="epsilon")
def reassigned(xs: list[float], c: float, cs: list[float], epsilon: float) -> int:
    assert epsilon > 0
    assert c == 1
    c = 1000 * c
    t = 0.0
    for x in xs:
        t = t + clip(x, 0, c)
    noisy = 0.0 + laplace(2 / epsilon)
    best = 0
    for v in cs:
        if best == 0:
            if t + laplace(4 / epsilon) > v + noisy:
                best = 1
    return best


@mechanism(xs=added(), claim="epsilon")
def param_left(xs: list[float], c: float, epsilon: float) -> float:
    assert epsilon > 0
    t = 0
    for x in xs:
        c = x
        t = t + 1
    if t + laplace(1 / epsilon) > 5:
        return c
    return 0.0


@mechanism(xs=added(), claim="epsilon")
def collide(xs: list[float], k: int, epsilon: float) -> float:
    assert epsilon > 0
    s = sum(clip(x, 0, 1) for x in xs)
    t1 = 0
    for i in range(k):
        t1 = t1 + 1
    t = 0
    for i in range(k):
        t = t + 2
    for i in range(k):
        t = t + 2
    return s * t1 - s * t + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="epsilon")
def negslice(xs: list[float], a: int, epsilon: float) -> float:
    assert epsilon > 0
    s = sum(x for x in xs[0:a])
    r = sum(x for x in xs[-5:a])
    return r - s + laplace(1 / epsilon)


@mechanism(xs=added(), claim="epsilon")
def gauss_bins(xs: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    assert k >= 1
    out = []
    for i in range(k):
        out.append(sum((1 if x == i else 0) for x in xs) + laplace(1 / epsilon))
    for i in range(k):
        out.append(sum((1 if x >= i else 0) for x in xs) + laplace(k/epsilon))
    return out


@mechanism(xs=added(), claim="epsilon")
def modbins(xs: list[int], k: int, epsilon: float) -> list[float]:
    assert epsilon > 0
    out = []
    for i in range(k):
        j = i * (3 - i)
        out.append(sum((1 if x == j else 0) for x in xs) + laplace(1 / epsilon))
    return out


@mechanism(xs=added(), claim="epsilon")
def sums_of_one_name(xs: list[float], k: int, epsilon: float) -> float:
    assert epsilon > 0
    s = sum(clip(x, 0, 1) for x in xs)
    t1 = 0
    t = 0
    z = 0
    for i in range(k):
        t1 = t1 + 1
    u = uniform(2)
    for i in range(k):
        z = z + 1
    for i in range(k):
        z = z + 1
    for i in range(k):
        t = t + 2
    return s * t1 - s * t + laplace(1 / epsilon)


@mechanism(xs=replaced(), claim="0")
def size_then_more(xs: list[float]) -> float:
    s = abs(sum(x for x in xs))
    for x in xs:
        s = s - x
    return s + laplace(1)


@mechanism(xs=replaced(), claim="0")
def list_set_anew(xs: list[float]) -> float:
    ys = []
    for x in xs:
        ys = []
        ys.append(x)
    return sum(ys) - sum(xs) + laplace(1)


@mechanism(xs=replaced(), claim="0")
def list_of_the_last(xs: list[float]) -> list[float]:
    ys = []
    for x in xs:
        ys = [x]
    return ys


@mechanism(xs=replaced(), claim="0")
def list_emptied(xs: list[float]) -> float:
    ys = []
    for x in xs:
        ys.append(x)
        if x > 0:
            ys = []
    return sum(ys) - sum(xs) + laplace(1)


@mechanism(xs=replaced(), claim="0")
def family_set_anew(xs: list[float]) -> float:
    s = sum(xs)
    ys = []
    for i in range(3):
        ys = []
        ys.append(s)
    return sum(ys) - 3 * s + laplace(1)


@mechanism(xs=replaced(), claim="0")
def family_emptied(xs: list[float]) -> float:
    s = sum(xs)
    ys = []
    for i in range(3):
        ys.append(s)
        ys = []
    return sum(ys) - 3 * s + laplace(1)


@mechanism(xs=replaced(), claim="0")
def pairs_of_records(xs: list[float]) -> float:
    return sum(sum(y - x for y in xs if y > x) for x in xs) + laplace(1)


@mechanism(xs=replaced(), claim="0")
def records_for_each(xs: list[float]) -> float:
    t = 0.0
    for x in xs:
        t += sum(y for y in xs if y > x)
    return t + laplace(1)


@mechanism(xs=replaced(), claim="0")
def places_for_each(xs: list[float]) -> float:
    return sum(sum(xs[j] for j in range(len(xs)) if j > i) for i in range(len(xs))) + laplace(1)


@mechanism(xs=replaced(), claim="0")
def ranks(xs: list[float]) -> float:
    return sum(len([y for y in xs if y > x]) for x in xs) + laplace(1)


@mechanism(xs=replaced(), claim="0")
def slices_for_each(xs: list[float]) -> float:
    t = 0.0
    for i in range(len(xs)):
        t += sum(xs[:i])
    return t + laplace(1)


@mechanism(xs=replaced(), claim="1")
def noise_in_every_record(xs: list[float]) -> float:
    n = laplace(1)
    return sum((1 if clip(x, 0, 1) + n > 0 else 0) for x in xs) + laplace(1 / 1000000)


@mechanism(xs=added(), claim="1")
def noise_in_picked(xs: list[int], k: int) -> list[int]:
    n = laplace(1)
    return [(1 if sum(1 for x in xs if x == i) + n > 1 / 2 else 0) for i in range(k) if i >= 0]


@mechanism(xs=replaced(), claim="0")
def totals_past_the_end(xs: list[float], k: int) -> float:
    s = sum(xs)
    ys = [s * 1 for i in range(2)]
    return sum([ys[i] for i in range(4)]) - 4 * s + laplace(1)


@mechanism(xs=replaced(), claim="0")
def weights_past_the_end(xs: list[float]) -> float:
    ys = [5 for i in range(2)]
    return sum(ys[i] * x for i, x in enumerate(xs)) - 5 * sum(xs) + laplace(1)


@mechanism(xs=replaced(), claim="0")
def weights_cut(xs: list[float], ws: list[float]) -> float:
    ys = [ws[i] for i in range(2)]
    return sum(ys[i] * x for i, x in enumerate(xs)) - sum(x * ws[i] for i, x in enumerate(xs)) + laplace(1)


@mechanism(x=replaced())
def u_plain(x: int, k: int) -> int:
    return x


@mechanism(x=replaced())
def u_plainlist(x: int, k: int) -> list[int]:
    out = []
    for i in range(k):
        if i == x:
            out.append(1)
        else:
            out.append(0)
    return out


@mechanism(x=replaced())
def u_cut(x: int, k: int) -> list[int]:
    out = []
    for i in range(k):
        out.append(1)
    if x == 3:
        out = []
    return out


@mechanism(x=replaced())
def u_either(x: int, k: int) -> list[int]:
    a = []
    b = []
    a.append(1)
    b.append(2)
    return a if x == 3 else b


@mechanism(x=replaced())
def u_either2(x: int, k: int) -> list[int]:
    a = []
    for i in range(k):
        a.append(1)
    b = a[:]
    a.append(3)
    if x == 3:
        c = a
    else:
        c = b
    return c


@mechanism(x=replaced())
def u_inloop(x: int, k: int) -> list[int]:
    a = []
    if x == 3:
        for i in range(k):
            a.append(1)
    return a


@mechanism(xs=replaced())
def u_rec(xs: list[int], k: int) -> int:
    out = []
    for x in xs:
        if x == 3:
            out.append(1)
    return len(out)


@mechanism(x=replaced())
def u_both(x: int, k: int) -> tuple[list[int], int]:
    a = []
    if x == 3:
        t = (a, 1)
    else:
        a.append(1)
        t = (a, 1)
    return t


@mechanism(x=replaced())
def u_deep(x: int, k: int) -> list[int]:
    out = []
    for i in range(k):
        for j in range(k):
            if j == x:
                out.append(1)
    return out


@mechanism(x=replaced())
def u_guarded(x: int, k: int) -> list[int]:
    out = []
    for i in range(k):
        if k > 3:
            if i == x:
                out.append(1)
        out.append(0)
    return out


@mechanism(x=replaced())
def u_early(x: int, k: int) -> int:
    for i in range(k):
        if i == x:
            return i
    return 0


@mechanism(x=replaced())
def u_reset(x: int, k: int) -> list[int]:
    out = []
    for i in range(k):
        if i == x:
            out = []
        out.append(i)
    return out


@mechanism(x=replaced())
def u_length(x: int, k: int) -> int:
    out = []
    for i in range(k):
        if i == x:
            out.append(1)
    return len(out)


@mechanism(x=replaced())
def v_carry(x: int, k: int) -> int:
    c = x
    for i in range(k):
        c = c + 1
    return c


@mechanism(x=replaced())
def v_carry_truth(x: int, k: int) -> bool:
    b = x > 3
    for i in range(k):
        b = not b
    return b


@mechanism(x=replaced())
def v_carry_pair(x: int, k: int) -> tuple[int, int]:
    t = (x, 1)
    for i in range(k):
        t = (t[0] + 1, 1)
    return t


@mechanism(xs=replaced())
def v_carry_total(xs: list[int], k: int) -> int:
    c = sum([clip(x, 0, 1) for x in xs])
    for i in range(k):
        c = c + 1
    return c


@mechanism(x=replaced())
def v_carry_list(x: int, k: int) -> list[int]:
    c = x
    out = []
    for i in range(k):
        out.append(c)
        c = c + 1
    return out


@mechanism(x=replaced())
def v_carry_if(x: int, k: int, e: float) -> float:
    c = x
    y = laplace(1/e)
    if y > 3:
        c = 1
    return c


@mechanism(x=replaced())
def v_zero_rounds(x: int, k: int) -> int:
    c = x
    for i in range(k):
        c = 0
    return c


@mechanism(x=replaced())
def w_a1(x: int, k: int) -> int:
    c = 0
    d = x
    for i in range(k):
        c = d
        d = 0
    return c


@mechanism(x=replaced())
def w_a3(x: int, k: int) -> int:
    c = 0
    d = 0
    for i in range(k):
        c = d
        d = x
    return c


@mechanism(x=replaced())
def w_a4(x: int, k: int, e: float) -> int:
    i = 0
    while i < x:
        i += 1
    return i


@mechanism(x=replaced())
def w_a5(x: int, k: int, ks: list[int]) -> int:
    return ks[x]


@mechanism(x=replaced())
def w_a6(x: int, k: int, ks: list[int]) -> list[int]:
    return ks[x:]


@mechanism(x=replaced())
def w_a7(x: int, k: int) -> list[int]:
    return [0 for i in range(x)]


@mechanism(x=replaced())
def w_a8(x: int, k: int) -> list[int]:
    return [i for i in range(k) if i != x]


@mechanism(x=replaced())
def w_a9(x: int, k: int) -> list[int]:
    xs = [0] * k
    xs[x] = 1
    return xs


@mechanism(x=replaced())
def w_b1(x: int, k: int) -> int:
    return k if x in [1, 2] else 0


@mechanism(xs=replaced())
def w_b2(xs: list[int], k: int) -> int:
    c = 0
    for x in xs:
        c = x
    return c


@mechanism(xs=replaced())
def w_b3(xs: list[int], k: int) -> list[int]:
    out = []
    for i in range(k):
        s = sum([1 for x in xs if x == i])
        if s > 3:
            out.append(i)
    return out


@mechanism(xs=replaced())
def w_b4(xs: list[int], k: int) -> int:
    t = sum([clip(x, 0, 1) for x in xs])
    c = 0
    for i in range(k):
        c = t
    return c


@mechanism(xs=replaced())
def w_b5(xs: list[int], k: int) -> int:
    t = len([x for x in xs if x > 3])
    while t > 0:
        t = t - 1
    return t


@mechanism(x=replaced())
def w_b6(x: int, k: int) -> int:
    y = (k * x) // 2
    return y % 5


@mechanism(x=replaced())
def w_b7(x: int, k: int) -> bool:
    out = []
    out.append(x > 3)
    return out[0]


@mechanism(x=replaced())
def w_b8(x: bool, k: int) -> list[bool]:
    out = []
    for i in range(k):
        if x:
            out.append(True)
        else:
            out.append(False)
    return out


@mechanism(x=replaced())
def w_b9(x: tuple[int, int], k: int) -> int:
    c, d = x
    for i in range(k):
        c = c + 1
    return c


@mechanism(xs=replaced())
def w_c2(xs: list[bool], k: int) -> int:
    n = 0
    for i in range(k):
        for x in xs:
            if x:
                n += 1
    return n


@mechanism(x=replaced())
def w_d1(x: int, k: int) -> int:
    return len([0 for i in range(x)])


@mechanism(x=replaced())
def w_d2(x: int, k: int) -> int:
    return sum([1 for i in range(x)])


@mechanism(x=replaced())
def w_d3(x: int, k: int) -> int:
    return max([i for i in range(x)])


@mechanism(x=replaced())
def w_d5(x: int, k: int, ks: list[int]) -> list[int]:
    return [a for a, b in zip(ks, [0 for i in range(x)])]


@mechanism(x=replaced())
def w_d6(x: int, k: int, ks: list[int]) -> int:
    c = 0
    for a, b in zip(ks, [0 for i in range(x)]):
        c += 1
    return c


@mechanism(x=replaced())
def w_d7(x: int, k: int, e: float) -> list[float]:
    return [laplace(1 / e) for i in range(x)]


@mechanism(x=replaced())
def w_d8(x: int, k: int, ks: list[int]) -> list[int]:
    return ks if x > 3 else [1]


@mechanism(x=replaced())
def w_d9(x: int, k: int, ks: list[int]) -> int:
    ys = [i for i in range(x)]
    c = 0
    for y in ys:
        c = c + 1
    return c


@mechanism(x=replaced())
def w_e1(x: int, k: int, ks: list[int]) -> tuple[list[int], int]:
    return ([i for i in range(x)], 1)


@mechanism(xs=added())
def w_e2(xs: list[int], k: int, ks: list[int]) -> list[int]:
    return [0 for x in xs]


@mechanism(xs=added())
def w_e3(xs: list[int], k: int, ks: list[int]) -> list[int]:
    return [a for a, b in zip(ks, xs)]


@mechanism(xs=added())
def w_e4(xs: list[int], k: int, ks: list[int]) -> list[int]:
    return [0 for i in range(len(xs))]


@mechanism(xs=added())
def w_e5(xs: list[int], k: int, ks: list[int]) -> list[int]:
    out = []
    for i in range(len(xs)):
        out.append(1)
    return out


@mechanism(xs=replaced())
def w_e6(xs: list[int], k: int, ks: list[int]) -> list[int]:
    return [0 for i in range(sum([clip(x, 0, 1) for x in xs]))]


@mechanism(xs=replaced())
def w_e7(xs: list[int], k: int, ks: list[int]) -> int:
    c = 0
    n = sum([clip(x, 0, 1) for x in xs])
    for i in range(n):
        c += 1
    return c


@mechanism(xs=replaced())
def w_e8(xs: list[int], k: int, ks: list[int]) -> int:
    c = 0
    d = 0
    for i in range(k):
        c = d
        d = sum([clip(x, 0, 1) for x in xs])
    return c


@mechanism(xs=replaced())
def w_e9(xs: list[int], k: int) -> list[int]:
    return [len([x for x in xs if x > i]) // 2 for i in range(k)]


@mechanism(x=replaced())
def x_f0(x: int, k: int) -> int:
    ys = [i + 5 for i in range(x)]
    return ys[0]


@mechanism(x=replaced())
def x_f1(x: int, k: int) -> int:
    return [5, 5][x]


@mechanism(x=replaced())
def x_f2(x: int, k: int) -> int:
    return [5 for i in range(3)][x]


@mechanism(x=replaced())
def x_f3(x: int, k: int) -> int:
    out = []
    for i in range(k):
        out.append(i)
    return out[x]


@mechanism(x=replaced())
def x_f4(x: int, k: int) -> list[int]:
    out = []
    for i in range(k):
        out.append(i)
    return out[x:]


@mechanism(x=replaced())
def x_f5(x: int, k: int) -> list[int]:
    ys = [5 for i in range(3)]
    return ys[:x]


@mechanism(x=replaced())
def x_f6(x: int, k: int, ks: list[int]) -> int:
    return len(ks[:x])


@mechanism(x=replaced())
def x_f7(x: int, k: int, ks: list[int]) -> int:
    return 1 if x in ks else 0


@mechanism(x=replaced())
def x_f8(x: int, k: int, ks: list[int]) -> int:
    return len([y for y in ks if y == x])


@mechanism(x=replaced())
def x_f9(x: int, k: int, ks: list[int]) -> list[int]:
    return [y for y in ks if y == x]


@mechanism(x=replaced())
def x_g1(x: int, k: int, ks: list[int]) -> int:
    return sum([y for y in ks if y == x])


@mechanism(x=replaced())
def x_g2(x: int, k: int, ks: list[int]) -> int:
    out = []
    for i in range(k):
        out.append(i)
    return sum([y for y in out if y == x])


@mechanism(x=replaced())
def x_g3(x: int, k: int, ks: list[int]) -> int:
    out = []
    for i in range(k):
        out.append(i)
    return sum([x for y in out])


@mechanism(x=replaced())
def x_g4(x: int, k: int, ks: list[int]) -> list[int]:
    out = []
    for i in range(k):
        out.append(i)
    return [x + y for y in out]


@mechanism(x=replaced())
def x_g5(x: int, k: int, ks: list[int]) -> int:
    out = []
    for i in range(k):
        out.append(i)
    c = 0
    for y in out:
        if y == x:
            c = 1
    return c


@mechanism(x=replaced())
def x_g6(x: int, k: int, ks: list[int]) -> int:
    out = []
    for i in range(k):
        out.append(i)
    return max([y if y < x else 0 for y in out])


@mechanism(xs=replaced())
def x_g7(xs: list[int], k: int, ks: list[int]) -> int:
    out = []
    for i in range(k):
        out.append(i)
    n = sum([clip(x, 0, 1) for x in xs])
    return out[n]


@mechanism(xs=replaced())
def x_g8(xs: list[int], k: int, ks: list[int]) -> int:
    n = sum([clip(x, 0, 1) for x in xs])
    return [5, 5][n]


@mechanism(xs=replaced())
def x_g9(xs: list[int], k: int, ks: list[int]) -> list[int]:
    n = sum([clip(x, 0, 1) for x in xs])
    return ks[:n]


@mechanism(x=replaced())
def x_h1(x: int, k: int, ks: list[int]) -> list[int]:
    return [1 for i in range(x) if i >= 0]


@mechanism(x=replaced())
def x_h2(x: int, k: int, ks: list[int]) -> int:
    return max([1 for i in range(x) if i >= 0])


@mechanism(rows=added(), claim="epsilon")
def bool_param_left(rows: list[float], b: bool, epsilon: float) -> bool:
    n = 0
    for x in rows:
        b = x > 3
        n += 1
    v = n + laplace(1 / epsilon)
    return b and v > 0


@mechanism(rows=added(), claim="epsilon")
def num_param_left(rows: list[float], c: float, epsilon: float) -> bool:
    n = 0
    for x in rows:
        c += x
        n += 1
    v = n + laplace(1 / epsilon)
    return c > v


@mechanism(rows=added(), claim="epsilon")
def target_param(rows: list[float], c: float, epsilon: float) -> bool:
    n = 0
    for c in rows:
        n += 1
    v = n + laplace(1 / epsilon)
    return c > v


@mechanism(rows=added(), claim="epsilon")
def param_private(rows: list[float], c: float, epsilon: float) -> bool:
    c = sum(clip(x, 0, 1) for x in rows)
    n = 0
    for x in rows:
        if x > c:
            n += 1
    v = n + laplace(1 / epsilon)
    return v > 3


@mechanism(rows=added(), claim="epsilon")
def outer_target(rows: list[int], c: int, k: int, epsilon: float) -> int:
    last = 0
    best = 0
    for c in range(k):
        for j in range(k):
            n = 0
            for x in rows:
                if x == c * j:
                    n += 1
            if n - last + laplace(1 / epsilon) > 3:
                best = j
            last = n
    return best


@mechanism(rows=added(), claim="epsilon")
def whole_before(rows: list[float], epsilon: float) -> float:
    n = 0
    for x in rows:
        n = n + (100 if 0 < n and n < 1 else clip(x, 0, 1))
    return n + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_loop(rows: list[float], k: int, epsilon: float) -> list[float]:
    c = 0
    out = []
    for j in range(k):
        out.append(sum(1 if 0 < c and c < 1 else 0 for x in rows) + laplace(1 / epsilon))
        c = c + 0.5
    return out


@mechanism(rows=added(), claim="0")
def whole_after(rows: list[float], k: int, epsilon: float) -> float:
    c = 0
    for j in range(k):
        c = c + 0.5
    return sum(1 if 0 < c and c < 1 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def inside_choose(rows: list[float], ws: list[float], k: int, epsilon: float) -> int:
    t = [w + sum(clip(x, 0, 1) for x in rows) for w in ws]
    return choose([t[0], t[k]], 1 / epsilon)


@mechanism(rows=added(), claim="0")
def inside_minus(rows: list[float], ws: list[float], k: int, epsilon: float) -> float:
    t = [w + sum(clip(x, 0, 1) for x in rows) for w in ws]
    return t[0] - t[k] + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def shadow_target(rows: list[int], ws: list[int], k: int, epsilon: float) -> int:
    best = 0
    last = 0
    for j in range(k):
        n = 0
        for x in rows:
            if x == j + sum([j for j in ws]):
                n += 1
        if n - last + laplace(1 / epsilon) > 3:
            best = j
        last = n
    return best


@mechanism(v=within(1), claim="0")
def return_in_loop_in_branch(v: float, k: int) -> int:
    if v > 0:
        for i in range(k):
            return 1
    return 0


@mechanism(v=replaced(), claim="0")
def return_in_loop_in_branch2(v: bool, ws: list[float]) -> float:
    t = 0.0
    if v:
        for w in ws:
            if w > 3:
                return w
    return t


@mechanism(rows=added(), claim="0")
def whole_max(rows: list[float], k: int, epsilon: float) -> float:
    c = 0
    for j in range(k):
        c = max(c, j / 2)
    return sum(1 if c == 0.5 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_parts(rows: list[float], k: int, epsilon: float) -> float:
    c = (0, 0)
    for j in range(k):
        c = (c[0] + 0.5, 0)
    return sum(1 if c[0] == 0.5 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_released(rows: list[float], k: int, epsilon: float) -> float:
    c = 0
    for j in range(k):
        c = c + laplace(1)
    return sum(1 if 0 < c and c < 1 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_list(rows: list[float], k: int, epsilon: float) -> float:
    cs = []
    for j in range(k):
        cs.append(j)
    cs.append(0.5)
    c = cs[-1]
    return sum(1 if 0 < c and c < 1 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_repeat(rows: list[float], k: int, epsilon: float) -> float:
    cs = [0] * k
    cs[0] = 0.5
    c = cs[0]
    return sum(1 if 0 < c and c < 1 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="0")
def whole_cond(rows: list[float], k: int, epsilon: float) -> float:
    cs = [j if j > 2 else 0.5 for j in range(k)]
    c = cs[0]
    return sum(1 if 0 < c and c < 1 else 0 for x in rows) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def lifted_reals(rows: list[float], k: int, epsilon: float) -> bool:
    n = 0
    for x in rows:
        n = n + (100 if 0 < n and n < 1 else clip(x, 0, 1))
    return n + laplace(1 / epsilon) > 4


@mechanism(rows=added(), claim="epsilon")
def cut_short(rows: list[int], ws: list[float], epsilon: float) -> int:
    out = 0
    for i, w in enumerate(ws):
        c = [sum(1 for r in rows if r == j) for j in range(1)]
        if i >= len(c):
            if c[0] > 0:
                out = 1
    n = len(rows) + laplace(1 / epsilon)
    if n > 5:
        out = out + 2
    return out


@mechanism(rows=added(), claim="epsilon")
def cut_short2(rows: list[int], ws: list[float], epsilon: float) -> int:
    out = 0
    for i, w in enumerate(ws):
        if i >= len([sum(1 for r in rows if r == j) for j in range(1)]):
            if sum(1 for r in rows if r == 2) > 0:
                out = 1
    n = len(rows) + laplace(1 / epsilon)
    if n > 5:
        out = out + 2
    return out


@mechanism(rows=added(), claim="epsilon")
def cut_short3(rows: list[int], ws: list[float], vs: list[float], epsilon: float) -> int:
    out = 0
    for i, w in enumerate(ws):
        m = 0
        for v in vs:
            if sum(1 for r in rows if r < v) > 0:
                m += 1
            else:
                m += 1
        if i >= m:
            if sum(1 for r in rows if r == 2) > 0:
                out = 1
    n = len(rows) + laplace(1 / epsilon)
    if n > 5:
        out = out + 2
    return out


@mechanism(rows=added(), claim="epsilon")
def same_noise_two(rows: list[float], epsilon: float) -> tuple[bool, bool]:
    a = sum(clip(x, 0, 1) for x in rows)
    b = -len(rows)
    v = laplace(1 / epsilon)
    return (a + v > 3, b + v > 5)


@mechanism(rows=added(), claim="epsilon")
def max_two_lists(rows: list[int], k: int, epsilon: float) -> int:
    best = -1
    top = 0.0
    for j in range(k):
        n = sum(1 for r in rows if r == j) - sum(1 for r in rows if r > j) + laplace(1 / epsilon)
        if best < 0 or n > top:
            top = n
            best = j
    return best


@mechanism(rows=added(), claim="epsilon")
def private_break(rows: list[float], k: int, epsilon: float) -> int:
    out = 0
    for j in range(k):
        if sum(1 for r in rows if r < j) > 3:
            break
        out = j
    return out


@mechanism(rows=added(), claim="epsilon")
def index_shift(rows: list[int], k: int, epsilon: float) -> int:
    best = -1
    last = 0.0
    for j in range(k):
        n = 0
        for r in rows:
            if r == j:
                n += 1
        d = n - last
        if d + laplace(1 / epsilon) > 1:
            best = j
        last = n
    return best


@mechanism(rows=added(), claim="epsilon")
def choose_lifted(rows: list[float], ws: list[float], epsilon: float) -> int:
    best = 0
    for w in ws:
        s = [sum(1 for r in rows if r < w), 0]
        best = choose(s, 1 / epsilon)
    return best


@mechanism(rows=added(), claim="0")
def continued(rows: list[int], ws: list[float], epsilon: float) -> list[float]:
    out = []
    for w in ws:
        n = sum(1 for r in rows if r < w)
        if w > 3:
            continue
        out.append(n + laplace(1))
    return out


@mechanism(v=within(1), claim="0")
def continued_private(v: float, ws: list[float]) -> float:
    t = 0.0
    for w in ws:
        if v > w:
            continue
        t = w
    return t


@mechanism(v=within(1), claim="0")
def continued_private2(v: float, ws: list[float]) -> list[float]:
    t = []
    for w in ws:
        if v > w:
            continue
        t.append(w)
    return t


@mechanism(v=within(1), claim="0")
def broken_private(v: float, ws: list[float]) -> float:
    t = 0.0
    for w in ws:
        if v > w:
            break
        t = t + 1
    return t


@mechanism(rows=added(), claim="0")
def choose_past_the_end(rows: list[float], ws: list[float], epsilon: float) -> int:
    t = [w + sum(clip(x, 0, 1) for x in rows) for w in ws]
    return choose([t[j] for j in range(3)], 1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def inside_a_tuple(rows: list[tuple[int, tuple[float, float]]], epsilon: float) -> float:
    assert epsilon > 0
    return sum(r[1][0] for r in rows) + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="epsilon")
def deeper_inside_tuples(rows: list[tuple[tuple[tuple[float, int], int], bool]], epsilon: float) -> float:
    assert epsilon > 0
    total = 0.0
    for r in rows:
        total += 3 * clip(r[0][0][0], 0, 1)
    return total + laplace(1 / epsilon)
""".strip().split("\n\n\n")
