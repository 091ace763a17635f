"""Calls of (ε, δ) mechanisms and optimal composition."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.algebra.accounting.optimal import optimal_epsilon
from lapwing.algebra.measures import ApproxDP
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.search.privacy.story import story
from tests.kernel.composition.approximate_calls import PROVED, WRONG
from tests.kernel.composition.test_composition import found, rejected, with_part


@pytest.mark.parametrize("name", PROVED)
def test_proved(name):
    certificate, module = found(PROVED[name])
    assert certificate is not None
    assert certificate.measure == "approximate"
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert "together" in story(certificate, module)


@pytest.mark.parametrize("name", WRONG)
def test_never_proved(name):
    assert found(WRONG[name], 10)[0] is None


def test_what_is_reported_is_the_least():
    certificate, _ = found(PROVED["optimal composition"])
    least = optimal_epsilon(ApproxDP(Fraction(1, 40), 0), 100, Fraction(1, 100_000))
    assert least <= Fraction(certificate.bound) < least + Fraction(1, 10**8)


def test_mutations_of_optimal_composition_are_rejected():
    certificate, module = found(PROVED["optimal composition"])
    number = next(n for n, each in enumerate(certificate.proof.parts) if each.kind == "loop")
    assert certificate.proof.parts[number].price is not None
    for price in ("0.024", "0", "-1", "1", "epsilon", "0.025 * k", "len(rows)"):
        assert rejected(with_part(certificate, number, price=price), module), price
    for slack in ("0", "0.000009", "-1", "2", None):
        assert rejected(with_part(certificate, number, slack=slack), module), slack
    for rounds in ("99", "0", "50.5", "10000000", "k"):
        assert rejected(with_part(certificate, number, rounds=rounds), module), rounds
    assert rejected(replace(certificate, delta="0.000009"), module)
    assert rejected(replace(certificate, bound="0.916"), module)
    assert rejected(replace(certificate, measure="epsilon", delta=None), module)


def test_mutations_of_a_call_are_rejected():
    certificate, module = found(PROVED["two calls"])
    first, second = (n for n, each in enumerate(certificate.proof.parts) if each.kind == "call")
    inner = certificate.proof.parts[first].inner
    for bound in ("0", "epsilon / 2", "-epsilon"):
        assert rejected(with_part(certificate, first, inner=replace(inner, bound=bound)), module), bound
    for delta in ("0", "delta / 2", "-delta", None):
        assert rejected(with_part(certificate, second, inner=replace(inner, delta=delta)), module), delta
    assert rejected(with_part(certificate, first, inner=replace(inner, function="f")), module)
    assert rejected(with_part(certificate, first, inner=replace(inner, source="0" * 64)), module)
    assert rejected(with_part(certificate, first, inner=None), module)
    assert rejected(with_part(certificate, first, kind="public"), module)
    assert rejected(with_part(certificate, first, statements=2), module)
