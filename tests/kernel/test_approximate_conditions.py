"""Each side condition of the rules with a δ, shown to be needed.

For each there is a program that is *not* private as it claims, by its exact probabilities, and a certificate of that
claim. The checker rejects the certificate; a checker without that one condition would accept it.
"""

from fractions import Fraction
from math import exp

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.evidence.approximate import Pairing, Spread, Subset, Tail
from lapwing.kernel.evidence.certificate import Branch
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational import certificate as certificates
from lapwing.kernel.relational import tails
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.runs import Inputs
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.run.claim_values import enclosed
from lapwing.source.parse import parse_text
from tests.kernel.approximate_proofs import CLAMPED, HEAD, certified, coupled

#: the first noise above a threshold lets out one bit of each of many numbers
BITS = """
@mechanism(q=each(1), claim=("0", "exp(-threshold) / 2"))
def f(q: list[float], threshold: float) -> int:
    for i, x in enumerate(q):
        if laplace(1) > threshold:
            return 2 * i + 1 if x > 0 else 2 * i
    return -1
"""

#: a key that only one run has is let out above the threshold
KEY = """
@mechanism(x=within(1), claim=("2", "exp(-2 * threshold)"))
def f(x: float, threshold: float) -> bool:
    assert threshold >= 1
    if x > 0:
        if x + laplace(1 / 2) > threshold:
            return True
    return False
"""

#: the first run says yes in an interval twice as long as the second's
TWICE = """
@mechanism(q=rises(1), claim=("0.1", "0"))
def f(q: list[float]) -> bool:
    n = laplace(10)
    if q[0] > 0:
        return 0 <= n and n < 1
    return 0 <= n and n < 2
"""

#: the same with an interval of which the second run has the middle
THRICE = """
@mechanism(q=rises(1), claim=("1", "0"))
def f(q: list[float]) -> bool:
    n = laplace(10)
    if q[0] > 0:
        return 0 <= n and n < 1
    return -1 <= n and n < 2
"""

#: much of the noise says yes in one run, and none to speak of in the other
MOVED = """
@mechanism(q=rises(1), claim=("0", "exp(-10) / 2"))
def f(q: list[float]) -> bool:
    n = laplace(1)
    if q[0] > 0:
        return 10 <= n and n <= 11
    return 0 <= n and n <= 1
"""

#: an interval is left to the second run that is a quarter as long
SHORT = """
@mechanism(q=rises(1), claim=("0.2", "0"))
def f(q: list[float]) -> bool:
    n = laplace(10)
    if q[0] > 0:
        return 0 <= n and n < 1
    return 0 <= n and n < 4
"""

#: the same question over and over
OFTEN = """
@mechanism(q=rises(1), claim=("0.2", "0"))
def f(q: list[float], k: int) -> int:
    assert k >= 1
    count = 0
    for _ in range(k):
        n = laplace(10)
        if (q[0] > 0 and 0 <= n and n < 9) or (q[0] <= 0 and 0 <= n and n < 10):
            count += 1
    return count
"""

DIFFERENT = "q[0] <= 0 and other(q[0]) > 0"
MINE = "output() == 2 * round(1) or output() == 2 * round(1) + 1"
OUTPUT = "(1 if output() >= 0 and output() < 2 * round(1) else 0)"
LARGE = CLAMPED.replace("y = laplace(1 / epsilon)", "y = laplace(2 / epsilon)").replace("clamped", "f")


def where(test, then, otherwise="0"):
    return Branch(f"{DIFFERENT} and {test}", then, otherwise)


BACK = where("1 <= draw() and draw() < 2", "-1")
#: program, proof, ε, δ; two neighbours, public parameters and an answer that show the claim false; the reason
CASES = {
    "tries are counted for all answers at once": (
        BITS,
        coupled(
            [("0", "0")],
            [f"tries(1) <= {OUTPUT} and cost(1) <= 0"],
            ghost="output",
            bad=[
                Tail(1, 1, MINE, "above", "threshold", "threshold", "1")
            ],
        ),
        ("0", "exp(-threshold) / 2"),
        ({"q": (0,) * 4}, {"q": (1,) * 4}, {"threshold": Fraction(1)}, (0, 2, 4, 6)),
        "depends on more than the first run and the inputs",
    ),
    "every draw that might be bad is counted": (
        BITS,
        coupled([("0", "0")], ["cost(1) <= 0"], bad=[Tail(1, 1, "True", "above", "threshold", "threshold", "1")]),
        ("0", "exp(-threshold) / 2"),
        ({"q": (0,) * 4}, {"q": (1,) * 4}, {"threshold": Fraction(1)}, (0, 2, 4, 6)),
        "there may be more than 1 draws that might be bad",
    ),
    "the tail begins where it is stated": (
        KEY,
        coupled(
            [("-hat(x)", "1")],
            bad=[
                Tail(1, 1, "x > 0 and other(x) <= 0", "above", "threshold - x", "threshold", "1"),
                Tail(1, 2, "True", "above", "threshold - other(x)", "threshold", "1"),
            ],
        ),
        ("2", "exp(-2 * threshold)"),
        ({"x": 1}, {"x": 0}, {"threshold": Fraction(3)}, (True,)),
        "the tail may begin before threshold",
    ),
    "noise is not moved to where other noise is forgotten": (
        TWICE,
        coupled(
            [(where("0 <= draw() and draw() < 1", Subset(("0", "1"), ("0", "1")), BACK), "1")],
            intervals=[Spread(1, "0", "1", "1", "0")],
        ),
        ("0.1", "0"),
        ({"q": (0,)}, {"q": (1,)}, {}, (True,)),
        "two noises may be moved to one",
    ),
    "noise is not forgotten twice in one place": (
        THRICE,
        coupled(
            [
                (
                    where(
                        "-1 <= draw() and draw() < 0", Subset(("-1", "1"), ("0", "1")),
                        where("0 <= draw() and draw() < 2", Subset(("0", "2"), ("0", "1"))),
                    ),
                    "0",
                )
            ],
            intervals=[Spread(1, "1", "1", "1", "1")],
        ),
        ("1", "0"),
        ({"q": (0,)}, {"q": (1,)}, {}, (True,)),
        "two noises may be moved to one",
    ),
    "an interval lies in the other": (
        MOVED,
        coupled(
            [
                (
                    Branch(
                        f"not ({DIFFERENT})", "0",
                        Branch(
                            "output()",
                            Branch(
                                "0 <= draw() and draw() <= 1", Subset(("0", "1"), ("10", "11")),
                                Branch("draw() > 1", "1000", "-1000"),
                            ),
                            Branch(
                                "0 <= draw() and draw() <= 1", "10", Branch("10 <= draw() and draw() <= 11", "-10", "0")
                            ),
                        ),
                    ),
                    "0",
                )
            ],
            ghost="output",
            bad=[Tail(1, 1, "True", "above", "10", "10", "1")],
            intervals=[Spread(1, "0", "1", "1", "0")],
        ),
        ("0", "exp(-10) / 2"),
        ({"q": (0,)}, {"q": (1,)}, {}, (True,)),
        "may not lie in the first's",
    ),
    "an interval loses no more than is stated": (
        SHORT,
        coupled(
            [(where("0 <= draw() and draw() < 4", Subset(("0", "4"), ("0", "1"))), "0")],
            intervals=[Spread(1, "0.1", "1", "1", "0.2")],
        ),
        ("0.2", "0"),
        ({"q": (0,)}, {"q": (1,)}, {}, (True,)),
        "may differ by more than is stated",
    ),
    "an interval is as wide as is stated": (
        SHORT,
        coupled(
            [(where("0 <= draw() and draw() < 4", Subset(("0", "4"), ("0", "1"))), "0")],
            intervals=[Spread(1, "3", "10", "1", "0.5")],
        ),
        ("0.5", "0"),
        ({"q": (0,)}, {"q": (1,)}, {}, (True,)),
        "may be narrower than is stated",
    ),
    "noise lies in the interval": (
        SHORT,
        coupled(
            [(where("0 <= draw() and draw() < 4", Subset(("0", "1"), ("0", "1"))), "0")],
            intervals=[Spread(1, "0", "1", "1", "0")],
        ),
        ("0", "0"),
        ({"q": (0,)}, {"q": (1,)}, {}, (True,)),
        "the noise may lie above the interval",
    ),
    "every use is counted": (
        OFTEN,
        coupled(
            [(where("0 <= draw() and draw() < 10", Subset(("0", "10"), ("0", "9"))), "0")],
            ["hat(count) == 0 and cost(1) <= 0"],
            intervals=[Spread(1, "1", "9", "1", "0.2")],
        ),
        ("0.2", "0"),
        ({"q": (0,)}, {"q": (1,)}, {"k": Fraction(4)}, (4,)),
        "more often than is stated",
    ),
    "paired draws have one scale": (
        LARGE,
        coupled([("-hat(x)", "1"), ("0", "1")], pairs=[Pairing(1, 2, "x"), Pairing(2, 1, "-other(x)")]),
        ("3 / 2 * epsilon", None),
        None,
        "may have different scales",
    ),
}  # fmt: skip


def certificate(name):
    text, proof, (bound, delta), _, _ = CASES[name]
    claim = text.split("claim=", 1)[1].split("\n", 1)[0].removesuffix(")")
    text = HEAD + text.replace(claim, repr((bound, delta) if delta is not None else bound), 1)
    return certified(text, proof, bound, delta), text


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[3] is not None])
def test_the_program_is_not_private(name):
    _, text = certificate(name)
    left, right, public, answer = CASES[name][3]
    module = parse_text(text, "p.py")
    chances_ = [[probability(module, "f", {**each, **public}, one) for one in answer] for each in (left, right)]
    one, two = sum(each.lower for each in chances_[0]), sum(each.upper for each in chances_[1])
    claim = module["f"].claim
    epsilon, delta = (enclosed(each, {**left, **public}).upper for each in (claim.epsilon, claim.delta))
    assert float(one) > exp(epsilon) * float(two) + float(delta) + 1e-9


@pytest.mark.parametrize("name", CASES)
def test_its_certificate_is_rejected_for_that_reason(name, monkeypatch):
    monkeypatch.setattr(Inputs, "_rising", lambda self, _parameter: self.terms.truth(True))  # in one order only
    verdict = check_certificate(*certificate(name))
    assert isinstance(verdict, Rejected), verdict
    assert CASES[name][-1] in verdict.reason


@pytest.mark.parametrize("name", CASES)
def test_without_the_condition_it_would_be_accepted(name, monkeypatch):
    asked = Setting.ask

    def ask(self, state, goal, node, reason):
        if CASES[name][-1] not in reason:
            asked(self, state, goal, node, reason)

    monkeypatch.setattr(Setting, "ask", ask)
    monkeypatch.setattr(tails, "confirm_own", lambda *_: None)
    monkeypatch.setattr(Inputs, "_rising", lambda self, _parameter: self.terms.truth(True))  # in one order only
    monkeypatch.setattr(Quotient, "agrees", lambda *_: True)
    verdict = check_certificate(*certificate(name))
    assert isinstance(verdict, Proved), verdict


#: which noise is drawn is public; where ε is below 0 the claim is below 0, and the other noise is drawn all the same
EITHER = """
@mechanism(x=within(1), claim=("0", "exp(-threshold) / 2 + exp(-epsilon * threshold) / 2 + 100 * epsilon"))
def f(x: float, first: bool, threshold: float, epsilon: float) -> bool:
    assert threshold >= 1
    if first:
        if laplace(1) > threshold:
            return x > 0
    elif laplace(1 / epsilon) > threshold:
        return x > 0
    return False
"""


def test_no_scale_is_above_zero_only_because_another_draw_is_made(monkeypatch):
    tails = [Tail(site, 1, "True", "above", "threshold", "threshold", "1") for site in (1, 2)]
    text = HEAD + EITHER
    claim = EITHER.split('"')[3]
    certificate = certified(text, coupled([("0", "0"), ("0", "0")], bad=tails), "0", claim)
    found = check_certificate(certificate, text)
    assert isinstance(found, Rejected), found
    assert "not known to be above 0" in found.reason
    monkeypatch.setattr(certificates, "scales_known", lambda scales, _made, **_: [list(scales.values())])
    assert isinstance(check_certificate(certificate, text), Proved)


def test_where_nothing_is_drawn_nothing_is_asked_of_a_scale():
    text = HEAD + EITHER.replace("laplace(1)", "laplace(1 / epsilon)").replace('"exp(-threshold) / 2 + ', '"')
    tails = [Tail(site, 1, "True", "above", "threshold", "threshold", "1") for site in (1, 2)]
    claim = "2 * exp(-epsilon * threshold) / 2"
    text = text.replace("exp(-epsilon * threshold) / 2 + 100 * epsilon", claim)
    certificate = certified(text, coupled([("0", "0"), ("0", "0")], bad=tails), "0", claim)
    assert isinstance(check_certificate(certificate, text), Proved)


#: where n is 0 the number itself is answered, and no noise is drawn that would have a scale
UNGUARDED = """
@mechanism(x=within(1), claim=("epsilon", "0"))
def f(x: float, n: int, epsilon: float) -> float:
    assert epsilon > 0
    if n >= 1:
        v = laplace(n / epsilon)
        return x + v
    return x
"""


def test_an_interval_has_a_width_where_nothing_is_drawn(monkeypatch):
    """Of a width of n, known to be above 0, everything would be proved of n = 0."""
    text = HEAD + UNGUARDED
    proof = coupled([("-hat(x)", "n")], intervals=[Spread(1, "0", "n", "0", "0")])
    certificate = certified(text, proof, "epsilon", "0")
    assert isinstance(check_certificate(certificate, text), Rejected)
    whole = certificates.scales_known
    monkeypatch.setattr(certificates, "scales_known", lambda *known, **_: whole(*known, widths=False))
    assert isinstance(check_certificate(certificate, text), Proved)
