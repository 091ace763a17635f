"""Questions to begin with, made of what is public about a table, and names as SQL writes them."""

from __future__ import annotations

from lapwing.policy import Policy, Table
from lapwing.query.spelled_names import written


def main_table(policy: Policy) -> Table:
    """The table that people who have not seen it ask about first: the first private one."""
    return next(table for table in policy.tables if table.role == "private")


def examples(policy: Policy) -> list[tuple[str, str]]:
    """Some questions that can be asked, in words and in SQL."""
    table = main_table(policy)
    name = written(table.name)
    key = next((each.name for each in table.columns if each.keys is not None and each.name != table.unit), None)
    measured = next((each.name for each in table.columns if each.low is not None and each.high is not None), None)
    found = [("How many?", f"SELECT COUNT(*) AS n\nFROM {name}")]
    if key is not None:
        by = f"FROM {name}\nGROUP BY {written(key)}"
        found.append((f"How many by {key}", f"SELECT {written(key)}, COUNT(*) AS n\n{by}"))
    if measured is not None:
        mean = f"AVG({written(measured)}) AS average"
        found.append((f"Average {measured}", f"SELECT {mean}\nFROM {name}"))
        if key is not None:
            found.append((f"Average {measured} by {key}", f"SELECT {written(key)}, {mean}\n{by}"))
    return found
