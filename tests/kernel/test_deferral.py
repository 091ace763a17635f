"""A draw thought to be made last: every condition is needed, and what it is needed for is false."""

from dataclasses import replace

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.certificate import Branch, Certificate, Coupling, Site
from lapwing.kernel.evidence.deferred import Apart, Deferral, Postponed
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational import deferring, draws
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.certificates import certify
from tests.kernel.mutations import mutants

HEAD = "from lapwing import each, exponential, flip, laplace, mechanism\n\n\n"
GAP = (
    HEAD
    + """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> tuple[int, float]:
    best = 0.0
    second = 0.0
    index = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            best = v
        elif v > best:
            second = best
            best = v
            index = i
        elif i == 1 or v > second:
            second = v
    return (index, best - second)
"""
)
OTHERS = "x + draw() if i == 0 or i == 1 and output() == 0 or x + draw() > rival else rival"
DEFERRAL = Deferral("rival", "last", "0", (Postponed(1, "i", OTHERS),))
SHIFT = Branch("i == output()", "hat(last) - hat(x)", "0")
LEADS = "other(index) == output() and hat(best) == hat(last) and other(second) == other(rival)"
MINE = "index != output() or round(1) <= output()"
INVARIANT = " and ".join(
    (
        "hat(rival) <= 1 and hat(rival) >= -1 and index >= 0",
        "(round(1) == 0 or index < round(1))",
        "(round(1) > 0 or hat(best) == 0 and hat(second) == 0 and index == 0 and hat(index) == 0)",
        "(round(1) > 0 or second == rival and other(second) == other(rival))",
        "(round(1) > output() or cost(1) <= 0)",
        "(round(1) > output() or round(1) <= 0 or best == rival and other(best) == other(rival))",
        f"({MINE} or {LEADS} or other(rival) >= best + hat(last))",
        f"({MINE} or second == rival)",
        f"({MINE} or round(1) > 1 or {LEADS})",
        f"({MINE} or round(1) < 2 or best > rival)",
        "cost(1) <= 1 + abs(hat(last))",
    )
)
PROOF = Coupling(
    "output", (Site(1, SHIFT, "2"),), (Invariant(1, INVARIANT),), deferral=DEFERRAL, apart=(Apart(1, "best - x"),)
)


def verdict(proof=PROOF, text=GAP, bound="epsilon"):
    return check_certificate(certify("p.py", text, proof, bound), text)


def with_site(**changes):
    return replace(PROOF, deferral=replace(DEFERRAL, sites=(replace(DEFERRAL.sites[0], **changes),)))


def test_noisy_max_with_its_gap():
    assert isinstance(verdict(), Proved)


def test_it_reads_back():
    certificate = certify("p.py", GAP, PROOF, "epsilon")
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_a_tie_is_left_out_at_no_price():
    assert isinstance(verdict(replace(PROOF, apart=())), Rejected)


@pytest.mark.parametrize(
    "value", ["draw()", "hat(best)", "other(best) - x", "last - x", "hat(x)", "nothing", "next(q)", "True"]
)
def test_noise_is_apart_from_what_the_first_run_knows_before(value):
    assert isinstance(verdict(replace(PROOF, apart=(*PROOF.apart, Apart(1, value)))), Rejected)


@pytest.mark.parametrize(
    "become", [OTHERS.replace("rival", "best"), "v", "second", "hat(x)", "other(x)", "last", "index"]
)
def test_what_is_kept_is_made_of_the_other_draws_alone(become):
    assert isinstance(verdict(with_site(become=become)), Rejected)


@pytest.mark.parametrize("at", ["index", "0", "i * 0", "i + index", "round(2)", "-i", "i // 2", "output()", "i + i"])
def test_one_draw_is_deferred_and_the_round_says_which(at):
    shift = Branch(f"{at} == output()", SHIFT.then, SHIFT.otherwise)
    sites = (Site(1, shift, "2"),)
    assert isinstance(verdict(replace(with_site(at=at), sites=sites)), Rejected)


@pytest.mark.parametrize(
    "alignment",
    [
        "hat(last) - hat(x)",
        Branch("i != output()", "0", "hat(last) - hat(x)"),
        Branch("i == output()", "hat(last) - hat(x)", "hat(last)"),
        Branch("i == output()", "hat(last) - hat(x)", "hat(best)"),
        Branch("i == output()", "hat(last) - hat(x)", "hat(rival)"),
        Branch("i == output()", "hat(best) - hat(x)", "0"),
        Branch("i == output()", Branch("x + draw() > last", "hat(last) - hat(x)", "0"), "0"),
        Branch("i == output() and best > 0", "hat(last) - hat(x)", "0"),
    ],
)
def test_the_others_move_by_what_inputs_say(alignment):
    assert isinstance(verdict(replace(PROOF, sites=(Site(1, alignment, "2"),))), Rejected)


@pytest.mark.parametrize(
    "deferral",
    [
        replace(DEFERRAL, kept="best"),
        replace(DEFERRAL, foreseen="q"),
        replace(DEFERRAL, foreseen="rival"),
        replace(DEFERRAL, kept="not a name"),
        replace(DEFERRAL, first="best"),
        replace(DEFERRAL, first="q[0]"),
        replace(DEFERRAL, first="output()"),
        replace(DEFERRAL, sites=()),
        replace(DEFERRAL, sites=(*DEFERRAL.sites, Postponed(2, "i", OTHERS))),
        replace(DEFERRAL, sites=(*DEFERRAL.sites, *DEFERRAL.sites)),
    ],
)
def test_names_and_beginnings(deferral):
    assert isinstance(verdict(replace(PROOF, deferral=deferral)), Rejected)


@pytest.mark.parametrize("ghost", ["none", "lists"])
def test_there_is_an_answer_considered(ghost):
    assert isinstance(verdict(replace(PROOF, ghost=ghost)), Rejected)


ENDED = GAP.replace("            index = i\n", "            index = i\n            if v > 9:\n                break\n")
SKIPPED = GAP.replace("        if i == 0:\n", "        if v > 9:\n            continue\n        if i == 0:\n", 1)
NESTED = GAP.replace(
    "v = x + laplace(2 / epsilon)", "v = x\n        if best < 9:\n            v = x + laplace(2 / epsilon)"
)
LOOPED = GAP.replace("for i, x in enumerate(q):", "for i in range(len(q) + index):").replace(
    "v = x", "x = q[i]\n        v = x"
)
COIN = GAP.replace("        if i == 0:\n", "        coin = flip(1 / 2)\n        if i == 0:\n", 1)


@pytest.mark.parametrize(
    "text", [ENDED, SKIPPED, NESTED, LOOPED, COIN], ids=["break", "continue", "if", "rounds", "coin"]
)
def test_every_draw_is_made_whatever_is_drawn(text):
    assert text != GAP
    assert isinstance(verdict(text=text), Rejected)


FALSE = GAP.replace("best - second", "best").replace("    best = 0.0", "    assert len(q) >= 2\n    best = 0.0")
UNLIKE = "round(1) == 0 or round(1) == 1 and output() == 0 or rival != last"


def foretold(become, apart=()):
    """What is kept is never what is foreseen: then nothing has to be shown behind the loop."""
    deferral = Deferral("rival", "last", "0", (Postponed(1, "i", become),))
    sites = (Site(1, Branch("i == output()", "0", "0"), "0"),)
    return Coupling("output", sites, (Invariant(1, UNLIKE),), deferral=deferral, apart=apart)


def test_noise_that_is_apart_from_the_future_would_show_anything(monkeypatch):
    proof = foretold(OTHERS, (Apart(1, "last - x"),))
    assert isinstance(verdict(proof, FALSE, "0"), Rejected)
    monkeypatch.setattr(draws, "known_before", lambda *_: True)
    assert isinstance(verdict(proof, FALSE, "0"), Proved)


def test_what_is_made_of_the_future_would_show_anything(monkeypatch):
    proof = foretold("last + 1")
    assert isinstance(verdict(proof, FALSE, "0"), Rejected)
    monkeypatch.setattr(deferring, "_confirm_round", lambda *_: None)
    assert isinstance(verdict(proof, FALSE, "0"), Proved)


def test_every_mutant_is_rejected():
    for what, data in mutants(certify("p.py", GAP, PROOF, "epsilon").to_json()):
        try:
            mutant = Certificate.from_json(data)
        except InvalidInput:
            continue
        if "invariants" in what or what.endswith(": longer"):
            continue  # other invariants may hold, too, and 0 may be written 00
        assert isinstance(check_certificate(mutant, GAP), Rejected), what
