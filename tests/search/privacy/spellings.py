"""Mechanisms in the many ways in which people write them, each with neighbours that are wrong.

The one idea: a program is a head and a body; a wrong neighbour is the same text with one piece changed, which breaks
the claim. Nothing here is known to the prover: what it decides of these it has to decide of what strangers write.
"""

from dataclasses import dataclass
from textwrap import dedent, indent

NAMES = "added, choose, clip, discrete_laplace, each, exponential, laplace, mechanism, monotone, one, replaced"
HEAD = f"from lapwing import {NAMES}, rises, within\n"


@dataclass(frozen=True)
class Spelling:
    """One program: its kind and name, its text, and whether its claim is true."""

    kind: str
    name: str
    text: str
    true: bool


#: kind, name, decorator, signature, body, wrong neighbours as (name, old, new)
_ALL = []


def _write(kind, name, head, signature, body, *wrong, claim="epsilon"):
    _ALL.append((kind, name, head, signature, dedent(body).strip("\n"), wrong, claim))


def _text(name, head, signature, body, claim):
    return f'{HEAD}\n\n@mechanism({head}, claim="{claim}")\ndef {name}({signature}:\n{indent(body, "    ")}\n'


def spellings(kind=None):
    """Every program of a kind, or of all kinds: first the right one, then its wrong neighbours."""
    for found, name, head, signature, body, wrong, claim in _ALL:
        if kind is not None and found != kind:
            continue
        yield Spelling(found, name, _text(name, head, signature, body, claim), True)
        for how, old, new in wrong:
            where = head if old in head else body
            assert old in where, (name, how)
            changed = where.replace(old, new)
            other = (head, changed) if where is body else (changed, body)
            full = f"{name}_{how}"
            yield Spelling(found, full, _text(full, other[0], signature, other[1], claim), False)


SVT = "q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]"
FIRST = "q: list[float], threshold: float, epsilon: float) -> int"
NO_NOISE = ("silent", "+ laplace(4 * limit / epsilon)", "+ 0")
BARE_THRESHOLD = ("bare_threshold", "threshold + laplace(2 / epsilon)", "threshold + 0")
LITTLE = ("little", "laplace(4 * limit / epsilon)", "laplace(limit / epsilon)")

# --- sparse vector ----------------------------------------------------------------------------------------

_write(
    "sparse",
    "svt_whole_numbers",
    "q=each(1)",
    "q: list[int], threshold: int, limit: int, epsilon: float) -> list[bool]",
    """
    assert limit >= 1
    noisy = threshold + discrete_laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            if x + discrete_laplace(4 * limit / epsilon) >= noisy:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    ("silent", "+ discrete_laplace(4 * limit / epsilon)", "+ 0"),
    ("bare_threshold", "threshold + discrete_laplace(2 / epsilon)", "threshold + 0"),
)
_write(
    "sparse",
    "svt_for_limit",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            if x + laplace(4 * limit / epsilon) >= noisy:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    NO_NOISE,
    BARE_THRESHOLD,
    LITTLE,
    ("no_stop", "count += 1", "count += 0"),
)

_write(
    "sparse",
    "svt_while",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    i = 0
    while count < limit and i < len(q):
        if q[i] + laplace(4 * limit / epsilon) >= noisy:
            out.append(True)
            count += 1
        else:
            out.append(False)
        i += 1
    return out
    """,
    NO_NOISE,
    BARE_THRESHOLD,
    LITTLE,
    ("no_stop", "count += 1", "count += 0"),
)

_write(
    "sparse",
    "svt_left",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    left = limit
    t = threshold + laplace(2 / epsilon)
    answers = []
    i = 0
    while i < len(q) and left > 0:
        v = q[i] + laplace(4 * limit / epsilon)
        if v < t:
            answers.append(False)
        else:
            answers.append(True)
            left = left - 1
        i = i + 1
    return answers
    """,
    NO_NOISE,
    LITTLE,
    ("no_stop", "left = left - 1", "left = left"),
)

_write(
    "sparse",
    "svt_break",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        v = x + laplace(4 * limit / epsilon)
        if v >= noisy:
            out.append(True)
            count += 1
            if count >= limit:
                break
        else:
            out.append(False)
    return out
    """,
    NO_NOISE,
    BARE_THRESHOLD,
    LITTLE,
    ("no_stop", "break", "count = count"),
)

_write(
    "sparse",
    "svt_break_at_end",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        above = x + laplace(4 * limit / epsilon) >= noisy
        out.append(above)
        if above:
            count += 1
        if count == limit:
            break
    return out
    """,
    NO_NOISE,
    LITTLE,
    ("late_stop", "count == limit", "count == 9 * limit"),
)

_write(
    "sparse",
    "svt_done",
    "q=each(1)",
    "q: list[float], threshold: float, epsilon: float) -> list[bool]",
    """
    noisy = threshold + laplace(2 / epsilon)
    out = []
    done = False
    for x in q:
        if not done:
            if x + laplace(4 / epsilon) > noisy:
                out.append(True)
                done = True
            else:
                out.append(False)
    return out
    """,
    ("never", "done = True", "done = False"),
    ("little", "laplace(4 / epsilon)", "laplace(1 / epsilon)"),
)

_write(
    "sparse",
    "svt_while_not_done",
    "q=each(1)",
    "q: list[float], threshold: float, epsilon: float) -> list[bool]",
    """
    noisy = threshold + laplace(2 / epsilon)
    out = []
    done = False
    i = 0
    while not done and i < len(q):
        if not q[i] + laplace(4 / epsilon) < noisy:
            out.append(True)
            done = True
        else:
            out.append(False)
        i += 1
    return out
    """,
    ("never", "done = True", "done = False"),
    ("little", "laplace(4 / epsilon)", "laplace(1 / epsilon)"),
)

_write(
    "sparse",
    "svt_elif",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for i in range(len(q)):
        noise = laplace(4 * limit / epsilon)
        if count >= limit:
            out.append(False)
        elif q[i] + noise >= noisy:
            out.append(True)
            count += 1
        else:
            out.append(False)
    return out
    """,
    ("silent", "q[i] + noise", "q[i]"),
    LITTLE,
)

_write(
    "sparse",
    "svt_redrawn",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    t = threshold + laplace(2 * limit / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            if x + laplace(4 * limit / epsilon) >= t:
                out.append(True)
                count += 1
                t = threshold + laplace(2 * limit / epsilon)
            else:
                out.append(False)
    return out
    """,
    NO_NOISE,
    LITTLE,
    ("little_threshold", "threshold + laplace(2 * limit / epsilon)", "threshold + laplace(1 / (4 * epsilon))"),
)

_write(
    "sparse",
    "svt_redrawn_elif",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    t = threshold + laplace(2 * limit / epsilon)
    out = []
    count = 0
    for x in q:
        v = x + laplace(4 * limit / epsilon)
        if count == limit:
            break
        elif v >= t:
            t = threshold + laplace(2 * limit / epsilon)
            out.append(True)
            count += 1
        else:
            out.append(False)
    return out
    """,
    ("silent", "v = x + laplace(4 * limit / epsilon)", "v = x"),
    LITTLE,
)

_write(
    "sparse",
    "svt_and",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, epsilon: float) -> list[int]",
    """
    assert limit >= 1
    t = threshold + laplace(2 * limit / epsilon)
    found = []
    count = 0
    for i, x in enumerate(q):
        if count < limit and x + laplace(4 * limit / epsilon) >= t:
            found.append(i)
            count += 1
            t = threshold + laplace(2 * limit / epsilon)
    return found
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "svt_difference",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    rho = laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            nu = laplace(4 * limit / epsilon)
            if x + nu - threshold - rho >= 0:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    ("silent", "x + nu - threshold", "x - threshold"),
    LITTLE,
    ("bare", "- threshold - rho", "- threshold"),
)

_write(
    "sparse",
    "svt_conditional",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            above = x + laplace(4 * limit / epsilon) >= noisy
            out.append(True if above else False)
            count = count + 1 if above else count
    return out
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "svt_ints",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, epsilon: float) -> list[int]",
    """
    assert limit > 0
    t = threshold + laplace(2 / epsilon)
    found = []
    for i in range(len(q)):
        if len(found) < limit:
            if q[i] + laplace(4 * limit / epsilon) >= t:
                found.append(i)
    return found
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "svt_zero_one",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, epsilon: float) -> list[int]",
    """
    assert limit > 0
    t = threshold + laplace(2 / epsilon)
    found = []
    used = 0
    for x in q:
        if used == limit:
            break
        if x + laplace(4 * limit / epsilon) >= t:
            found.append(1)
            used += 1
        else:
            found.append(0)
    return found
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "svt_thresholds",
    "q=each(1)",
    "q: list[float], thresholds: list[float], limit: int, epsilon: float) -> list[bool]",
    """
    assert limit >= 1
    rho = laplace(2 / epsilon)
    out = []
    count = 0
    for x, t in zip(q, thresholds):
        if count < limit:
            if x + laplace(4 * limit / epsilon) >= t + rho:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    NO_NOISE,
    LITTLE,
    ("bare", "t + rho", "t"),
)

_write(
    "sparse",
    "svt_unused_noise",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    spare = laplace(1 / epsilon)
    noisy = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        ignored = laplace(1 / epsilon)
        if count < limit:
            if x + laplace(4 * limit / epsilon) >= noisy:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "svt_noise_first",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    t = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        noise = laplace(4 * limit / epsilon)
        if count < limit:
            if x + noise >= t:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    ("silent", "x + noise", "x"),
    LITTLE,
)

_write(
    "sparse",
    "svt_below",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    t = threshold + laplace(2 / epsilon)
    out = []
    below = 0
    for x in q:
        if below < limit:
            if x + laplace(4 * limit / epsilon) < t:
                out.append(True)
                below += 1
            else:
                out.append(False)
    return out
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "svt_counts_noes",
    "q=each(1)",
    SVT,
    """
    assert limit >= 1
    t = threshold + laplace(2 / epsilon)
    out = []
    noes = 0
    for x in q:
        if noes < limit:
            if x + laplace(4 * limit / epsilon) >= t:
                out.append(True)
            else:
                out.append(False)
                noes += 1
    return out
    """,
    NO_NOISE,
    LITTLE,
)

_write(
    "sparse",
    "first_above_return",
    "q=each(1)",
    FIRST,
    """
    t = threshold + laplace(2 / epsilon)
    for i in range(len(q)):
        if q[i] + laplace(4 / epsilon) >= t:
            return i
    return -1
    """,
    ("silent", "+ laplace(4 / epsilon)", "+ 0"),
    ("little", "laplace(4 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "sparse",
    "first_above_break",
    "q=each(1)",
    FIRST,
    """
    t = threshold + laplace(2 / epsilon)
    where = len(q)
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= t:
            where = i
            break
    return where
    """,
    ("silent", "+ laplace(4 / epsilon)", "+ 0"),
)

_write(
    "sparse",
    "first_above_guard",
    "q=each(1)",
    FIRST,
    """
    t = threshold + laplace(2 / epsilon)
    where = -1
    for i, x in enumerate(q):
        v = x + laplace(4 / epsilon)
        if where < 0 and v >= t:
            where = i
    return where
    """,
    ("silent", "+ laplace(4 / epsilon)", "+ 0"),
    ("little", "laplace(4 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "sparse",
    "first_below_while",
    "q=each(1)",
    FIRST,
    """
    t = threshold + laplace(2 / epsilon)
    i = 0
    going = True
    while going and i < len(q):
        if q[i] + laplace(4 / epsilon) <= t:
            going = False
        else:
            i += 1
    return i
    """,
    ("silent", "+ laplace(4 / epsilon)", "+ 0"),
)

_write(
    "sparse",
    "any_above",
    "q=each(1)",
    "q: list[float], threshold: float, epsilon: float) -> bool",
    """
    t = threshold + laplace(2 / epsilon)
    for x in q:
        if x + laplace(4 / epsilon) >= t:
            return True
    return False
    """,
)

_write(
    "sparse",
    "any_above_threshold",
    "q=each(1)",
    "q: list[float], threshold: float, epsilon: float) -> bool",
    """
    t = threshold + laplace(1 / epsilon)
    for x in q:
        if x >= t:
            return True
    return False
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "sparse",
    "svt_gap",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, epsilon: float) -> list[float]",
    """
    assert limit >= 1
    t = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            v = x + laplace(4 * limit / epsilon)
            if v >= t:
                out.append(v - t)
                count += 1
            else:
                out.append(0)
    return out
    """,
    ("value", "out.append(v - t)", "out.append(v)"),
    LITTLE,
)

_write(
    "sparse",
    "svt_numeric",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, epsilon: float) -> list[float]",
    """
    assert limit >= 1
    t = threshold + laplace(3 / epsilon)
    out = []
    count = 0
    i = 0
    while i < len(q) and count < limit:
        if q[i] + laplace(6 * limit / epsilon) >= t:
            out.append(q[i] + laplace(3 * limit / epsilon))
            count += 1
        else:
            out.append(0)
        i += 1
    return out
    """,
    ("little", "q[i] + laplace(3 * limit / epsilon)", "q[i] + laplace(1 / epsilon)"),
)

_write(
    "sparse",
    "svt_adaptive",
    "q=each(1)",
    "q: list[float], threshold: float, margin: float, limit: int, epsilon: float) -> list[int]",
    """
    assert limit >= 1
    assert margin >= 0
    t = threshold + laplace(2 / epsilon)
    spent = 0
    out = []
    for x in q:
        if spent <= 2 * limit - 2:
            top = x + laplace(8 * limit / epsilon)
            middle = x + laplace(4 * limit / epsilon)
            if top - t >= margin:
                out.append(2)
                spent += 1
            elif middle - t >= 0:
                out.append(1)
                spent += 2
            else:
                out.append(0)
    return out
    """,
    ("little", "laplace(4 * limit / epsilon)", "laplace(1 / epsilon)"),
    ("free", "spent += 1", "spent += 0"),
)

_write(
    "sparse",
    "svt_monotone",
    "q=monotone(1)",
    SVT,
    """
    assert limit >= 1
    t = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    i = 0
    while count < limit and i < len(q):
        if q[i] + laplace(2 * limit / epsilon) >= t:
            out.append(True)
            count += 1
        else:
            out.append(False)
        i += 1
    return out
    """,
    ("each", "q=monotone(1)", "q=each(3)"),
)

_write(
    "sparse",
    "svt_sensitivity",
    'q=each("d")',
    "q: list[float], threshold: float, d: float, limit: int, epsilon: float) -> list[bool]",
    """
    assert limit >= 1
    assert d > 0
    t = threshold + laplace(2 * d / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            if x + laplace(4 * limit * d / epsilon) >= t:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    ("forgot", "laplace(4 * limit * d / epsilon)", "laplace(4 * limit / epsilon)"),
)

_write(
    "sparse",
    "svt_split",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, first: float, second: float) -> list[bool]",
    """
    assert limit >= 1 and first > 0 and second > 0
    t = threshold + laplace(1 / first)
    out = []
    count = 0
    for x in q:
        if count < limit:
            if x + laplace(2 * limit / second) >= t:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    ("little", "laplace(2 * limit / second)", "laplace(limit / (2 * second))"),
    claim="first + second",
)

# --- noisy max --------------------------------------------------------------------------------------------

MAX = "q: list[float], epsilon: float) -> int"
HALF = ("half", "laplace(2 / epsilon)", "laplace(1 / (2 * epsilon))")
SILENT = ("silent", "+ laplace(2 / epsilon)", "+ 0")

_write(
    "max",
    "max_under_another_name",
    "q=each(1)",
    "q: list[float], epsilon: float) -> int",
    """
    best = 0
    top = 0.0
    for i in range(len(q)):
        v = q[i] + laplace(2 / epsilon)
        if i == 0 or v > top:
            top = v
            best = i
    winner = best + 1
    return winner
    """,
    ("half", "laplace(2 / epsilon)", "laplace(1 / epsilon)"),
)

_write(
    "max",
    "max_zero_or",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
    SILENT,
    ("stale", "best = v", "best = best"),
)

_write(
    "max",
    "max_where_or",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
    SILENT,
    ("stale", "best = v", "best = best"),
    ("zero_start", "where < 0 or v > best", "v > best"),
    (
        "low_start",
        """best = 0.0
where = -1
for i, x in enumerate(q):
    v = x + laplace(2 / epsilon)
    if where < 0 or v > best""",
        """best = -1000000.0
where = -1
for i, x in enumerate(q):
    v = x + laplace(2 / epsilon)
    if v > best""",
    ),
)

_write(
    "max",
    "max_where_equal",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for i in range(len(q)):
        v = q[i] + laplace(2 / epsilon)
        if where == -1 or v >= best:
            where = i
            best = v
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "max_first_flag",
    "q=each(1)",
    MAX,
    """
    first = True
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if first or v > best:
            best = v
            where = i
            first = False
    return where
    """,
    HALF,
    SILENT,
    ("flag", "first = False", "first = v > 0"),
)

_write(
    "max",
    "max_while",
    "q=each(1)",
    MAX,
    """
    i = 0
    best = 0.0
    where = 0
    while i < len(q):
        v = q[i] + laplace(2 / epsilon)
        if v > best or i == 0:
            best = v
            where = i
        i += 1
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "max_nested",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            best = v
            where = 0
        else:
            if not v <= best:
                best = v
                where = i
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "max_elif",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            best = v
        elif v > best:
            best = v
            where = i
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "max_conditional",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        better = i == 0 or v > best
        where = i if better else where
        best = v if better else best
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "max_before_loop",
    "q=each(1)",
    MAX,
    """
    assert len(q) >= 1
    best = q[0] + laplace(2 / epsilon)
    where = 0
    for i in range(1, len(q)):
        v = q[i] + laplace(2 / epsilon)
        if v > best:
            best = v
            where = i
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "max_before_while",
    "q=each(1)",
    MAX,
    """
    assert len(q) >= 1
    best = q[0] + laplace(2 / epsilon)
    where = 0
    i = 1
    while i < len(q):
        v = q[i] + laplace(2 / epsilon)
        if best < v:
            best, where = v, i
        i = i + 1
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "min_where",
    "q=each(1)",
    MAX,
    """
    low = 0.0
    where = -1
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if where < 0 or v < low:
            low = v
            where = i
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "max",
    "min_minus",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for i, x in enumerate(q):
        v = laplace(2 / epsilon) - x
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
)

_write(
    "max",
    "max_monotone",
    "q=monotone(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for i, x in enumerate(q):
        v = x + laplace(1 / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    ("each", "q=monotone(1)", "q=each(1)"),
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "max",
    "max_rises",
    "q=rises(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(1 / epsilon)
        if i == 0 or v > best:
            best = v
            where = i
    return where
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "max",
    "max_exponential",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for i, x in enumerate(q):
        v = x + exponential(2 / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    ("half", "exponential(2 / epsilon)", "exponential(1 / epsilon)"),
    ("min", "v > best", "v < best"),
)

_write(
    "max",
    "max_one",
    "q=one(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(1 / epsilon)
        if i == 0 or v > best:
            best = v
            where = i
    return where
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "max",
    "max_of_three",
    "a=within(1), b=within(1), c=within(1)",
    "a: float, b: float, c: float, epsilon: float) -> int",
    """
    x = a + laplace(2 / epsilon)
    y = b + laplace(2 / epsilon)
    z = c + laplace(2 / epsilon)
    if x >= y and x >= z:
        return 0
    if y >= z:
        return 1
    return 2
    """,
    HALF,
)

_write(
    "max",
    "max_of_two",
    "a=within(1), b=within(1)",
    "a: float, b: float, epsilon: float) -> bool",
    """
    return a + laplace(2 / epsilon) > b + laplace(2 / epsilon)
    """,
    HALF,
)

_write(
    "max",
    "max_max_function",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0 or v > best:
            where = i
        best = v if i == 0 else max(best, v)
    return where
    """,
    HALF,
)

_write(
    "max",
    "max_skip",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for i in range(len(q)):
        v = q[i] + laplace(2 / epsilon)
        if i > 0 and v <= best:
            continue
        best = v
        where = i
    return where
    """,
    HALF,
)

_write(
    "max",
    "max_sensitivity",
    'q=each("d")',
    "q: list[float], d: float, epsilon: float) -> int",
    """
    assert d > 0
    best = 0.0
    where = -1
    for i, x in enumerate(q):
        v = x + laplace(2 * d / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    ("forgot", "laplace(2 * d / epsilon)", "laplace(2 / epsilon)"),
)

_write(
    "max",
    "max_reversed",
    "q=each(1)",
    MAX,
    """
    best = 0.0
    where = -1
    for k in range(len(q)):
        i = len(q) - 1 - k
        v = q[i] + laplace(2 / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
)

_write(
    "max",
    "max_weighted",
    "q=each(1)",
    "q: list[float], weights: list[float], epsilon: float) -> int",
    """
    best = 0.0
    where = -1
    for i, (x, w) in enumerate(zip(q, weights)):
        v = x + w + laplace(2 / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
)

_write(
    "max",
    "max_gap",
    "q=each(1)",
    "q: list[float], epsilon: float) -> tuple[int, float]",
    """
    best = 0.0
    second = 0.0
    where = 0
    for i, x in enumerate(q):
        v = x + laplace(2 / epsilon)
        if i == 0:
            best = v
            second = v
        elif v > best:
            second = best
            best = v
            where = i
        elif i == 1 or v > second:
            second = v
    return (where, best - second)
    """,
    ("value", "(where, best - second)", "(where, best)"),
)

# --- lists of noise ---------------------------------------------------------------------------------------

_write(
    "lists",
    "noise_first_sum",
    "q=one(1)",
    "q: list[float], epsilon: float) -> list[float]",
    """
    noise = [laplace(1 / epsilon) for _ in q]
    return [x + n for x, n in zip(q, noise)]
    """,
    ("each", "q=one(1)", "q=each(1)"),
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "lists",
    "noise_first_index",
    "q=one(1)",
    "q: list[float], epsilon: float) -> list[float]",
    """
    noise = [laplace(1 / epsilon) for _ in range(len(q))]
    return [q[i] + noise[i] for i in range(len(q))]
    """,
    ("shared", "noise[i]", "noise[0]"),
)

_write(
    "lists",
    "noisy_list_argmax",
    "q=each(1)",
    MAX,
    """
    noisy = [x + laplace(2 / epsilon) for x in q]
    best = 0.0
    where = -1
    for i, v in enumerate(noisy):
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
    SILENT,
)

_write(
    "lists",
    "noisy_list_argmax_index",
    "q=each(1)",
    MAX,
    """
    noisy = [x + laplace(2 / epsilon) for x in q]
    best = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return best
    """,
    HALF,
    SILENT,
)

_write(
    "lists",
    "noise_list_argmax",
    "q=each(1)",
    MAX,
    """
    noise = [laplace(2 / epsilon) for _ in q]
    noisy = [x + n for x, n in zip(q, noise)]
    where = 0
    for i in range(1, len(q)):
        if noisy[i] > noisy[where]:
            where = i
    return where
    """,
    HALF,
)

_write(
    "lists",
    "noise_list_argmax_best",
    "q=each(1)",
    MAX,
    """
    noise = []
    for _ in range(len(q)):
        noise.append(laplace(2 / epsilon))
    best = 0.0
    where = 0
    for i in range(len(q)):
        v = q[i] + noise[i]
        if i == 0 or v > best:
            best = v
            where = i
    return where
    """,
    HALF,
)

_write(
    "lists",
    "noise_list_svt",
    "q=each(1)",
    "q: list[float], threshold: float, epsilon: float) -> int",
    """
    t = threshold + laplace(2 / epsilon)
    noise = [laplace(4 / epsilon) for _ in q]
    for i in range(len(q)):
        if q[i] + noise[i] >= t:
            return i
    return -1
    """,
    ("silent", "q[i] + noise[i]", "q[i]"),
    ("little", "laplace(4 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "lists",
    "noise_list_svt_list",
    "q=each(1)",
    "q: list[float], threshold: float, epsilon: float) -> list[bool]",
    """
    t = threshold + laplace(2 / epsilon)
    noise = [laplace(4 / epsilon) for _ in q]
    out = []
    done = False
    for x, n in zip(q, noise):
        if not done:
            if x + n >= t:
                out.append(True)
                done = True
            else:
                out.append(False)
    return out
    """,
    ("never", "done = True", "done = False"),
)

_write(
    "lists",
    "count_outputs",
    "q=one(1)",
    "q: list[float], cut: float, epsilon: float) -> int",
    """
    noisy = [x + laplace(1 / epsilon) for x in q]
    return sum([1 for v in noisy if v > cut])
    """,
    ("each", "q=one(1)", "q=each(1)"),
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "lists",
    "count_outputs_loop",
    "q=one(1)",
    "q: list[float], cut: float, epsilon: float) -> int",
    """
    count = 0
    for x in q:
        if x + laplace(1 / epsilon) > cut:
            count += 1
    return count
    """,
    ("each", "q=one(1)", "q=each(1)"),
)

_write(
    "lists",
    "max_of_noisy",
    "q=one(1)",
    "q: list[float], epsilon: float) -> float",
    """
    noisy = [x + laplace(1 / epsilon) for x in q]
    return max(noisy)
    """,
    ("each", "q=one(1)", "q=each(1)"),
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "lists",
    "mean_of_noisy",
    "q=one(1)",
    "q: list[float], epsilon: float) -> float",
    """
    noisy = [x + laplace(1 / epsilon) for x in q]
    total = 0.0
    for v in noisy:
        total += v
    return total
    """,
    ("half", "[x + laplace(1 / epsilon) for x in q]", "[2 * x + laplace(1 / epsilon) for x in q]"),
)

_write(
    "lists",
    "above_list",
    "q=one(1)",
    "q: list[float], cut: float, epsilon: float) -> list[bool]",
    """
    noisy = [x + laplace(1 / epsilon) for x in q]
    return [v > cut for v in noisy]
    """,
    ("each", "q=one(1)", "q=each(1)"),
)

_write(
    "lists",
    "first_noisy_above",
    "q=one(1)",
    "q: list[float], cut: float, epsilon: float) -> int",
    """
    noisy = [x + laplace(1 / epsilon) for x in q]
    for i in range(len(noisy)):
        if noisy[i] > cut:
            return i
    return len(noisy)
    """,
    ("each", "q=one(1)", "q=each(1)"),
)

# --- selection from records -------------------------------------------------------------------------------

_write(
    "records",
    "mode_noisy_max",
    "rows=added()",
    "rows: list[int], bins: int, epsilon: float) -> int",
    """
    best = 0.0
    where = 0
    for b in range(bins):
        v = sum(1 for r in rows if r == b) + laplace(1 / epsilon)
        if b == 0 or v > best:
            best = v
            where = b
    return where
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "records",
    "mode_replaced",
    "rows=replaced()",
    "rows: list[int], bins: int, epsilon: float) -> int",
    """
    best = 0.0
    where = 0
    for b in range(bins):
        v = sum(1 for r in rows if r == b) + laplace(2 / epsilon)
        if b == 0 or v > best:
            best = v
            where = b
    return where
    """,
    ("little", "laplace(2 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "records",
    "mode_list",
    "rows=added()",
    "rows: list[int], bins: int, epsilon: float) -> int",
    """
    counts = [sum(1 for r in rows if r == b) for b in range(bins)]
    best = 0.0
    where = 0
    for b in range(bins):
        v = counts[b] + laplace(1 / epsilon)
        if b == 0 or v > best:
            best = v
            where = b
    return where
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (2 * epsilon))"),
)

_write(
    "records",
    "mode_choose",
    "rows=added()",
    "rows: list[int], bins: int, epsilon: float) -> int",
    """
    assert bins >= 1
    counts = [sum(1 for r in rows if r == b) for b in range(bins)]
    return choose(counts, 1 / epsilon)
    """,
    ("little", "choose(counts, 1 / epsilon)", "choose(counts, 1 / (2 * epsilon))"),
)

_write(
    "records",
    "mode_choose_replaced",
    "rows=replaced()",
    "rows: list[int], bins: int, epsilon: float) -> int",
    """
    assert bins >= 1
    return choose([sum(1 for r in rows if r == b) for b in range(bins)], 2 / epsilon)
    """,
    ("little", "2 / epsilon", "1 / (2 * epsilon)"),
)

_write(
    "records",
    "median_choose",
    "rows=replaced()",
    "rows: list[float], values: list[float], epsilon: float) -> int",
    """
    assert len(values) >= 1
    scores = [-abs(sum(1 for r in rows if r < v) - sum(1 for r in rows if r > v)) for v in values]
    return choose(scores, 4 / epsilon)
    """,
    ("little", "4 / epsilon", "1 / (2 * epsilon)"),
)

_write(
    "records",
    "median_added",
    "rows=added()",
    "rows: list[float], values: list[float], epsilon: float) -> int",
    """
    assert len(values) >= 1
    scores = [-abs(sum(1 for r in rows if r < v) - sum(1 for r in rows if r >= v)) for v in values]
    return choose(scores, 2 / epsilon)
    """,
    ("little", "2 / epsilon", "1 / (3 * epsilon)"),
)

_write(
    "records",
    "two_bins",
    "rows=added()",
    "rows: list[bool], epsilon: float) -> bool",
    """
    yes = sum(1 for r in rows if r) + laplace(1 / epsilon)
    no = sum(1 for r in rows if not r) + laplace(1 / epsilon)
    return yes > no
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (3 * epsilon))"),
)

_write(
    "records",
    "three_scores",
    "rows=replaced()",
    "rows: list[int], epsilon: float) -> int",
    """
    small = len([r for r in rows if r < 10])
    middle = len([r for r in rows if 10 <= r < 20])
    large = len([r for r in rows if r >= 20])
    return choose([small, middle, large], 2 / epsilon)
    """,
    ("little", "2 / epsilon", "1 / (2 * epsilon)"),
)

_write(
    "records",
    "group_totals_max",
    "rows=added()",
    "rows: list[float], edges: list[float], epsilon: float) -> int",
    """
    best = 0.0
    where = -1
    for i, e in enumerate(edges):
        v = sum(1 for r in rows if r <= e) + laplace(1 / epsilon)
        if where < 0 or v > best:
            best = v
            where = i
    return where
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (3 * epsilon))"),
)

_write(
    "records",
    "histogram_argmax",
    "rows=added()",
    "rows: list[int], bins: int, epsilon: float) -> int",
    """
    noisy = [sum(1 for r in rows if r == b) + laplace(1 / epsilon) for b in range(bins)]
    where = 0
    for b in range(bins):
        if noisy[b] > noisy[where]:
            where = b
    return where
    """,
    ("little", "laplace(1 / epsilon)", "laplace(1 / (3 * epsilon))"),
)

# --- claims that fail in a corner only ----------------------------------------------------------------------------

_write(
    "corners",
    "interior",
    "rows=replaced()",
    "rows: list[float], epsilon: float) -> float",
    """
    xs = [clip(x, 0, 1) for x in rows]
    return sum([x * (1 - x) for x in xs]) + laplace(1 / (4 * epsilon))
    """,
    ("little", "laplace(1 / (4 * epsilon))", "laplace(1 / (5 * epsilon))"),
)

_write(
    "corners",
    "fixed_scale",
    "x=within(1)",
    "x: float, epsilon: float) -> float",
    """
    assert epsilon >= 1
    return x + laplace(1)
    """,
    ("any", "epsilon >= 1", "epsilon > 0"),
    ("large", "laplace(1)", "laplace(1 / (epsilon * epsilon))"),
)

_write(
    "corners",
    "four_answers",
    "q=each(1)",
    "q: list[float], epsilon: float) -> list[float]",
    """
    assert len(q) == 4
    return [x + laplace(4 / epsilon) for x in q]
    """,
    ("little", "laplace(4 / epsilon)", "laplace(3 / epsilon)"),
    ("more", "len(q) == 4", "len(q) >= 4"),
)

_write(
    "corners",
    "range_of_values",
    "rows=replaced()",
    "rows: list[float], low: float, high: float, epsilon: float) -> float",
    """
    assert low < high
    return sum([clip(x, low, high) for x in rows]) + laplace((high - low) / epsilon)
    """,
    ("half", "laplace((high - low) / epsilon)", "laplace((high - low) / (2 * epsilon))"),
    ("zero", "laplace((high - low) / epsilon)", "laplace(abs(high) / epsilon)"),
)

_write(
    "corners",
    "many_answers",
    "q=one(1)",
    "q: list[float], epsilon: float) -> list[float]",
    """
    return [x + laplace(1 / epsilon) for x in q]
    """,
    ("each", "q=one(1)", "q=each(0.1)"),
)

_write(
    "corners",
    "jump",
    "x=within(1)",
    "x: float, epsilon: float) -> float",
    """
    y = 3.0 if x > 40 else 2.0
    return y + laplace(1 / epsilon)
    """,
    ("higher", "3.0", "5.0"),
)

_write(
    "corners",
    "capped",
    "rows=added()",
    "rows: list[float], cap: float, epsilon: float) -> float",
    """
    assert cap >= 1
    return sum([clip(x, 0, cap) for x in rows]) + laplace(cap / epsilon)
    """,
    ("forgot", "laplace(cap / epsilon)", "laplace(1 / epsilon)"),
    ("down", "clip(x, 0, cap)", "clip(x, -2 * cap, cap)"),
)

_write(
    "corners",
    "far_limit",
    "q=each(1)",
    "q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]",
    """
    assert limit >= 3
    t = threshold + laplace(2 / epsilon)
    out = []
    count = 0
    for x in q:
        if count < limit:
            if x + laplace(4 * limit / epsilon) >= t:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
    """,
    ("two", "laplace(4 * limit / epsilon)", "laplace(4 / epsilon)"),
)
