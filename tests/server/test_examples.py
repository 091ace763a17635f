"""Questions that pages write themselves."""

import re
from html import unescape
from urllib.parse import parse_qs

import pyarrow as pa
import pyarrow.parquet
import pytest

from lapwing.query.spelled_names import written
from lapwing.session.protecting import Wishes, protect
from tests.server.browsing import Person
from tests.server.making import serving


@pytest.mark.parametrize(
    ("name", "sql"),
    [("age", "age"), ("Age", '"Age"'), ("order", '"order"'), ('a"b', '"a""b"'), ("é", '"é"'), ("1st", '"1st"')],
)
def test_names_as_sql_writes_them(name, sql):
    assert written(name) == sql


def test_questions_to_begin_with_can_be_asked(tmp_path):
    """Whatever the columns are called: what the console offers, and what the planner writes, is priced."""
    columns = {"person": [1, 2], "Group": ["a", "b"], "Odd_1": [1.0, 2.0], "order": [1, 2]}
    with serving(tmp_path) as house:
        pa.parquet.write_table(pa.table(columns), tmp_path / "odd.parquet")
        bounds, keys = {"Odd_1": (0, 9), "order": (0, 9)}, {"Group": ["a", "b"]}
        protect(tmp_path / "odd.parquet", Wishes("person", 1, bounds=bounds, keys=keys, analysts={"ana": 1}))
        ana = Person(house, "ana")
        page = ana.get("/tables/odd")
        offered = re.findall(r'href="(/tables/odd\?sql=[^"]+)"', page.text)
        assert len(offered) == 4
        for each in offered:
            sql = parse_qs(unescape(each).partition("?")[2])["sql"][0]
            priced = ana.send(page, "/tables/odd/price", sql=sql, epsilon="0.5")
            assert priced.status_code == 200, (sql, priced.text)
        for column in bounds:
            wanted = {"by": "Group", "statistic0": "mean", "column0": column, "only": "order", "how": "<", "value": "5"}
            planned = ana.send(ana.get("/tables/odd/planner"), "/tables/odd/planner", **wanted, most="1")
            assert "All together: ε" in planned.text, column
