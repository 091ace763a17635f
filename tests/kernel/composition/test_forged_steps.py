"""Proofs by composition, written by hand, of programs that lose more than they say: each is rejected."""

from dataclasses import replace

import pytest

from lapwing.kernel.evidence.certificate import Certificate, Composed, Cost, Fold, Sensitivity
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.program import printer
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source import parse_text
from tests.search.privacy.proving import unproved


@pytest.fixture(autouse=True)
def any_source(monkeypatch):
    """Whoever forges a certificate computes the fingerprints, too: here they are all the same."""
    monkeypatch.setattr(printer, "fingerprint", lambda *_: "any")


def stated(bound, proof, claim=None):
    return Certificate("forged.py", "f", "any", "epsilon", bound, claim, proof)


def step(statements, bound):
    return Stretch(statements, "step", stated(bound, Fold()))


def loop(bound, rounds):
    return Stretch(1, "loop", stated(bound, Fold()), rounds=rounds)


def public(statements=1):
    return Stretch(statements, "public")


def branch(*then):
    return Stretch(1, "branch", then=then)


def spending(*then, account="spent", limit="budget"):
    return Stretch(1, "spending", account=account, limit=limit, then=then)


def checked(text, bound, *parts):
    module = parse_text(f"from lapwing import laplace, mechanism, one, within\n{text}")
    claim = module["f"].claim and bound
    return check_certificate(stated(bound, Composed(parts), claim), module)


#: Each step has its bound where that is above 0, and costs nothing where it is below: nothing is drawn there.
TWO_STEPS = """
@mechanism(x=within(1), claim="k + j")
def f(x: float, k: float, j: float) -> tuple[float, float]:
    a = 0.0
    if k > 0:
        a = x + laplace(1 / k)
    b = 0.0
    if j > 0:
        b = x + laplace(1 / j)
    return (a, b)
"""
STEPS = (public(), step(1, "k"), public(), step(1, "j"), public())


def test_a_step_whose_bound_is_below_zero_pays_for_no_other():
    """With k = -5 and j = 6 the claim is 1, and the loss 6."""
    assert isinstance(checked(TWO_STEPS, "k + j", *STEPS), Rejected)
    assert isinstance(checked(TWO_STEPS.replace(', claim="k + j"', ""), "k + j", *STEPS), Rejected)
    sound = TWO_STEPS.replace("    a = 0.0", "    assert k >= 0 and j >= 0\n    a = 0.0")
    assert isinstance(checked(sound, "k + j", *STEPS), Proved)
    module = parse_text(f"from lapwing import laplace, mechanism, within\n{TWO_STEPS}")
    assert refute(Subject(module, module["f"])).violation is not None


#: With n = 0, e = -5 and k = 6 the claim is 1, and the loss 6.
NO_ROUNDS = """
@mechanism(q=one(1), claim="k + e")
def f(q: list[float], n: int, e: float, k: float) -> tuple[list[float], float]:
    assert k > 0
    out = []
    for i in range(n):
        out.append(q[i] + laplace(1 / e))
    y = sum(q) + laplace(1 / k)
    return (out, y)
"""


def test_rounds_apart_that_are_not_made_pay_for_no_other():
    parts = public(), Stretch(1, "parallel", stated("e", Sensitivity((Cost(1, "1", "e"),)))), step(2, "k"), public()
    assert isinstance(checked(NO_ROUNDS, "k + e", *parts), Rejected)
    assert isinstance(checked(NO_ROUNDS.replace("k > 0", "k > 0 and e > 0"), "k + e", *parts), Proved)


EITHER = """
@mechanism(x=within(1))
def f(x: float, k: float, j: float) -> tuple[float, float]:
    assert j > 0
    a = 0.0
    b = 0.0
    if j > 1:
        if k > 0:
            a = x + laplace(1 / k)
        b = x + laplace(1 / (2 * j))
    else:
        if k > 0:
            a = x + laplace(1 / k)
        b = x + laplace(1 / j)
    return (a, b)
"""


def test_the_dearer_of_two_ways_is_not_told_by_bounds_below_zero():
    """With k = -5 the ways cost 2 j and j, and not 2 j - 5."""
    sides = (step(1, "k"), step(2, "2 * j")), (step(1, "k"), step(2, "j"))
    parts = (public(2), Stretch(1, "branch", then=sides[0], otherwise=sides[1]), public())
    assert isinstance(checked(EITHER, "k + 2 * j", *parts), Rejected)
    sound = EITHER.replace("assert j > 0", "assert j > 0 and k >= 0")
    assert isinstance(checked(sound, "k + 2 * j", *parts), Proved)


#: With n = -1, e = budget = 1 every round lowers the account by 1 and pays 1, so that the loss is ``times``.
REFUNDED = """
@mechanism(x=within(1), claim="budget")
def f(x: float, n: int, e: float, budget: float, times: int) -> list[float]:
    assert budget >= 0
    spent = 0.0
    out = []
    for t in range(times):
        if spent + n * e <= budget:
            for i in range(n):
                out.append(x + laplace(1 / e))
            spent += n * e
        if spent + e <= budget:
            y = x + laplace(1 / e)
            out.append(y)
            spent += e
    return out
"""


def test_a_loop_that_does_not_turn_is_not_refunded():
    round_ = branch(loop("e", "n"), public()), branch(step(2, "e"), public(2))
    assert isinstance(checked(REFUNDED, "budget", public(2), spending(*round_), public()), Rejected)
    sound = REFUNDED.replace("budget >= 0", "budget >= 0 and n >= 1 and e > 0")
    assert isinstance(checked(sound, "budget", public(2), spending(*round_), public()), Proved)


def test_ways_through_a_round_are_counted_as_they_come():
    """Forty branches that pay nothing are 2**40 ways; they were counted when all were there."""
    idle = "        if spent < 1:\n            out.append(0.0)\n"
    text = REFUNDED.replace("        if spent + n", 40 * idle + "        if spent + n", 1)
    told = checked(text, "budget", public(2), spending(*(branch(public()) for _ in range(40))), public())
    assert told.reason.endswith("there are more than 64 ways through a round")


#: The account holds after a payment what it held before: both variables are computed from it, at different times.
FORGETTING = """
@mechanism(x=within(1), claim="budget")
def f(x: float, e: float, budget: float, times: int) -> list[float]:
    assert budget >= 0 and e > 0
    spent = 0.0
    out = []
    for t in range(times):
        begun = spent
        if spent + e <= budget:
            y = x + laplace(1 / e)
            out.append(y)
            spent += e
            less = 0 - spent
            spent += less + begun
    return out
"""


def test_what_is_computed_from_an_account_is_no_formula():
    round_ = public(), branch(step(2, "e"), public(4))
    assert isinstance(checked(FORGETTING, "budget", public(2), spending(*round_), public()), Rejected)
    sound = FORGETTING.replace("spent += less + begun", "spent += 0")
    assert isinstance(checked(sound, "budget", public(2), spending(*round_), public()), Proved)


#: With x above 0 there is no answer at all, and with x = 0 there is one.
ENDLESS = """
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    y = x
    while y > 0:
        y = y + 1
    z = x + laplace(1 / epsilon)
    return z
"""


def test_private_values_do_not_decide_whether_there_is_an_answer():
    parts = Stretch(2, "private"), step(2, "epsilon"), public()
    assert isinstance(checked(ENDLESS, "epsilon", *parts), Rejected)
    ending = ENDLESS.replace("while y > 0:", "for i in range(3):")
    assert isinstance(checked(ending, "epsilon", *parts), Proved)
    assert unproved(f"from lapwing import laplace, mechanism, within\n{ENDLESS}", "f")


#: With q = 0 the first step has no bound, and the loss is 1 / b, for any b above 0.
CANCELLED = """
@mechanism(x=within(1), claim="e")
def f(x: float, e: float, q: float, b: float, c: float, way: bool) -> tuple[float, float]:
    assert e > 0 and b > 0 and c > 0
    assert q >= 2 or q == 0
    assert b * e >= q
    assert c * (e * q - e) >= q or q == 0
    s = 0.0
    t = 0.0
    if way:
        s = x + laplace(b)
        t = x + laplace(c)
    else:
        s = 1.0
        t = x + laplace(1 / e)
    return (s, t)
"""


def test_what_two_bounds_divide_by_is_not_cancelled_by_their_sum():
    steps = step(2, "e / q"), step(2, "e - e / q")
    parts = public(2), Stretch(1, "branch", then=steps, otherwise=(public(), step(2, "e"))), public()
    assert isinstance(checked(CANCELLED, "e", *parts), Rejected)
    sound = CANCELLED.replace(" or q == 0", "")
    assert isinstance(checked(sound, "e", *parts), Proved)


#: With q = 0 the chance p of telling x is any.
CANCELLED_DELTAS = """
@mechanism(x=within(1), claim=("0", "d"))
def f(x: float, d: float, q: float, p: float, r: float) -> tuple[float, float]:
    assert d > 0
    assert q >= 2 or q == 0
    assert p * q <= d
    assert r * q <= d * q - d or q == 0
    one = flip(p)
    s = x if one else 0.0
    two = flip(r)
    t = x if two else 0.0
    return (s, t)
"""


def test_what_two_deltas_divide_by_is_not_cancelled_by_their_sum():
    def seldom(delta):
        without = Stretch(3, "unlikely", stated("0", Fold()))
        inner = Certificate("forged.py", "f", "any", "approximate", "0", None, Composed((without,)), delta)
        return Stretch(2, "step", inner)

    def outcome(text):
        module = parse_text(f"from lapwing import flip, mechanism, within\n{text}")
        proof = Composed((seldom("d / q"), seldom("d - d / q"), public()))
        return check_certificate(Certificate("forged.py", "f", "any", "approximate", "0", "0", proof, "d", "d"), module)

    assert isinstance(outcome(CANCELLED_DELTAS.replace(" or q == 0", "")), Proved)
    assert isinstance(outcome(CANCELLED_DELTAS), Rejected)


#: The second mechanism hides x behind next to nothing; the first, which it calls, behind a lot.
QUIET_AND_LOUD = """
@mechanism(x=within(1))
def quiet(x: float) -> float:
    return x + gaussian(1000)

@mechanism(x=within(1))
def f(x: float, delta: float) -> tuple[float, float]:
    assert delta > 0
    a = quiet(x)
    return (a, x + gaussian(0.001))
"""


@pytest.mark.parametrize(
    ("kind", "price", "loud"),
    [("concentrated", None, QUIET_AND_LOUD), ("gaussian", "1", QUIET_AND_LOUD.replace("a = quiet(x)", "a = 0.0"))],
)
def test_the_certificate_of_another_mechanism_says_nothing_of_the_whole_body(kind, price, loud):
    """Accepted once: a whole body in ρ was proved by the certificate of whatever stands beside it."""
    module = parse_text(f"from lapwing import gaussian, mechanism, within\n{loud}")
    rho = "1 / 2000000"
    inner = Certificate("forged.py", "quiet", "any", "rho", rho, None, Sensitivity((Cost(1, "1", rho),)))
    assert isinstance(check_certificate(inner, module), Proved)
    part = Stretch(len(module["f"].body), kind, inner, slack="delta" if price is None else "1 / 2", price=price)
    bound = f"{rho} + 2 * sqrt({rho} * ln(1 / delta))" if price is None else price
    forged = Certificate("forged.py", "f", "any", "approximate", bound, None, Composed((part,)), delta=part.slack)
    told = check_certificate(forged, module)
    assert isinstance(told, Rejected)
    assert told.reason == "a step has the certificate of something else"


#: With n = -1 no round is made, and the δ that is claimed is that of one call less than there is.
REFUNDED_DELTAS = """
@mechanism(x=within(1))
def leaf(x: float, e: float, d: float) -> float:
    assert e > 0 and 0 < d < 1 / 10
    one = flip(d)
    y = x + laplace(1 / e)
    return x if one else y

@mechanism(x=within(1))
def many(x: float, n: int, e: float, d: float) -> list[float]:
    assert e > 0 and 0 < d < 1 / 10
    out = []
    for i in range(n):
        out.append(leaf(x, e, d))
    return out

@mechanism(x=within(1))
def f(x: float, n: int, e: float, d: float) -> tuple[list[float], float]:
    assert e > 0 and 0 < d < 1 / 10
    out = []
    for i in range(n):
        out.append(leaf(x, e, d))
    y = leaf(x, e, d)
    return (out, y)
"""
TAIL = """    out = many(x, n, e, d)
    y = leaf(x, e, d)
    return (out, y)
"""
CALLED = REFUNDED_DELTAS.rpartition("    out = []")[0] + TAIL
#: At least n e for all n, and at least 0; with a logarithm in it nobody asks whether it is what the rounds add up to.
ROOMY = "(n * n + 1) * e + 0 * ln(2)"


def composed(name, bound, delta, *parts):
    return Certificate("forged.py", name, "any", "approximate", bound, None, Composed(parts), delta)


def refunded_deltas(text, name, *first):
    """The program's first statements are proved as ``name`` is, with rounds that cost (n e, n d), and one call more."""
    unlikely = Stretch(4, "unlikely", replace(stated("e", Fold()), function="leaf"))
    call = Stretch(1, "call", composed("leaf", "e", "d", unlikely))
    turn = Stretch(1, "loop", composed(name, "e", "d", call, public(2)), rounds="n")
    rounds = composed(name, ROOMY, "n * d", public(), turn, public())
    (statements, kind) = first
    module = parse_text(f"from lapwing import flip, laplace, mechanism, within\n{text}")
    parts = Stretch(statements, kind, rounds), call, public()
    return check_certificate(composed("f", f"{ROOMY} + e", "(n + 1) * d", *parts), module)


@pytest.mark.parametrize(
    ("text", "name", "statements", "kind"), [(REFUNDED_DELTAS, "f", 2, "step"), (CALLED, "many", 1, "call")]
)
def test_rounds_that_are_not_made_pay_for_no_other_delta(text, name, statements, kind):
    """Accepted once: an ε above 0 was taken for a sign that the δ is not below 0."""
    assert isinstance(refunded_deltas(text, name, statements, kind), Rejected)
    sound = text.replace("assert e > 0", "assert n >= 0 and e > 0").replace("assert n >= 0 and", "assert", 1)
    assert isinstance(refunded_deltas(sound, name, statements, kind), Proved)
