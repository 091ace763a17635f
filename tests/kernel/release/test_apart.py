"""Two arguments that are said to be apart never have a value in the same row: looked up in every row there could be."""

import itertools
import random
from fractions import Fraction

import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.expressions import Call, Column, Kind, Literal, Word
from lapwing.kernel.evidence.plan import Function
from lapwing.kernel.release.apart import apart
from lapwing.policy import Budget, Policy, Table
from lapwing.policy import Column as Declared
from lapwing.query.prepare import prepare
from tests.kernel.release.plans import measurement
from tests.query.lowering.evaluator import evaluate

NULL, ONE = Literal(None, None), Literal(1, Kind.INTEGER)
#: Every value a column has in the rows that are tried.
CELLS = {
    "a": (None, True, False),
    "b": (None, True, False),
    "x": (None, 0, 1, 2, 3),
    "r": (None, 0.1, 0.5, 2.0),
    "t": (None, "p", "q"),
}
ROWS = [dict(zip(CELLS, cells, strict=True)) for cells in itertools.product(*CELLS.values())]
_SQL = Policy(
    "t",
    (
        Table(
            *("t", "t.parquet", "private", None, None),
            (
                *(Declared(name, "boolean") for name in "ab"),
                Declared("x", "integer", 0, 3),
                Declared("r", "real", 0, 2),
                Declared("t", "text"),
                Declared("day", "date"),
            ),
        ),
    ),
    Budget(1),
    Neighbours.ADDED,
    (),
)


class Made:
    """Random conditions and the arguments that stand under them."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def condition(self, depth=2):
        r = self.r
        if depth and r.random() < 0.6:
            word = r.choice([Word.AND, Word.OR, Word.NOT, Word.NOT, Word.IS_NULL])
            many = 1 if word in (Word.NOT, Word.IS_NULL) else 2
            return Call(word, tuple(self.condition(depth - 1) for _ in range(many)))
        match r.randrange(5):
            case 0:
                return Column(r.choice("ab"))
            case 1:
                name = r.choice("xrt")
                return Call(Word.IN, (Column(name), *(self.literal(name) for _ in range(r.randint(1, 3)))))
            case 2:
                return Call(Word.EQUAL, (Column(r.choice("ab")), Literal(r.random() < 0.5, Kind.BOOLEAN)))
            case _:
                name = r.choice("xxrt")
                words = [Word.EQUAL, Word.NOT_EQUAL, Word.LESS, Word.AT_MOST, Word.GREATER, Word.AT_LEAST]
                sides = (Column(name), self.literal(name))
                return Call(r.choice(words), sides if r.random() < 0.8 else sides[::-1])

    def literal(self, name):
        values = {
            "x": [Literal(v, Kind.INTEGER) for v in (0, 1, 2)] + [Literal(Fraction(1, 2), Kind.REAL)],
            "r": [Literal(Fraction(v), Kind.REAL) for v in ("0.1", "0.5", "0.10000000000000000001")],
            "t": [Literal(v, Kind.TEXT) for v in ("p", "q", "P")],
        }
        return self.r.choice([*values[name], *([NULL] if self.r.random() < 0.1 else [])])

    def argument(self, otherwise):
        r = self.r
        value = r.choice([ONE, Column("x"), Call(Word.ADD, (Column("x"), Column("r")))])
        branches = (self.condition(), value)
        if r.random() < 0.3:
            branches = (self.condition(1), r.choice([NULL, otherwise]), *branches)
        made = Call(Word.CASE, (*branches, r.choice([otherwise, otherwise, NULL])))
        return Call(Word.CLIP, (made, Literal(0, Kind.INTEGER), Literal(3, Kind.INTEGER))) if r.random() < 0.2 else made


def wholes(**more):
    return {"low": Fraction(0), "high": Fraction(9)} | more


@pytest.mark.parametrize("seed", range(6))
def test_no_row_adds_to_two_measurements_that_are_apart(seed):
    made = Made(seed)
    yes = 0
    for _ in range(400):
        sums = made.r.random() < 0.4
        otherwise = Literal(0, Kind.INTEGER) if sums else NULL
        first, second = made.argument(otherwise), made.argument(otherwise)
        kinds = [
            measurement(Function.TOTAL, argument=each, **wholes()) if sums else measurement(argument=each)
            for each in (first, second)
        ]
        if not apart(*kinds):
            continue
        yes += 1
        for row in ROWS:
            values = evaluate(first, row), evaluate(second, row)
            assert None in values or (sums and 0 in values), (first, second, row)
    assert yes > 20, "hardly anything was said to be apart, and nothing was tried"


def arguments(*filters):
    """What COUNT(*) FILTER (WHERE each) counts."""
    asked = ", ".join(f"COUNT(*) FILTER (WHERE {each})" for each in filters)
    return prepare(f"SELECT {asked} FROM t", _SQL).aggregate.measurements


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "NOT a"),
        ("x > 2", "NOT x > 2"),
        ("x > 2", "x <= 2"),
        ("x BETWEEN 0 AND 1", "x BETWEEN 2 AND 3"),
        ("x < 1 AND a", "x >= 1"),
        ("t = 'p'", "t = 'q'"),
        ("t IN ('p', 'q')", "t IN ('r', 's')"),
        ("t IN ('p', 'q')", "t NOT IN ('p', 'q')"),
        ("x IS NULL", "x > 1"),
        ("x IS NULL", "x IS NOT NULL"),
        ("NOT (a OR b)", "a"),
        ("2 < x", "x < 2"),
        ("a = TRUE", "a = FALSE"),
        ("t = 'p' AND x > 1", "t <> 'p'"),
        ("day < DATE '2020-01-01'", "day >= DATE '2020-01-01'"),
        ("day < DATE '2020-01-01'", "day > DATE '2021-01-01'"),
        ("x IN (1, 2)", "x > 2"),
        ("r > 0.5", "r <= 0.5"),
    ],
)
def test_filters_that_people_write_are_seen_to_be_apart(one, other):
    assert apart(*arguments(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "b"),
        ("x >= 1", "x <= 1"),
        ("a OR b", "NOT a"),
        ("x > 1", "x < 3"),
        ("t LIKE 'p%'", "t = 'q'"),
        ("t < 'p'", "t > 'q'"),  # the order of letters is an engine's
        ("r <= 0.1", "r >= 0.10000000000000000001"),  # one float
        ("x IS NOT NULL", "a"),
        ("NOT (a AND b)", "a"),
        ("LOWER(t) = 'p'", "t = 'P'"),
    ],
)
def test_what_could_hold_in_one_row_is_not_apart(one, other):
    assert not apart(*arguments(one, other))


def test_a_zero_is_nothing_only_in_a_sum_around_it():
    condition = Column("a")
    one = Call(Word.CASE, (condition, Column("x"), Literal(0, Kind.INTEGER)))
    other = Call(Word.CASE, (Call(Word.NOT, (condition,)), Column("x"), Literal(0, Kind.INTEGER)))

    def of(argument, function=Function.TOTAL, **more):
        return measurement(function, argument=argument, **wholes(**more))

    assert apart(of(one), of(other))
    assert not apart(of(one, centre=4), of(other))  # deviations of 0 from the middle are not 0
    assert not apart(of(one, low=Fraction(1)), of(other))  # a 0 is clipped to 1
    assert not apart(of(one, Function.SQUARES), of(other))
    assert not apart(measurement(argument=one), measurement(argument=other))
