"""Measurements that one price pays for together, because every row has one weight for all of them.

The one idea: let m be the most that a row can count in a measurement. A family is a set of measurements in which, for
every row, the parts |x|/m add up to 1 at most: rows count in one of them (filters that exclude each other), or are
divided among them (the places of a SHARE). Then the family costs what its dearest member costs alone.

*Proof.* A person adds Σ w·x over their rows, with weights w that are the same in all members and sum to K at most.
With Laplace noise of scale b a member costs ε = K·m/b alone. Together they cost Σ_i |Σ w·x_i|/b_i, at most
Σ w·Σ_i (|x_i|/m_i)·(m_i/b_i), which is at most K·max m_i/b_i. With Gaussian noise √(Σ_i (Σ w·x_i)²/σ_i²) is a norm of
Σ w·x, so at most K times the largest of a row, and Σ_i (x_i/σ_i)² is at most max (m_i/σ_i)². Choices cost what they do
for the weight that moves their scores: linear in ε, quadratic in ρ, as the others. Where a person is changed, what was
and what is are two such sums: members are like further groups, and their change is that of measurements in groups. ∎
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.plan import Bounding, Function, Measurement
from lapwing.kernel.evidence.release import NoisyMeasurement, ReleaseCertificate
from lapwing.kernel.release.apart import apart

#: What is measured in all rows of a person, each with the same weight whatever is measured of it.
_OF_ROWS = (Function.ROWS, Function.TOTAL, Function.SQUARES, Function.QUANTILE, Function.SHARE)


def families_of(certificate: ReleaseCertificate) -> list[list[NoisyMeasurement]]:
    """The measurements by what one price pays for; those that are in no family are by themselves."""
    by_name = {each.measurement.name: each for each in certificate.measurements}
    named = [name for family in certificate.together for name in family]
    if len(set(named)) < len(named) or not set(named) <= set(by_name) or not all(certificate.together):
        raise Doubt("families hold measurements twice, or others than there are")
    found = [[by_name[name] for name in family] for family in certificate.together]
    for family in found:
        _check([each.measurement for each in family])
    alone = [[part] for name, part in by_name.items() if name not in named]
    chosen = [] if certificate.selection is None else [[certificate.selection.part]]
    return [*found, *alone, *chosen]


def is_family(measurements: Sequence[Measurement]) -> bool:
    """Whether one price may pay for all of these."""
    try:
        _check(measurements)
    except Doubt:
        return False
    return True


def _check(measurements: Sequence[Measurement]) -> None:
    if len(measurements) == 1:
        return
    for each in measurements:
        if each.function not in _OF_ROWS or each.bounding is Bounding.SAMPLE:
            raise Doubt("a measurement of a family is not of all rows")
    if len({(each.bounding, each.rows_per_unit, each.weight_steps) for each in measurements}) > 1:
        raise Doubt("the rows of a family have different weights")
    for one, other in combinations(measurements, 2):
        if not apart(one, other) and not _of_one_row(one, other):
            raise Doubt("a row could count in two measurements of a family")


def _of_one_row(one: Measurement, other: Measurement) -> bool:
    """Whether two measurements are different places of the same division of each row."""
    shared = one.function is other.function is Function.SHARE and one.place != other.place
    return shared and replace(one, name="", place=0) == replace(other, name="", place=0)
