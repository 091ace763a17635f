"""What the API says of tables and budgets, in the words of the command line's JSON. Numbers are exact, as text."""

from __future__ import annotations

from lapwing.ledger.as_json import account_json, left_json
from lapwing.policy import Policy, Table
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
                "low": None if column.low is None else str(column.low),
                "high": None if column.high is None else str(column.high),
                "keys": None if column.keys is None else list(column.keys),
            }
            for column in table.columns
        ],
    }


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
