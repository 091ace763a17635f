"""Proofs held against programs that they were not written for: what the kernel still accepts has to be true.

A certificate names the creative steps of a proof and nothing that has to be believed, so it may be handed to any
program. Each is handed to mutants of its own, most of which leak: every side condition that the kernel forgot would be
a leak with a proof.
"""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import lapwing.library.mechanisms
from lapwing.decide.privacy import bare
from lapwing.errors import LapwingError
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from tests.kernel.folds.programs import OTHERS, PLAIN
from tests.search.privacy.mutated import corpus, glimpse, mutants
from tests.search.privacy.proving import certificates

#: Seconds of computing to look for the proofs of one program.
SECONDS = 5


@cache
def sources():
    """(label, text) of the programs that have proofs: corpus, library, sums over records."""
    library = sorted(Path(lapwing.library.mechanisms.__path__[0]).glob("[a-z]*.py"))
    found = [each for each in corpus() if each[0].startswith("proved/")]
    found += [(f"library/{each.stem}", each.read_text()) for each in library]
    return found + [(f"folds/{each.name}", each.text) for each in (*PLAIN, *OTHERS) if each.good is not None]


@cache
def proofs(label):
    """The certificates of a program without its claim that the kernel accepts."""
    text = dict(sources())[label]
    try:
        name = parse_text(text).mechanisms[-1].name
        unclaimed = show_module(bare(parse_text(text, only=name), name))
        found = list(certificates(unclaimed, name, seconds=SECONDS))
    except LapwingError:
        return ()
    module = parse_text(unclaimed, only=name)
    return tuple(each for each in found if isinstance(check_certificate(each, module), Proved))


def campaign(count, seed=0):
    """What became of so many proofs in other programs."""
    found = Counter()
    for label, text, name in islice(mutants(seed, sources()), count):
        module = parse_text(text, only=name)
        for proof in proofs(label.partition(",")[0]):
            moved = replace(proof, source=fingerprint(module, name))
            if proof.function != name or not isinstance(check_certificate(moved, module), Proved):
                found["rejected"] += 1
                continue
            try:
                witness = None if moved.measure == "approximate" else glimpse(text, name, moved)
            except LapwingError:  # more than the exact search can do
                found["accepted, not searched"] += 1
                continue
            found["accepted, nothing found against it" if witness is None else "CONTRADICTION"] += 1
            if witness is not None:
                print(f"{label}: {moved.bound}\n{text}\n{moved.to_json()}")
    return found
