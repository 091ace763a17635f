"""The release rule on certificates that are made by hand: what it derives, and what it does not follow."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.metrics import Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.expressions import Column
from lapwing.kernel.evidence.plan import Bounding, Function, Key
from lapwing.kernel.evidence.release import Change, NoisyMeasurement, ReleaseCertificate, Selection
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived, Protection
from lapwing.kernel.release.release import check_release
from lapwing.noise import Exponential, Gaussian, Laplace
from tests.kernel.release.plans import WHOLE, counted, kept, measurement, people, visits

POLICY = Protection(Neighbours.ADDED, {"people": None, "visits": "person"}, frozenset())
COUNT = ReleaseCertificate("SELECT", Neighbours.ADDED, people(), (), (counted(),), None, PureDP(1))
GAUSSIAN = NoisyMeasurement(replace(measurement(), name="g"), Change(1, 1), Gaussian(squared=4), ZCDP("1/8"))
KNOWN, UNKNOWN = (Key("age", Column("age"), WHOLE, values) for values in ((1, 2), None))
PEOPLE = replace(counted(), measurement=replace(measurement(), name="chosen"))
CHOSEN = replace(
    COUNT, keys=(UNKNOWN,), selection=Selection(PEOPLE, 30, Fraction(1, 10**9)), price=ApproxDP(2, Fraction(1, 10**9))
)


def quantile(scale, claim):
    middle = measurement(Function.QUANTILE, fraction=Fraction(1, 2), buckets=4)
    return replace(
        COUNT, measurements=(NoisyMeasurement(middle, Change(1, 1), Exponential(scale), claim),), price=claim
    )


def test_prices_add_up():
    for policy in (None, POLICY):
        found = check_release(COUNT, policy)
        assert isinstance(found, Derived)
        assert (found.price, found.measurements) == (PureDP(1), 1)
    second = replace(counted(), measurement=replace(measurement(), name="m"))
    assert check_release(replace(COUNT, measurements=(counted(), second), price=PureDP(2))).price == PureDP(2)
    assert check_release(replace(COUNT, measurements=(GAUSSIAN,), price=ZCDP("1/8"))).price == ZCDP("1/8")
    assert check_release(CHOSEN, POLICY).price == ApproxDP(2, Fraction(1, 10**9))
    choice = Exponential(2)
    for claim in (choice.claim(Linf(1)), choice.zcdp_claim(Linf(1))):
        assert check_release(quantile(2, claim)).price == claim


def test_the_number_of_rows_is_no_secret_where_one_is_changed():
    free = NoisyMeasurement(measurement(), Change(0, 0), Laplace(Fraction(1, 64)), PureDP(0))
    known = replace(COUNT, neighbours=Neighbours.REPLACED, measurements=(free,), price=PureDP(0))
    assert check_release(known).price == PureDP(0)
    paid = check_release(replace(COUNT, neighbours=Neighbours.REPLACED))
    assert paid.price == PureDP(1)  # whoever wants noise may have it
    some = replace(free, measurement=measurement(argument=Column("age")))
    unlike = [
        replace(known, neighbours=Neighbours.ADDED),
        replace(known, keys=(KNOWN,)),
        replace(known, source=kept(people())),
        replace(known, source=visits()),
        replace(known, measurements=(some,)),
        replace(known, measurements=(replace(free, measurement=measurement(Function.UNITS)),)),
        replace(known, measurements=(free, replace(free, measurement=replace(measurement(), name="m"))),
                together=(("n", "m"),)),
        replace(known, price=PureDP(1)),
    ]  # fmt: skip
    assert all(isinstance(check_release(each), Rejected) for each in unlike)


def noise(certificate, **changes):
    return replace(certificate, measurements=(replace(certificate.measurements[0], **changes),))


@pytest.mark.parametrize(
    "certificate",
    [
        replace(COUNT, price=PureDP("1/2")),
        replace(COUNT, price=PureDP(2)),
        replace(COUNT, price=ZCDP(1)),
        replace(COUNT, measurements=()),
        replace(COUNT, measurements=(counted(), counted()), price=PureDP(2)),  # one name, so one column for both
        replace(COUNT, measurements=(counted(), GAUSSIAN)),
        replace(COUNT, neighbours=Neighbours.REPLACED, keys=(KNOWN,)),
        replace(COUNT, keys=(UNKNOWN,)),
        replace(COUNT, source=visits()),
        replace(COUNT, source=kept()),
        noise(COUNT, mechanism=Laplace("1/2")),
        noise(COUNT, mechanism=Exponential(1)),
        noise(COUNT, change=Change(2, 4)),
        noise(COUNT, claim=PureDP("1/2")),
        quantile(1, Exponential(2).claim(Linf(1))),
        replace(CHOSEN, keys=(KNOWN,)),
        replace(CHOSEN, selection=replace(CHOSEN.selection, threshold=2)),
        replace(CHOSEN, selection=replace(CHOSEN.selection, threshold=0)),
        replace(CHOSEN, selection=replace(CHOSEN.selection, delta=Fraction(0)), price=ApproxDP(2, 0)),
        replace(CHOSEN, neighbours=Neighbours.REPLACED),
        replace(
            CHOSEN,
            selection=replace(
                CHOSEN.selection, part=replace(PEOPLE, measurement=replace(PEOPLE.measurement, argument=Column("age")))
            ),
        ),
    ],
)
def test_a_certificate_that_says_something_else_is_rejected(certificate):
    assert isinstance(check_release(certificate), Rejected)
    assert isinstance(check_release(certificate, POLICY), Rejected)


def test_under_a_policy_its_tables_and_neighbours_are_compared():
    assert isinstance(check_release(COUNT, replace(POLICY, neighbours=Neighbours.REPLACED)), Rejected)
    assert isinstance(check_release(COUNT, replace(POLICY, units={"people": "person"})), Rejected)
    assert isinstance(check_release(COUNT, replace(POLICY, units={})), Rejected)


def test_weights_never_choose_groups():
    """With weights a person can be in any number of groups, however small their share in each."""
    spread = measurement(Function.UNITS, Bounding.WEIGHTS)
    selection = replace(CHOSEN.selection, part=replace(PEOPLE, measurement=replace(spread, name="chosen")))
    assert isinstance(check_release(replace(CHOSEN, source=visits(), selection=selection)), Rejected)
