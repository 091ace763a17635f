"""Amplification by sampling: what is proved, what never is, and what each condition of the rule is for."""

from dataclasses import replace

import pytest

from lapwing.kernel.composition import confirm, thinning
from lapwing.kernel.evidence.certificate import Certificate, Composed
from lapwing.kernel.program import ir
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source import parse_text
from tests.kernel.composition.sampled import PROVED, WRONG, of_numbers
from tests.kernel.composition.test_composition import found, rejected, with_part


@pytest.mark.parametrize("name", PROVED)
def test_proved(name):
    certificate, _ = found(PROVED[name])
    assert certificate is not None
    assert certificate.method == "composed"
    assert Certificate.from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize("name", WRONG)
def test_never_proved(name):
    assert found(WRONG[name], 10)[0] is None


def test_mutations_are_rejected():
    certificate, module = found(PROVED["a sum written out"])
    (part,) = certificate.proof.parts
    assert part.kind == "sampled"
    for kind in ("step", "public", "private", "loop", "concentrated"):
        assert rejected(with_part(certificate, 0, kind=kind), module), kind
    for bound in ("0", "epsilon / 2", "p * epsilon", "-epsilon", "ln(epsilon)", "ln(1 + p * (exp(epsilon) - 1))"):
        assert rejected(with_part(certificate, 0, inner=replace(part.inner, bound=bound)), module), bound
        assert rejected(replace(certificate, bound=bound), module) == (bound != certificate.bound), bound
    assert rejected(with_part(certificate, 0, inner=replace(part.inner, source="0" * 64)), module)
    assert rejected(with_part(certificate, 0, inner=replace(part.inner, measure="rho")), module)
    assert rejected(with_part(certificate, 0, inner=certificate), module)
    assert rejected(with_part(certificate, 0, statements=part.statements - 1), module)
    assert rejected(replace(certificate, measure="rho"), module)
    bare = replace(certificate, proof=Composed((replace(part, inner=part.inner, statements=2),)))
    assert rejected(bare, module)


def records_of_any_kind(mechanism: ir.Mechanism) -> str:
    return next(each.name for each in mechanism.parameters if each.private)


@pytest.mark.parametrize(
    ("name", "condition", "dropped"),
    [
        ("the records beside their sample", "_check_records", lambda *_: None),
        ("the last coin", "_check_coins", lambda *_: None),
        ("one row changed", "_records", records_of_any_kind),
    ],
)
def test_what_dropping_a_condition_would_prove_is_false(monkeypatch, name, condition, dropped):
    source = WRONG[name]
    module = parse_text(source, only="f")
    assert refute(Subject(module, module["f"]), max_n=2).violation is not None
    assert found(source)[0] is None
    monkeypatch.setattr(thinning, condition, dropped)
    assert found(source)[0] is not None


def test_nothing_is_known_of_the_size_of_a_sample():
    """A precondition on the records is none on the sample: it is not handed on."""
    source = PROVED["a sum written out"]
    module = parse_text(source, only="f")
    long = ir.Compare(">=", ir.Builtin("len", (ir.Name("rows"),)), ir.Name("p"))
    mechanism = replace(module["f"], preconditions=(long,))
    composition = confirm.Composition(None, module, mechanism, "epsilon", lambda *_: None)
    outlined = composition.sampled(mechanism.body, ())
    assert outlined["f"].preconditions == ()


def test_the_chance_of_a_sample_is_public():
    private = of_numbers("s = sample(rows, sum(rows))\nreturn sum(clip(x, 0, 1) for x in s) + laplace(1 / epsilon)")
    noisy = of_numbers("c = laplace(1)\ns = sample(rows, c)\nreturn sum(clip(x, 0, 1) for x in s) + laplace(1)")
    for source in (private, noisy):
        with pytest.raises(Exception, match="P183"):
            parse_text(source, only="f")
