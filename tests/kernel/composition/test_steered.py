"""Branches and loops that released values steer, accounts of what is paid, and rounds that look at different places."""

from dataclasses import replace

import pytest

from lapwing.kernel.composition import confirm, walking
from lapwing.kernel.composition.disjoint import check_disjoint
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.program import ir
from lapwing.search.privacy.story import story
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source import parse_text
from tests.kernel.composition.steered import PROVED, WRONG
from tests.kernel.composition.test_composition import found, rejected, with_part


@pytest.mark.parametrize("name", PROVED)
def test_proved(name):
    certificate, module = found(PROVED[name])
    assert certificate is not None
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert certificate.method == "fold" or "together" in story(certificate, module)


@pytest.mark.parametrize("name", WRONG)
def test_never_proved(name):
    assert found(WRONG[name], 10)[0] is None


def part_of(certificate, kind):
    return next(n for n, each in enumerate(certificate.proof.parts) if each.kind == kind)


def test_mutations_of_an_account_are_rejected():
    certificate, module = found(PROVED["a while that adds up"])
    number = part_of(certificate, "spending")
    part = certificate.proof.parts[number]
    for account in ("last", "-spent", "budget", "spent + 1", "other"):
        assert rejected(with_part(certificate, number, account=account), module), account
    for limit in ("budget / 2", "budget + 1", "0", "spent", "last", "big"):
        assert rejected(with_part(certificate, number, limit=limit), module), limit
    assert rejected(with_part(certificate, number, slack="1 / 2"), module)
    assert rejected(with_part(certificate, number, then=()), module)
    assert rejected(with_part(certificate, number, then=part.then[:-1]), module)
    assert rejected(with_part(certificate, number, kind="public"), module)
    (branch,) = part.then
    assert rejected(with_part(certificate, number, then=(replace(branch, kind="public"),)), module)
    for side in ("then", "otherwise"):
        inside = getattr(branch, side)
        paying = next(n for n, each in enumerate(inside) if each.inner is not None)
        for change in (
            {"kind": "public"},
            {"inner": replace(inside[paying].inner, bound="0")},
            {"inner": replace(inside[paying].inner, bound="small / 2")},
            {"statements": 2},
        ):
            changed = [replace(each, **change) if n == paying else each for n, each in enumerate(inside)]
            other = replace(branch, **{side: tuple(changed)})
            assert rejected(with_part(certificate, number, then=(other,)), module), (side, change)
        assert rejected(with_part(certificate, number, then=(replace(branch, **{side: inside[:-1]}),)), module)
    assert rejected(replace(certificate, bound="budget / 2"), module)


def test_mutations_of_a_branch_are_rejected():
    certificate, module = found(PROVED["the dearer side"])
    number = part_of(certificate, "branch")
    part = certificate.proof.parts[number]
    assert rejected(with_part(certificate, number, then=(), otherwise=()), module)
    assert rejected(with_part(certificate, number, then=part.otherwise, otherwise=part.then), module)
    assert rejected(with_part(certificate, number, kind="public"), module)
    for bound in ("0", "small"):
        cheaper = tuple(replace(e, inner=e.inner and replace(e.inner, bound=bound)) for e in part.otherwise)
        assert rejected(with_part(certificate, number, otherwise=cheaper), module)


def test_mutations_of_rounds_apart_are_rejected():
    certificate, module = found(PROVED["a vector in which one number differs"], method="composed")
    number = part_of(certificate, "parallel")
    inner = certificate.proof.parts[number].inner
    for kind in ("public", "private", "step", "sampled", "call"):
        assert rejected(with_part(certificate, number, kind=kind), module), kind
    for bound in ("0", "1 / (4 * epsilon * epsilon)", "-1"):
        assert rejected(with_part(certificate, number, inner=replace(inner, bound=bound)), module), bound
    sums = WRONG["a private sum in every round"].replace("2 /", "len(q) * 2 /")
    other, elsewhere = found(sums, method="composed")
    assert other is not None
    loop = part_of(other, "loop")
    assert rejected(with_part(other, loop, kind="parallel", rounds=None), elsewhere)


@pytest.mark.parametrize(
    ("name", "room", "condition"),
    [
        ("a price that is not booked", confirm, "check_ways"),
        ("places from both ends", walking, "check_disjoint"),
        ("stretches that overlap", walking, "check_disjoint"),
    ],
)
def test_what_dropping_a_condition_would_prove_is_false(monkeypatch, name, room, condition):
    source = WRONG[name]
    assert found(source)[0] is None
    monkeypatch.setattr(room, condition, lambda *_, **__: None)
    assert found(source)[0] is not None


def test_a_stretch_that_a_comprehension_moves_is_not_apart():
    """Rounds 1 and 2 look at places 3 to 5 and 4 to 5: what the stretch begins with has many values in one round."""
    body = """assert epsilon > 0
    out = []
    for j in range(n):
        out.append(sum([(sum(q[j * k:(j + 1) * k]) if k == 4 - j else 0) for k in range(4)]) + laplace(1 / epsilon))
    return out"""
    head = "from lapwing import laplace, mechanism, one\n\n\n@mechanism(q=one(1))\ndef f("
    module = parse_text(f"{head}q: list[float], n: int, epsilon: float) -> list[float]:\n    {body}\n")
    loop = next(each for each in module["f"].body if isinstance(each, ir.For))
    with pytest.raises(Unproved, match="changes in a round"):
        check_disjoint(module["f"], loop)


def test_an_unbooked_price_is_refuted():
    module = parse_text(WRONG["one step too far"], only="f")
    assert refute(Subject(module, module["f"]), max_n=1).violation is not None
