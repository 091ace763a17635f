"""What the API says of tables and budgets, in the words of the command line's JSON. Numbers are exact, as text."""

from __future__ import annotations

from lapwing.ledger import Account as Share
from lapwing.ledger import Cost, Entry, Left
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


def share_json(share: Share) -> dict[str, object]:
    """One account of a ledger."""
    return {
        "analyst": share.analyst,
        "budget": {"epsilon": str(share.allowance.epsilon), "delta": str(share.allowance.delta)},
        "spent": _cost(share.spent),
        "left": left_json(share.left),
        "charges": share.charges,
    }


def budget_json(session: Session) -> dict[str, object]:
    """The analyst's own share, and what one more question may cost: their share and the table's budget both count."""
    own = next(each for each in session.ledger.accounts() if each.analyst == session.analyst)
    remaining = session.remaining
    return {
        **share_json(own),
        "table": {"left": left_json(remaining.table)},
        "remaining": {name: str(getattr(remaining, name)) for name in ("epsilon", "rho", "delta")},
    }


def left_json(left: Left) -> dict[str, str]:
    """What is left, by currency."""
    return {"epsilon": str(left.epsilon), "rho": str(left.rho), "delta": str(left.delta)}


def _cost(cost: Cost) -> dict[str, str | None]:
    epsilon = None if cost.epsilon is None else str(cost.epsilon)
    return {"epsilon": epsilon, "rho": str(cost.rho), "delta": str(cost.delta)}


def charge_json(entry: Entry) -> dict[str, object]:
    """One charge of a ledger."""
    return {
        "sequence": entry.sequence,
        "time": entry.time,
        "analyst": entry.analyst,
        "price": entry.price,
        "query": entry.text,
        "hash": entry.hash,
    }


def plan_json(node: Node) -> dict[str, object]:
    """The plan of a query, as ``lapwing explain --json`` prints it."""
    return {"node": node.label, "facts": list(node.facts), "children": [plan_json(child) for child in node.children]}
