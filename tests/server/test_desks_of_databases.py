"""A server over a table in PostgreSQL, with its ledger in a database: asked by HTTP like any other."""

import pyarrow as pa
import pytest

from lapwing.policy.addresses import database_address
from lapwing.server.desks import Desk
from lapwing.session.protecting import Wishes, protect
from tests.contracts import postgresql


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
