"""Joined with exactness: what the source says stands beside what the running code shows."""

from dataclasses import replace
from fractions import Fraction

import pytest

import lapwing
from lapwing import laplace, mechanism, one
from lapwing.audit import exact_verdict
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.errors import InvalidInput


@mechanism(visits=one(1), claim="epsilon")
def right_noise(visits: list[int], epsilon: float) -> list[float]:
    return [count + laplace(1 / epsilon) for count in visits]


@mechanism(visits=one(1), claim="epsilon")
def half_the_noise(visits: list[int], epsilon: float) -> list[float]:
    return [count + laplace(1 / (2 * epsilon)) for count in visits]


def test_a_source_that_is_refuted_gives_its_own_inputs():
    finding = lapwing.audit(half_the_noise, epsilon=1, settings={"epsilon": 1}, seconds=10)
    assert finding.refuted
    assert finding.exact == "refuted"
    assert "refuted exactly" in str(finding) or "Computed exactly" in str(finding)


def test_a_source_that_is_proved_is_said_to_be():
    finding = lapwing.audit(right_noise, [0], [1], epsilon=1, settings={"epsilon": 1}, seconds=2)
    assert not finding.refuted
    assert finding.exact == "proved"
    assert "proved to be 1-differentially private" in str(finding)


def test_a_proved_source_needs_inputs():
    with pytest.raises(InvalidInput) as refused:
        lapwing.audit(right_noise, epsilon=1, settings={"epsilon": 1}, seconds=2)
    assert refused.value.code == "Y201"


def test_the_pair_of_a_finding_is_measured_exactly():
    loss = exact_verdict.measured(half_the_noise, {"epsilon": 1}, Pair([0], [1]))
    assert loss == pytest.approx(2, abs=1e-3)
    assert exact_verdict.measured(half_the_noise, {"epsilon": 1}, Pair([0], ["x"])) is None


def test_what_is_refuted_exactly_is_said_so_where_the_runs_alone_do_not_show_it():
    finding = lapwing.audit(lambda _: 0.0, 0, 1, epsilon=1, seconds=0.5)
    exact = replace(finding, exact="refuted")
    assert exact.refuted
    assert "is not 1-differentially private: that is computed exactly" in str(exact)


def test_proved_and_yet_refuted_is_said_in_plain_words():
    source = exact_verdict.Decided(exact_verdict.PROVED, "Its source is proved to be 1-differentially private")
    verdict, notes = exact_verdict.joined(source, None, Fraction(1), True)
    assert verdict == "proved"
    assert "proved and the running code is refuted" in notes[-1]
