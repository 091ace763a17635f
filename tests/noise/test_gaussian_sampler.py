from fractions import Fraction

import numpy as np
import pytest

from lapwing.algebra.balls import ball, enclose, precision
from lapwing.errors import InvalidInput
from lapwing.noise import gaussian_sampler
from lapwing.noise.exponents import approximate_exp
from lapwing.noise.gaussian_sampler import GaussianSampler, bell
from lapwing.noise.geometric_sampler import LIMIT, GeometricSampler
from lapwing.noise.sampler_limits import MAX_SIGMA
from tests.noise.scripted import Scripted
from tests.noise.test_geometric_sampler import LAST, TOP, probabilities

SIGMAS = [Fraction(1, 1000), Fraction(1, 3), Fraction(7, 5), 10, 63, 64, 1000, Fraction(1000003, 7), MAX_SIGMA]


def exact_bell(square, variance):
    with precision(300):
        return Fraction(int((bell(square, variance) * 2**240).floor().unique_fmpz()), 2**240)


@pytest.mark.parametrize("sigma", SIGMAS, ids=str)
def test_proposal_times_acceptance_is_the_gaussian(sigma):
    """Exactness, without sampling: the table's own probabilities times the coins are ∝ e^(-x²/2σ²)."""
    variance = Fraction(sigma) ** 2
    sampler = GaussianSampler(variance)
    table = probabilities(sampler._table)
    width = 1 << sampler._width_bits
    peak = table[0]  # cell 0 has weight width·f(0)
    rng = np.random.default_rng(2)
    cells = {-sampler._cells, sampler._cells - 1, -1, 0, *rng.integers(-sampler._cells, sampler._cells, 20).tolist()}
    for cell in cells:
        first = cell * width
        nearest = min(first, first + width - 1, key=abs)
        assert abs(table[cell] - peak * exact_bell(nearest**2, variance)) < Fraction(1, 2**74)
    for side, start in ((sampler._cells, sampler._cells * width), (-sampler._cells - 1, sampler._cells * width + 1)):
        ratio = exact_bell(2 * start, variance)
        envelope = exact_bell(start**2, variance) / (1 - ratio) / width
        assert abs(table[side] - peak * envelope) < Fraction(1, 2**74)


@pytest.mark.parametrize("sigma", [64, Fraction(1000003, 7), MAX_SIGMA], ids=str)
def test_quick_acceptance_is_below_every_ratio_in_the_cell(sigma):
    variance = Fraction(sigma) ** 2
    sampler = GaussianSampler(variance)
    width = 1 << sampler._width_bits
    for cell in range(-sampler._cells, sampler._cells, 37):
        ends = sorted((abs(cell * width), abs(cell * width + width - 1)))
        smallest = exact_bell(ends[1] ** 2 - ends[0] ** 2, variance)
        limit = Fraction(int(sampler._quick[cell + sampler._cells + 1]), 2**64)
        assert limit <= smallest < limit + Fraction(1, 2**16) + Fraction(1, 2**200)


@pytest.mark.parametrize("sigma", [64, 1000, Fraction(1000003, 7), MAX_SIGMA], ids=str)
def test_the_float_filter_and_the_exact_coin_agree_with_exact_comparison(sigma):
    variance = Fraction(sigma) ** 2
    sampler = GaussianSampler(variance)
    bits = sampler._width_bits
    rng = np.random.default_rng(3)
    cell = rng.integers(-sampler._cells, sampler._cells, 300)
    x = (cell << bits) + rng.integers(0, 1 << bits, 300)
    near = np.where(cell >= 0, cell << bits, ((cell + 1) << bits) - 1)
    ratios = [exact_bell(int(a) ** 2 - int(b) ** 2, variance) for a, b in zip(x, near, strict=True)]
    # Coins at random, within 2^-60 of the ratio itself, where floats know nothing, and just outside their margin.
    coins = []
    for i, ratio in enumerate(ratios):
        exact = int(ratio * 2**80)
        coins.append([int.from_bytes(rng.bytes(10)), exact - 1 - i, exact + 1 + i, exact - 2**42, exact + 2**42][i % 5])
    coins = [min(max(coin, 0), 2**80 - 1) for coin in coins]
    words = np.array([coin >> 64 << 48 for coin in coins], dtype=np.uint64)
    source = Scripted(fine=[coin & (2**64 - 1) for coin in coins])
    accepted = sampler._accept(x, cell, words, source)
    expected = [Fraction(coin, 2**80) < ratio for coin, ratio in zip(coins, ratios, strict=True)]
    assert accepted.tolist() == expected


def test_a_coin_equal_to_the_ratio_in_80_bits_takes_more(monkeypatch):
    variance = Fraction(1000**2)
    sampler = GaussianSampler(variance)
    x, cell = np.array([37]), np.array([2])  # cells are 16 wide
    ratio = exact_bell(37**2 - 32**2, variance)
    coin, rest = divmod(int(ratio * 2**144), 2**64)
    word = np.array([coin >> 64 << 48], dtype=np.uint64)
    for then, expected in (([rest - 1], True), ([rest + 1], False), ([rest, 0], True), ([rest, 2**64 - 1], False)):
        source = Scripted(fine=[coin & (2**64 - 1)], bits=then)
        assert sampler._accept(x, cell, word, source).tolist() == [expected]
        assert source.used_up
    calls = []
    monkeypatch.setattr(gaussian_sampler, "uniform_below", lambda *_, **__: calls.append(1) or True)
    sampler._accept(x, cell, word, Scripted(fine=[0]))
    assert not calls  # a coin that is clearly below needs no exact arithmetic


def test_floating_point_exp_is_far_inside_the_margin():
    points = np.linspace(0.0, 0.3, 2001)
    for x, y in zip(points.tolist(), approximate_exp(points).tolist(), strict=True):
        true = enclose((-ball(Fraction(x))).exp)
        assert max(abs(Fraction(y) - true.lower), abs(Fraction(y) - true.upper)) < Fraction(1, 2**48)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_rejected_proposal_starts_again(times):
    sampler = GaussianSampler(Fraction(1000**2))
    # Far to the right, at the far end of a cell, with a coin of all ones: rejected. Then cell 0 with a coin of 0.
    rejected, accepted = 2**64 - 1, 5
    middle = next(b for b in range(2**15, 2**16) if sampler._table.draw(1, Scripted(buckets=[b], fine=[0]))[0] == 0)
    source = Scripted(buckets=[60_000] * times + [middle + 1], fine=[rejected, rejected] * times + [accepted])
    assert sampler.draw(1, source)[0] == 5
    assert source.used_up


@pytest.mark.parametrize("sigma", [Fraction(7, 5), 1000])
def test_tails_begin_where_the_cells_end(sigma):
    sampler = GaussianSampler(Fraction(sigma) ** 2)
    reach = sampler._cells << sampler._width_bits
    # The outermost bits choose a tail entry; buckets 0 make every digit of the excess 0; that is always accepted.
    right = Scripted(buckets=[TOP, 0, 0], fine=[2**64 - 1], bits=[2**64 - 1])
    left = Scripted(buckets=[0, 0, 0], fine=[0], bits=[0])
    assert sampler.draw(1, right)[0] == reach
    assert sampler.draw(1, left)[0] == -reach - 1


def test_a_rejected_tail_starts_the_whole_draw_again():
    sampler = GaussianSampler(Fraction(49, 25))
    middle = 2**15
    source = Scripted(buckets=[TOP, TOP - 1, middle], fine=LAST, bits=[2**64 - 1])
    assert abs(sampler.draw(1, source)[0]) <= 1


def test_tail_excess_follows_the_gaussian():
    """Draws forced into the right tail: P(excess = j | tail) ∝ e^(-(a+j)²/2σ²)."""
    variance = Fraction(49, 25)
    tail = GaussianSampler(variance)._right
    n = 4000
    drawn = [distance for distance, accepted in (tail.propose(Scripted()) for _ in range(n)) if accepted]
    start = min(drawn)
    weights = np.array([float(exact_bell((start + j) ** 2 - start**2, variance)) for j in range(30)])
    shares = weights / weights.sum()
    first = np.mean([distance == start for distance in drawn])
    assert abs(first - shares[0]) < 6 * (shares[0] * (1 - shares[0]) / len(drawn)) ** 0.5


def test_draws_beyond_64_bits_are_kept_at_the_limit(monkeypatch):
    sampler = GaussianSampler(Fraction(49, 25))
    monkeypatch.setattr(GeometricSampler, "draw_size", lambda *_: 2**100)
    monkeypatch.setattr(gaussian_sampler, "uniform_below", lambda *_, **__: True)
    assert sampler.draw(1, Scripted(buckets=[TOP], fine=LAST))[0] == LIMIT
    assert sampler.draw(1, Scripted(buckets=[0], fine=[0], bits=[0]))[0] == -LIMIT


@pytest.mark.parametrize("count", [0, 1, 100, 2**15, 2**15 + 1, 100_000])
@pytest.mark.parametrize("sigma", [3, 1000])
def test_draws_as_many_as_asked(count, sigma):
    assert GaussianSampler(Fraction(sigma**2)).draw(count).shape == (count,)


def test_variances_too_large_are_refused():
    with pytest.raises(InvalidInput, match="N103"):
        GaussianSampler(Fraction(MAX_SIGMA**2 + 1))
