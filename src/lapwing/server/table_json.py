"""What the API says of tables and budgets, in the words of the command line's JSON. Numbers are exact, as text."""

from __future__ import annotations

from fractions import Fraction

from lapwing.ledger.as_json import account_json, left_json
from lapwing.policy import Policy, Table
from lapwing.policy.tables import end_text
from lapwing.query.explain import Node
from lapwing.session import Session


def policy_json(policy: Policy) -> dict[str, object]:
    """What is public about a table."""
    return {
        "name": policy.name,
        "neighbours": policy.neighbours.value,
        "budget": {"epsilon": str(policy.budget.epsilon), "delta": str(policy.budget.delta)},
        "tables": [_table(table) for table in policy.tables],
    }


def _table(table: Table) -> dict[str, object]:
    return {
        "name": table.name,
        "role": table.role,
        "unit": table.unit,
        "rows_per_unit": table.rows_per_unit,
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "low": _end(column.low, column.kind),
                "high": _end(column.high, column.kind),
                "keys": None if column.keys is None else list(column.keys),
            }
            for column in table.columns
        ],
    }


def _end(end: Fraction | None, kind: str) -> str | None:
    """An end of a range: a day, or a number."""
    return None if end is None else end_text(end, kind) if kind in ("date", "timestamp") else str(end)


def budget_json(session: Session) -> dict[str, object]:
    """The analyst's own share, and what one more question may cost: their share and the table's budget both count."""
    own = next(each for each in session.ledger.accounts() if each.analyst == session.analyst)
    remaining = session.remaining
    return {
        **account_json(own),
        "table": {"left": left_json(remaining.table)},
        "remaining": {name: str(getattr(remaining, name)) for name in ("epsilon", "rho", "delta")},
    }


def plan_json(node: Node) -> dict[str, object]:
    """The plan of a query, as ``lapwing explain --json`` prints it."""
    return {"node": node.label, "facts": list(node.facts), "children": [plan_json(child) for child in node.children]}
