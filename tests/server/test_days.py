"""Columns of days: a curator gives them a range on the page, and everybody is shown days, not numbers of days."""

import datetime

import pyarrow as pa
import pyarrow.parquet

from tests.server.browsing import Person


def test_a_range_of_days_is_given_and_shown_as_days(own_house):
    born = [datetime.date(1950 + each, 1, 2) for each in range(50)]
    table = pa.table({"person": list(range(50)), "born": born})
    pa.parquet.write_table(table, own_house.folder / "births.parquet")
    eva = Person(own_house, "eva")
    page = eva.get("/curate/protect?file=births.parquet")
    assert 'placeholder="1900-01-01"' in page.text
    done = eva.send(page, "/curate/protect", unit="person", low1="1900-01-01", high1="2030-12-31", analyst="ana")
    assert done.status_code == 303, done.text
    assert "1900-01-01 to 2030-12-31" in Person(own_house, "ana").get("/tables/births").text
    told = own_house.client.get("/api/tables/births", headers=own_house.bearer("ana")).json()
    [born] = [each for each in told["tables"][0]["columns"] if each["name"] == "born"]
    assert (born["low"], born["high"]) == ("1900-01-01", "2030-12-31")


def test_what_is_not_a_day_is_refused_in_words(own_house):
    days = pa.table({"person": [1], "born": [datetime.date(2000, 1, 1)]})
    pa.parquet.write_table(days, own_house.folder / "births.parquet")
    eva = Person(own_house, "eva")
    page = eva.get("/curate/protect?file=births.parquet")
    done = eva.send(page, "/curate/protect", low1="0", high1="2030-12-31")
    assert done.status_code == 400
    assert "Write it as 2013-01-01" in done.text
