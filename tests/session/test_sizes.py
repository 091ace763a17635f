"""What is too large to answer, or has no meaning as a statement, is refused before anything is paid."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from lapwing.errors import LapwingError
from lapwing.query.lowering import Statement
from lapwing.query.plan import Bounding, Function, Measurement
from lapwing.session import noising
from lapwing.session.groups import Fetched, Groups
from tests.session.tables import protected


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path) as opened:
        yield opened


def refused(ask, *arguments, **price):
    with pytest.raises(LapwingError) as error:
        ask(*arguments, **price)
    return error.value.code


def test_quantiles_in_too_many_groups_are_refused_before_the_charge(session):
    before = session.remaining
    text = "SELECT age, income // 125 AS i, MEDIAN(income) FROM people GROUP BY age, i"  # 101 · 801 groups
    assert session.quote(text, epsilon=1)
    more = text.replace("MEDIAN(income)", "MEDIAN(income), MAX(income)")
    for ask in (session.quote, session.sql):
        assert refused(ask, more, epsilon=1) == "S146"
    assert session.remaining == before


def test_each_group_has_its_own_buckets():
    low, high = Fraction(0), Fraction(3)
    middle = Measurement(
        "m", Function.QUANTILE, None, Bounding.NONE, 1, 1, low, high, fraction=Fraction(1, 2), buckets=3
    )
    statement = Statement("", ("k",), ("m",), bucketed=True)
    places = np.array([2, 0, -1, 2, 0])
    found = pa.table({"k": places, "bucket": [1, 0, 0, 2, 2], "m": [5, 1, 9, 6, 2]})

    class Known(Groups):
        def places(self, _):
            return places

    rows = noising._group_by_group(middle, Fetched(statement, found), Known((), (), 4))
    found = [(buckets.tolist(), weights.tolist()) for buckets, weights in rows]
    assert found == [([0, 2], [1, 2]), ([], []), ([1, 2], [5, 6]), ([], [])]


@pytest.mark.parametrize("ask", ["explain", "quote"])
def test_what_has_no_meaning_as_a_statement_is_refused_where_nothing_is_paid(tmp_path, ask):
    odd = [f"{i}\x1c\x1d\x1e\x1f" for i in range(300)]  # no list of them can be split into its keys
    price = {"epsilon": 1} if ask == "quote" else {}
    with protected(tmp_path, keys={"region": odd}) as session:
        text = "SELECT region, COUNT(*) FROM people GROUP BY region"
        assert refused(getattr(session, ask), text, **price) == "Q351"
