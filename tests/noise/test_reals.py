"""Draws by their digits: uniform digits, true quantiles, one number for everybody, refused elsewhere."""

import copy
import os
import pickle
import threading

import pytest
from flint import arb, ctx
from scipy.stats import chisquare

from lapwing.errors import InvalidInput
from lapwing.noise.forms import draw
from lapwing.noise.reals import FIRST, WORD, Draw
from tests.noise.scripted import Scripted
from tests.statistics.chi_squared import THRESHOLD


@pytest.fixture(autouse=True)
def precision():
    """Enough of it for balls asked for directly."""
    with ctx.workprec(5000):
        yield


def scripted(law, uniform, digits, *, negative=False):
    """A draw whose U begins with these digits."""
    rest = -(-(digits - FIRST) // WORD)
    bits = uniform << (rest * WORD + FIRST - digits)
    words = [bits >> WORD * k & (1 << WORD) - 1 for k in reversed(range(rest))]
    return Draw(law, Scripted(bits=[(bits >> rest * WORD) << 1 | negative, *words]))


def test_first_digits_are_uniform():
    draws = [Draw("exponential") for _ in range(20_000)]
    for place in (1, 2, 31, 62, 63):
        ones = sum(each._revealed(FIRST)[1] >> FIRST - place & 1 for each in draws)
        assert chisquare([ones, len(draws) - ones]).pvalue > THRESHOLD, place
    octets = [0] * 256
    for each in draws:
        octets[each._revealed(FIRST + WORD)[1] >> 13 & 255] += 1
    assert chisquare(octets).pvalue > THRESHOLD


def test_later_digits_come_from_the_source_and_earlier_ones_stay():
    each = Draw("laplace", Scripted(bits=[2 * 5, 7, 9]))
    assert each._revealed(1) == (FIRST, 5)
    assert each._revealed(FIRST + 1) == (FIRST + WORD, 5 << WORD | 7)
    assert each._revealed(FIRST + 2 * WORD) == (FIRST + 2 * WORD, (5 << WORD | 7) << WORD | 9)
    assert each._revealed(1)[1] == (5 << WORD | 7) << WORD | 9


@pytest.mark.parametrize("size", [1, 4, 6, 10, 40])
@pytest.mark.parametrize("law", ["laplace", "exponential", "gaussian"])
def test_the_ball_holds_the_true_quantile(law, size):
    chance = (arb(size) / arb(2).sqrt()).erfc() if law == "gaussian" else (-arb(size)).exp()
    digits = 2047
    uniform = int((chance * arb(2) ** digits).floor().unique_fmpz())
    for negative in (False, True):
        each = scripted(law, uniform, digits, negative=negative)
        for asked in (FIRST, 127, 255, 511, 2047):
            ball = each.ball(asked)
            assert ball.contains(-size if negative and law != "exponential" else size)
        assert ball.rad() < 1e-90  # of 2047 digits, up to 1200 are zeros here
        assert ball.rad() > 0


def test_a_uniform_number_of_zeros_is_revealed_further():
    each = Draw("gaussian", Scripted(bits=[1, 0, 0, 3]))
    ball = each.ball(FIRST)
    assert ball.is_finite()
    assert ball < 0
    assert each._revealed(1)[0] == FIRST + 3 * WORD


def test_a_ball_that_holds_0_decides_nothing():
    # U = 1 as far as can be seen: the draw is as good as 0, and more digits tell its side
    word = (1 << WORD) - 1
    form = draw("exponential", 1, Scripted(bits=[word, word, word, 0]))
    assert form > 0
    assert not form < 0


def test_radii_do_not_underflow():
    each = scripted("exponential", 1 << 2999, 3000)
    ball = each.ball(3000)
    assert 0 < ball.rad() < arb((1, -2900))
    assert ball.contains(arb(2).log())


def test_a_copy_is_the_same_draw():
    for number in (Draw("laplace"), draw("laplace", 2) + 1):
        assert copy.copy(number) is number
        assert copy.deepcopy([number])[0] is number


def test_draws_are_not_stored():
    for number in (Draw("laplace"), draw("laplace", 2) + 1):
        with pytest.raises(InvalidInput, match="N271"):
            pickle.dumps(number)
        assert "0x" not in repr(number)


def _refused(question):
    try:
        question()
    except InvalidInput as error:
        return error.code == "N270"
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_draw_is_refused_after_a_fork():
    fresh, seen = draw("laplace", 1), draw("gaussian", 3)
    known = seen.floor_to(20)
    child = os.fork()
    if child == 0:
        good = all(_refused(lambda form=form: form > 0) for form in (fresh, seen, fresh + seen, fresh * seen))
        os._exit(0 if good and draw("laplace", 1) != 0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert seen.floor_to(20) == known
    assert (fresh > 0) != (fresh < 0)


def test_eight_threads_see_one_number():
    for _ in range(25):
        form = draw("laplace", 7) + draw("gaussian", 3)
        found, start = {}, threading.Barrier(8)

        def ask(index, form=form, found=found, start=start):
            start.wait()
            found[index] = [form.floor_to(bits) for bits in (600, 20, 300, 1200)[index % 4 :]]

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        floors = [floor for floors in found.values() for floor in floors]
        finest = form.floor_to(1200)
        assert len(floors) == 2 * (4 + 3 + 2 + 1)
        assert all(0 <= finest - floor < 1 for floor in floors)
        assert len({floor for floors in found.values() for floor in floors}) <= 4
