"""False claims about records that take many rows, places of rows, long lists or several fields; and their right kin."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.search.violation.crowds import LARGEST, PAIRS, crowds
from lapwing.search.violation.explore import Search, first_among
from lapwing.search.violation.neighbouring import Neighbourhood
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.strangers import HEAD

REAL, FIELDS, NESTED = "float", "tuple[float, float, int]", "tuple[tuple[float, float], int]"
CLIPPED = "sum(clip(x, 0, 1) for x in xs)"
#: Relation, rows, body with {b} for the scale (times ε), a scale that is too small and one that is enough.
PROGRAMS = {
    "test_of_a_total": (
        "replaced", REAL, f"s = {CLIPPED}\nif s > 10:\n    return s + {{b}}\nreturn 0.0 + {{b}}", 1, 11,
    ),
    "test_of_a_total_below_0": (
        "replaced", REAL,
        "s = sum(clip(x, -1, 1) for x in xs)\nif s < -9:\n    return 3.0 + {b}\nreturn 0.0 + {b}", 1, 3,
    ),
    "test_of_a_count": (
        "replaced", REAL,
        "c = 0\nfor x in xs:\n    if x > 100:\n        c += 1\nif c >= 20:\n    return 1.0 + {b}\nreturn 0.0 + {b}",
        "0.5", 1,
    ),
    "row_of_a_third_kind": (
        "replaced", REAL,
        "up = 0\nfor x in xs:\n    if x <= 1:\n        up += 1\n    elif x > 2:\n        up -= 1\n"
        "if up == 0 and len(xs) == 2:\n    return 2.0 + {b}\nreturn 0.0 + {b}", 1, 2,
    ),
    "test_of_a_length": ("added", REAL, "if len(xs) > 15:\n    return 2.0 + {b}\nreturn 0.0 + {b}", 1, 2),
    "test_of_squares": (
        "replaced", REAL,
        "s = sum(clip(x, 0, 3) ** 2 for x in xs)\nif s >= 50:\n    return 30.0 + {b}\nreturn 0.0 + {b}", 9, 30,
    ),
    "total_from_a_floor": ("added", REAL, f"s = {CLIPPED}\nreturn max(s, 12) + {{b}}", "0.9", 1),
    "total_in_a_window": ("added", REAL, f"s = {CLIPPED}\nreturn clip(s, 30, 50) + {{b}}", "0.5", 1),
    "test_of_a_bin": (
        "added", "int",
        "counts = [0] * 3\nfor x in xs:\n    counts[x % 3] += 1\nbig = 0\nfor c in counts:\n"
        "    if c >= 9:\n        big += 3\nreturn big + {b}", 1, 3,
    ),
    "every_second": (
        "added", REAL,
        "t = 0.0\nfor i, x in enumerate(xs):\n    t += clip(x, 0, 1) if i % 2 == 0 else 0\nreturn t + {b}",
        1, None,
    ),
    "every_third": (
        "added", REAL,
        "t = 0.0\nfor i in range(len(xs)):\n    if i % 3 == 0:\n        t += clip(xs[i], 0, 1)\nreturn t + {b}",
        1, None,
    ),
    "turning_signs": (
        "added", REAL,
        "t = 0.0\nsign = 1\nfor x in xs:\n    t += sign * clip(x, 0, 1)\n    sign = -sign\nreturn t + {b}",
        1, None,
    ),
    "steps_between_rows": (
        "added", REAL,
        "t = 0.0\nfor i in range(1, len(xs)):\n    t += abs(clip(xs[i], 0, 1) - clip(xs[i - 1], 0, 1))\nreturn t + {b}",
        1, 2,
    ),
    "longest_run": (
        "added", REAL,
        "run = 0\nbest = 0\nfor x in xs:\n    if x > 3:\n        run += 1\n        best = max(best, run)\n"
        "    else:\n        run = 0\nreturn best + {b}", 1, None,
    ),
    "the_first_five": (
        "added", REAL,
        "return sum(clip(x, 0, 1) for x in xs[:5]) + sum(1 - clip(x, 0, 1) for x in xs[5:]) + {b}", 1, 2,
    ),
    "mean_of_eight": (
        "replaced", REAL, "assert len(xs) == 8\nreturn sum([clip(x, -1, 1) for x in xs]) / 8 + {b}", "0.125", "0.25",
    ),
    "mean_of_many": (
        "replaced", REAL,
        "assert len(xs) > 50\nreturn sum(clip(x, -1, 1) for x in xs) / len(xs) + {b}", "0.02", "0.04",
    ),
    "field_beside_fields": (
        "added", FIELDS, "return sum(clip(r[0], 0, 10) for r in xs if r[2] == 3 and r[1] > 50) + {b}", 9, 10,
    ),
    "nested_fields": (
        "added", NESTED,
        "t = 0.0\nfor (a, b), g in xs:\n    if g == 2:\n        t += clip(a - b, -3, 3)\nreturn t + {b}", 2, 3,
    ),
    "conditions_on_fields": (
        "added", NESTED,
        "return sum(1 for p, g in xs if p[0] > 7 and p[1] < 4 and g == 11) + {b}", "0.5", 1,
    ),
}  # fmt: skip
CASES = [pytest.param(*each, id=name) for name, each in PROGRAMS.items()]


def _text(relation, row, body, scale):
    lines = body.replace("{b}", f"laplace({scale} / epsilon)").replace("\n", "\n    ")
    head = f'@mechanism(xs={relation}(), claim="epsilon")\ndef f(xs: list[{row}], epsilon: float) -> float:\n'
    return f"{HEAD}{head}    {lines}\n"


def _neighbourhood(text):
    module = parse_text(text)
    subject = Subject(module, module["f"])
    return Neighbourhood(subject, next(assignments(subject, {})))


@pytest.mark.parametrize(("relation", "row", "body", "wrong", "_right"), CASES)
def test_too_little_noise_is_refuted(relation, row, body, wrong, _right):
    assert decide_text(_text(relation, row, body, wrong), "f").verdict == "refuted"


@pytest.mark.parametrize(
    ("relation", "row", "body", "_wrong", "right"), [each for each in CASES if each.values[-1] is not None]
)
def test_enough_noise_is_not(relation, row, body, _wrong, right):
    search = Search(_neighbourhood(_text(relation, row, body, right)))
    finding = first_among(search, crowds(search.neighbourhood))
    assert finding is None or not search.refutes(finding)


@pytest.mark.parametrize("name", ["test_of_a_total", "every_second", "nested_fields", "test_of_a_length"])
def test_crowds_are_neighbours_and_few(name):
    relation, row, body, wrong, _ = PROGRAMS[name]
    neighbourhood = _neighbourhood(_text(relation, row, body, wrong))
    pairs = list(crowds(neighbourhood))
    assert 0 < len(pairs) <= PAIRS
    assert all(neighbourhood.valid(pair) and neighbourhood.size(pair) <= LARGEST + 1 for pair in pairs)
    assert all(pair.left != pair.right for pair in pairs)


def test_what_is_no_list_of_records_has_no_crowds():
    text = (
        f'{HEAD}@mechanism(q=each(1), claim="epsilon")\n'
        "def f(q: list[float], epsilon: float) -> float:\n    return sum(q) + laplace(1 / epsilon)\n"
    )
    assert list(crowds(_neighbourhood(text))) == []
