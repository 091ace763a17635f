"""Stop: a table without names is matched with a public register, and tells on everyone in it."""

from __future__ import annotations

from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, grid, words

#: Who is shown beside Tom: the first of each name and sex.
SHOWN = (("Ann", "female"), ("Ben", "male"), ("Ida", "female"))


def visit(clinic: Clinic) -> Seen:
    """Join the two tables on what a stranger knows, and count whom that finds."""
    register, conditions = clinic.register(), clinic.conditions()
    rows = sum(len(found) for found in conditions.values())
    alone = sum(len(found) == 1 for found in conditions.values())
    identified = [person for person in register if len(conditions.get(person.key, [])) == 1]
    tom, condition = clinic.tom()
    others = [
        next(person for person in identified if person.name.startswith(f"{name} ") and person.sex == sex)
        for name, sex in SHOWN
    ]
    table = grid(
        [("in the register", "left"), *((name, "left") for name in ("sex", "born", "postcode")), ("found", "left")],
        [
            (person.name, person.sex, str(person.born), person.postcode, conditions[person.key][0])
            for person in (*others, tom)
        ],
    )
    body = (
        words(
            f"A clinic gave away anonymised.parquet: {rows:,} people, no names, only sex, birth date, postcode and",
            f"condition. A public register lists {len(register)} of them with their names. Join the two on sex, birth",
            f"date and postcode: {len(identified)} of {len(register)} are re-identified, each by a single match.",
        ),
        table,
        words(
            f"{tom.name} has {condition}, and anybody can know. Leaving out names does not help: {alone:,} of the",
            f"{rows:,} people are the only one with their sex, birth date and postcode.",
        ),
    )
    figures: dict[str, object] = {
        "rows": rows,
        "registered": len(register),
        "identified": len(identified),
        "unique": alone,
        "name": tom.name,
        "condition": condition,
    }
    return Seen(body, figures)


STOP = Stop("Does leaving out the names protect people?", "joining the tables", visit)
