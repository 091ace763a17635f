"""Groups whose keys nobody listed: how many people one needs is said before paying, and few groups of a person help."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.errors import InvalidInput
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect

#: How many planes each of sixteen carriers has, as in a year of flights.
PLANES = (621, 193, 601, 629, 316, 238, 290, 583, 53, 129, 84, 204, 26, 14, 58, 28)
PEOPLE = "SELECT carrier, COUNT(DISTINCT plane) AS planes FROM flights GROUP BY carrier"
FLIGHTS = "SELECT carrier, COUNT(*) AS n FROM flights GROUP BY carrier"


def flights(folder, *, rows_per_unit=100, groups_per_unit=None, epsilon=1000, delta="1e-2", public=()):
    random = np.random.default_rng(5)
    planes = [(f"N{number}", f"C{at:02}") for at, many in enumerate(PLANES) for number in range(many)]
    rows = [each for at, each in enumerate(planes) for _ in range(int(random.integers(1, 160)))]
    table = pa.table({"plane": [f"{carrier}{plane}" for plane, carrier in rows], "carrier": [c for _, c in rows]})
    pq.write_table(table, folder / "flights.parquet")
    wishes = Wishes(
        "plane", epsilon, delta, rows_per_unit=rows_per_unit, groups_per_unit=groups_per_unit, public=public
    )
    protect(folder / "flights.parquet", wishes)
    return open_session(folder / "flights.parquet")


def test_with_one_group_of_each_plane_most_carriers_are_shown(tmp_path):
    with flights(tmp_path, groups_per_unit=1) as session:
        shown = [
            session.sql(f"{FLIGHTS} HAVING COUNT(*) > -{at}", epsilon=2, delta="1e-6").table.num_rows
            for at in range(20)
        ]
        assert np.median(shown) >= 11
        # the number of planes that chooses a carrier is the answer: all of the price is for it
        found = session.sql(PEOPLE, epsilon=2, delta="1e-6")
        true = {f"C{at:02}": many for at, many in enumerate(PLANES)}
        assert found.table.num_rows >= 12
        assert all(abs(row["planes"] - true[row["carrier"]]) < 15 for row in found.table.to_pylist())
        assert found.certificate["measurements"] == []


def test_how_many_people_a_group_needs_is_said_before_paying(tmp_path):
    with flights(tmp_path, groups_per_unit=1) as session:
        needed = session.people_needed(FLIGHTS, epsilon=2, delta="1e-6")
        assert 10 < needed < 20
        assert f"a group needs about {needed} people to be shown" in str(
            session.quote(FLIGHTS, epsilon=2, delta="1e-6")
        )
        before = session.remaining
        with pytest.raises(InvalidInput) as refusal:
            session.sql(FLIGHTS, epsilon=2, delta="1e-6", rows=needed - 1)
        assert refusal.value.code == "S153"
        assert session.remaining == before
        assert session.sql(FLIGHTS, epsilon=2, delta="1e-6", rows=needed).table.num_rows > 0
        notes = session.sql(FLIGHTS, epsilon="0.001", delta="1e-6", rows=5, anyway=True).notes
        assert any(note.startswith("No group is shown") for note in notes)
        assert session.people_needed("SELECT COUNT(*) AS n FROM flights", epsilon=1) is None


def test_more_groups_of_a_plane_need_more_planes(tmp_path):
    needed = []
    for groups in (1, 3, None):
        folder = tmp_path / str(groups)
        folder.mkdir()
        with flights(folder, groups_per_unit=groups) as session:
            needed.append(session.people_needed(FLIGHTS, epsilon=2, delta="1e-6"))
    assert needed[0] < needed[1] < needed[2]


def test_keys_of_a_joined_public_table_are_known(tmp_path):
    public = tmp_path / "airlines.csv"
    public.write_text("carrier,name\n" + "".join(f"C{at:02},Airline {at}\n" for at in range(17)))
    with flights(tmp_path, delta="0", public=[public]) as session:
        text = "SELECT name, COUNT(DISTINCT plane) AS planes FROM flights JOIN airlines USING (carrier) GROUP BY name"
        found = session.sql(text, epsilon=100).table.to_pylist()
        assert len(found) == 17
        # nobody flies with it; noise of scale 1 reaches 40 less than once in 10^17 runs
        assert abs({row["name"]: row["planes"] for row in found}["Airline 16"]) < 40
        own = "SELECT f.carrier, COUNT(*) AS n FROM flights AS f JOIN airlines AS a USING (carrier) GROUP BY f.carrier"
        assert session.sql(own, epsilon=1).table.num_rows == 17


def test_days_between_two_dates_are_known_keys(tmp_path):
    days = pa.array(np.arange("2013-01-01", "2013-03-01", dtype="datetime64[D]"))
    pq.write_table(pa.table({"day": days}), tmp_path / "t.parquet")
    protect(tmp_path / "t.parquet", Wishes(None, 1000, bounds={"day": ("2013-01-01", "2013-12-31")}))
    with open_session(tmp_path / "t.parquet") as session:
        assert session.sql("SELECT day, COUNT(*) AS n FROM t GROUP BY day", epsilon=1).table.num_rows == 365
        found = session.sql("SELECT MONTH(day) AS m, COUNT(*) AS n FROM t GROUP BY 1", epsilon=400).table.to_pylist()
        assert [row["n"] for row in found] == [31, 28] + [0] * 10
        assert session.sql("SELECT YEAR(day) AS y, COUNT(*) AS n FROM t GROUP BY 1", epsilon=1).table.num_rows == 1
