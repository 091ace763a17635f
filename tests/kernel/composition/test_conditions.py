"""Each condition on loops of private steps has a program that would be 'proved' without it, and is not private.

The rules are advanced composition, accounts (filters) and Gaussian steps in loops. A certificate of a right program is
held against its wrong neighbour, as somebody would forge it: with the condition it is rejected, and without accepted.
"""

import json
import re
from dataclasses import replace

import pytest

from lapwing.kernel.composition import confirm, walking
from lapwing.kernel.composition.confirm import Composition
from lapwing.kernel.composition.outline import outline
from lapwing.kernel.composition.rounds import Turns
from lapwing.kernel.composition.walking import Passage
from lapwing.kernel.evidence.certificate import Certificate, Composed, Coupling, Site
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.prices.polynomials import unknown
from lapwing.kernel.program import printer
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.relational.runs import Inputs
from lapwing.source import parse_text
from tests.kernel.composition.programs import BITS, SCORES, program
from tests.kernel.composition.steered import PROVED, SQUARES, counting
from tests.kernel.composition.test_composition import found


def counted(body, claim="'(k + 1) * epsilon'", returns="float"):
    return program("rows=added()", f"{BITS}k: int, epsilon: float", claim, f"assert k >= 1\n{body}", returns)


AGAIN = counted(
    "c = noisy_count(rows, epsilon)\nn = 0\nfor i in range(k):\n    n = len([r for r in rows if r])\n"
    "    c = n + laplace(1 / epsilon) + min(c, 3)\nreturn c"
)
GAUSSIAN = program(
    "q=each(1)", f"{SCORES}sigma: float", "zcdp('len(q) / (2 * sigma * sigma)')",
    "out = []\nn = 0.0\nfor x in q:\n    n = x\n    out.append(n + gaussian(sigma))\nreturn out",
)  # fmt: skip
STEERED = program(
    "q=each(1)", f"{SCORES}sigma: float", "zcdp('(len(q) + 1) / (2 * sigma * sigma)')",
    "assert len(q) >= 1\nc = q[0] + gaussian(sigma)\nout = []\nif c > 3:\n    for x in q:\n"
    "        out.append(x + gaussian(sigma))\nreturn out",
)  # fmt: skip
ADVANCED = program(
    "rows=added()", f"{BITS}k: int, step: float, delta: float",
    "('step * sqrt(2 * k * ln(1 / delta)) + k * step * step / 2', 'delta')",
    "assert k >= 1 and step > 0 and 0 < delta < 1\nout = []\nfor _ in range(k):\n"
    "    out.append(noisy_count(rows, step))\nreturn out",
)  # fmt: skip
BUDGET = counting(
    SQUARES, "('sqrt(2 * budget * ln(1 / delta)) + budget / 2', 'delta')",
    f"{BITS}small: float, big: float, budget: float, delta: float",
)  # fmt: skip


def unanswered(module, mechanism, part):
    """An outline that forgets to answer what goes on to the next round."""
    return outline(module, mechanism, replace(part, outputs=part.outputs - {"n"}))


def as_if_public(_parameters, _loop, _released, **_):
    return Turns(unknown("k"))


#: rule and condition: a right program, what makes it wrong, where the condition stands, and how it is forgotten
CONDITIONS = {
    "ADV: how many rounds there are is public": (
        ADVANCED, ("range(k)", "range(len(rows))"), (walking, "turns"), as_if_public,
    ),
    "ADV: what goes from round to round is equal in both runs": (
        AGAIN, ("n = len", "n = n + len"), (walking, "outline"), unanswered,
    ),
    "ADV: every round costs what is said of one": (
        ADVANCED, ("(rows, step)", "(rows, 9 * step)"), (Composition, "_step"),
        lambda self, inner, outlined: self.payments.step(inner, outlined["f"]),
    ),
    "FILTER: every way books what it pays": (
        PROVED["a while that adds up"], ("spent += small", "spent += small / 2"), (confirm, "check_ways"),
        lambda *_, **__: None,
    ),
    "FILTER: every way books the square of what it pays": (
        BUDGET, ("used += small * small", "used += small * small / 2"), (confirm, "check_ways"), lambda *_, **__: None,
    ),
    "FILTER: released values choose the price": (
        PROVED["a while that adds up"], ("last > 10", "len(rows) > 10"), (Passage, "knows"), lambda *_: True,
    ),
    "FILTER: an element of a private list is not released": (
        PROVED["an element a round"], ("> budget:", "> budget or x > 3:"), (Passage, "knows"), lambda *_: True,
    ),
    "ZLOOP: what goes from round to round is equal in both runs": (
        GAUSSIAN, ("n = x", "n = n + x"), (walking, "outline"), unanswered,
    ),
    "ZLOOP: both runs make the same draws": (
        STEERED, ("c > 3", "q[0] > 3"), (Passage, "knows"), lambda *_: True,
    ),
}  # fmt: skip


def forged(certificate):
    """The certificate, of any program."""
    text = re.sub(r'"source": "[0-9a-f]+"', '"source": "any"', json.dumps(certificate.to_json()))
    return Certificate.from_json(json.loads(text))


def accepted(certificate, source):
    return isinstance(check_certificate(certificate, parse_text(source, only="f")), Proved)


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_dropping_a_condition_would_prove_is_false(monkeypatch, name):
    right, change, (room, condition), forgetful = CONDITIONS[name]
    certificate = forged(found(right)[0])
    wrong = right.replace(*change)
    assert wrong != right
    monkeypatch.setattr(printer, "fingerprint", lambda *_: "any")
    assert accepted(certificate, right)
    assert not accepted(certificate, wrong)
    monkeypatch.setattr(room, condition, forgetful)
    assert accepted(certificate, wrong)


#: In one order every answer of a round is likelier by e^step, so that k rounds lose k step, whatever the slack.
ONE_WAY = """from lapwing import *


@mechanism(q=falls(1), claim=("step * sqrt(2 * k * ln(1 / delta)) + k * step * step / 2", "delta"))
def f(q: list[float], k: int, step: float, delta: float) -> list[float]:
    assert k >= 1 and step > 0 and 0 < delta < 1
    out = []
    for _ in range(k):
        out.append(q[0] + exponential(1 / step))
    return out
"""


def test_advanced_composition_needs_both_orders_of_neighbours(monkeypatch):
    """The second run is lower: its noise is moved up, and never below 0. The other way there is no such move."""
    monkeypatch.setattr(printer, "fingerprint", lambda *_: "any")
    module = parse_text(ONE_WAY)
    bound, delta = map(printer.show, (module["f"].claim.epsilon, module["f"].claim.delta))
    shift = Coupling("none", (Site(1, "-hat(q[0])", "1"),), ())
    rounds = Certificate("<part>", "f", "any", "epsilon", "step", None, shift)
    parts = (Stretch(1, "public"), Stretch(1, "loop", rounds, "k", "delta"), Stretch(1, "public"))
    certificate = Certificate("p.py", "f", "any", "approximate", bound, bound, Composed(parts), delta, delta)
    assert accepted(certificate, ONE_WAY.replace("exponential", "laplace"))
    assert not accepted(certificate, ONE_WAY)
    monkeypatch.setattr(Inputs, "_rising", lambda self, _parameter: self.terms.truth(False))
    assert accepted(certificate, ONE_WAY)
