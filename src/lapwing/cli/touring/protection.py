"""Stop: the clinic says what is public, whom answers protect and how much they may lose; a ledger holds it to that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lapwing.algebra.exact import decimal_down
from lapwing.algebra.neighbours import Neighbours
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, code, words
from lapwing.policy import policy_text
from lapwing.session.protecting import Wishes, protect

REGIONS = ("coast", "west", "south", "east", "north")
SCHOOLING = ("primary", "secondary", "vocational", "university")
CONDITIONS = ("asthma", "diabetes", "heart", "depression", "none")

PEOPLE = Wishes(
    unit="person",
    epsilon=2,
    bounds={"age": (0, 120), "income": (0, 150_000)},
    keys={"region": REGIONS, "schooling": SCHOOLING, "condition": CONDITIONS},
    analysts={"ana": None},
)
#: Each row is a person; that they are in the table is known, what their row says is to be hidden.
ANONYMISED = Wishes(
    unit=None,
    epsilon=1,
    neighbours=Neighbours.REPLACED,
    keys={"condition": CONDITIONS},
    analysts={"mallory": None},
)


def visit(clinic: Clinic) -> Seen:
    """Protect both tables, and show the policy of one."""
    data = None if clinic.database is None else "fixed"
    policy, _ = protect(clinic.source(clinic.people), replace(PEOPLE, data=data), clinic.folder)
    other, _ = protect(clinic.source(clinic.anonymised), replace(ANONYMISED, data=data), clinic.folder)
    where = (
        "The clinic takes the file back and protects its tables. Beside each now lie a policy, which says what is"
        if clinic.database is None
        else "The clinic takes the file back and protects its tables in PostgreSQL, where a role of Lapwing's may read"
        " them and nothing else. For each there now are, in the working folder, a policy, which says what is"
    )
    first = (
        where,
        f"public about it, and a ledger. All answers about {policy.name} together may lose no more than",
        f"ε = {decimal_down(policy.budget.epsilon)} about any one person. Without its comments, the policy reads:",
    )
    last = (
        'Ranges and groups are what a stranger may know; nothing in the file is measured from the data. "added" hides',
        'whether a person is in the table at all. The other table gets "replaced", which hides what a person\'s row',
        f"says, and ε = {decimal_down(other.budget.epsilon)}. On the command line: lapwing protect",
        f"{'people.parquet' if clinic.database is None else 'postgresql://role@host/database/clinic.people --fixed'}",
        "--unit person --epsilon 2 --bounds income=0:150000 --keys region=...",
    )
    figures: dict[str, object] = {
        str(each.name): {
            "epsilon": float(each.budget.epsilon),
            "neighbours": each.neighbours.value,
            "analysts": [who.name for who in each.analysts],
        }
        for each in (policy, other)
    }
    shown = "\n".join(line for line in policy_text(policy).splitlines() if line and not line.startswith("#"))
    beside = sorted(Path(file).name for file in clinic.folder.iterdir() if ".lapwing." in file.name)
    return Seen((words(*first), code(shown, "toml"), words(*last)), {"policies": figures, "files": beside})


STOP = Stop("What does it take to protect a table?", "protecting the tables", visit)
