from fractions import Fraction

import pytest
from hypothesis import given

from lapwing.algebra import claims, composition
from lapwing.algebra.claims import Claim, Split
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.neighbours import ROW, Neighbours, Unit
from lapwing.errors import InvalidInput, NotComparable, Unbounded
from tests.algebra.strategies import alike, measures

ADDED, REPLACED = Neighbours.ADDED, Neighbours.REPLACED
PERSON = Unit("person")


@given(alike)
def test_claims_compose_as_their_measures(parts):
    lifted = [Claim(part, ADDED, PERSON) for part in parts]
    assert claims.sequential(lifted) == Claim(composition.sequential(parts), ADDED, PERSON)
    assert claims.parallel(lifted, Split.BY_VALUE) == Claim(composition.parallel(parts), ADDED, PERSON)


@given(measures)
def test_postprocessing_keeps_the_claim(measure):
    claim = Claim(measure, REPLACED, PERSON)
    assert claims.postprocessed(claim) == claim


@pytest.mark.parametrize(
    "compose",
    [claims.sequential, lambda parts: claims.parallel(parts, Split.BY_VALUE), claims.about_the_same],
    ids=["sequential", "parallel", "about_the_same"],
)
def test_mixing_is_refused(compose):
    with pytest.raises(NotComparable, match="A320"):
        compose([Claim(PureDP(1), ADDED), Claim(PureDP(1), REPLACED)])
    with pytest.raises(NotComparable, match=r"A321.*person, row"):
        compose([Claim(PureDP(1), ADDED), Claim(PureDP(1), ADDED, PERSON)])
    with pytest.raises(InvalidInput, match="A304"):
        compose([])


def test_a_changed_unit_is_one_removed_and_one_added():
    assert claims.replaced_from_added(Claim(PureDP(1), ADDED)) == Claim(PureDP(2), REPLACED)
    assert claims.replaced_from_added(Claim(ZCDP(1), ADDED)) == Claim(ZCDP(4), REPLACED)
    with pytest.raises(NotComparable, match="A320"):
        claims.replaced_from_added(Claim(PureDP(1), REPLACED))


def test_the_other_direction_is_refused():
    with pytest.raises(Unbounded, match="A322"):
        claims.added_from_replaced(Claim(PureDP(0), REPLACED))


def test_rows_group_into_units():
    assert claims.per_unit(Claim(PureDP(1), ADDED), 3, PERSON) == Claim(PureDP(3), ADDED, PERSON)
    with pytest.raises(Unbounded, match="A322"):
        claims.per_unit(Claim(PureDP(1), REPLACED), 3, PERSON)
    with pytest.raises(InvalidInput, match="A324"):
        claims.per_unit(Claim(PureDP(1), ADDED, PERSON), 3, Unit("household"))
    with pytest.raises(InvalidInput, match="A324"):
        claims.per_unit(Claim(PureDP(1), ADDED), 3, ROW)


def test_parallel_needs_a_split_that_fits_its_neighbours():
    added, replaced = [Claim(PureDP(1), ADDED)] * 2, [Claim(PureDP(1), REPLACED)] * 2
    assert claims.parallel(replaced, Split.BY_PLACE) == Claim(PureDP(1), REPLACED)
    with pytest.raises(Unbounded, match="A323"):
        claims.parallel(replaced, Split.BY_VALUE)
    with pytest.raises(Unbounded, match="A323"):
        claims.parallel(added, Split.BY_PLACE)
    assert claims.parallel_moving(added, replaced) == Claim(PureDP(2), REPLACED)


def test_moving_needs_both_kinds_of_claims_about_one_unit():
    added, replaced = [Claim(PureDP(1), ADDED)] * 2, [Claim(PureDP(1), REPLACED)] * 2
    with pytest.raises(NotComparable, match="A320"):
        claims.parallel_moving(replaced, added)
    with pytest.raises(NotComparable, match="A321"):
        claims.parallel_moving(added, [Claim(PureDP(1), REPLACED, PERSON)] * 2)
    with pytest.raises(InvalidInput, match="A30"):
        claims.parallel_moving(added, [])


def test_advanced_composition_of_a_claim():
    found = claims.advanced(Claim(ApproxDP("0.1", 0), ADDED), 100, "1e-5")
    assert found.measure == composition.advanced(ApproxDP("0.1", 0), 100, "1e-5")
    assert found.measure.delta == Fraction(1, 10**5)
    with pytest.raises(NotComparable, match="A301"):
        claims.advanced(Claim(PureDP("0.1"), ADDED), 100, "1e-5")
