"""Proofs in programs that they were not written for, with everything in them that can be computed computed again.

Like :mod:`transplants`, which keep the fingerprints of inner mechanisms, so that a proof by composition or on totals is
rejected for those. Here whoever forges a proof writes the fingerprints that are asked for; what the kernel accepts then
is judged by Python itself (:mod:`judge`).
"""

import ast
import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import lapwing.library.mechanisms
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.certificate import Certificate, Composed, Enumeration, Fold, Lift, Sensitivity
from lapwing.kernel.program import ir, printer
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.source.parse import parse_text
from tests.campaigns.accused import Unsuited
from tests.campaigns.judge import overstepped
from tests.campaigns.perturbing import mutants
from tests.corpus import programs
from tests.kernel.composition import approximate_calls, sampled, steered
from tests.kernel.composition import programs as composed
from tests.kernel.folds.programs import OTHERS, PLAIN
from tests.search.privacy.proving import proved
from tests.strangers import strangers

#: Seconds of computing to look for the proofs of one program, and to check one in another.
SECONDS, CHECKING = 6, 3
ANY = "any"


@cache
def sources():
    """(label, text) of programs that have proofs."""
    library = sorted(Path(lapwing.library.mechanisms.__path__[0]).glob("[a-z]*.py"))
    found = [(each.label, each.path.read_text()) for each in programs("proved") if each.needs is None]
    found += [(f"library/{each.stem}", each.read_text()) for each in library]
    found += [(f"folds/{each.name}", each.text) for each in (*PLAIN, *OTHERS) if each.good is not None]
    found += [(f"strangers/{each.name}", each.text) for each in strangers() if each.truth == "right"]
    for shelf in (approximate_calls, composed, sampled, steered):
        label = shelf.__name__.rpartition(".")[2]
        for name, text in shelf.PROVED.items():
            found.append((f"{label}/{name}", text if isinstance(text, str) else text[0]))
    return found


@cache
def proof_of(label):
    """The first proof of a program that the kernel accepts, without fingerprints; None where there is none."""
    text = dict(sources())[label]
    try:
        found = proved(text, parse_text(text).mechanisms[-1].name, seconds=SECONDS)
    except LapwingError:
        return None
    return None if found is None else anywhere(found)


@contextmanager
def any_source():
    """Every program has the same fingerprint."""
    true, printer.fingerprint = printer.fingerprint, lambda *_: ANY
    try:
        yield
    finally:
        printer.fingerprint = true


def anywhere(proof):
    """The proof without fingerprints, its own and those inside."""
    method = proof.proof
    match method:
        case Lift(_, inner):
            method = replace(method, mechanism=anywhere(inner))
        case Sensitivity(_, callees):
            method = replace(method, callees=tuple(map(anywhere, callees)))
        case Composed(parts):
            method = replace(method, parts=tuple(map(_part, parts)))
    return replace(proof, source=ANY, proof=method)


def _part(part):
    inner = anywhere(part.inner) if isinstance(part.inner, Certificate) else part.inner
    sides = {name: tuple(map(_part, getattr(part, name))) for name in ("then", "otherwise")}
    return replace(part, inner=inner, **sides)


def campaign(count, seed=0, known=None, of_each=20):
    """What became of so many proofs in other programs."""
    chance, found, tried = random.Random(seed), Counter(), 0
    known = known or sources()
    while tried < count:
        label, text = chance.choice(known)
        proof, some = proof_of(label), mutants(text, chance.random())
        for changed in islice(some, of_each if proof is not None else 0):
            tried += 1
            found[judged(changed, proof, label)] += 1
    return found


def judged(text, proof, label):
    """What becomes of a proof in a text, and of bounds that are thrice what it says where a proof has nothing else."""
    bounds = [proof.bound]
    if isinstance(proof.proof, Fold | Enumeration):
        bounds.append(f"3 * ({proof.bound})")
        text = unclaimed(text)
    try:
        module = parse_text(text, only=proof.function)
    except LapwingError:
        return "not a program"
    proof = replace(proof, **_claim(module[proof.function]))
    for bound in bounds:
        with any_source():
            shown = check_certificate(replace(proof, bound=bound), module, seconds=CHECKING)
        if isinstance(shown, Proved):
            break
    else:
        return "rejected"
    try:
        wrong = overstepped(text, proof.function, bound, proof.delta, proof.measure)
    except (Unsuited, SyntaxError, NameError, KeyError, ValueError):
        return "accepted, not judged"
    if wrong is None:
        return "accepted, nothing found against it"
    print(f"{label}: {proof.method} {bound} {proof.delta}\n{text}\n{wrong}\n", flush=True)
    return "CONTRADICTION"


def unclaimed(text):
    """The text without the claim of its last mechanism."""
    tree = ast.parse(text)
    function = [each for each in tree.body if isinstance(each, ast.FunctionDef)][-1]
    for said in function.decorator_list:
        if isinstance(said, ast.Call):
            said.keywords = [each for each in said.keywords if each.arg != "claim"]
    return ast.unparse(tree)


def _claim(mechanism):
    """What is claimed of the program, as certificates repeat it."""
    match mechanism.claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value):
            return {"claim": printer.show(value), "claimed_delta": None}
        case ir.ApproximateClaim(value, chance):
            return {"claim": printer.show(value), "claimed_delta": printer.show(chance)}
    return {"claim": None, "claimed_delta": None}
