"""The step of a coupling proof that looks ahead: a draw moved by what is known only when all others are made.

The one idea: draws are independent, so the one that belongs to the answer considered may be thought to be made last.
What the others come to is kept in a variable of the proof's own, and foreseen by another, which is what the first is at
last. Ties between noisy numbers would be in the way, and have probability 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.kernel.evidence.fields import Reader


@dataclass(frozen=True, slots=True)
class Postponed:
    """A site whose draw may be thought to be made last: that for which ``at`` is the answer considered.

    ``at`` is a number, or counts the rounds of the loop that the draw stands in. Every other draw of the site makes the
    variable of the deferral ``become`` something.
    """

    site: int
    at: str
    become: str


@dataclass(frozen=True, slots=True)
class Deferral:
    """What all draws but one come to: ``kept`` begins as ``first``; ``foreseen`` is what it is at last."""

    kept: str
    foreseen: str
    first: str
    sites: tuple[Postponed, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """Real noise of a site is never ``value``, which the first run knows before: that has probability 0."""

    site: int
    value: str


def apart_to_json(each: Apart) -> dict[str, object]:
    """The entry as a JSON object."""
    return {"site": each.site, "value": each.value}


def apart_from_json(read: Reader, data: object) -> Apart:
    """The entry that ``data`` states."""
    fields = read.fields(data, "apart", ("site", "value"))
    return Apart(read.position(fields["site"], "site"), read.formula(fields["value"], "value"))


def deferral_to_json(each: Deferral) -> dict[str, object]:
    """The step as a JSON object."""
    sites = [{"site": later.site, "at": later.at, "become": later.become} for later in each.sites]
    return {"kept": each.kept, "foreseen": each.foreseen, "first": each.first, "sites": sites}


def deferral_from_json(read: Reader, data: object) -> Deferral:
    """The step that ``data`` states."""
    fields = read.fields(data, "deferral", ("kept", "foreseen", "first", "sites"))
    sites = []
    for each in read.items(fields["sites"], "sites"):
        one = read.fields(each, "deferred site", ("site", "at", "become"))
        texts = (read.formula(one[name], name) for name in ("at", "become"))
        sites.append(Postponed(read.position(one["site"], "site"), *texts))
    kept, foreseen = (read.text(fields[name], name) for name in ("kept", "foreseen"))
    return Deferral(kept, foreseen, read.formula(fields["first"], "first"), tuple(sites))
