import numpy as np
import pytest

from lapwing.errors import InvalidInput
from lapwing.noise.rappor import Rappor
from lapwing.noise.rappor_decoder import estimate

TRUE = {"apple": 6000, "pear": 4000, "fig": 2500, "kiwi": 1000}
ABSENT = ["plum", "nut", "date"]


def population(others=4000):
    listed = [value for value, count in TRUE.items() for _ in range(count)]
    return listed + [f"other {i % 997}" for i in range(others)]


def test_heavy_hitters_are_recovered_among_values_nobody_listed():
    rappor = Rappor()
    decoded = estimate(rappor, rappor.report(rappor.permanent(population())), [*TRUE, *ABSENT])
    assert [one.value for one in decoded] == [*TRUE, *ABSENT]
    for one in decoded:
        assert one.count >= 0
        # Six standard errors, and room for how the unlisted values happen to hash.
        assert abs(one.count - TRUE.get(one.value, 0)) < 6 * one.standard_error + 300
    assert {one.value for one in sorted(decoded, key=lambda one: -one.count)[:2]} == {"apple", "pear"}


def test_standard_errors_are_those_of_repeated_collections():
    rappor, values = Rappor(64, 2, 4), [value for value, count in TRUE.items() for _ in range(count // 5)]
    runs = [estimate(rappor, rappor.report(rappor.permanent(values)), list(TRUE)) for _ in range(40)]
    for i, (value, count) in enumerate(TRUE.items()):
        found = np.array([run[i].count for run in runs])
        stated = np.mean([run[i].standard_error for run in runs])
        assert abs(found.mean() - count / 5) < 6 * stated / 40**0.5 + 20, value
        assert 0.5 * stated < found.std() < 1.7 * stated, value


def test_without_noise_the_counts_are_exact():
    rappor = Rappor(64, 2, 1, flip=0, zero=0, one=1)
    values = ["a"] * 30 + ["b"] * 20
    counts = [one.count for one in estimate(rappor, rappor.report(rappor.permanent(values)), ["a", "b", "c"])]
    assert counts == pytest.approx([30, 20, 0], abs=1e-6)


def test_a_cohort_without_clients_does_no_harm():
    rappor = Rappor(32, 1, 50, flip=0, zero=0, one=1)
    reports = rappor.report(rappor.permanent(["a"] * 5))
    assert estimate(rappor, reports, ["a"])[0].count == pytest.approx(5, abs=1e-6)


@pytest.mark.parametrize(("candidates", "code"), [([], "N263"), (["a", "a"], "N263"), (map(str, range(99)), "N264")])
def test_bad_candidates_are_refused(candidates, code):
    rappor = Rappor(16, 1, 2)
    with pytest.raises(InvalidInput, match=f"^{code} "):
        estimate(rappor, rappor.report(rappor.permanent(["a"])), candidates)


def test_reports_that_say_nothing_are_refused():
    rappor = Rappor(flip=1)
    with pytest.raises(InvalidInput, match=r"^N265 "):
        estimate(rappor, rappor.report(rappor.permanent(["a"])), ["a"])


def test_standard_errors_count_the_luck_of_cohorts():
    # Without any noise on the bits, all that varies is how many of a value's clients fall into which cohort.
    rappor, values = Rappor(64, 2, 4, flip=0, zero=0, one=1), ["a"] * 300 + ["b"] * 100 + ["c"] * 200
    runs = [estimate(rappor, rappor.report(rappor.permanent(values)), ["a", "b", "c"]) for _ in range(60)]
    for i in range(3):
        found = np.std([run[i].count for run in runs])
        stated = np.mean([run[i].standard_error for run in runs])
        assert 0.4 * stated < found < 2.5 * stated
