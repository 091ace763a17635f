"""Proofs by composition: what is proved, what never is, and certificates that say a little more than is so."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.kernel.evidence.certificate import Certificate, Composed
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy import attempts
from lapwing.search.privacy.story import story
from lapwing.source import parse_text
from tests.kernel.composition.programs import PROVED, WRONG


def found(source, seconds=30, method=None):
    """The first certificate (by some method) that is accepted, with its module."""
    module = parse_text(source, only="f")
    for attempt in attempts(module, "f", "<text>", seconds):
        if not isinstance(attempt, Certificate) or method not in (None, attempt.method):
            continue
        if isinstance(check_certificate(attempt, module), Proved):
            return attempt, module
    return None, module


@pytest.mark.parametrize("name", PROVED)
def test_proved(name):
    source, method = PROVED[name]
    certificate, module = found(source)
    assert certificate is not None
    assert certificate.method == method
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert ("together" in story(certificate, module)) == (method == "composed")


@pytest.mark.parametrize("name", WRONG)
def test_never_proved(name):
    assert found(WRONG[name], 10)[0] is None


def rejected(certificate, module):
    return not isinstance(check_certificate(certificate, module), Proved)


def with_part(certificate, number, **changes):
    parts = list(certificate.proof.parts)
    parts[number] = replace(parts[number], **changes)
    return replace(certificate, proof=Composed(tuple(parts)))


def test_mutations_of_a_loop_are_rejected():
    certificate, module = found(PROVED["two loops and a step"][0])
    parts = certificate.proof.parts
    loops = [number for number, each in enumerate(parts) if each.kind == "loop"]
    steps = [number for number, each in enumerate(parts) if each.kind == "step"]
    assert len(loops) == 2
    assert steps
    for number in loops:
        for rounds in ("k - 1", "0", "1", "len(rows)", "i", "k / 2"):
            assert rejected(with_part(certificate, number, rounds=rounds), module), rounds
        for kind in ("public", "private", "step"):
            assert rejected(with_part(certificate, number, kind=kind), module), kind
        assert rejected(with_part(certificate, number, slack="1 / 2"), module)
    for number in (*loops, *steps):
        inner = parts[number].inner
        for bound in ("0", "epsilon / 2", "-epsilon", "epsilon - 1"):
            assert rejected(with_part(certificate, number, inner=replace(inner, bound=bound)), module), bound
        assert rejected(with_part(certificate, number, inner=None), module)
        assert rejected(with_part(certificate, number, inner=replace(inner, function="noisy_count")), module)
        assert rejected(with_part(certificate, number, inner=replace(inner, source="0" * 64)), module)
        assert rejected(
            with_part(certificate, number, inner=parts[steps[0] if number in loops else loops[0]].inner), module
        )
    for number in range(len(parts)):
        fewer = replace(certificate, proof=Composed(tuple(p for n, p in enumerate(parts) if n != number)))
        assert rejected(fewer, module)
        assert rejected(with_part(certificate, number, statements=parts[number].statements + 1), module)
    for bound in ("(k + m) * epsilon", "epsilon", "(k + m + 1) * epsilon / 2"):
        assert rejected(replace(certificate, bound=bound), module)


def test_mutations_of_advanced_composition_are_rejected():
    certificate, module = found(PROVED["advanced"][0])
    number = next(n for n, each in enumerate(certificate.proof.parts) if each.kind == "loop")
    for slack in ("0", "-delta", "delta / 100", "2 * delta", "delta - delta", "delta * 1.01", None):
        assert rejected(with_part(certificate, number, slack=slack), module), slack
    for delta in ("0", "delta / 2", "delta * 0.999", "-delta"):
        assert rejected(replace(certificate, delta=delta), module), delta
    assert rejected(replace(certificate, bound="epsilon / 2"), module)
    assert rejected(replace(certificate, measure="epsilon", delta=None), module)
    assert rejected(replace(certificate, measure="rho", delta=None), module)


@pytest.mark.parametrize("kind", ["gaussian", "concentrated"])
def test_mutations_of_a_conversion_are_rejected(kind):
    module = parse_text(PROVED["gaussian to epsilon and delta"][0], only="f")
    of_kind = (
        (each, each.proof.parts[0])
        for each in attempts(module, "f", "<text>", 30)
        if isinstance(each, Certificate) and each.method == "composed" and each.proof.parts[0].kind == kind
    )
    certificate, part = next(of_kind)
    assert isinstance(check_certificate(certificate, module), Proved)
    for slack in ("0", "delta / 1000", "-1", None):
        assert rejected(with_part(certificate, 0, slack=slack), module), slack
    for bound in ("0", "epsilon * epsilon / 100", "epsilon"):
        assert rejected(with_part(certificate, 0, inner=replace(part.inner, bound=bound)), module), bound
    assert rejected(with_part(certificate, 0, inner=replace(part.inner, measure="epsilon")), module)
    assert rejected(replace(certificate, delta="delta / 2"), module)


def test_one_direction_would_not_be_enough():
    """Advanced composition of P against Q, uniform on a subset of Q-mass e^-ε: k copies lose kε, with any slack.

    A coupling relates such a pair (Φ: the thresholds differ by 1); a composition hands on equal states only, so a
    threshold that the rounds share is released first, and is paid for.
    """
    rounds, price, slack = 1000, Fraction(1, 10), 1e-6
    formula = float(price) * (2 * rounds * 13.8155) ** 0.5 + rounds * float(price) ** 2 / 2
    assert formula < rounds * price
    assert slack < 1
    source = PROVED["a threshold redrawn for each answer"][0]
    shared = source.replace(
        "    out = []\n    for _ in range(m):\n        out.append(above(q, threshold, ",
        "    bar = q[0] + laplace(1 / epsilon)\n    out = []\n"
        "    for _ in range(m):\n        out.append(above(q, bar, ",
    )
    assert shared != source
    assert found(shared, 10)[0] is None
