"""A wrong "no flow" is as bad as a wrong proof: whatever is certified is run on every small input and never leaks."""

import itertools
from fractions import Fraction

import pytest

from lapwing.decide.texts import check_flow
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.flow import FlowCertificate, FlowWitness
from lapwing.kernel.flow import Confirmed
from lapwing.search.flow.decide import analyse
from lapwing.search.flow.runs import GaveUp, Program, agree
from lapwing.search.flow.typing import typed
from lapwing.source.original import Source
from lapwing.source.parse import parse_text
from lapwing.source.run import Runnable
from tests.search.flow.generate import programs

PUBLIC = (-1, 0, 1, 2, 4)
SECRETS = tuple(itertools.product((-2, -1, 0, 1, 2, 3, 5), (False, True)))
KINDS = {
    "plain": (170, {"loops": False, "noise": False, "match": False}),
    "loops": (35, {"loops": True, "noise": False, "match": False}),
    "noise": (90, {"loops": False, "noise": True, "match": False}),
    "match": (15, {"loops": True, "noise": False, "match": True}),
}


def test_there_are_enough_programs():
    assert sum(count for count, _ in KINDS.values()) >= 300


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_certified_never_leaks(kind):
    count, options = KINDS[kind]
    certified = leaking = 0
    for text in programs(count, **options):
        module = parse_text(text)
        evidence = analyse(module, "f", "f.py").evidence
        if evidence is None:
            continue
        verdict = check_flow(evidence, text)
        assert isinstance(verdict, Confirmed), f"{verdict.reason}\n{text}"
        if isinstance(evidence, FlowWitness):
            leaking += 1
            continue
        certified += 1
        assert leak(module, text, evidence, noise=options["noise"]) is None, text
    assert certified >= count / 3
    assert leaking >= count / 10


def leak(module, text, certificate, *, noise):
    """Two inputs that a certificate says look alike and that do not; by the runtime itself where there is no noise."""
    assert isinstance(certificate, FlowCertificate)
    checks = typed(module, "f", match=True).checks if certificate.match else frozenset()
    program, runnable = Program(module, "f", checks), Runnable("f", Source(text))
    for p in PUBLIC:
        seen = []
        for s, t in SECRETS:
            inputs = {"s": Fraction(s), "t": t, "p": Fraction(p)}
            if noise:
                seen.append((inputs, None, chances(program, inputs)))
            else:
                ended, answer = finished(program, inputs), observed(runnable, s, t, p)
                known = ended is None or isinstance(answer, str)
                assert known or answer == ended.answer, f"two readings of {text}"
                seen.append((inputs, ended, answer))
        for (one, first, left), (two, second, right) in itertools.combinations(seen, 2):
            excused = certificate.match and (first is None or second is None or not agree(first, second, one, two))
            if left != right and not excused:
                return one, two
    return None


def chances(program, inputs):
    try:
        return program.outcomes(inputs)
    except InvalidInput as error:
        return error.code


def finished(program, inputs):
    try:
        return program.run(inputs, steps=2000)
    except (GaveUp, InvalidInput):  # it goes on with a list that grows, so no state comes back; or it is refused
        return None


def observed(runnable, s, t, p):
    """The answer, None if there is none, or the code of a refusal, which must not depend on what is hidden either."""
    try:
        return Fraction(runnable.run({"s": s, "t": t, "p": p}, steps=2000))
    except InvalidInput as error:
        return None if error.code == "P206" else error.code
