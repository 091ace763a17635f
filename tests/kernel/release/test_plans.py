"""What the kernel derives of a plan about one person, and which plans it does not follow."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.plan import Bounding, Function, RelationType
from lapwing.kernel.evidence.release import Change
from lapwing.kernel.release.plans import Ownership, Protection, change_of, rows_of
from tests.kernel.release.plans import (
    both,
    columns,
    foremost,
    kept,
    measurement,
    met,
    people,
    per_person,
    projected,
    sampled,
    visits,
)

POLICY = Protection(
    Neighbours.ADDED, {"people": None, "visits": "person", "stays": "person"}, frozenset({"places", "towns"})
)


@pytest.mark.parametrize(
    ("plan", "owned"),
    [
        (people(), Ownership(None, 1)),
        (visits(), Ownership("person", None)),
        (kept(), Ownership("person", None)),
        (kept(sampled(4)), Ownership("person", 4)),
        (projected("cost", "person", source=sampled(4)), Ownership("person", 4)),
        (projected(("who", "person"), unit="who"), Ownership("who", None)),
        (met(source=sampled(4)), Ownership("person", None)),
        (met(source=sampled(4), unique=True), Ownership("person", 4)),
        (both(sampled(3), sampled(5, visits("stays"))), Ownership("person", 15)),
        (both(), Ownership("person", None)),
        (foremost(2), Ownership("person", 2)),
        (foremost(7, source=sampled(4)), Ownership("person", 4)),
        (foremost(2, ("cost",)), Ownership("person", None)),
        (foremost(2, ("cost",), sampled(4)), Ownership("person", 4)),
        (per_person(), Ownership("person", 1)),
        (per_person("cost"), Ownership("person", None)),
        (per_person(unit="who"), Ownership("who", 1)),
    ],
)
def test_whose_rows_and_how_many(plan, owned):
    assert rows_of(plan, None) == owned
    assert rows_of(plan, POLICY) == owned


def typed(plan, unit):
    return replace(plan, type=RelationType(plan.type.columns, unit, 1))


@pytest.mark.parametrize(
    "plan",
    [
        typed(kept(), None),  # a person with many rows would be many people
        typed(kept(), "cost"),
        typed(sampled(), None),
        typed(met(), "town"),
        typed(both(), "person_2"),
        typed(per_person(), None),
        projected("cost"),  # the unit is lost
        projected(("person", "cost")),  # another column under its name
        projected("person", ("Person", "cost")),  # two that an engine does not tell apart
        projected("age", unit="age", source=people()),
        met(source=people()),  # rows of people without a unit would multiply
        met(names=("PERSON",)),
        both(people(), visits()),
        both(names=("Person", "cost_2")),
        sampled(source=people()),
        sampled(most=0),
        foremost(source=people()),  # rows of several people have no order
        foremost(most=0),
        typed(foremost(), None),
        per_person(source=people(), unit="age"),
        per_person("Person"),
        per_person("total"),
    ],
)
def test_a_plan_that_loses_a_person_is_not_followed(plan):
    with pytest.raises(Doubt):
        rows_of(plan, None)


@pytest.mark.parametrize(
    "plan",
    [
        typed(visits(), None),  # the policy says whose rows these are
        typed(visits(), "cost"),
        typed(people(), "age"),
        visits("secrets"),
        visits("places"),  # a public table is not read as a private one
        met(table="people"),  # and a private one is not joined as a public one
        met(table="secrets"),
        kept(typed(visits(), "cost")),
    ],
)
def test_a_plan_that_the_policy_does_not_know_is_not_followed(plan):
    with pytest.raises(Doubt):
        rows_of(plan, POLICY)


WEIGHTS, SAMPLE, NONE = Bounding.WEIGHTS, Bounding.SAMPLE, Bounding.NONE
RANGE = {"low": Fraction(-2), "high": Fraction(3)}


@pytest.mark.parametrize(
    ("measured", "owned", "grouped", "added", "replaced"),
    [
        (measurement(), Ownership(None, 1), False, Change(1, 1), Change(1, 1)),
        (measurement(), Ownership(None, 1), True, Change(1, 1), Change(2, 2)),
        (measurement(rows=4), Ownership("p", 3), True, Change(4, 16), Change(8, 32)),
        (measurement(bounding=WEIGHTS, rows=4, steps=10), Ownership("p", None), False, Change(40, 1600), None),
        (measurement(Function.UNITS), Ownership("p", None), False, Change(1, 1), Change(1, 1)),
        (measurement(Function.UNITS, SAMPLE, 2), Ownership("p", None), True, Change(2, 4), Change(4, 8)),
        (measurement(Function.DISTINCT, SAMPLE, 2), Ownership("p", None), True, Change(2, 4), Change(4, 8)),
        (measurement(Function.TOTAL, **RANGE), Ownership(None, 1), False, Change(3, 9), Change(5, 25)),
        (measurement(Function.TOTAL, **RANGE), Ownership(None, 1), True, Change(3, 9), Change(6, 25)),
        (measurement(Function.SQUARES, **RANGE), Ownership(None, 1), False, Change(9, 81), Change(9, 81)),
        (
            measurement(Function.QUANTILE, fraction=Fraction(1, 4), buckets=4),
            Ownership(None, 1),
            False,
            Change(3, 9),
            None,
        ),
    ],
)
def test_what_one_person_can_change(measured, owned, grouped, added, replaced):
    assert change_of(measured, owned, grouped=grouped, neighbours=Neighbours.ADDED) == added
    if replaced is not None:
        assert change_of(measured, owned, grouped=grouped, neighbours=Neighbours.REPLACED) == replaced


@pytest.mark.parametrize(
    ("measured", "owned"),
    [
        (measurement(), Ownership("p", None)),  # nothing bounds their rows
        (measurement(rows=2), Ownership("p", 3)),
        (measurement(rows=0), Ownership(None, 1)),
        (measurement(steps=2), Ownership(None, 1)),
        (measurement(Function.UNITS), Ownership("p", None)),  # in groups
        (measurement(bounding=WEIGHTS), Ownership(None, 1)),
        (measurement(bounding=SAMPLE), Ownership("p", None)),
        (measurement(Function.DISTINCT, SAMPLE, 2, 2), Ownership("p", None)),
        (measurement(Function.DISTINCT, WEIGHTS), Ownership("p", None)),
        (measurement(Function.TOTAL), Ownership(None, 1)),
        (measurement(Function.TOTAL, low=Fraction(1), high=Fraction(0)), Ownership(None, 1)),
        (measurement(Function.TOTAL, **RANGE, step=Fraction(0)), Ownership(None, 1)),
        (measurement(Function.QUANTILE, fraction=Fraction(3, 2), buckets=4), Ownership(None, 1)),
        (measurement(Function.QUANTILE, buckets=4), Ownership(None, 1)),
        (measurement(Function.QUANTILE, fraction=Fraction(1, 2)), Ownership(None, 1)),
        (measurement(Function.QUANTILE, fraction=Fraction(1, 2), buckets=2**36), Ownership(None, 1)),
    ],
)
def test_a_measurement_that_bounds_nobody_is_not_followed(measured, owned):
    with pytest.raises(Doubt):
        change_of(measured, owned, grouped=True, neighbours=Neighbours.ADDED)


def test_names_of_columns_are_compared_without_capitals():
    source = visits()
    alike = replace(source, type=RelationType(columns("person", "Town"), "person", None))
    with pytest.raises(Doubt):
        rows_of(met(source=alike), POLICY)
