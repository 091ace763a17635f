"""Audits in a test suite: the assertion, the decorator and the pytest plugin."""

import warnings

import numpy as np
import pytest

from lapwing.audit.in_test_suites import LIMIT
from lapwing.testing import assert_not_refuted, audited, numbers, replaced

pytest_plugins = ["pytester"]
rng = np.random.default_rng()

SUITE = """
    import numpy as np
    from lapwing.testing import assert_not_refuted, audited, numbers, replaced

    rng = np.random.default_rng()

    @audited(epsilon=1, left=0.0, right=1.0, seconds=1)
    def good(x):
        return float(np.round(x + rng.laplace(), 2))

    @audited(epsilon=1, neighbours=replaced(numbers(0, 1), sizes=(1, 2)), seconds=5)
    def bad(values):
        return float(np.clip(values, 0, 1).sum()) + float(np.round(rng.laplace(), 2))

    def test_by_hand():
        assert_not_refuted(good, 0.0, 1.0, epsilon=1, seconds=1)

    def test_it_can_still_be_called():
        assert isinstance(good(0.0), float)
"""


def noisy(x):
    return float(np.round(x + rng.laplace(), 2))


def test_what_holds_passes_and_gives_the_finding():
    finding = assert_not_refuted(noisy, 0.0, 1.0, epsilon=1, seconds=1)
    assert finding.confidence == 1 - finding.share / 10**6


def test_what_leaks_fails_with_the_report():
    with pytest.raises(AssertionError, match="is not 1-differentially private"):
        assert_not_refuted(lambda x: noisy(3 * x), 0.0, 1.0, epsilon=1, seconds=10)


def test_a_test_that_could_not_fail_fails(monkeypatch):
    monkeypatch.setenv(LIMIT, "0.05")
    with pytest.raises(AssertionError, match="could not have refuted"):
        assert_not_refuted(lambda _: __import__("time").sleep(0.01), 0.0, 1.0, epsilon=9, seconds=60)


def test_a_marked_function_is_what_it_was():
    @audited(epsilon=1, neighbours=replaced(numbers(0, 1)))
    def function(values):
        return len(values)

    assert function([1]) == 1


@pytest.fixture
def suite(pytester):
    pytester.makepyfile(test_wards=SUITE)
    return pytester


def run(suite, *words):
    return suite.runpytest_inprocess("-p", "lapwing_pytest", "-p", "no:cacheprovider", *words)


def test_marked_functions_are_tests_and_findings_are_listed(suite):
    result = run(suite, "-v")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        ["*audit of good*PASSED*", "*audit of bad*FAILED*", "*bad is not 1-differentially private*"]
    )
    result.stdout.fnmatch_lines(
        ["*= audits =*", "*audit of good: good is not refuted at 1*", "*test_by_hand: good is not refuted*"]
    )
    assert "Traceback" not in result.stdout.str()


def test_audits_can_be_left_out(suite):
    run(suite, "-m", "not audit").assert_outcomes(passed=2, deselected=2)


def test_the_time_can_be_limited(suite):
    run(suite, "--audit-seconds", "2", "-k", "good or hand").assert_outcomes(passed=2, deselected=2)
    result = run(suite, "--audit-seconds", "0")
    assert result.ret == 4


def test_a_suite_without_audits_does_not_read_lapwing(pytester):
    pytester.makepyfile("def test_nothing():\n    import sys\n    assert 'lapwing' not in sys.modules\n")
    result = pytester.runpytest_subprocess("-p", "lapwing_pytest", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_our_own_arithmetic_warns_nobody_and_theirs_is_as_they_set_it():
    def huge(x):
        heard.append(np.geterr()["over"])
        return [x * 1e308, -1e308, float(rng.integers(9)), float("inf")]

    heard = []
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        with pytest.raises(AssertionError, match="is not 1-differentially private"):
            assert_not_refuted(huge, 0.0, 1.0, epsilon=1, seconds=10)
    assert set(heard) == {"raise"}
