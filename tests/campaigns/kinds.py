"""Certificates of every kind that the kernel reads, found for programs of many shelves, each with one thing changed.

Like :mod:`evidence`, whose certificates are the corpus's, most of them plain couplings. Here a shelf is picked first,
so that folds, totals, enumerations, parts, samples, tails, intervals, draws put off, lists of noise and adversaries
are all there. A change that is accepted and states something smaller is handed to a judge who shares no code with the
kernel (:mod:`judge`).
"""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import lapwing.library.mechanisms
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.certificate import Certificate, Composed, Coupling, Lift, Sensitivity
from lapwing.kernel.rejected import Rejected
from lapwing.source.parse import parse_text
from tests.campaigns.accused import Unsuited
from tests.campaigns.evidence import least, stated
from tests.campaigns.judge import overstepped
from tests.kernel import test_deferral
from tests.kernel.approximate_proofs import PROOFS, certified
from tests.kernel.certificates import certify
from tests.kernel.composition import approximate_calls, sampled, steered
from tests.kernel.composition import programs as composed
from tests.kernel.folds.programs import OTHERS, PLAIN
from tests.kernel.mutations import YOUNGER, mutants
from tests.search.privacy import adaptive, approximate_programs
from tests.search.privacy.proving import checked, proved
from tests.strangers import strangers

#: Seconds of computing to look for the proof of one program, and mutants of each that is picked.
SECONDS, OF_EACH = 8, 20


@cache
def shelves():
    """Shelf → (label, text) of its programs that have proofs."""
    found = {
        "folds": [(each.name, each.text) for each in (*PLAIN, *OTHERS) if each.good is not None],
        "adaptive": list(adaptive.RIGHT.items()),
        "approximate": list(approximate_programs.RIGHT.items()),
        "by hand": [*((name, None) for name in PROOFS), ("gap", None)],
        "library": [
            (each.stem, each.read_text())
            for each in sorted(Path(lapwing.library.mechanisms.__path__[0]).glob("[a-z]*.py"))
        ],
    }
    for shelf in (approximate_calls, composed, sampled, steered):
        texts = ((name, text if isinstance(text, str) else text[0]) for name, text in shelf.PROVED.items())
        found[shelf.__name__.rpartition(".")[2]] = list(texts)
    for each in strangers():
        if each.truth == "right":
            found.setdefault(f"strangers/{each.shelf}", []).append((each.name, each.text))
    return found


@cache
def evidence(shelf, label):
    """(text, certificate, its changes that can be read) of a program; None where no proof is found."""
    if shelf == "by hand":
        text, shown = _by_hand(label)
    else:
        text = dict(shelves()[shelf])[label]
        try:
            shown = proved(text, parse_text(text).mechanisms[-1].name, seconds=SECONDS)
        except LapwingError:
            return None
    if shown is None:
        return None
    data = shown.to_json()
    changes = [each for _, each in mutants(data, YOUNGER)]
    for less in ("0.99 * ({})", "({}) / 2"):
        bounds = (less.format(shown.bound), shown.delta), (shown.bound, less.format(shown.delta))
        changes += [{**data, "bound": bounds[0][0]}] if shown.delta is None else [
            {**data, "bound": list(each)} for each in bounds
        ]  # fmt: skip
    return text, shown, [each for each in changes if _is_readable(each)]


def _is_readable(data):
    try:
        Certificate.from_json(data)
    except LapwingError:
        return False
    return True


def _by_hand(label):
    if label == "gap":
        text = test_deferral.GAP
        return text, certify("p.py", text, test_deferral.PROOF, "epsilon")
    text, proof, bound, delta = PROOFS[label]
    return text, certified(text, proof, bound, delta)


def kinds(certificate, text):
    """Words for what a proof is made of."""
    method = certificate.proof
    found = {certificate.method} | ({certificate.measure} - {"epsilon"})
    found |= {"ask"} if "answers(" in text else set()
    found |= {"integer noise"} if "discrete_" in text.partition("def ")[2] else set()
    match method:
        case Coupling():
            found |= {name for name in ("bad", "intervals", "pairs", "elements", "deferral", "apart", "joint")
                      if getattr(method, name)}  # fmt: skip
        case Lift(_, inner):
            found |= kinds(inner, "")
        case Sensitivity(_, callees):
            found |= set().union(*(kinds(each, "") for each in callees))
        case Composed(parts):
            found |= set().union(*map(_of_part, parts))
    return found


def _of_part(part):
    found = {part.kind} - {"public", "private", "step"}
    found |= {"slack"} if part.slack is not None else set()
    found |= kinds(part.inner, "") if isinstance(part.inner, Certificate) else set()
    return found.union(*map(_of_part, (*part.then, *part.otherwise)))


def campaign(count, seed=0, of_each=OF_EACH):
    """What became of so many mutants; and how many were of a kind."""
    chance, found, tried = random.Random(seed), Counter(), 0
    while tried < count:
        shelf = chance.choice(sorted(shelves()))
        label = chance.choice(shelves()[shelf])[0]
        known = evidence(shelf, label)
        if known is None:
            continue
        text, shown, changes = known
        for data in chance.sample(changes, min(len(changes), of_each, count - tried)):
            tried += 1
            outcome = judged(data, text, shown)
            found[outcome] += 1
            found.update(f"of: {kind}" for kind in kinds(shown, text))
            if outcome == "CONTRADICTION":
                print(f"{shelf}/{label}: accepted\n{text}\n{data}", flush=True)
    return found


def judged(data, text, shown):
    """What becomes of a changed certificate."""
    mutant = Certificate.from_json(data)
    if isinstance(checked(mutant, text), Rejected):
        return "rejected"
    if stated(mutant) != stated(shown):
        return "CONTRADICTION"
    pairs = ((mutant.bound, shown.bound), (mutant.delta or "0", shown.delta or "0"))
    if all(new == old for new, old in pairs):
        return "another proof of the same"
    if all(least(new, old) for new, old in pairs):
        return "weaker"
    try:
        wrong = overstepped(text, mutant.function, mutant.bound, mutant.delta, mutant.measure)
    except (Unsuited, SyntaxError, NameError, KeyError, ValueError):
        return "stronger, not judged"
    return "stronger, nothing found against it" if wrong is None else "CONTRADICTION"
