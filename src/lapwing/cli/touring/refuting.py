"""Stop: a published algorithm that is not private, refuted with two inputs and an answer."""

from __future__ import annotations

from lapwing.cli.numbers import answer, probability
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, code, words
from lapwing.decide.texts import check_witness
from lapwing.kernel.distribution.witness import Accepted
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.witness_story import event_text
from lapwing.source.parse import parse_text

#: A variant of the sparse vector technique that was published as private, and is not [Lyu, Su, Li 2017, algorithm 5].
PUBLISHED = """\
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def above_threshold(q: list[float], threshold: float, epsilon: float) -> list[bool]:
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    for x in q:
        out.append(x >= noisy_threshold)
    return out
"""


def visit(_: Clinic) -> Seen:
    """Search for a witness, and have the checker recompute it."""
    module = parse_text(PUBLISHED, "published.py")
    subject = Subject(module, module["above_threshold"])
    witness = refute(subject).witness(subject, "published.py")
    verdict = None if witness is None else check_witness(witness, PUBLISHED)
    if witness is None or not isinstance(verdict, Accepted):
        raise AssertionError("the tour's own algorithm was not refuted")
    sides = " and q = ".join(answer(side["q"]) for side in (witness.left, witness.right))
    body = (
        code(PUBLISHED.partition("\n\n\n")[2], "python"),
        words(
            "This shorter one was published as ε-private too: no noise on the numbers, and no limit. It is refuted, by",
            f"two neighbours and an answer: on q = {sides}, the answer {event_text(witness.output)} has probability",
            f"{probability(verdict.probability_left)} and {probability(verdict.probability_right)}. So",
            f"{verdict.statement}. Nothing was sampled: both are exact, and the kernel computed them again from the",
            "program, whatever the search had said.",
        ),
    )
    return Seen(body, {"verdict": "refuted", "witness": witness.to_json()})


STOP = Stop("And one that is wrong?", "searching for a counterexample", visit)
