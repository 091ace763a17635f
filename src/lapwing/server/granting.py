"""Shares of tables given to accounts: found in the folder, given in the policy and the ledger, noted as an event."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable
from pathlib import Path

from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy import SUFFIX, read_policy
from lapwing.policy.written_values import number
from lapwing.server.accounts import Accounts
from lapwing.session.giving_shares import share

#: Two changes at once of one policy would each undo the other's.
CHANGING = threading.Lock()


def tables_named(folder: Path, shares: Iterable[tuple[str, str]]) -> list[tuple[Path, str]]:
    """The policy of each table, with the share; refuses all if one table is not there, or one share is no number."""
    found = []
    for name, epsilon in shares:
        path = folder / f"{name}{SUFFIX}"
        if path.parent != folder or not path.is_file():
            raise InvalidInput(
                "D118", f"the folder has no protected table {name!r}", "Protect it first, or correct its name"
            )
        if number(epsilon, "a share") <= 0:
            raise InvalidInput("D118", "a share is not above 0", "Give a positive epsilon, such as 1")
        found.append((path, epsilon))
    return found


def shares_of(folder: Path, name: str) -> dict[str, str]:
    """The shares that somebody has, by table; a policy that cannot be read gives none."""
    found = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with contextlib.suppress(LapwingError):
            policy = read_policy(path)
            own = policy.analyst(name)
            if own is not None:
                found[policy.name] = str(own.epsilon)
    return found


def unasked(folder: Path, accounts: Accounts) -> list[str]:
    """The tables that nobody with an account has a share of."""
    names = {each.name for each in accounts.all() if not each.disabled}
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with contextlib.suppress(LapwingError):
            policy = read_policy(path)
            if not names & {each.name for each in policy.analysts}:
                found.append(policy.name)
    return found


def give(accounts: Accounts, path: Path, name: str, epsilon: str, by: str) -> None:
    """The share of an account, from now on."""
    with CHANGING:
        share(path, name, epsilon)
    accounts.note(by, "share given", f"{name}: epsilon {epsilon} of {path.name.removesuffix(SUFFIX)}")
