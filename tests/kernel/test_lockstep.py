"""Two runs in lockstep: they may part at branches, loops and answers, and no proof is had by parting."""

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.certificate import Branch
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.certificates import certify, coupling

HEAD = "from lapwing import each, flip, laplace, mechanism, within\n\n\n"
FIRST_ABOVE = (
    HEAD
    + """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> int:
    u = t + laplace(2 / epsilon)
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= u:
            return i
    return len(q)
"""
)
BREAK = (
    HEAD
    + """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> int:
    u = t + laplace(2 / epsilon)
    found = -1
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= u:
            found = i
            break
    return found
"""
)
NOES = (
    HEAD
    + """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    for x in q:
        if c < limit:
            if x + laplace(4 * limit / epsilon) >= u:
                out.append(True)
            else:
                out.append(False)
                c += 1
    return out
"""
)
AT_THE_ANSWER = Branch("i == output()", "1 - hat(x)", "0")
BEFORE = "round(1) <= output() and not answered() and not other(answered()) and cost(2) <= 0"
AFTER = "round(1) > output() and not answered() and cost(2) <= 2"


def verdict(text, proof, bound="epsilon"):
    return check_certificate(certify("p.py", text, proof, bound), text)


def first_above(invariant, shift=AT_THE_ANSWER, totals=("1", "2"), threshold="1"):
    return coupling([(threshold, totals[0]), (shift, totals[1])], [invariant], "output")


def test_one_run_may_answer_while_the_other_goes_on():
    """Past the answer considered the first run cannot give it any more, so the second may do what it likes."""
    assert isinstance(verdict(FIRST_ABOVE, first_above(f"{BEFORE} or {AFTER}")), Proved)


@pytest.mark.parametrize(
    "proof",
    [
        first_above(AFTER.replace("round(1) > output() and ", "")),
        first_above("cost(2) <= 2"),
        first_above("True"),
        first_above(f"{BEFORE} or {AFTER}", totals=("1", "1")),
        first_above(f"{BEFORE} or {AFTER}", totals=("0", "2")),
        first_above(f"{BEFORE} or {AFTER}", threshold="0"),
        first_above(f"{BEFORE} or {AFTER}", shift="0"),
        first_above(f"{BEFORE} or {AFTER}", shift=Branch("i == output()", "1", "0")),
        first_above(f"{BEFORE} or {AFTER} or other(answered())"),
        first_above(f"{BEFORE} or {AFTER} or answered() and other(answer()) == output()"),
    ],
)
def test_and_nothing_else(proof):
    for bound in ("epsilon", "3 / 4 * epsilon", "epsilon / 2"):
        assert isinstance(verdict(FIRST_ABOVE, proof, bound), Rejected)


def test_one_run_may_break_while_the_other_goes_on():
    still = "not left(1) and not other(left(1)) and cost(2) <= 0 and found == -1 and hat(found) == 0"
    before, none = f"round(1) <= output() and {still}", f"output() < 0 and {still}"
    after = "round(1) > output() and output() >= 0 and not left(1) and cost(2) <= 2 and found == -1"
    elsewhere = "left(1) and found != output()"
    proof = first_above(f"{before} or {after} or {none} or {elsewhere}")
    assert isinstance(verdict(BREAK, proof), Proved)
    for wrong in (f"{before} or {after} or {none}", f"{before} or {none} or {elsewhere}", f"{before} or True"):
        assert isinstance(verdict(BREAK, first_above(wrong)), Rejected)


def noes(shift=Branch("next(out)", "0", "-1 - hat(x)"), totals=("1", "2 * limit"), ghost="lists", threshold="-1"):  # noqa: B008  # nobody changes it
    return coupling(
        [(threshold, totals[0]), (shift, totals[1])], ["hat(c) == 0 and c <= limit and cost(2) <= 2 * c"], ghost
    )


def test_what_comes_next_in_the_answer_may_be_known_in_advance():
    """Asked in order, the first branch would be compared before it is known that the first run takes the other."""
    assert isinstance(verdict(NOES, noes()), Proved)
    for wrong in (
        noes(ghost="none"),
        noes(ghost="output"),
        noes(shift=Branch("next(out)", "-1 - hat(x)", "0")),
        noes(shift=Branch("not next(out)", "0", "-1 - hat(x)")),
        noes(threshold="1"),
        noes(shift="0"),
        noes(totals=("1", "limit")),
        noes(shift=Branch("next(c)", "0", "-1 - hat(x)")),
    ):
        assert isinstance(verdict(NOES, wrong), Rejected)


@pytest.mark.parametrize(
    "change",
    [
        ("    out = []\n", "    out = []\n    out = []\n"),  # a list that begins again says nothing of its end
        ("    return out", "    return [len(out)]"),  # a list that is no answer
        ("out.append(False)", "out.append(x > t)"),
        ("                c += 1\n", "                c += 1\n                out = []\n"),
    ],
)
def test_only_of_a_list_that_is_answered(change):
    text = NOES.replace(*change).replace(
        "-> list[bool]", "-> list[int]" if "len(out)" in change[1] else "-> list[bool]"
    )
    assert text != NOES
    assert isinstance(verdict(text, noes()), Rejected)


def test_a_list_of_numbers_has_no_next_element():
    text = (
        NOES.replace("list[bool]", "list[float]")
        .replace("append(True)", "append(x)")
        .replace("append(False)", "append(0.5)")
    )
    for guard in ("next(out) > 0.5", "next(out)", "next(out) == 0.5"):
        assert isinstance(verdict(text, noes(shift=Branch(guard, "0", "-1 - hat(x)"))), Rejected)


# --- the second run ends --------------------------------------------------------------------------------------------

COUNTING = (
    HEAD
    + """@mechanism(x=within(1))
def f(x: int) -> int:
    k = 0
    y = x
    while y > 0:
        y = y - 1
        k = k + 1
    return k
"""
)


@pytest.mark.parametrize(
    "invariant",
    ["True", "k >= 0", "k <= output()", "hat(k) == 0", "k == round(1) and other(k) == round(1)", "hat(y) == 0",
     "y + k == x and other(y) + other(k) == other(x)"],
)  # fmt: skip
def test_a_second_run_that_never_ends_proves_nothing(invariant):
    for ghost in ("none", "output"):
        assert isinstance(verdict(COUNTING, coupling([], [invariant], ghost), "0"), Rejected)


def test_one_run_alone_goes_round_no_while():
    text = COUNTING.replace("while y > 0:\n", "while True:\n        if y <= 0:\n            break\n")
    for invariant in ("True", "not left(1)", "left(1) or not left(1)", "other(left(1)) or True"):
        for ghost in ("none", "output"):
            assert isinstance(verdict(text, coupling([], [invariant], ghost), "0"), Rejected)


# --- draws of one run ---------------------------------------------------------------------------------------------

ALONE = (
    HEAD
    + """@mechanism(x=within(1), claim="epsilon")
def f(x: float, t: float, epsilon: float) -> float:
    z = 0.0
    if x > t:
        z = laplace(1 / epsilon)
    return x + RELEASED + laplace(1 / epsilon)
"""
)


def test_a_draw_of_one_run_alone_is_free_and_hides_nothing():
    proof = coupling([("0", "0"), ("-hat(x)", "1")])
    assert isinstance(verdict(ALONE.replace("RELEASED + ", ""), proof), Proved)
    for shift in ("-hat(x)", "-hat(x) - hat(z)", "-hat(z)"):
        proof = coupling([("0", "0"), (shift, "1")])
        assert isinstance(verdict(ALONE.replace("RELEASED", "z"), proof), Rejected)


def test_a_coin_of_one_run_alone():
    text = (
        HEAD
        + """@mechanism(x=within(1))
def f(x: int) -> bool:
    c = False
    if x > 0:
        c = flip(0.5)
    return c
"""
    )
    for ghost in ("none", "output"):
        assert isinstance(verdict(text, coupling([], ghost=ghost), "0"), Rejected)
    harmless = text.replace("return c", "return x == x")
    assert isinstance(verdict(harmless, coupling([]), "0"), Proved)
