"""Opening a protected table: a table without a policy is refused, never public."""

from __future__ import annotations

from pathlib import Path

from lapwing.engines import open_engine
from lapwing.errors import InvalidInput
from lapwing.ledger import Ledger
from lapwing.policy import Policy, read_policy
from lapwing.session.asking import Session
from lapwing.session.places import Places, places


def open_session(source: str | Path, analyst: str | None = None) -> Session:
    """A session on a protected table: ``lapwing.open("people.parquet", analyst="ana")``.

    With a single analyst in the policy the name can be left out.
    """
    at = places(source)
    policy = protected(at)
    name = _analyst(policy, analyst)
    ledger = Ledger.open(at.ledger)
    ledger.check_policy(policy)
    return Session(policy, ledger, open_engine(policy, at.policy.parent), name)


def protected(at: Places) -> Policy:
    """The policy of a table; refuses a table that has none."""
    if not at.policy.is_file():
        if not at.data.exists():
            raise InvalidInput("S121", f"there is no file or folder {str(at.data)!r}", "Correct its path")
        raise InvalidInput(
            "S121",
            f"{str(at.data)!r} has no policy, and a table without one is not answered from",
            "Protect it first: lapwing protect SOURCE --epsilon 1",
        )
    return read_policy(at.policy)


def _analyst(policy: Policy, analyst: str | None) -> str:
    names = [each.name for each in policy.analysts]
    if analyst is None and len(names) == 1:
        return names[0]
    if analyst is None or analyst not in names:
        who = "nobody was named" if analyst is None else f"{analyst!r} is not an analyst of {policy.name!r}"
        raise InvalidInput("S122", who, f"Name one of {', '.join(sorted(names)) or 'the analysts in the policy'}")
    return analyst
