"""Each side condition of a coupling proof, shown to be needed.

For each there is a program that is *not* private (its exact probabilities say so) and a certificate of its claim. The
checker rejects the certificate; a checker without that one condition would accept it.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.distribution.loss_values import log_bounds
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.evidence.certificate import Branch
from lapwing.kernel.program import ir
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational import draws
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.lockstep import Lockstep
from lapwing.kernel.relational.runs import FIRST, Inputs
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.run.claim_values import enclosed
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify, coupling

HEAD = "from lapwing import each, exponential, laplace, mechanism, rises, within\n\n\n"

INJECTIVE = """
@mechanism(q=rises(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> float:
    y = laplace(1 / epsilon)
    if q[0] <= 0 and 1 <= y and y < 2:
        y = y - 1
    return y
"""

UNPAIRED = """
@mechanism(q=rises(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> float:
    y = 0
    if q[0] > 0:
        y = laplace(1 / epsilon)
    return y
"""

SUPPORT = """
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    return x + exponential(1 / epsilon)
"""

CAUSAL = """
@mechanism(q=rises(1), claim="2 * epsilon")
def f(q: list[float], epsilon: float) -> tuple[float, float]:
    u = laplace(1 / epsilon)
    v = laplace(1 / epsilon)
    a = u
    b = v
    if q[0] <= 0 and 1 <= v and v < 2:
        a = u - 1
    if q[0] <= 0 and 0 <= u and u < 1:
        b = v + 1
    return (a, b)
"""

COST = """
@mechanism(q=each(1), claim="epsilon / 2")
def f(q: list[float], epsilon: float) -> int:
    best = 0
    largest = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best
"""

#: noisy max with the price left out of the invariant, and half of what is shifted stated as the total
KEPT = (
    "best >= 0 and (round(1) <= output() and abs(hat(largest)) <= 1 and (best < round(1) or round(1) == 0 and"
    " hat(best) == 0) or round(1) > output() and (best != output() or other(best) == output() and hat(largest) == 1))"
)
CROSSING = "q[0] <= 0 and other(q[0]) > 0"

#: program, proof and bound; two neighbours and an answer that show the claim false; the reason it is rejected for
CASES = {
    "injective": (
        INJECTIVE,
        coupling([(Branch(f"{CROSSING} and 1 <= draw() < 2", "-1", "0"), "1")]),
        "epsilon",
        ({"q": (0,)}, {"q": (1,)}, Fraction(0)),
        "two noises may be moved to one",
    ),
    "unpaired": (
        UNPAIRED,
        coupling([("0", "0")]),
        "0",
        ({"q": (0,)}, {"q": (1,)}, Fraction(0)),
        "the second run may answer differently",
    ),
    "support": (
        SUPPORT,
        coupling([("-hat(x)", "1")]),
        "epsilon",
        ({"x": 0}, {"x": 1}, Fraction(0)),
        "the shift may leave the noise's support",
    ),
    "causal": (
        CAUSAL,
        coupling(
            [
                (Branch(f"{CROSSING} and 1 <= v < 2", "-1", "0"), "1"),
                (Branch(f"{CROSSING} and 0 <= u < 1", "1", "0"), "1"),
            ]
        ),
        "2 * epsilon",
        ({"q": (0,)}, {"q": (1,)}, (Fraction(-1), Fraction(2))),
        "the second run may answer differently",
    ),
    "cost": (
        COST,
        coupling([(Branch("i == output()", "1 - hat(x)", "0"), "1")], [KEPT], "output"),
        "epsilon / 2",
        ({"q": (1, 0, 0)}, {"q": (0, 1, 1)}, Fraction(0)),
        "the shifts at site 1 may pass 1",
    ),
}  # fmt: skip


def certificate(name):
    text, proof, bound, _, _ = CASES[name]
    return certify("p.py", HEAD + text, proof, bound), HEAD + text


@pytest.mark.parametrize("name", CASES)
def test_the_program_is_not_private(name):
    text, _, _, (left, right, answer), _ = CASES[name]
    module = parse_text(HEAD + text, "p.py")
    epsilon = {"epsilon": Fraction(2) if name == "cost" else Fraction(1, 10)}
    chances = [probability(module, "f", {**each, **epsilon}, answer) for each in (left, right)]
    loss, _ = log_bounds(*chances)
    assert loss is None or loss > enclosed(module["f"].claim.epsilon, {**left, **epsilon}).upper


@pytest.mark.parametrize("name", CASES)
def test_its_certificate_is_rejected_for_that_reason(name):
    verdict = check_certificate(*certificate(name))
    assert isinstance(verdict, Rejected)
    assert CASES[name][-1] in verdict.reason


@pytest.mark.parametrize("name", CASES)
def test_without_the_condition_it_would_be_accepted(name, monkeypatch):
    match name:
        case "causal":
            _know_draws_before_they_are_made(monkeypatch)
            _in_one_order(monkeypatch)
        case _:
            _skip(monkeypatch, CASES[name][-1])
            _in_one_order(monkeypatch)
    assert isinstance(check_certificate(*certificate(name)), Proved)


def _in_one_order(monkeypatch):
    """Only the order is asked about in which lists rise: in the other, none of the programs could be proved."""
    monkeypatch.setattr(Inputs, "_rising", lambda self, _parameter: self.terms.truth(True))


def _skip(monkeypatch, problem):
    asked = Setting.ask

    def ask(self, state, goal, node, reason):
        if problem not in reason:
            asked(self, state, goal, node, reason)

    monkeypatch.setattr(Setting, "ask", ask)


def _know_draws_before_they_are_made(monkeypatch):
    """The variables of draws hold their values from the start, so that earlier alignments can look at them."""
    started = Lockstep.start

    def start(self):
        state = started(self)
        for name in ("u", "v"):
            known = self.setting.terms.fresh(ir.Real(), name)
            state = replace(state, values={**state.values, name: (known, known)})
        return state

    monkeypatch.setattr(Lockstep, "start", start)
    monkeypatch.setattr(draws, "noise", lambda _setting, draw, state: state.values[draw.target][FIRST])
