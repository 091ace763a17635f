"""What the kernel derives of a mechanism that is run on queries; certificates with real proofs are in tests/session."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.application import ApplicationCertificate
from lapwing.kernel.evidence.expressions import Column
from lapwing.kernel.evidence.guarantee import Guarantee
from lapwing.kernel.evidence.plan import Aggregate, Bounding, Function, Key
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.application import check_charge
from lapwing.kernel.release.plans import Derived
from lapwing.source.parse import parse_text
from tests.kernel.evidence.test_formats import application
from tests.kernel.release.plans import WHOLE, measurement, people, visits

COUNT = Aggregate(people(), (), (measurement(),), None)
BY_AGE = replace(COUNT, keys=(Key("age", Column("age"), WHOLE, (1, 2, 3)),))


def guarantee(relation, kind="float", bound="epsilon"):
    head = f"from lapwing import added, each, mechanism, monotone, one, replaced, within\n\n@mechanism(q={relation})\n"
    of = kind if relation.startswith("within") else f"list[{kind}]"
    text = f"{head}def f(q: {of}, d: float, epsilon: float) -> int:\n    return 0\n"
    return Guarantee(parse_text(text)["f"], "epsilon", bound, "0" * 64)


def applied(*plans, distance="1", price=1, neighbours=Neighbours.ADDED):
    public = {"d": Fraction(distance), "epsilon": Fraction(1)}
    return ApplicationCertificate(
        application().mechanism, "text", public, neighbours, ("SELECT",) * len(plans), plans, PureDP(price)
    )


def summed(low, high, step="1", **changes):
    part = measurement(Function.TOTAL, low=Fraction(low), high=Fraction(high), step=Fraction(step), **changes)
    return replace(COUNT, measurements=(part,))


@pytest.mark.parametrize(
    ("relation", "certificate", "bound"),
    [
        ("each('d')", applied(COUNT, COUNT), "epsilon"),
        ("each('d')", applied(COUNT, COUNT, price=2), "epsilon * len(q)"),
        ("each('d')", applied(summed(-3, 2), distance="3"), "epsilon"),
        ("each('d')", applied(summed(0, "1/2", "1/4"), distance="1/2"), "epsilon"),
        ("monotone(1)", applied(COUNT, COUNT), "epsilon"),
        ("one('d')", applied(BY_AGE, price=3), "epsilon * len(q)"),
        ("within('d')", applied(COUNT), "epsilon"),
        ("within('d', given='q > 0')", applied(COUNT), "epsilon"),
        ("replaced()", applied(BY_AGE, price=3), "epsilon * len(q)"),
        ("replaced()", applied(replace(BY_AGE, measurements=summed(0, 9).measurements)), "epsilon"),
        ("added()", applied(BY_AGE), "epsilon"),
    ],
)
def test_the_bound_at_these_parameters_is_the_price(relation, certificate, bound):
    found = check_charge(certificate, guarantee(relation, bound=bound), None)
    assert isinstance(found, Derived), found
    assert found.price == certificate.price


@pytest.mark.parametrize(
    ("relation", "certificate"),
    [
        ("each('d')", applied()),
        ("each('d')", applied(COUNT, price="1/2")),
        ("each('d')", applied(COUNT, distance="1/2")),
        ("each('d')", applied(summed(0, 3), distance="2")),
        ("each('d')", applied(summed(-3, 2), distance="3", neighbours=Neighbours.REPLACED)),
        ("each('d')", applied(BY_AGE)),
        ("each('d')", applied(replace(COUNT, source=visits()))),
        ("each('d')", applied(replace(COUNT, measurements=(measurement(Function.QUANTILE, fraction=Fraction(1, 2)),)))),
        ("each('d')", applied(replace(COUNT, measurements=(measurement(), measurement())))),
        ("each('d')", applied(replace(COUNT, selection=measurement()))),
        ("each('d')", replace(applied(COUNT), public={"epsilon": Fraction(1)})),
        ("each('d')", replace(applied(COUNT), public={"d": True, "epsilon": Fraction(1)})),
        ("each('d')", replace(applied(COUNT), queries=())),
        ("monotone(1)", applied(summed(0, 1))),
        ("monotone(1)", applied(COUNT, neighbours=Neighbours.REPLACED)),
        ("one('d')", applied(COUNT)),
        ("one('d')", applied(BY_AGE, neighbours=Neighbours.REPLACED, distance="2")),
        ("one('d')", applied(replace(BY_AGE, measurements=(measurement(rows=2),)), distance="2")),
        ("one('d')", applied(BY_AGE, BY_AGE)),
        ("within('d')", applied(COUNT, COUNT)),
        ("within('d', given='q > 0')", applied(COUNT, distance="1/2")),
        ("replaced()", applied(COUNT)),
        ("replaced()", applied(BY_AGE, neighbours=Neighbours.REPLACED)),
        ("replaced()", applied(replace(BY_AGE, measurements=(measurement(rows=2),)))),
        ("replaced()", applied(BY_AGE, BY_AGE)),
        ("added()", applied(COUNT)),
        ("added()", applied(BY_AGE, BY_AGE)),
        ("added()", applied(BY_AGE, neighbours=Neighbours.REPLACED)),
        ("added()", applied(replace(BY_AGE, measurements=(measurement(rows=2),)))),
        ("added()", applied(replace(BY_AGE, measurements=summed(0, 1).measurements))),
        ("added()", applied(replace(BY_AGE, keys=BY_AGE.keys * 2))),
        ("added()", applied(replace(BY_AGE, keys=(replace(BY_AGE.keys[0], values=None),)))),
    ],
)
def test_a_vector_that_is_no_neighbour_is_rejected(relation, certificate):
    assert isinstance(check_charge(certificate, guarantee(relation), None), Rejected)


def test_whole_numbers_are_rounded_down_so_their_distance_is_whole():
    """0.4 and 0.9 are half apart, and as whole numbers the same; 0.9 and 1.4 are one apart."""
    half = applied(summed(0, "1/2", "1/2"), distance="1/2")
    assert isinstance(check_charge(half, guarantee("each('d')"), None), Derived)
    assert isinstance(check_charge(half, guarantee("each('d')", "int"), None), Rejected)
    whole = applied(summed(0, "1/2", "1/2"), distance="1")
    assert isinstance(check_charge(whole, guarantee("each('d')", "int"), None), Derived)


def test_weights_count_in_parts():
    tenths = measurement(bounding=Bounding.WEIGHTS, steps=10)
    plan = replace(COUNT, source=visits(), measurements=(tenths,))
    assert isinstance(check_charge(applied(plan), guarantee("each('d')"), None), Derived)
    assert isinstance(check_charge(applied(plan, distance="9/10"), guarantee("each('d')"), None), Rejected)


def test_truths_are_no_answers():
    assert isinstance(check_charge(applied(BY_AGE), guarantee("replaced()", "bool"), None), Rejected)
    assert isinstance(check_charge(applied(BY_AGE), guarantee("replaced()", "int"), None), Derived)


def test_the_length_of_a_list_of_rows_is_no_public_number():
    assert isinstance(
        check_charge(applied(BY_AGE, price=3), guarantee("added()", bound="epsilon * len(q)"), None), Rejected
    )


def two(first, second):
    head = f"from lapwing import each, mechanism, within\n\n@mechanism(p={first[1]}, q={second[1]})\n"
    text = f"{head}def f(p: {first[0]}, q: {second[0]}, d: float, epsilon: float) -> int:\n    return 0\n"
    return Guarantee(parse_text(text)["f"], "epsilon", "epsilon", "0" * 64)


def test_two_numbers_have_a_query_each_and_each_its_own_distance():
    both = two(("float", "within(1)"), ("float", "within('d', given='p > 0')"))
    assert isinstance(check_charge(applied(COUNT, summed(0, 3), distance="3"), both, None), Derived)
    for plans in ((summed(0, 3), COUNT), (COUNT,), (COUNT, COUNT, COUNT), (COUNT, BY_AGE), (COUNT, summed(0, 4))):
        assert isinstance(check_charge(applied(*plans, distance="3"), both, None), Rejected)
    listed = two(("float", "within(1)"), ("list[float]", "each(1)"))
    assert isinstance(check_charge(applied(COUNT, COUNT), listed, None), Rejected)
