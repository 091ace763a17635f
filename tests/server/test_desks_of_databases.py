"""A server over a table in PostgreSQL, with its ledger in a database: asked by HTTP like any other."""

import pyarrow as pa
import pytest

from lapwing.policy.addresses import database_address
from lapwing.server.desks import Desk
from lapwing.session.protecting import Wishes, protect
from tests.contracts import postgresql
from tests.server.browsing import Person
from tests.server.making import make_accounts, serving


@pytest.fixture
def databases():
    made = [postgresql.Database(), postgresql.Database()]
    yield made
    for each in made:
        each.drop()


def test_a_desk_reads_the_ledger_that_the_policy_names(databases, tmp_path):
    data, ledgers = databases
    data.load("clinic", visits=pa.table({"person": pa.array(range(50), pa.int64())}))
    ledgers.run(f"GRANT CREATE ON DATABASE {ledgers.name} TO {postgresql.READER}")
    source = database_address(data.url).with_relation("clinic.visits")
    _, path = protect(source, Wishes("person", 1, analysts={"ana": None}, data="live", ledger=ledgers.url), tmp_path)
    desk = Desk(path, print)
    assert desk.ledger.verify().intact
    session = desk.session("ana")
    session.sql("SELECT COUNT(*) AS n FROM visits", epsilon="0.5")
    assert desk.ledger.accounts()[0].charges == 1
    desk.close()


def test_a_server_over_a_table_and_a_ledger_in_databases(databases, tmp_path):
    """Prices, answers, free repeats, keys, the budget, the pages and the record: as over a file."""
    data, ledgers = databases
    rows = {"person": pa.array(range(300), pa.int64()), "cost": pa.array([float(i % 50) for i in range(300)])}
    data.load("clinic", visits=pa.table(rows))
    ledgers.run(f"GRANT CREATE ON DATABASE {ledgers.name} TO {postgresql.READER}")
    source = database_address(data.url).with_relation("clinic.visits")
    wishes = Wishes("person", 1, bounds={"cost": (0, 50)}, analysts={"ana": None}, data="fixed", ledger=ledgers.url)
    _, path = protect(source, wishes, tmp_path)
    name = path.name.removesuffix(".lapwing.toml")
    make_accounts(tmp_path)
    with serving(tmp_path) as house:
        bearer, sql = house.bearer("ana"), "SELECT COUNT(*) AS n, AVG(cost) AS cost FROM visits"
        post, base = house.client.post, f"/api/tables/{name}"
        assert post(f"{base}/quote", json={"sql": sql, "within": 20}, headers=bearer).status_code == 200
        first = house.run(bearer, sql, table=name, key="k", epsilon="1/2").json()
        again = house.run(bearer, sql, table=name, key="k", epsilon="1/2").json()
        free = house.run(bearer, sql, table=name, epsilon="1/2").json()
        assert first["rows"] == again["rows"] == free["rows"]
        assert (first["repeated"], again["repeated"], free["repeated"]) == (False, True, True)
        asked = {"mechanism": "noisy_max", "queries": ["SELECT COUNT(*) FROM visits"], "public": {"epsilon": "1/4"}}
        asked["public"]["sensitivity"] = 1
        assert post(f"{base}/apply", json=asked, headers=bearer).status_code == 200
        assert house.run(bearer, sql, table=name, epsilon="1/3").status_code == 409  # a quarter is left
        assert house.client.get(f"{base}/budget", headers=bearer).json()["remaining"]["epsilon"] == "1/4"
        charge = first["receipt"]["sequence"]
        assert post(f"{base}/releases/{charge}/check", headers=bearer).json()["verdict"] == "accepted"
        ana, eva = Person(house, "ana"), Person(house, "eva")
        assert ana.get(f"/tables/{name}/releases/{charge}/csv").status_code == 200
        assert "of your ε 1 to spend" in ana.get("/").text
        record = eva.get(f"/curate/tables/{name}").text
        assert "is intact" in record
        assert ledgers.url not in record
        found = house.client.get(f"{base}/ledger", headers=house.bearer("eva")).json()
        assert (found["intact"], len(found["charges"])) == (True, 2)
