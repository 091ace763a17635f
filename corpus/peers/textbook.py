"""The mechanisms of *Programming Differential Privacy* (Near and Abuah), each in a few lines."""

from lapwing import added, choose, clip, each, flip, gaussian, laplace, ln, mechanism, one, replaced, sqrt, within, zcdp


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


@mechanism(rows=added(), claim="epsilon")
def never_negative(rows: list[float], epsilon: float) -> float:
    """Post-processing: a noisy count that is not below 0."""
    return max(0, len(rows) + laplace(1 / epsilon))


@mechanism(rows=added(), claim="epsilon")
def two_groups(rows: list[float], epsilon: float) -> tuple[float, float]:
    """Parallel composition: groups without a common row have the whole budget each."""
    young = len([age for age in rows if age < 30]) + laplace(1 / epsilon)
    grown = len([age for age in rows if age >= 30]) + laplace(1 / epsilon)
    return (young, grown)


@mechanism(rows=added(), claim=("epsilon", "delta"))
def gaussian_clipped_sum(rows: list[float], upper: float, epsilon: float, delta: float) -> float:
    """The Gaussian mechanism at (epsilon, delta)."""
    assert upper > 0 and 0 < epsilon < 1 and 0 < delta < 1
    return sum([clip(x, 0, upper) for x in rows]) + gaussian(upper * sqrt(2 * ln(1.25 / delta)) / epsilon)


@mechanism(q=one(1), claim=zcdp("rho"))
def gaussian_vector(q: list[float], rho: float) -> list[float]:
    """The Gaussian mechanism on a vector that moves by 1 in the L2 norm."""
    assert rho > 0
    return [x + gaussian(1 / sqrt(2 * rho)) for x in q]


@mechanism(distance=within(1), mean=within("step", given="distance >= 1"), claim=("2 * epsilon", "delta"))
def tested_average(distance: float, mean: float, step: float, epsilon: float, delta: float) -> tuple[bool, float]:
    """Propose a sensitivity for an average, test how far the data are from breaking it, release."""
    assert epsilon > 0 and step > 0 and 0 < delta < 0.5
    if distance + laplace(1 / epsilon) > 1 + ln(1 / (2 * delta)) / epsilon:
        return True, mean + laplace(step / epsilon)
    return False, 0.0


@mechanism(answers=replaced(), claim="epsilon")
def sample_and_aggregate(answers: list[float], lower: float, upper: float, epsilon: float) -> float:
    """The mean of any function's answers on disjoint samples: a row changes one of them to anything."""
    assert lower < upper and len(answers) >= 1
    mean = sum([clip(a, lower, upper) for a in answers]) / len(answers)
    return mean + laplace((upper - lower) / (len(answers) * epsilon))


@mechanism(value=replaced(), claim="ln(9)")
def unary_encoding(value: int, domain: int) -> list[bool]:
    """Unary encoding with p = 3/4 and q = 1/4, all bits."""
    assert domain >= 2
    return [flip(0.75) if j == value else flip(0.25) for j in range(domain)]


@mechanism(rows=added(), claim="epsilon")
def two_way_marginal(rows: list[tuple[int, int]], many: int, epsilon: float) -> list[float]:
    """Synthetic data: counts of all pairs of two columns' values, for which every row counts once."""
    assert many >= 1
    noisy = []
    for a in range(many):
        for b in range(many):
            noisy.append(len([1 for x, y in rows if x == a and y == b]) + laplace(1 / epsilon))
    return noisy


@mechanism(rows=added(), claim="epsilon")
def clipping_bound_of_rows(rows: list[float], most: int, epsilon: float) -> int:
    """The first whole number from which on clipping hardly changes the sum, by the sparse vector technique."""
    assert most >= 1
    bar = laplace(2 / epsilon)
    for b in range(most):
        grows = sum([clip(x, 0, b) - clip(x, 0, b + 1) for x in rows])
        if grows + laplace(4 / epsilon) >= bar:
            return b
    return most
