"""A small table on disk, protected through the command line, and what its ledger says."""

import pyarrow as pa
import pyarrow.parquet

from lapwing.ledger import Ledger
from lapwing.session.policy_places import places
from tests.cli.invoke import lapwing

ROWS = 400
COUNT = "SELECT COUNT(*) AS n FROM people"
BY_REGION = "SELECT region, COUNT(*) AS n, AVG(age) AS age FROM people GROUP BY region"


def people():
    return pa.table(
        {
            "person": list(range(ROWS)),
            "age": [i % 100 for i in range(ROWS)],
            "region": ["north" if i % 4 else "south" for i in range(ROWS)],
        }
    )


def unprotected(folder, table=None):
    path = folder / "people.parquet"
    pa.parquet.write_table(people() if table is None else table, path)
    return path


def protected(folder, *options):
    """The people, with a budget of 10 unless the options say more."""
    path = unprotected(folder)
    usual = ("--unit", "person", "--bounds", "age=0:100", "--keys", "region=north,south,west")
    done = lapwing("protect", path, "--epsilon", 10, *usual, *options)
    assert done.exit_code == 0, done.stderr
    return path


def charges(source):
    """The charges in the ledger of a table."""
    return [entry for entry in Ledger.open(places(source).ledger).entries() if entry.kind == "charge"]


def refused(run, code):
    """Whether a command ended as bad input does: one line (and the place in SQL), this code, nothing on stdout."""
    lines = run.stderr.splitlines()
    assert run.exit_code == 2, run.output
    assert run.stdout == ""
    assert lines[0].startswith(f"error {code} "), run.stderr
    assert lines[0].endswith((".", "?"))
    assert len(lines) == 1 or (len(lines) == 3 and "^" in lines[2]), run.stderr
    assert "Traceback" not in run.stderr
    return True
