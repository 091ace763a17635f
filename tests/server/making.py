"""A folder with two protected tables, three accounts, and a server on it, in this process."""

from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet
from starlette.testclient import TestClient

from lapwing.ledger import Ledger
from lapwing.server.accounts import Accounts
from lapwing.server.accounts import passwords as slow
from lapwing.server.application import Settings, application
from lapwing.server.pacing import Schedule
from lapwing.server.rates import Rate, Rates
from lapwing.session.protecting import Wishes, protect

ROWS = 400
COUNT = "SELECT COUNT(*) AS n FROM people"
BY_REGION = "SELECT region, COUNT(*) AS n, AVG(age) AS age FROM people GROUP BY region"
PASSWORD = "four words are enough"  # noqa: S105  # for made-up people
#: A cell that is nowhere but in the data: seen anywhere else, it has leaked.
SECRET = "zanzibar-secret-ward"  # noqa: S105  # a word, not a password
LOCAL = "http://127.0.0.1:8000"


def write_people(folder, rows=ROWS):
    table = pa.table(
        {
            "person": list(range(rows)),
            "age": [i % 100 for i in range(rows)],
            "region": ["north" if i % 4 else "south" for i in range(rows)],
            "ward": [SECRET] * rows,
        }
    )
    pa.parquet.write_table(table, folder / "people.parquet")
    return folder / "people.parquet"


def make_folder(folder, epsilon=10, shares=(("ana", 2), ("bo", 1)), rows=ROWS):
    """``people`` is shared by ana and bo, ``other`` is nobody's but bo's; eva is the curator, and has no share."""
    wishes = Wishes(
        "person", epsilon, bounds={"age": (0, 100)}, keys={"region": ["north", "south", "west"]}, analysts=dict(shares)
    )
    protect(write_people(folder, rows), wishes)
    pa.parquet.write_table(pa.table({"person": [1, 2, 3]}), folder / "other.parquet")
    protect(folder / "other.parquet", Wishes("person", 1, analysts={"bo": 1}))
    return make_accounts(folder)


def make_accounts(folder):
    """Eva, the curator, and two analysts."""
    found = Accounts.of(folder)
    for name, role in (("eva", "curator"), ("ana", "analyst"), ("bo", "analyst")):
        found.add(name, role, PASSWORD, "test")
    return found


@dataclass
class House:
    """A server with what was said to its log."""

    folder: object
    accounts: Accounts
    client: TestClient
    log: list = field(default_factory=list)

    def ledger(self, table="people"):
        return Ledger.open(self.folder / f"{table}.lapwing.ledger")

    def charges(self, table="people"):
        return [entry for entry in self.ledger(table).entries() if entry.kind == "charge"]

    def token(self, name, scope="ask", days=1):
        return self.accounts.new_token(name, scope, days, "test")

    def bearer(self, name, scope="ask"):
        return {"Authorization": f"Bearer {self.token(name, scope)}"}

    def run(self, headers, sql=COUNT, table="people", key=None, **price):
        more = {} if key is None else {"Idempotency-Key": key}
        body = {"sql": sql, **(price or {"epsilon": 0.1})}
        return self.client.post(f"/api/tables/{table}/run", json=body, headers={**headers, **more})


@contextmanager
def serving(folder, *, pace=0.05, timeout=30.0, schedule=None, rates=None, secure=False, computing=10.0, **making):
    """A server on a new folder, or on one that is there."""
    accounts = Accounts.of(folder) if any(folder.glob("*.lapwing.toml")) else make_folder(folder, **making)
    log = []
    times = schedule or Schedule(pace, timeout)
    app = application(Settings(folder, times, rates or Rates(), computing, secure, log.append))
    base = "https://stat.example" if secure else LOCAL
    with TestClient(app, base_url=base, raise_server_exceptions=False, follow_redirects=False) as client:
        yield House(folder, accounts, client, log)


def fast_passwords(monkeypatch):
    """Passwords that are hashed quickly: what is tested is not how slow they are."""
    from argon2 import PasswordHasher

    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(slow, "_hasher", lambda: hasher)
    slow._nobodys.cache_clear()


def tight(**given):
    """Rates of which some are reached quickly."""
    return Rates(**{name: Rate(most, 600, "too many") for name, most in given.items()})
