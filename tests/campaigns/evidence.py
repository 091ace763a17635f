"""Certificates and witnesses of the whole corpus with one thing changed: rejected, or true all the same.

What is accepted after a change has to state what was stated before, or something weaker; anything else is handed to the
exact search for violations, and is a contradiction whether or not that finds one.
"""

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import count as counting

from lapwing.decide.privacy import decide
from lapwing.decide.texts import check_witness
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.witness import Witness
from lapwing.kernel.program import ir, walk
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.privacy.bounds import read
from tests.corpus import programs
from tests.kernel.mutations import mutants
from tests.kernel.witness_mutations import bent, says_no_more
from tests.search.privacy.proving import checked

#: Numbers for the public parameters at which bounds are compared.
POINTS = 7
#: Parameters that are below 1.
SHARES = ("delta", "p", "slack")


@cache
def evidence():
    """(label, text, certificate or witness) of every program of the corpus that is decided."""
    found = []
    for each in [*programs("proved"), *programs("refuted")]:
        if each.needs is None:
            verdict = decide(str(each.path), each.mechanism, 20.0)
            shown = verdict.certificate or verdict.witness
            if shown is not None:
                found.append((each.label, each.path.read_text(), shown))
    return found


@cache
def changes(label):
    """All mutants of a certificate."""
    return next([each for _, each in mutants(shown.to_json())] for name, _, shown in evidence() if name == label)


def campaign(count, seed=0):
    """What became of so many mutants, each of evidence and of a change that chance picks."""
    chance, found = random.Random(seed), Counter()
    for number in counting():
        if number == count:
            return found
        label, text, shown = chance.choice(evidence())
        certain = isinstance(shown, Certificate)
        data = chance.choice(changes(label)) if certain else bent(shown, chance)
        outcome = (_certificate if certain else _witness)(data, text, shown)
        found[outcome] += 1
        if outcome == "CONTRADICTION":
            print(f"{label}: accepted\n{data}")
    return found


def _certificate(data, text, shown):
    try:
        mutant = Certificate.from_json(data)
    except LapwingError:
        return "unreadable"
    if isinstance(checked(mutant, text), Rejected):
        return "rejected"
    if stated(mutant) != stated(shown):
        return "CONTRADICTION"
    pairs = ((mutant.bound, shown.bound), (mutant.delta or "0", shown.delta or "0"))
    if all(new == old for new, old in pairs):
        return "another proof of the same"
    return "weaker" if all(least(new, old) for new, old in pairs) else "CONTRADICTION"


def stated(certificate):
    """Of which program a certificate says something, and in which words."""
    names = ("function", "source", "measure", "claim", "claimed_delta")
    return [getattr(certificate, name) for name in names]


def least(new, old):
    """Whether one formula is at least another at some points, wherever both have a value."""
    chance = random.Random(0)
    lists = {name for text in (new, old) for name in _lists(read(text))}

    class Points(dict):
        def __missing__(self, name):
            number = Fraction(chance.randint(1, 9), 20 if name in SHARES else 2)
            self[name] = value = (Fraction(0),) * 3 if name in lists else number
            return value

    for _ in range(POINTS):
        point = Points()
        try:
            ends = enclosed(read(new), point).upper, enclosed(read(old), point).lower
        except (LapwingError, ArithmeticError):  # a parameter that no run has
            continue
        if ends[0] < ends[1]:
            return False
    return True


def _lists(formula):
    """The names of lists: what a formula takes the length of, or reads an element of."""
    for part in walk.nodes(formula):
        match part:
            case ir.Builtin("len" | "sum", (ir.Name(name),)) | ir.Index(ir.Name(name)):
                yield name


def _witness(data, text, shown):
    try:
        mutant = Witness.from_json(data)
    except LapwingError:
        return "unreadable"
    if isinstance(check_witness(mutant, text), Rejected):
        return "rejected"
    if says_no_more(mutant, Witness.from_json(shown.to_json())):
        return "the same, or wider"
    # accepted are other inputs and other answers whose numbers were computed again: a true witness of the same claim
    same = mutant.source == shown.source and mutant.claim_value == shown.claim_value
    return "another true witness" if same else "CONTRADICTION"
