"""What a certificate says of the elements of a list is asked of each, and nothing is had by saying too much."""

from dataclasses import replace

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.certificate import Certificate, Coupling, Element, Site
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.certificates import certify

HEAD = "from lapwing import each, flip, laplace, mechanism, one, within\n\n\n"
NOISY = (
    HEAD
    + """@mechanism(q=one(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> list[float]:
    noise = [laplace(1 / epsilon) for x in q]
    many = len(noise)  # named once more, so that the reader leaves the list where it is
    out = []
    for x, n in zip(q, noise):
        out.append(x + n)
    return out
"""
)
MOVED = "-hat(q[len(noise)])"
COST = "len(noise) == round(1) and cost(1) <= 1 and (round(1) > where(q) or cost(1) <= 0)"
LEVEL = Element("noise", "hat(noise[place()]) == -hat(q[place()])")
PROOF = Coupling("none", (Site(1, MOVED, "1"),), (Invariant(1, COST), Invariant(2, "cost(1) <= 1")), elements=(LEVEL,))


def verdict(proof, text=NOISY, bound="epsilon"):
    return check_certificate(certify("p.py", text, proof, bound), text)


def test_noise_drawn_up_front():
    assert isinstance(verdict(PROOF), Proved)


def test_it_reads_back():
    certificate = certify("p.py", NOISY, PROOF, "epsilon")
    assert Certificate.from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize(
    "formula",
    [
        "False",
        "hat(noise[place()]) == 0",
        "hat(noise[place()]) == -hat(q[place()]) and noise[place()] > 0",
        "place() < 3 and hat(noise[place()]) == -hat(q[place()])",
        "hat(noise[place()]) == -hat(q[place()]) and cost(1) <= 1",
        "hat(noise[place()]) == -hat(q[place()]) and round(1) <= 1",
        "hat(noise[place()]) == -hat(q[place()]) and hat(x) == 0",
        "hat(noise[place()]) == -hat(q[place()]) and noise[0] == noise[0]",
        "hat(noise[place()]) == -hat(q[place()]) and len(noise) >= 0",
        "hat(noise[place()]) == -hat(q[place()]) and hat(out[place()]) == 0",
        "True",
    ],
)
def test_saying_too_much_too_little_or_what_changes(formula):
    assert isinstance(verdict(replace(PROOF, elements=(Element("noise", formula),))), Rejected)


@pytest.mark.parametrize(
    "elements",
    [
        (),
        (LEVEL, LEVEL),
        (LEVEL, Element("out", "hat(out[place()]) == 0")),
        (LEVEL, Element("q", "hat(q[place()]) == 0")),
        (LEVEL, Element("x", "True")),
        (LEVEL, Element("nowhere", "True")),
    ],
    ids=["none", "twice", "the answer", "a parameter", "a number", "no list"],
)
def test_lists_that_are_not_to_be_spoken_of(elements):
    assert isinstance(verdict(replace(PROOF, elements=elements)), Rejected)


def test_what_is_appended_now_and_read_at_once_is_not_assumed():
    """The element is read in the round that appends it; what is said of it may not follow from having been said."""
    text = (
        HEAD
        + """@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> list[bool]:
    vs = []
    out = []
    n = laplace(1 / epsilon)
    for i in range(2):
        vs.append(x)
        out.append(vs[i] > 0)
    return out
"""
    )
    proof = Coupling(
        "none",
        (Site(1, "0", "0"),),
        (Invariant(1, "len(vs) == round(1) and cost(1) <= 0"),),
        elements=(Element("vs", "hat(vs[place()]) == 0"),),
    )
    assert isinstance(verdict(proof, text, "0"), Rejected)


def test_one_run_alone_appends():
    text = (
        HEAD
        + """@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> int:
    vs = []
    n = laplace(1 / epsilon)
    for i in range(3):
        if x > i:
            vs.append(0.0)
    return len(vs)
"""
    )
    invariants = (Invariant(1, "cost(1) <= 0"),)
    for formula in ("True", "hat(vs[place()]) == 0"):
        proof = Coupling("none", (Site(1, "0", "0"),), invariants, elements=(Element("vs", formula),))
        assert isinstance(verdict(proof, text, "0"), Rejected)


def test_a_list_that_begins_again():
    text = (
        HEAD
        + """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> list[bool]:
    n = laplace(1 / epsilon)
    vs = []
    out = []
    for x in q:
        vs = []
        vs.append(x)
        out.append(vs[0] > 0)
    return out
"""
    )
    element = Element("vs", "hat(vs[place()]) == 0")
    proof = Coupling("none", (Site(1, "0", "0"),), (Invariant(1, "cost(1) <= 0"),), elements=(element,))
    assert isinstance(verdict(proof, text, "0"), Rejected)


ARGMAX = (
    HEAD
    + """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    noisy = [x + laplace(2 / epsilon) for x in q]
    best = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return best
"""
)


@pytest.mark.parametrize("scale", ["2", "1", "3 / 2"])
def test_half_the_noise_has_no_cheaper_proof(scale):
    """Of arg-max over a list, the price that the search proves is the one that the noise pays for."""
    from tests.search.privacy.proving import proved

    text = ARGMAX.replace("laplace(2 / epsilon)", f"laplace({scale} / epsilon)")
    found = proved(text.replace(', claim="epsilon"', ""))
    wanted = {"2": "epsilon", "1": "2 * epsilon", "3 / 2": "4 * epsilon / 3"}[scale]
    assert found is not None
    assert found.bound == wanted
    assert (proved(text) is not None) == (scale == "2")


def test_a_place_that_differs_between_the_runs_is_read_in_each():
    """Where the runs hold different places, what is read there is not the same."""
    text = ARGMAX.replace("return best", "return 1 if noisy[best] > 0 else 0")
    from tests.search.privacy.proving import proved

    found = proved(text.replace(', claim="epsilon"', ""))
    assert found is None or found.bound != "0"
