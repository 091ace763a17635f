"""Invariants by Horn clauses: proofs do not depend on how a program spells its tests and loops."""

import pytest
import z3

from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program.printer import show
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.horn import _written
from lapwing.search.privacy.linear import word
from tests.search.privacy.proving import proved, unproved

HEAD = "from lapwing import each, laplace, mechanism\n\n"
RIGHT = {
    "noisy max, no index yet": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    where_ = -1
    best = 0.0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if where_ < 0 or v > best:
            where_ = i
            best = v
    return where_
""",
    "noisy max, no index yet, the last of the largest": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    w = -1
    best = 0.0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if w == -1 or v >= best:
            w = i
            best = v
    return w
""",
    "noisy max, first as a truth value": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    first = True
    w = 0
    best = 0.0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if first or v > best:
            w = i
            best = v
        first = False
    return w
""",
    "noisy max, while": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    i = 0
    w = 0
    best = 0.0
    while i < len(q):
        v = q[i] + laplace(2 / epsilon)
        if i == 0 or v > best:
            w = i
            best = v
        i += 1
    return w
""",
    "noisy max, nested tests": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    w = 0
    best = 0.0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            w = i
            best = v
        elif not v <= best:
            w = i
            best = v
    return w
""",
    "noisy max, conditional expressions": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    w = 0
    best = 0.0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        w = i if i == 0 or v > best else w
        best = v if i == 0 or v > best else best
    return w
""",
    "noisy min, no index yet": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    w = -1
    best = 0.0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if w < 0 or v < best:
            w = i
            best = v
    return w
""",
    "first above, return": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> int:
    u = t + laplace(2 / epsilon)
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= u:
            return i
    return len(q)
""",
    "first above, none found yet": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> int:
    u = t + laplace(2 / epsilon)
    found = -1
    for i, x in enumerate(q):
        v = x + laplace(4 / epsilon)
        if found < 0 and v >= u:
            found = i
    return found
""",
    "first above, break": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> int:
    u = t + laplace(2 / epsilon)
    found = -1
    for i, x in enumerate(q):
        v = x + laplace(4 / epsilon)
        if v >= u:
            found = i
            break
    return found
""",
    "sparse vector, while": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    i = 0
    while c < n and i < len(q):
        if q[i] + laplace(4 * n / epsilon) >= u:
            out.append(True)
            c += 1
        else:
            out.append(False)
        i += 1
    return out
""",
    "sparse vector, break": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    for x in q:
        if x + laplace(4 * n / epsilon) >= u:
            out.append(True)
            c += 1
            if c == n:
                break
        else:
            out.append(False)
    return out
""",
    "sparse vector, return": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    for x in q:
        if x + laplace(4 * n / epsilon) >= u:
            out.append(True)
            c += 1
            if c >= n:
                return out
        else:
            out.append(False)
    return out
""",
    "sparse vector, counting down": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    left = n
    for x in q:
        if left > 0:
            above = x + laplace(4 * n / epsilon) >= u
            out.append(above)
            if above:
                left -= 1
    return out
""",
    "sparse vector, not below": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    for x in q:
        if c < n:
            if not (x + laplace(4 * n / epsilon) < u):
                out.append(True)
                c += 1
            else:
                out.append(False)
    return out
""",
    "sparse vector, gap": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    for x in q:
        if c < n:
            gap = x + laplace(4 * n / epsilon) - u
            if gap >= 0:
                out.append(True)
                c += 1
            else:
                out.append(False)
    return out
""",
    "sparse vector, counting the noes": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, n: int, epsilon: float) -> list[bool]:
    assert n >= 1
    u = t + laplace(2 / epsilon)
    out = []
    c = 0
    for x in q:
        if c < n:
            if x + laplace(4 * n / epsilon) >= u:
                out.append(True)
            else:
                out.append(False)
                c += 1
    return out
""",
    "sparse vector, done": """@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> list[bool]:
    u = t + laplace(2 / epsilon)
    out = []
    done = False
    for x in q:
        if not done:
            if x + laplace(4 / epsilon) >= u:
                out.append(True)
                done = True
            else:
                out.append(False)
    return out
""",
}
WRONG = {
    "the best is never kept": RIGHT["noisy max, no index yet"].replace("            best = v\n", ""),
    "half the noise": RIGHT["noisy max, first as a truth value"].replace("laplace(2", "laplace(1"),
    "no noise on the threshold": RIGHT["sparse vector, while"].replace("t + laplace(2 / epsilon)", "t"),
    "no stop": RIGHT["sparse vector, break"].replace("            if c == n:\n                break\n", ""),
    "little noise on the answers": RIGHT["first above, none found yet"].replace("laplace(4", "laplace(2"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_proved_however_it_is_spelt(name):
    assert proved(HEAD + RIGHT[name]).bound == "epsilon"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not(name):
    assert WRONG[name] not in RIGHT.values()
    assert unproved(HEAD + WRONG[name])


def test_an_answer_of_the_solver_is_written_as_it_is_meant():
    x, n, b = z3.Real("x"), z3.Int("n"), z3.Bool("b")
    names = {x.get_id(): word("hat", "x"), n.get_id(): formula("n"), b.get_id(): formula("done")}
    for term, text in (
        (z3.And(x - z3.ToReal(n) <= 0, z3.Not(b)), "hat(x) <= n and not done"),
        (z3.Or(b, x + z3.RealVal(-1) * z3.ToReal(n) >= z3.RealVal("1/2")), "done or 0.5 <= hat(x) - n"),
        (z3.If(b, x, z3.RealVal(0)) == 2 * x, "(hat(x) if done else 0) == 2 * hat(x)"),
    ):
        assert show(_written(term, names)) == text
    with pytest.raises(Blocked):
        _written(n % 2 == 0, names)
