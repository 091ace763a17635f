"""Stop: an answer carries its proof, a ledger its history. Forgeries of either are found out."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

from rich.text import Text

from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.questions import counts
from lapwing.cli.touring.stop import Seen, Stop, grid, words
from lapwing.decide.texts import check_release
from lapwing.kernel.release.plans import Derived
from lapwing.ledger import Chain, Ledger
from lapwing.session.policy_places import places

#: Whether it holds, and why or why not.
Verdict = tuple[bool, str]


def visit(clinic: Clinic) -> Seen:
    """Check the counts of an earlier stop (asking again is free) and the ledger, and forgeries of both."""
    certificate = dict(counts(clinic).certificate)
    chain, edited = ledgers(clinic)
    source = "people.parquet" if clinic.database is None else "people.lapwing.toml"
    verdicts: dict[str, Verdict] = {
        "the certificate of the counts": _derived(certificate),
        "a copy that says: half the noise": _derived(less_noise(certificate)),
        "a copy that says: half the price": _derived(lower_price(certificate)),
        "the ledger": _history(chain),
        "a copy with a smaller charge": _history(edited),
    }
    marks = {True: Text("accepted", style="green"), False: Text("rejected", style="red")}
    rows = [(name, marks[holds], reason) for name, (holds, reason) in verdicts.items()]
    body = (
        words(
            "The counts by region came with a certificate: the plan, what one person can change, the noise, the price.",
            "An independent checker believes none of it and derives every number again. In the ledger each entry has",
            "the hash of the one before, and what was spent is added up again.",
        ),
        grid([("checked", "left"), ("", "left"), ("because", "folded")], rows),
        words(f"On the command line: lapwing check RELEASE, and lapwing ledger {source}"),
    )
    figures: dict[str, object] = {
        "verdicts": {name: "accepted" if holds else "rejected" for name, (holds, _) in verdicts.items()},
        "reasons": {name: reason for name, (_, reason) in verdicts.items()},
    }
    return Seen(body, figures)


def less_noise(certificate: dict[str, Any]) -> dict[str, Any]:
    """A copy with half the noise, at the same price."""
    forged = copy.deepcopy(certificate)
    mechanism = forged["measurements"][0]["mechanism"]
    mechanism["scale"] = str(Fraction(mechanism["scale"]) / 2)
    return forged


def lower_price(certificate: dict[str, Any]) -> dict[str, Any]:
    """A copy with the same noise, at half the price."""
    forged = copy.deepcopy(certificate)
    forged["price"]["epsilon"] = str(Fraction(forged["price"]["epsilon"]) / 2)
    return forged


def ledgers(clinic: Clinic) -> tuple[Chain, Chain]:
    """What verifying says of the ledger, and of a copy in which somebody made a charge smaller."""
    file = places(clinic.asked(clinic.people)).ledger
    book, forged = Ledger.open(file), clinic.folder / "forged.ledger"
    forged.write_bytes(file.read_bytes().replace(b"epsilon 1/5", b"epsilon 1/9"))
    return book.verify(), Ledger.open(forged).verify()


def _derived(certificate: dict[str, Any]) -> Verdict:
    found = check_release(certificate)
    return (True, found.statement) if isinstance(found, Derived) else (False, found.reason)


def _history(chain: Chain) -> Verdict:
    if chain.intact:
        return True, f"all {chain.entries} entries follow from those before"
    return False, chain.reason


STOP = Stop("Who says that an answer is private?", "checking", visit)
