"""What a family costs, against brute force: every pair of neighbours of few rows, and the loss that noise leaves."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import L1, L2
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.expressions import Call, Column, ColumnType, Kind, Literal, Word
from lapwing.kernel.evidence.plan import Aggregate, Bounding, Function, Key, Measurement, RelationType, Scan
from lapwing.kernel.evidence.release import NoisyMeasurement, ReleaseCertificate
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived, Ownership, change_of
from lapwing.kernel.release.release import check_release
from lapwing.noise import Gaussian, Laplace
from tests.query.lowering.evaluator import measure

WHOLE = ColumnType(Kind.INTEGER, low=Fraction(0), high=Fraction(3))
TABLE = Scan("t", RelationType({"p": WHOLE, "x": WHOLE, "k": WHOLE}, "p", None))
KEY = Key("k", Column("k"), WHOLE, (0, 1))
SMALL = Call(Word.LESS, (Column("x"), Literal(1, Kind.INTEGER)))


def under(condition, value):
    return Call(Word.CASE, (condition, value, Literal(None, None)))


def share(degree, place, argument=Column("x"), **more):  # noqa: B008  # frozen
    ends = (Fraction(0), Fraction(3), Fraction(1), 0)
    plain = Measurement(f"s{degree}{place}", Function.SHARE, argument, Bounding.WEIGHTS, 2, 6, *ends, **more)
    return replace(plain, degree=degree, place=place)


def rows(name, condition):
    return Measurement(name, Function.ROWS, under(condition, Literal(1, Kind.INTEGER)), Bounding.WEIGHTS, 2, 6)


def total(name, condition, low, high):
    ends = Fraction(low), Fraction(high)
    return Measurement(name, Function.TOTAL, under(condition, Column("x")), Bounding.WEIGHTS, 2, 6, *ends)


NULLS = rows("null", Call(Word.IS_NULL, (Column("x"),)))
FAMILIES = {
    "two places": [share(1, 0), share(1, 1)],
    "two places, and rows without a value": [share(1, 0), share(1, 1), NULLS],
    "three places": [share(2, 0), share(2, 1), share(2, 2), NULLS],
    "three places, halved": [share(2, place, shift=1) for place in range(3)],
    "filters": [rows("few", SMALL), rows("many", Call(Word.NOT, (SMALL,)))],
    "sums of both signs": [total("few", SMALL, -3, 3), total("many", Call(Word.NOT, (SMALL,)), -1, 2)],
    "places under filters": [
        *(replace(share(1, at, under(SMALL, Column("x"))), name=f"a{at}") for at in (0, 1)),
        *(replace(share(2, at, under(Call(Word.NOT, (SMALL,)), Column("x"))), name=f"b{at}") for at in (0, 1, 2)),
    ],
}


def noisy(measurement, scale, neighbours, *, grouped, pure):
    change = change_of(measurement, Ownership("p", None), grouped=grouped, neighbours=neighbours)
    if pure:
        laplace = Laplace(scale)
        return NoisyMeasurement(measurement, change, laplace, laplace.claim(L1(change.l1)))
    gaussian = Gaussian(squared=scale)
    return NoisyMeasurement(measurement, change, gaussian, gaussian.claim(L2(squared=change.l2_squared)))


def certificate(family, neighbours, *, keys=(), pure=True, scales=None, **changes):
    given = scales or [Fraction(5)] * len(family)
    parts = tuple(noisy(m, s, neighbours, grouped=True, pure=pure) for m, s in zip(family, given, strict=True))
    claims = [part.claim for part in parts]
    price = PureDP(max(c.epsilon for c in claims)) if pure else ZCDP(max(c.rho for c in claims))
    together = (tuple(each.name for each in family),)
    made = ReleaseCertificate("SELECT", neighbours, TABLE, tuple(keys), parts, None, price, together)
    return replace(made, **changes)


def people(seed, many):
    """Rows of one person: of none to five, at the ends more often than in between."""
    r = random.Random(seed)
    cells = (None, -3, 0, 0, 1, 2, 3, 3)
    for _ in range(many):
        alike = {"p": 7, "x": r.choice(cells), "k": r.choice((0, 1))} if r.random() < 0.4 else None
        yield [alike or {"p": 7, "x": r.choice(cells), "k": r.choice((0, 1))} for _ in range(r.randint(0, 5))]


def loss(made, one, other):
    """What noise leaves visible of the difference between two tables: ε for Laplace, ρ for Gaussian noise."""
    found = Fraction(0)
    for part in made.measurements:
        plan = Aggregate(made.source, made.keys, (part.measurement,), None)
        before, after = (measure(plan, part.measurement, {"t": table}) for table in (one, other))
        for key in set(before) | set(after):
            moved = Fraction(abs(before.get(key, 0) - after.get(key, 0)))
            laplace = isinstance(part.mechanism, Laplace)
            found += moved / part.mechanism.scale if laplace else moved**2 / (2 * part.mechanism.squared)
    return found


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize("keys", [(), (KEY,)])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_one_person_never_costs_more_than_the_family(name, pure, keys, neighbours):
    family = FAMILIES[name]
    scales = [Fraction(5 + at) for at in range(len(family))]
    made = certificate(family, neighbours, keys=keys, pure=pure, scales=scales)
    derived = check_release(made)
    assert isinstance(derived, Derived), derived
    price = derived.price.epsilon if pure else derived.price.rho
    others = [{"p": 1, "x": 2, "k": 0}]
    far = Fraction(0)
    found = list(people(len(name), 60))
    pairs = ((mine, []) for mine in found) if neighbours is Neighbours.ADDED else itertools.product(found, found[:12])
    for mine, theirs in pairs:
        far = max(far, loss(made, [*others, *mine], [*others, *theirs]))
    assert far <= price
    reached = neighbours is Neighbours.ADDED and pure and name != "places under filters"  # whose dearest place is empty
    assert far >= price * (1 if reached else Fraction(3, 10)), "nothing came near it"


def rejected(made):
    return isinstance(check_release(made), Rejected)


@pytest.mark.parametrize(
    "wrong",
    [
        [share(1, 0), replace(share(1, 0), name="again")],  # the same place twice
        [share(1, 0), share(2, 2)],  # of different divisions
        [share(1, 0), replace(share(1, 1), high=Fraction(4))],
        [share(1, 0), replace(share(1, 1), rows_per_unit=3)],
        [share(1, 0), replace(share(1, 1), weight_steps=5)],
        [share(1, 0), share(1, 1, under(SMALL, Column("x")))],
        [share(2, 0, shift=1), share(2, 2, shift=0)],
        [rows("few", SMALL), rows("all", Call(Word.IS_NULL, (Column("k"),)))],
        [rows("few", SMALL), Measurement("all", Function.ROWS, None, Bounding.WEIGHTS, 2, 6)],
        [rows("few", SMALL), replace(rows("many", Call(Word.NOT, (SMALL,))), function=Function.UNITS)],
    ],
)
def test_what_is_no_family_is_rejected(wrong):
    assert rejected(certificate(wrong, Neighbours.ADDED))


@pytest.mark.parametrize(
    "changed",
    [
        {"degree": 3},
        {"degree": 0},
        {"place": 2},
        {"place": -1},
        {"centre": 1},
        {"shift": 1},
        {"high": Fraction(0)},
        {"low": Fraction(-1)},
    ],
)
def test_a_row_that_is_not_divided_is_rejected(changed):
    made = certificate([share(1, 0)], Neighbours.ADDED, together=())
    assert not rejected(made)
    part = made.measurements[0]
    assert rejected(replace(made, measurements=(replace(part, measurement=replace(part.measurement, **changed)),)))


def test_families_are_of_measurements_that_there_are_each_once():
    made = certificate(FAMILIES["two places"], Neighbours.ADDED)
    assert not rejected(made)
    for together in (
        (("s10", "s11"), ("s10",)),
        (("s10", "s10"),),
        (("s10", "other"),),
        (("s10", "s11"), ()),
        (),  # by themselves they cost twice as much
    ):
        assert rejected(replace(made, together=together))
