"""The clinic behind a door: two accounts, and where to look."""

from __future__ import annotations

import sys

from rich.console import Console

from lapwing.cli.serve import serve_folder
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.protection import PEOPLE
from lapwing.server.accounts import Accounts
from lapwing.server.accounts.vault import secret
from lapwing.session.protecting import protect

#: Who may come in, and what they are.
PERSONS = {"eva": "curator", "ana": "analyst"}
#: Answers leave sooner than a server of real people should let them: the people of the tour do not exist.
_PACE, _TIMEOUT = 1.0, 64.0


def serve_clinic(clinic: Clinic, port: int, console: Console) -> None:
    """Serves the clinic's tables to a curator and an analyst, until it is told to stop."""
    protect(clinic.people, PEOPLE)
    accounts = Accounts.of(clinic.folder)
    passwords = {name: secret(64) for name in PERSONS}  # new each time: nobody should find a server with a known one
    for name, role in PERSONS.items():
        accounts.add(name, role, passwords[name], "(tour)")

    def started(url: str) -> None:
        console.print(f"\nThe clinic is open at [bold]{url}[/]. Log in as")
        console.print(f"  [bold]ana[/]  {passwords['ana']}  the analyst: asks, sees the price first, has ε 2 to spend")
        console.print(f"  [bold]eva[/]  {passwords['eva']}  the curator: gives shares, sees who spent what")
        console.print("Try as ana:  SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region")
        console.print("Ctrl-C closes it; everything was in a temporary folder, and is gone then.")
        sys.stdout.flush()

    serve_folder(clinic.folder, "127.0.0.1", port, (_PACE, _TIMEOUT), behind_proxy=False, started=started)
