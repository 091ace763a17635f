from fractions import Fraction

import numpy as np
import pytest

from lapwing.algebra.balls import ball, precision
from lapwing.errors import InvalidInput
from lapwing.noise.geometric_sampler import LIMIT, GeometricSampler
from lapwing.noise.inversion_tables import BITS, Table
from lapwing.noise.sampler_limits import MAX_SCALE
from tests.noise.scripted import Scripted

SCALES = [Fraction(1, 1000), Fraction(1, 3), Fraction(7, 5), 10, 32, 33, 100, Fraction(1000003, 7), 10**6, MAX_SCALE]
TOP = 2**16 - 1
LAST = [2**64 - 1] * 4


def probabilities(table: Table):
    """What a table draws with which probability, to within 2^-77: from its own thresholds."""
    low, high = table._enclose(BITS)
    ends = [0, *((a + b) / Fraction(2) for a, b in zip(low, high, strict=True)), 1 << BITS]
    return {table.lowest + i: (ends[i + 1] - ends[i]) / 2**BITS for i in range(table.count)}


def power(scale, exponent):
    with precision(256):
        value = (-ball(Fraction(exponent) / scale)).exp()
        return Fraction(int((value * 2**200).floor().unique_fmpz()), 2**200)


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_digits_multiply_to_the_geometric_distribution(scale, two_sided):
    """Exactness, without sampling: the tables' own probabilities, multiplied, are the closed form."""
    sampler = GeometricSampler(Fraction(scale), two_sided=two_sided)
    q = power(scale, 1)
    whole = (1 - q) / (1 + q) if two_sided else 1 - q
    top = probabilities(sampler._top)
    digits = [(shift, probabilities(table)) for shift, table in sampler._digits]
    assert sum(len(table).bit_length() - 1 for _, table in digits) == sampler._radix_bits
    rng = np.random.default_rng(1)
    sizes = range(sampler._length)
    for size in {0, 1, *rng.integers(sampler._length, size=20).tolist()} & set(sizes):
        for _ in range(5):
            y, mass = size << sampler._radix_bits, Fraction(1)
            for shift, table in digits:
                digit = int(rng.integers(len(table)))
                y, mass = y + (digit << shift), mass * table[digit]
            for side in (0, -1) if two_sided else (0,):
                x = y ^ side
                expected = whole * power(scale, abs(x))
                assert abs(mass * top[size ^ side] - expected) < Fraction(1, 2**72)


def test_negative_draws_are_the_complement_of_their_digits():
    sampler = GeometricSampler(Fraction(25), two_sided=True)  # one lower digit, of 0..3
    ((_, digit),) = sampler._digits
    for bucket in (0, 20_000, 40_000, TOP - 1):
        lower = int(digit.draw(1, Scripted(buckets=[bucket]))[0])
        for top_bucket in (9_000, 30_000, 40_000, 60_000):
            top = int(sampler._top.draw(1, Scripted(buckets=[top_bucket], fine=[0]))[0])
            drawn = int(sampler.draw(1, Scripted(buckets=[top_bucket, bucket], fine=[0]))[0])
            assert drawn == (4 * top + lower if top >= 0 else ~(4 * ~top + lower))


@pytest.mark.parametrize("scale", [Fraction(7, 5), 1000])
def test_beyond_the_table_the_draw_goes_on(scale):
    sampler = GeometricSampler(Fraction(scale))
    length, bits = sampler._length, sampler._radix_bits
    # The last bucket and all-one bits are the entry "length or more"; bucket 0 is H = 0.
    for times in (1, 2, 5):
        source = Scripted(buckets=[TOP] * times + [0, 0], fine=LAST + LAST)
        drawn = int(sampler.draw(1, source)[0])
        assert drawn >> bits == times * length


def test_beyond_the_table_on_the_left():
    sampler = GeometricSampler(Fraction(7, 5), two_sided=True)
    first_below = Scripted(buckets=[0, TOP, 2**15], fine=[0, *LAST])  # left end, then right end, then near 0
    assert sampler.draw(1, first_below)[0] in {~(2 * sampler._length), ~(2 * sampler._length + 1)}


def test_the_mass_beyond_the_table_is_exact():
    sampler = GeometricSampler(Fraction(7, 5), two_sided=True)
    q = power(Fraction(7, 5), 1)
    top = probabilities(sampler._top)
    end = power(Fraction(7, 5), sampler._length)
    assert abs(top[sampler._length] - end / (1 + q)) < Fraction(1, 2**75)
    assert abs(top[~sampler._length] - end * q / (1 + q)) < Fraction(1, 2**75)


@pytest.mark.parametrize("scale", [Fraction(7, 5), 1000, MAX_SCALE])
def test_draws_beyond_64_bits_say_so_on_their_side(scale, monkeypatch):
    sampler = GeometricSampler(Fraction(scale), two_sided=True)
    monkeypatch.setattr(GeometricSampler, "_top_digit", lambda *_: 2**100)
    right = sampler.draw(1, Scripted(buckets=[TOP], fine=LAST))[0]
    left = sampler.draw(1, Scripted(buckets=[0], fine=[0]))[0]
    assert LIMIT <= right < 2 * LIMIT
    assert -2 * LIMIT < left <= -LIMIT


def test_size_has_no_largest():
    sampler = GeometricSampler(Fraction(7, 5))
    beyond = Scripted(buckets=[TOP] * 30 + [0], fine=[2**64 - 1] * 30)
    assert sampler.draw_size(beyond) == 30 * sampler._length


def test_size_has_the_distribution_of_a_draw():
    sampler = GeometricSampler(Fraction(100), two_sided=True)
    sizes = [sampler.draw_size() for _ in range(4000)]
    q = float(power(100, 1))
    assert abs(np.mean(sizes) - q / (1 - q)) < 6 * 100 / 4000**0.5


@pytest.mark.parametrize("count", [0, 1, 100, 2**15, 2**15 + 1, 100_000])
def test_draws_as_many_as_asked(count):
    assert GeometricSampler(Fraction(1000), two_sided=True).draw(count).shape == (count,)


def test_one_sided_is_never_negative():
    assert GeometricSampler(Fraction(1000)).draw(100_000).min() >= 0


@pytest.mark.parametrize("scale", [MAX_SCALE + Fraction(1, 3), Fraction(10**4000)])
def test_scales_too_large_are_refused(scale):
    with pytest.raises(InvalidInput, match="N103"):
        GeometricSampler(Fraction(scale))
