"""Policies and ledgers for the tests of this folder."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

from lapwing.algebra.neighbours import Neighbours
from lapwing.ledger import Ledger
from lapwing.policy import Analyst, Budget, Column, Policy, Table


def policy(epsilon=1, delta=0, analysts=(("ann", 1, 0), ("bob", 1, 0)), neighbours=Neighbours.ADDED, unit=None):
    columns = (Column("person", "integer"), Column("age", "integer", 0, 120))
    table = Table("people", "people.parquet", "private", unit, None, columns)
    return Policy("people", (table,), Budget(epsilon, delta), neighbours, tuple(Analyst(*each) for each in analysts))


@contextmanager
def own_folder():
    """A folder of one's own; in memory, like all that tests write, where there is room."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@contextmanager
def fresh_ledger(*arguments, **options):
    with own_folder() as folder:
        yield Ledger.create(folder / "people.lapwing.ledger", policy(*arguments, **options))


def ask(ledger, price, analyst="ann", query="q", snapshot="s", text="SELECT count(*) FROM people", partition=None):
    return ledger.charge(analyst, price, query=query, snapshot=snapshot, text=text, partition=partition)
