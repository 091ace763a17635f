"""A search for a violation of a privacy claim, and what the kernel says to what it found.

The one idea: "refuted" is said only when the kernel has recomputed both probabilities from the program.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.decide.verdict import Verdict
from lapwing.errors import InvalidInput
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.distribution.speaking import check_neighbours
from lapwing.kernel.distribution.witness import STEPS, Accepted, check_witness
from lapwing.kernel.program import ir
from lapwing.search.violation.claimed_numbers import claim_text, claim_value
from lapwing.search.violation.explore import Search
from lapwing.search.violation.findings import violates
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.search import Outcome
from lapwing.search.violation.search import refute as search
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.witness_story import story

#: Sizes searched for a violation.
SIZES = 6


def refute_module(
    module: ir.Module,
    name: str,
    file: str,
    *,
    left: Mapping[str, object] | None = None,
    right: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
    max_n: int = SIZES,
) -> Verdict:
    """Search small neighbouring inputs of a mechanism for a violation; or only the two inputs that are given."""
    subject = Subject(module, module[name])
    if left is None and right is None:
        return confirmed(subject, file, search(subject, settings=settings, max_n=max_n))
    if left is None or right is None:
        raise InvalidInput("R114", "one input is given without its neighbour", "Give both left and right, or neither")
    return confirmed(subject, file, between(subject, left, right))


def between(subject: Subject, left: Mapping[str, object], right: Mapping[str, object]) -> Outcome:
    """The most telling event on two given inputs, in the order that loses more."""
    pair = Pair(subject.inputs(left), subject.inputs(right))
    try:
        check_neighbours(subject.mechanism, pair.left, pair.right)
    except Doubt as doubt:
        raise InvalidInput("F015", str(doubt), "Give inputs that differ as the decorator says") from None
    public = {p.name: pair.left[p.name] for p in subject.mechanism.parameters if not p.private}
    looking = Search(Neighbourhood(subject, public))
    found = max(looking.explore(pair), key=looking.score, default=None)
    if found is None and looking.trouble is not None:
        raise looking.trouble
    claim = claim_value(subject.mechanism, pair.left)
    broken = found is not None and claim is not None and violates(found, claim)
    return Outcome({} if found is None else {found.n: found}, found if broken else None, claim)


def confirmed(subject: Subject, file: str, outcome: Outcome, limit: int = STEPS) -> Verdict:
    """What a search found, as far as the kernel confirms it."""
    mechanism = subject.mechanism
    witness = outcome.witness(subject, file)
    checked = None if witness is None else check_witness(witness, subject.source or subject.module, limit)
    holds = isinstance(checked, Accepted)
    shown = witness if holds else None
    return Verdict(
        "violation",
        mechanism.name,
        file,
        mechanism.span.line,
        "refuted" if holds and outcome.violation is not None else "nothing found",
        None if checked is None or isinstance(checked, Accepted) else checked.reason,
        witness=shown,
        story="" if shown is None else story(shown),
        claim=claim_text(mechanism.claim),
        losses={n: finding.loss for n, finding in outcome.best.items()},
    )
