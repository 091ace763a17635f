"""Stop: a program is proved private, and the very program that was proved then answers in a session."""

from __future__ import annotations

import json
from fractions import Fraction

from rich.text import Text

from lapwing.algebra.exact import decimal_up
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.protection import CONDITIONS, REGIONS
from lapwing.cli.touring.stop import Seen, Stop, code, grid, words
from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.relational.certificate import Proved
from lapwing.library import NAMES, Certified, certified
from lapwing.search.privacy import attempts
from lapwing.session import open_session
from lapwing.source.parse import parse_text

#: The sparse vector technique: says of many numbers which are above a threshold, and pays only for those that are.
MECHANISM = """\
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def above_threshold(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out
"""
THRESHOLD, LIMIT, PRICE = 300, 2, Fraction(1)
ILLNESSES = tuple(name for name in CONDITIONS if name != "none")


def prove() -> Certificate:
    """A certificate of the program's claim, found just now and accepted by the checker."""
    module = parse_text(MECHANISM, "above_threshold.py")
    for attempt in attempts(module, "above_threshold", "above_threshold.py"):
        if isinstance(attempt, Certificate) and isinstance(check_certificate(attempt, MECHANISM), Proved):
            return attempt
    raise AssertionError("the tour's own mechanism was not proved")


def store(clinic: Clinic, certificate: Certificate) -> Certified:
    """The program and its certificate as files, read back as a mechanism that a session accepts."""
    source, proof = clinic.folder / "above_threshold.py", clinic.folder / "above_threshold.json"
    source.write_text(MECHANISM, encoding="utf-8")
    proof.write_text(json.dumps(certificate.to_json()), encoding="utf-8")
    return certified(f"{source}::above_threshold", proof)


def visit(clinic: Clinic) -> Seen:
    """Prove it, then ask it about twenty counts."""
    proof = prove()
    mechanism = store(clinic, proof)
    asked = [(region, illness) for region in REGIONS for illness in ILLNESSES]
    queries = [
        f"SELECT COUNT(*) FROM people WHERE region = '{region}' AND condition = '{illness}'"  # noqa: S608  # our words
        for region, illness in asked
    ]
    with open_session(clinic.asked(clinic.people)) as session:
        applied = session.apply(mechanism, queries, threshold=THRESHOLD, limit=LIMIT, epsilon=PRICE)
    said = dict(zip(asked, _truths(applied.value), strict=False))
    exact = clinic.truth(["region", "condition"], "person", "count")
    rows: list[list[str | Text]] = [
        [region, *(_cell(said.get((region, name)), exact[region, name]) for name in ILLNESSES)] for region in REGIONS
    ]
    body = (
        code(MECHANISM.partition("\n\n\n")[2], "python"),
        words(
            f"Proved: its loss is at most {proof.bound}, for every length, threshold, limit and epsilon. Z3 helped to",
            "find the proof, which aligns the noise of two neighbouring runs; a checker with another solver, cvc5,",
            "confirmed it from the source. So it may answer in a session, at the price that its certificate states.",
            f"Which of these {len(asked)} counts are above {THRESHOLD}? (Beside each answer is its truth. It stops",
            f"when {LIMIT} were above.)",
        ),
        grid([("", "left"), *((name, "right") for name in ILLNESSES)], rows),
        words(
            f"{len(said)} counts looked at for ε = {decimal_up(PRICE)} in all: those below cost nothing.",
            f"{len(NAMES)} mechanisms come proved, in lapwing.library; lapwing prove FILE --show prints a proof.",
        ),
    )
    figures: dict[str, object] = {
        "verdict": "proved",
        "bound": proof.bound,
        "above": [list(pair) for pair, above in said.items() if above],
        "looked_at": len(said),
        "spent": applied.spent,
        "remaining": applied.remaining,
    }
    return Seen(body, figures)


def _truths(value: object) -> list[bool]:
    if not isinstance(value, list | tuple):
        raise TypeError("the mechanism gives a list")
    return [bool(each) for each in value]


def _cell(above: bool | None, exact: float) -> Text:
    if above is None:
        return Text(f"not asked {exact:4.0f}", style="dim")
    return Text(f"{'above' if above else 'below'} {exact:4.0f}", style="bold green" if above else "")


STOP = Stop("Can a program be proved private, once and for all?", "proving", visit)
