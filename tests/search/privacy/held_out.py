"""Programs that no search was tuned on, right and wrong, with their verdicts."""

from lapwing import added, choose, each, exponential, laplace, mechanism, one, replaced, within


@mechanism(q=each(1), claim="epsilon")
def svt_small_threshold(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    noisy_threshold = threshold + laplace(1 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(2 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out


@mechanism(q=each(1), claim="epsilon")
def noisy_min_one_scale(q: list[float], epsilon: float) -> int:
    best = 0.0
    index = 0
    for i, x in enumerate(q):
        noisy = x + laplace(1 / epsilon)
        if i == 0 or noisy < best:
            best = noisy
            index = i
    return index


@mechanism(rows=added(), claim="epsilon")
def count_over(rows: list[float], epsilon: float) -> float:
    return len([x for x in rows if x > 3]) + laplace(1 / (2 * epsilon))


@mechanism(rows=replaced(), claim="epsilon")
def histogram_two(rows: list[bool], epsilon: float) -> tuple[float, float]:
    yes = len([x for x in rows if x])
    no = len([x for x in rows if not x])
    return (yes + laplace(1 / epsilon), no + laplace(1 / epsilon))


@mechanism(q=one(1), claim="epsilon")
def reuse(q: list[float], epsilon: float) -> tuple[float, float]:
    noise = laplace(1 / epsilon)
    return (sum(q) + noise, sum(q) - noise)


@mechanism(x=within(1), claim="epsilon")
def one_sided(x: float, epsilon: float) -> float:
    return x + exponential(1 / epsilon)


@mechanism(q=each(1), claim="epsilon")
def choose_half(q: list[float], epsilon: float) -> int:
    return choose(q, 1 / epsilon)


@mechanism(q=each(1), claim="epsilon")
def fine_noisy_max(q: list[float], epsilon: float) -> int:
    best = 0.0
    index = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        if i == 0 or noisy > best:
            best = noisy
            index = i
    return index


@mechanism(rows=replaced(), claim="epsilon")
def fine_count(rows: list[bool], epsilon: float) -> float:
    return len([x for x in rows if x]) + laplace(1 / epsilon)


@mechanism(rows=replaced(), claim="2 * epsilon")
def fine_histogram(rows: list[bool], epsilon: float) -> tuple[float, float]:
    yes = len([x for x in rows if x])
    no = len([x for x in rows if not x])
    return (yes + laplace(1 / epsilon), no + laplace(1 / epsilon))


@mechanism(x=within(2), claim="epsilon")
def wrong_distance(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
