"""Gaps in many spellings, loops in branches, and draws on both sides of one; and wrong neighbours of these."""

import pytest

from tests.search.privacy.proving import proved, unproved

RIGHT = {
    "gap_minmax": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
    best = 0.0
    second = 0.0
    index = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            best = v
        elif i == 1:
            second = min(best, v)
            index = 1 if v > best else 0
            best = max(best, v)
        else:
            second = max(second, min(best, v))
            index = i if v > best else index
            best = max(best, v)
    return (index, best - second)
""",
    "gap_before_loop": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
    assert len(q) >= 2
    best = q[0] + laplace(2 / epsilon)
    second = 0.0
    index = 0
    for i in range(1, len(q)):
        v = q[i] + laplace(2 / epsilon)
        if v > best:
            second = best
            best = v
            index = i
        elif i == 1 or v > second:
            second = v
    return (index, best - second)
""",
    "gap_where2": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
    best = 0.0
    second = 0.0
    where = -1
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if where < 0:
            best = v
            where = i
        elif v > best:
            second = best
            best = v
            where = i
        elif i == 1 or v > second:
            second = v
    return (where, best - second)
""",
    "gap_plain_list": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> list[float]:
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
    return [index, best - second]
""",
    "sv_if_large_var": """
from lapwing import added, each, exponential, falls, flip, laplace, mechanism, monotone, one, replaced, rises, within
@mechanism(size=within(1), q=each(1), claim="epsilon")
def m(size: float, q: list[float], least: float, threshold: float, epsilon: float) -> int:
    answer = -1
    noisy = size + laplace(2 / epsilon)
    if noisy >= least:
        bar = threshold + laplace(4 / epsilon)
        answer = len(q)
        for i, x in enumerate(q):
            if x + laplace(8 / epsilon) >= bar:
                answer = i
                break
    return answer
""",
    "sv_if_large_list": """
from lapwing import added, each, exponential, falls, flip, laplace, mechanism, monotone, one, replaced, rises, within
@mechanism(size=within(1), q=each(1), claim="epsilon")
def m(size: float, q: list[float], least: float, threshold: float, epsilon: float) -> list[bool]:
    out = []
    if size + laplace(2 / epsilon) >= least:
        bar = threshold + laplace(4 / epsilon)
        found = False
        for x in q:
            if not found:
                found = x + laplace(8 / epsilon) >= bar
                out.append(found)
    return out
""",
    "both_branches_return": """
from lapwing import added, each, exponential, falls, flip, laplace, mechanism, monotone, one, replaced, rises, within
@mechanism(x=within(1), claim="epsilon")
def m(x: float, epsilon: float) -> float:
    if x > 0:
        return x + laplace(1 / epsilon)
    return laplace(1 / epsilon)
""",
    "sv_sensitivity_d_split": """
from lapwing import added, each, exponential, falls, flip, laplace, mechanism, monotone, one, replaced, rises, within
@mechanism(q=each("d"), claim="epsilon")
def m(q: list[float], threshold: float, limit: int, d: float, epsilon: float) -> list[bool]:
    assert limit >= 1 and d > 0
    e1 = epsilon / 3
    e2 = epsilon - e1
    t = threshold + laplace(d / e1)
    out = []
    count = 0
    i = 0
    while i < len(q) and count < limit:
        if q[i] + laplace(2 * limit * d / e2) >= t:
            out.append(True)
            count += 1
        else:
            out.append(False)
        i += 1
    return out
""",
}
WRONG = {
    "W_half": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
    best = 0.0
    second = 0.0
    index = 0
    for i, x in enumerate(q):
        v = x + laplace(1 / epsilon)
        if i == 0:
            best = v
        elif v > best:
            second = best
            best = v
            index = i
        elif i == 1 or v > second:
            second = v
    return (index, best - second)
""",
    "W_value": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
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
    return (index, best)
""",
    "W_stale": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
    best = 0.0
    second = 0.0
    index = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            best = v
        elif v > best:
            best = v
            index = i
        elif i == 1 or v > second:
            second = v
    return (index, best - second)
""",
    "W_stop": """
from lapwing import each, exponential, laplace, mechanism, monotone
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> tuple[int, float]:
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
            if v > 10:
                break
        elif i == 1 or v > second:
            second = v
    return (index, best - second)
""",
    "loop_in_private_branch": """
from collections.abc import Callable
from lapwing import answers, each, exponential, flip, gaussian, laplace, mechanism, one, within
@mechanism(x=within(1), q=each(1), claim="epsilon")
def m(x: float, q: list[float], threshold: float, epsilon: float) -> int:
    answer = -1
    if x > 0:
        bar = threshold + laplace(4 / epsilon)
        for i, y in enumerate(q):
            if y + laplace(8 / epsilon) >= bar:
                answer = i
                break
    return answer
""",
    "loop_branch_small_noise": """
from collections.abc import Callable
from lapwing import answers, each, exponential, flip, gaussian, laplace, mechanism, one, within
@mechanism(x=within(1), q=each(1), claim="epsilon")
def m(x: float, q: list[float], threshold: float, epsilon: float) -> int:
    answer = -1
    if x + laplace(2 / epsilon) > 0:
        bar = threshold + laplace(2 / epsilon)
        for i, y in enumerate(q):
            if y + laplace(4 / epsilon) >= bar:
                answer = i
                break
    return answer
""",
    "arms_far": """
from collections.abc import Callable
from lapwing import answers, each, exponential, flip, gaussian, laplace, mechanism, one, within
@mechanism(x=within(1), claim="epsilon")
def m(x: float, epsilon: float) -> float:
    if x > 0:
        return x + 5 + laplace(1 / epsilon)
    return laplace(1 / epsilon)
""",
    "arms_diff_scale": """
from collections.abc import Callable
from lapwing import answers, each, exponential, flip, gaussian, laplace, mechanism, one, within
@mechanism(x=within(1), claim="epsilon")
def m(x: float, epsilon: float) -> float:
    if x > 0:
        return x + laplace(1 / epsilon)
    return laplace(2 / epsilon)
""",
    "one_arm_draw": """
from collections.abc import Callable
from lapwing import answers, each, exponential, flip, gaussian, laplace, mechanism, one, within
@mechanism(x=within(1), claim="epsilon")
def m(x: float, epsilon: float) -> float:
    y = x
    if x > 0:
        y = x + laplace(1 / epsilon)
    return y
""",
    "gap_of_three": """
from collections.abc import Callable
from lapwing import answers, each, exponential, flip, gaussian, laplace, mechanism, one, within
@mechanism(q=each(1), claim="epsilon")
def m(q: list[float], epsilon: float) -> list[float]:
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
    return [index, best - second, best]
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_is_proved(name):
    assert proved(RIGHT[name]) is not None


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not(name):
    assert unproved(WRONG[name])
