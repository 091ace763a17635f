"""StatDP's algorithms [DWWZK18], with the answer that its tests look at: an index, a number, or a count of answers."""

from lapwing import each, exponential, laplace, mechanism, one


@mechanism(q=each(1), claim="epsilon")
def noisy_max_index(q: list[float], epsilon: float) -> int:
    """The place of the largest noisy answer, all of which are in a list first."""
    noisy = [x + laplace(2 / epsilon) for x in q]
    place = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[place]:
            place = i
    return place


@mechanism(q=each(1), claim="epsilon")
def noisy_max_value(q: list[float], epsilon: float) -> float:
    """The largest noisy answer itself."""
    return max([x + laplace(2 / epsilon) for x in q])


@mechanism(q=each(1), claim="epsilon")
def exponential_max_index(q: list[float], epsilon: float) -> int:
    """The place of the largest answer, with noise on one side only."""
    noisy = [x + exponential(2 / epsilon) for x in q]
    place = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[place]:
            place = i
    return place


@mechanism(q=each(1), claim="epsilon")
def exponential_max_value(q: list[float], epsilon: float) -> float:
    """The largest such answer itself."""
    return max([x + exponential(2 / epsilon) for x in q])


@mechanism(q=one(1), claim="epsilon")
def first_count(q: list[float], epsilon: float) -> float:
    """The first count of a noisy histogram."""
    assert len(q) >= 1
    noisy = [x + laplace(1 / epsilon) for x in q]
    return noisy[0]


@mechanism(q=one(1), claim="epsilon")
def first_count_upside_down(q: list[float], epsilon: float) -> float:
    """The same with noise of scale epsilon instead of its inverse."""
    assert len(q) >= 1
    noisy = [x + laplace(epsilon) for x in q]
    return noisy[0]


@mechanism(q=each(1), claim="epsilon")
def sparse_noes(q: list[float], threshold: float, limit: int, epsilon: float) -> int:
    """How many answers were below the threshold until ``limit`` were above it."""
    assert limit >= 1
    bar = threshold + laplace(2 / epsilon)
    noes = 0
    yeses = 0
    for x in q:
        if x + laplace(4 * limit / epsilon) >= bar:
            yeses += 1
            if yeses >= limit:
                break
        else:
            noes += 1
    return noes


@mechanism(q=each(1), claim="epsilon")
def unlike_halves_without_noise(q: list[float], threshold: float, epsilon: float) -> int:
    """Answers without noise: how many differ from yes in the first half and no in the second."""
    bar = threshold + laplace(2 / epsilon)
    unlike = 0
    for i, x in enumerate(q):
        if (x >= bar) != (2 * i < len(q) - 1):
            unlike += 1
    return unlike


@mechanism(q=each(1), claim="epsilon")
def unlike_halves_without_limit(q: list[float], threshold: float, epsilon: float) -> int:
    """The same with some noise, and no limit."""
    bar = threshold + laplace(2 / epsilon)
    unlike = 0
    for i, x in enumerate(q):
        if (x + laplace(2 / epsilon) >= bar) != (2 * i < len(q) - 1):
            unlike += 1
    return unlike


@mechanism(q=each(1), claim="epsilon")
def unlike_halves_with_little_noise(q: list[float], threshold: float, limit: int, epsilon: float) -> int:
    """The same with a limit, and noise that does not grow with it."""
    assert limit >= 1
    bar = threshold + laplace(4 / epsilon)
    unlike = 0
    yeses = 0
    for i, x in enumerate(q):
        above = x + laplace(4 / (3 * epsilon)) > bar
        if above != (2 * i < len(q) - 1):
            unlike += 1
        if above:
            yeses += 1
            if yeses >= limit:
                break
    return unlike


@mechanism(q=each(1), claim="epsilon")
def noes_and_last(q: list[float], threshold: float, limit: int, epsilon: float) -> tuple[int, float]:
    """How many were below, and the last noisy answer that was above."""
    assert limit >= 1
    bar = threshold + laplace(2 / epsilon)
    noes = 0
    yeses = 0
    last = 0.0
    for x in q:
        if yeses < limit:
            noisy = x + laplace(2 * limit / epsilon)
            if noisy > bar:
                last = noisy
                yeses += 1
            else:
                last = 0.0
                noes += 1
    return (noes, last)
