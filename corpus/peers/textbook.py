"""The mechanisms of *Programming Differential Privacy* (Near and Abuah), each in a few lines."""

from lapwing import added, choose, clip, each, flip, gaussian, laplace, mechanism, replaced, zcdp


@mechanism(rows=added(), claim="epsilon")
def count_of_adults(rows: list[float], epsilon: float) -> float:
    """A counting query."""
    return len([age for age in rows if age >= 18]) + laplace(1 / epsilon)


@mechanism(rows=added(), claim="epsilon")
def two_counts(rows: list[float], epsilon: float) -> tuple[float, float]:
    """Sequential composition: two questions share the budget."""
    young = len([age for age in rows if age < 30]) + laplace(2 / epsilon)
    grown = len([age for age in rows if age < 60]) + laplace(2 / epsilon)
    return (young, grown)


@mechanism(rows=added(), claim="epsilon")
def histogram_by_age(rows: list[int], bins: int, epsilon: float) -> list[float]:
    """Parallel composition: every bin has the whole budget."""
    return [len([r for r in rows if r == b]) + laplace(1 / epsilon) for b in range(bins)]


@mechanism(rows=added(), claim="epsilon")
def clipped_sum(rows: list[float], upper: float, epsilon: float) -> float:
    """A sum of clipped values."""
    assert upper > 0
    return sum([clip(x, 0, upper) for x in rows]) + laplace(upper / epsilon)


@mechanism(rows=added(), claim="epsilon")
def average(rows: list[float], upper: float, epsilon: float) -> tuple[float, float]:
    """A noisy sum and a noisy count, of which a mean is made."""
    assert upper > 0
    total = sum([clip(x, 0, upper) for x in rows]) + laplace(2 * upper / epsilon)
    count = len(rows) + laplace(2 / epsilon)
    return (total, count)


@mechanism(rows=added(), claim="epsilon")
def unclipped_sum(rows: list[float], epsilon: float) -> float:
    """A sum of values that may be of any size."""
    return sum(rows) + laplace(100 / epsilon)


@mechanism(rows=added(), claim=zcdp("rho"))
def gaussian_sum(rows: list[float], upper: float, rho: float) -> float:
    """The Gaussian mechanism, in zCDP: the noise is twice what is needed where rho is 1/2 or more."""
    assert upper > 0 and 2 * rho >= 1
    return sum([clip(x, 0, upper) for x in rows]) + gaussian(upper)


@mechanism(q=each(1), claim="epsilon")
def noisy_maximum(q: list[float], epsilon: float) -> int:
    """Report noisy max, over a list of noisy scores."""
    noisy = [score + laplace(2 / epsilon) for score in q]
    best = 0.0
    where = -1
    for i, score in enumerate(noisy):
        if where < 0 or score > best:
            best = score
            where = i
    return where


@mechanism(rows=replaced(), claim="epsilon")
def most_common(rows: list[int], options: int, epsilon: float) -> int:
    """The exponential mechanism: the most common of some values."""
    assert options >= 1
    scores = [len([r for r in rows if r == option]) for option in range(options)]
    return choose(scores, 2 / epsilon)


@mechanism(q=each(1), claim="epsilon")
def above_threshold(q: list[float], threshold: float, epsilon: float) -> int:
    """The sparse vector technique, for one answer."""
    bar = threshold + laplace(2 / epsilon)
    where = -1
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= bar:
            where = i
            break
    return where


@mechanism(q=each(1), claim="epsilon")
def sparse(q: list[float], threshold: float, limit: int, epsilon: float) -> list[int]:
    """The sparse vector technique, for ``limit`` answers, with a new threshold after each."""
    assert limit >= 1
    bar = threshold + laplace(2 * limit / epsilon)
    found = []
    count = 0
    for i, x in enumerate(q):
        if count < limit and x + laplace(4 * limit / epsilon) >= bar:
            found.append(i)
            count += 1
            bar = threshold + laplace(2 * limit / epsilon)
    return found


@mechanism(q=each(1), claim="epsilon")
def clipping_bound(q: list[float], limits: list[float], epsilon: float) -> float:
    """The first limit from which on a clipped sum hardly grows: q holds by how much it grows at each."""
    bar = laplace(2 / epsilon)
    for grows, limit in zip(q, limits):
        if grows + laplace(4 / epsilon) >= bar:
            return limit
    return 0.0


@mechanism(secret=replaced(), claim="ln(3)")
def randomized_response(secret: bool) -> bool:
    """The truth with probability one half, else a coin."""
    if flip(0.5):
        return secret
    return flip(0.5)


@mechanism(secret=replaced(), claim="ln(3)")
def noisy_bit(secret: bool) -> bool:
    """One bit of unary encoding, with p = 3/4 and q = 1/4."""
    kept = flip(0.75)
    return secret if kept else not secret


@mechanism(rows=added(), claim="epsilon")
def summed_twice(rows: list[float], epsilon: float) -> tuple[float, float]:
    """Two sums, each with the whole budget."""
    first = sum([clip(x, 0, 1) for x in rows]) + laplace(1 / epsilon)
    second = sum([clip(x, 0, 1) for x in rows]) + laplace(1 / epsilon)
    return (first, second)


@mechanism(rows=added(), claim="epsilon")
def mean_of_pieces(rows: list[float], pieces: int, upper: float, epsilon: float) -> float:
    """The mean of sums over disjoint pieces: a record is in one piece, so it moves one of them."""
    assert pieces >= 1 and upper > 0
    return sum([clip(x, 0, upper) for x in rows]) / pieces + laplace(upper / (pieces * epsilon))
