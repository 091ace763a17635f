"""An analyst is given a share of a table's budget, or another one: the policy and the ledger change together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lapwing.algebra.exact import Number
from lapwing.errors import InvalidInput
from lapwing.ledger import Ledger
from lapwing.policy import Analyst, Policy, write_policy
from lapwing.session.policy_places import ledger_of, places, protected


def share(source: str | Path, name: str, epsilon: Number) -> Policy:
    """From now on the answers to this analyst may lose so much; what they have spent stays spent.

    Only the shares change: a policy that the ledger does not enforce as it stands is refused, for whoever edited it
    should say so themselves, with ``lapwing protect SOURCE --renew``.
    """
    at = places(source)
    policy = protected(at)
    ledger = Ledger.open(ledger_of(at, policy))
    ledger.check_policy(policy)
    if not ledger.verify().intact:  # its last entries alone were looked at so far
        raise InvalidInput("S142", "the ledger's history was changed", "Look at it with: lapwing ledger SOURCE")
    given = Analyst(name, epsilon, policy.budget.delta)
    others = tuple(each for each in policy.analysts if each.name != name)
    changed = replace(policy, analysts=(*others, given))
    ledger.change_budget(changed)
    try:
        write_policy(changed, at.policy)
    except BaseException:
        ledger.change_budget(policy)  # or the two would disagree, and nobody could ask any more
        raise
    return changed
