"""Tables with the worst cells there are, and plans over the whole vocabulary, for comparing engines with each other."""

from __future__ import annotations

import datetime
import math
from fractions import Fraction

import pyarrow as pa

from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from tests.query.lowering import plans

COLUMNS = {
    "person": Kind.INTEGER,
    "age": Kind.INTEGER,
    "big": Kind.INTEGER,
    "pay": Kind.REAL,
    "rate": Kind.REAL,
    "town": Kind.TEXT,
    "odd": Kind.TEXT,
    "member": Kind.BOOLEAN,
    "born": Kind.DATE,
    "seen": Kind.TIMESTAMP,
}
_ARROW = {
    Kind.INTEGER: pa.int64(),
    Kind.REAL: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
}
_EDGES = (
    5e-324,
    1e-308,
    2.2250738585072014e-308,
    1e-160,
    1e-150,
    1e150,
    1e160,
    8.98846567431158e307,
    1.7976931348623157e308,
)
REALS = (
    *(sign * edge for edge in _EDGES for sign in (1, -1)),
    *(0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1.005, 0.285, 3.0, 1e15, 4503599627370497.5, 2.0**53),
    *(9.223372036854775e18, 9.223372036854776e18, -9.223372036854776e18, math.inf, -math.inf, math.nan),
)
INTEGERS = (0, 1, -1, 2, 7, -7, 40, 99, 10**9, 2**31 - 1, -(2**31), 2**53 + 1)
EXTREMES = (2**63 - 1, -(2**63), 2**62, -(2**62), 2**32, 0, 3)
TEXTS = (
    *(
        "",
        " ",
        "a",
        "B",
        "b",
        "Ä",
        "ä",
        "ß",
        "İ",
        "e\u0301",
        "\u00e9",
        "a%",
        "a_",
        "a\\",
        "\\",
        "it's",
        '"',
        "x\ny",
        "a ",
    ),
    *("7", " 7 ", "+7", "-7", "1e2", "1.5", "1_000", "0x1F", "9223372036854775807", "999999999999999999", "\t7", "７"),
    *("1e400", "1e-400", "1d", ".5", "5.", "-1.5e3", "inf", "nan", "NaN", "1e99", "0x1p3"),
    *("true", "T", "yes", "on", "0", "off", "f", "No"),
    *("2020-02-29", "2021-02-29", "2021-02-30", "0000-01-01", "0001-01-01", "9999-12-31", "today", "now", "2020"),
    *(
        "01/02/2020",
        "epoch",
        "infinity",
        "2020-1-1",
        "10000-01-01",
        "2020-01-01 (BC)",
        "2020-01-01 BC",
        "January 8, 1999",
    ),
    *(
        "2020-01-01 12:00:00",
        "2020-01-01T23:59:59.999999",
        "2020-01-01 24:00:00",
        "2020-01-01 12:00",
        "2020-01-01 23:59:60",
    ),
    *(
        "2020-01-01 12:00:00+02",
        "2020-01-01 12:00:00 Europe/Rome",
        "2021-02-30 12:00:00",
        "allballs",
        "t%",
        "$$",
        "{1}",
    ),
)
DAYS = (datetime.date(1, 1, 1), datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31))
TIMES = (
    datetime.datetime(1, 1, 1),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime.datetime(2024, 2, 29, 12),
    datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
)
_CELLS = {
    "age": INTEGERS,
    "big": EXTREMES,
    "pay": REALS,
    "rate": REALS,
    "town": ("a", "b", "ab", "B", "7", ""),
    "odd": TEXTS,
    "member": (True, False),
    "born": DAYS,
    "seen": TIMES,
}
PATTERNS = ("a%", "%a\\", "\\", "a\\%", "_", "%", "a_", "%\\%", "x_y", "", "[ab]", "(a|b)", "t%")


def rows(r, people, most):
    """The rows of some people, and of nobody."""
    made = []
    for person in [*range(people), None]:
        for _ in range(r.randint(0, most)):
            row = {name: r.choice([*_CELLS[name], None]) for name in COLUMNS if name != "person"}
            made.append({"person": person} | row)
    r.shuffle(made)
    return made


def arrow(made):
    """Rows as an Arrow table."""
    return pa.table({n: pa.array([row[n] for row in made], _ARROW[k], from_pandas=False) for n, k in COLUMNS.items()})


class OddPlans(plans.Plans):
    """Plans over tables of the columns above, with every word of the vocabulary."""

    def relation(self, *, owned=True):
        node = self._scan("odd", COLUMNS, "person" if owned else None)
        for _ in range(self.r.randint(0, 2)):
            kinds = {name: known.kind for name, known in node.type.columns.items()}
            node = self.r.choice([self._where, self._project, self._project])(node, kinds)
        return node

    def leaf(self, kind, columns):
        if kind is Kind.TIMESTAMP and self.r.random() < 0.3:
            return Literal(self.r.choice(["2020-01-01", "2024-02-29T12:00:00", "1999-12-31 23:59:59.5"]), kind)
        if kind is Kind.DATE and self.r.random() < 0.3:
            return Literal(self.r.choice(["2020-02-29", "1970-01-01"]), kind)
        if kind is Kind.REAL and self.r.random() < 0.3:
            return Literal(Fraction(self.r.choice([x for x in REALS if math.isfinite(x)])), kind)
        if kind is Kind.TEXT and self.r.random() < 0.3:
            return Literal(self.r.choice(TEXTS), kind)
        if kind is Kind.TIMESTAMP:
            return Column("seen")
        return super().leaf(kind, columns)

    def expression(self, kind, columns, depth=2):
        if kind in (Kind.DATE, Kind.TIMESTAMP) and depth and self.r.random() < 0.3:
            return self._moved(kind, columns, depth)
        if kind is Kind.DATE and depth and self.r.random() < 0.6:
            return Call(
                Word.TO_DATE, (self.expression(self.r.choice([Kind.TEXT, Kind.TIMESTAMP]), columns, depth - 1),)
            )
        if kind is Kind.TIMESTAMP:
            if depth and self.r.random() < 0.6:
                found = self.r.choice([Kind.TEXT, Kind.DATE])
                return Call(Word.TO_TIMESTAMP, (self.expression(found, columns, depth - 1),))
            return self.leaf(kind, columns)
        return super().expression(kind, columns, depth)

    def _moved(self, kind, columns, depth):
        """A day that was moved, or the first day of something."""
        r = self.r
        if kind is Kind.DATE and r.random() < 0.5:
            of = self.expression(r.choice([Kind.DATE, Kind.TIMESTAMP]), columns, depth - 1)
            unit = r.choice(["year", "quarter", "month", "week", "day"])
            return Call(Word.TRUNCATE, (Literal(unit, Kind.TEXT), of))
        amount = Literal(r.choice([-700_000, -48_000, -13, -1, 0, 1, 11, 700_000]), Kind.INTEGER)
        unit = Literal(r.choice(["day", "month"]), Kind.TEXT)
        return Call(Word.SHIFT, (self.expression(kind, columns, depth - 1), amount, unit))

    def _sought(self):
        """A text to be looked for in others."""
        return Literal(self.r.choice(["a", "aa", " ", ".", "é", "%", "\\", "-", "."]), Kind.TEXT)

    def _own(self, kind, sub, columns):
        r = self.r
        if r.random() < 0.45:
            return super()._own(kind, sub, columns)
        compare = r.choice([Word.EQUAL, Word.NOT_EQUAL, Word.LESS, Word.AT_MOST, Word.GREATER, Word.AT_LEAST])
        digits = Literal(r.choice([-3, -1, 0, 1, 2, 5]), Kind.INTEGER)
        both = r.choice([Kind.TEXT, Kind.DATE, Kind.TIMESTAMP, Kind.REAL, Kind.BOOLEAN])
        choices = {
            Kind.INTEGER: [
                lambda: Call(Word.TO_INTEGER, (sub(Kind.TEXT),)),
                lambda: Call(Word.TO_INTEGER, (sub(Kind.REAL),)),
                lambda: Call(Word.ROUND, (sub(Kind.INTEGER),)),
                lambda: Call(
                    r.choice([Word.YEAR, Word.MONTH, Word.DAY]), (sub(r.choice([Kind.DATE, Kind.TIMESTAMP])),)
                ),
                lambda: Call(r.choice([Word.ADD, Word.MULTIPLY]), (sub(Kind.BOOLEAN), sub(Kind.INTEGER))),
                lambda: Call(
                    r.choice([Word.QUARTER, Word.WEEK, Word.WEEKDAY, Word.HOUR]),
                    (sub(r.choice([Kind.DATE, Kind.TIMESTAMP])),),
                ),
                lambda: Call(Word.DAYS_BETWEEN, (sub(r.choice([Kind.DATE, Kind.TIMESTAMP])), sub(Kind.DATE))),
            ],
            Kind.REAL: [
                lambda: Call(Word.TO_REAL, (sub(Kind.TEXT),)),
                lambda: Call(Word.ROUND, (sub(Kind.REAL), digits)),
                lambda: Call(r.choice([Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.DIVIDE]), (sub(), sub())),
                lambda: Call(r.choice([Word.ADD, Word.MULTIPLY]), (sub(), sub(Kind.TEXT))),
                lambda: Call(r.choice([Word.FLOOR, Word.CEIL, Word.ROUND, Word.SQRT]), (sub(),)),
            ],
            Kind.TEXT: [
                lambda: Call(Word.TO_TEXT, (sub(r.choice([Kind.INTEGER, Kind.BOOLEAN, Kind.DATE, Kind.TIMESTAMP])),)),
                lambda: Call(r.choice([Word.LEAST, Word.GREATEST]), (sub(), sub(), sub())),
                lambda: Call(Word.TRIM, (sub(),)),
                lambda: Call(Word.CONCAT, (sub(), sub())),
                lambda: Call(Word.SUBSTRING, (sub(), *(Literal(r.choice([1, 2, 3]), Kind.INTEGER) for _ in "ab"))),
                lambda: Call(Word.SUBSTRING, (sub(), Literal(r.choice([1, 2, 10_000]), Kind.INTEGER))),
                lambda: Call(Word.ENDING, (sub(), Literal(r.choice([1, 2, 10_000]), Kind.INTEGER))),
                lambda: Call(Word.SPLIT, (sub(), self._sought(), Literal(r.choice([1, 2, 3, 10_000]), Kind.INTEGER))),
                lambda: Call(Word.REPLACE, (sub(), self._sought(), Literal(r.choice(["", "aa", "é%"]), Kind.TEXT))),
            ],
            Kind.BOOLEAN: [
                lambda: Call(Word.ILIKE, (sub(Kind.TEXT), Literal(r.choice(PATTERNS), Kind.TEXT))),
                lambda: Call(Word.LIKE, (sub(Kind.TEXT), Literal(r.choice(PATTERNS), Kind.TEXT))),
                lambda: Call(compare, (sub(both), sub(both))),
                lambda: Call(compare, (sub(Kind.TEXT), sub(r.choice([Kind.INTEGER, Kind.REAL, Kind.DATE])))),
                lambda: Call(Word.TO_BOOLEAN, (sub(r.choice([Kind.TEXT, Kind.INTEGER, Kind.REAL])),)),
                lambda: Call(Word.IN, (sub(Kind.TEXT), *(Literal(t, Kind.TEXT) for t in r.sample(TEXTS, 4)))),
            ],
        }
        return r.choice(choices[kind])()
