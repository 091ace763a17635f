"""Shifts are paid for on every way through the program, also where the two runs have gone different ways.

The program answers ``y`` under noise, and ``y`` differs only when the runs took different sides of a test. Whoever adds
up the shifts of synchronised runs alone finds that the noise never had to move, and that the answer costs nothing.
"""

from fractions import Fraction

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.setting import Setting
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify, coupling
from tests.search.privacy.proving import proved, unproved

HEAD = "from lapwing import laplace, mechanism, within\n\n\n"
PARTING = """@mechanism(x=within(1), claim="epsilon / 2")
def f(x: float, epsilon: float) -> float:
    y = 0
    if x >= 1:
        y = 1
    return y + laplace(1 / epsilon)
"""
#: the same shift, needed and paid for by synchronised runs
TOGETHER = """@mechanism(x=within(1), claim="epsilon / 2")
def f(x: float, epsilon: float) -> float:
    y = 0
    if epsilon >= 1:
        y = 1
    return x + y + laplace(1 / epsilon)
"""


def _free(body, alignment):
    return certify("p.py", HEAD + body, coupling([(alignment, "0")]), "0"), HEAD + body


@pytest.fixture
def only_synchronised_runs_pay(monkeypatch):
    """A checker that asks for the totals only where both runs took the same side, so that ``y`` is equal."""
    asked = Setting.ask

    def ask(self, state, goal, node, problem):
        if "the shifts at site" in problem:
            goal = self.terms.implies(self.terms.compare("==", *state.values["y"]), goal)
        asked(self, state, goal, node, problem)

    monkeypatch.setattr(Setting, "ask", ask)


def test_the_program_is_not_as_private_as_it_claims():
    module = parse_text(HEAD + PARTING)
    given = {"epsilon": Fraction(1)}
    left, right = (probability(module, "f", {"x": Fraction(x), **given}, Fraction(0)) for x in (0, 1))
    assert left.lower > Fraction(2) * right.upper  # e is above 2, and e^(1/2) below


def test_it_is_not_proved():
    assert unproved(HEAD + PARTING)
    assert proved(HEAD + PARTING.replace("epsilon / 2", "epsilon")).bound == "epsilon"


def test_shifts_of_runs_that_parted_are_asked_for():
    verdict = check_certificate(*_free(PARTING, "-hat(y)"))
    assert isinstance(verdict, Rejected)
    assert "the shifts at site 1 may pass 0" in verdict.reason


@pytest.mark.usefixtures("only_synchronised_runs_pay")
def test_without_that_condition_it_would_be_accepted():
    assert isinstance(check_certificate(*_free(PARTING, "-hat(y)")), Proved)


@pytest.mark.usefixtures("only_synchronised_runs_pay")
def test_and_no_other_condition_would_be_lost():
    for alignment in ("-hat(x)", "0"):
        assert isinstance(check_certificate(*_free(TOGETHER, alignment)), Rejected)
    assert isinstance(check_certificate(*_free(PARTING, "0")), Rejected)
