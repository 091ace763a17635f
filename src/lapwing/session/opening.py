"""Opening a protected table: a table without a policy is refused, never public."""

from __future__ import annotations

from pathlib import Path

from lapwing.engines.of_policy import open_engine
from lapwing.errors import InvalidInput
from lapwing.ledger import Ledger
from lapwing.policy import Policy
from lapwing.session.asking import Session
from lapwing.session.policy_places import ledger_of, places, protected


def opened(source: str | Path, analyst: str | None) -> Session:
    """The session of an analyst; with a single one in the policy the name can be left out."""
    at = places(source)
    policy = protected(at)
    name = _analyst(policy, analyst)
    ledger = Ledger.open(ledger_of(at, policy))
    ledger.check_policy(policy)
    return Session(policy, ledger, open_engine(policy, at.policy.parent), name)


def _analyst(policy: Policy, analyst: str | None) -> str:
    names = [each.name for each in policy.analysts]
    if analyst is None and len(names) == 1:
        return names[0]
    if analyst is None or analyst not in names:
        who = "nobody was named" if analyst is None else f"{analyst!r} is not an analyst of {policy.name!r}"
        raise InvalidInput("S122", who, f"Name one of {', '.join(sorted(names)) or 'the analysts in the policy'}")
    return analyst
