"""Accounts and charges as JSON, the same on the command line and over HTTP. Numbers are exact, as text."""

from __future__ import annotations

from lapwing.ledger import Account, Cost, Entry, Left


def account_json(account: Account) -> dict[str, object]:
    """One account of a ledger."""
    return {
        "analyst": account.analyst,
        "budget": {"epsilon": str(account.allowance.epsilon), "delta": str(account.allowance.delta)},
        "spent": _cost(account.spent),
        "left": left_json(account.left),
        "charges": account.charges,
    }


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


def left_json(left: Left) -> dict[str, str]:
    """What is left, by currency."""
    return {"epsilon": str(left.epsilon), "rho": str(left.rho), "delta": str(left.delta)}


def _cost(cost: Cost) -> dict[str, str | None]:
    epsilon = None if cost.epsilon is None else str(cost.epsilon)
    return {"epsilon": epsilon, "rho": str(cost.rho), "delta": str(cost.delta)}
