"""Lists of records that are paired, counted or begun with noise, and parts of public lists: what is followed of them.

What must not be is in :mod:`leaks_of_pairs`, a program for each condition that a rule here has.
"""

import pytest

from lapwing.kernel.evidence.certificate import Certificate, Fold
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.source.parse import parse_text
from tests.kernel.folds.leaks import HEAD

ROWS = "rows: list[tuple[float, float]], epsilon: float"
XS = "rows: list[float], epsilon: float"
GRID = "rows: list[float], grid: list[float], epsilon: float"
PROGRAMS = {
    "two_columns": ("added()", f"{ROWS}) -> float", """
xs = [clip(r[0], -1, 1) for r in rows]
ys = [clip(r[1], -1, 1) for r in rows]
return sum([x * y for x, y in zip(xs, ys)]) + laplace(1 / epsilon)"""),
    "two_columns_of_some": ("added()", f"{ROWS}) -> float", """
xs = [clip(r[0], -1, 1) for r in rows if r[0] > 0]
ys = [clip(r[1], -1, 1) for r in rows if r[0] > 0]
total = 0.0
for x, y in zip(xs, ys):
    total += x * y
return total + laplace(1 / epsilon)"""),
    "number_of_rounds": ("added()", f"{XS}) -> float", """
n = len(rows)
total = 0.0
for i in range(n):
    total += clip(rows[i], 0, 1)
return total + laplace(1 / epsilon)"""),
    "counted_rounds": ("added()", f"{XS}) -> float", """
n = 0
for x in rows:
    n += 1
total = 0.0
i = 0
while i < n:
    total += clip(rows[i], 0, 1)
    i += 1
return total + laplace(1 / epsilon)"""),
    "raised_first": ("added()", f"{XS}) -> float", """
i = 0
n = 0
while i < len(rows):
    x = rows[i]
    i += 1
    if x > 3:
        n += 1
return n + laplace(1 / epsilon)"""),
    "smaller_of_two": ("replaced()", f"{XS}) -> float", """
a = len([x for x in rows if x < 0])
b = len([x for x in rows if x > 0])
return min(a, b) + laplace(1 / epsilon)"""),
    "median_by_smaller_side": ("added()", f"{GRID}) -> int", """
scores = []
for g in grid:
    a = len([x for x in rows if x <= g])
    b = len([x for x in rows if x >= g])
    scores.append(min(a, b))
return choose(scores, 2 / epsilon)"""),
    "begun_with_noise": ("added()", f"{XS}) -> float", """
total = laplace(1 / epsilon)
for x in rows:
    if x > 0:
        total += clip(x, 0, 1)
return total"""),
    "between_edges": ("added()", f"{GRID}) -> list[float]", """
assert len(grid) >= 1
return [sum(1 for x in rows if a <= x < b) + laplace(len(grid) / epsilon) for a, b in zip(grid, grid[1:])]"""),
    "all_but_the_last": ("added()", f"{XS}) -> list[float]", """
totals = [sum(clip(x, 0, 1) for x in rows), len(rows), sum(clip(x, 0, 9) for x in rows)]
return [t + laplace(2 / epsilon) for t in totals[:-1]]"""),
    "a_round_for_each_place": ("added()", "rows: list[int], k: int, epsilon: float) -> list[float]", """
counts = [0] * k
for r in rows:
    for j in range(k):
        if r == j:
            counts[j] += 1
return [c + laplace(1 / epsilon) for c in counts]"""),
    "a_round_for_each_edge": ("added()", f"{GRID}) -> list[float]", """
assert len(grid) >= 1
counts = [0] * len(grid)
for x in rows:
    for j, g in enumerate(grid):
        if x > g:
            continue
        counts[j] = counts[j] + 1
return [c + laplace(len(grid) / epsilon) for c in counts]"""),
    "two_tables": ("added()", f"{GRID}) -> list[float]", """
assert len(grid) >= 1
totals = [0.0] * len(grid)
counts = [0] * len(grid)
for x in rows:
    y = clip(x, 0, 1)
    for j in range(len(grid)):
        w = 1 if y <= grid[j] else 0
        counts[j] += w
        totals[j] += w * y
out = []
for j in range(len(grid)):
    out.append(totals[j] + laplace(2 * len(grid) / epsilon))
    out.append(counts[j] + laplace(2 * len(grid) / epsilon))
return out"""),
}  # fmt: skip


def checked(name, bound):
    relation, head, body = PROGRAMS[name]
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    module = parse_text(f'{HEAD}@mechanism(rows={relation}, claim="{bound}")\ndef {name}({head}:\n{lines}\n')
    mark = fingerprint(module, name)
    return check_certificate(Certificate("f.py", name, mark, "epsilon", bound, bound, Fold()), module)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bound_that_is_known_of_them_is_confirmed(name):
    assert isinstance(checked(name, "epsilon"), Proved)


@pytest.mark.parametrize("name", [each for each in PROGRAMS if each != "between_edges"])
def test_and_no_smaller_one(name):
    assert not isinstance(checked(name, "0.99 * epsilon"), Proved)
