"""What records leave for later records: what is bounded is proved, and every condition of the rule is needed."""

import pytest

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds import carried
from lapwing.kernel.folds.carried import Carried
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.solver import Terms
from lapwing.source.parse import parse_text
from tests.kernel.folds.leaks import HEAD

#: A loop over records, the numbers it begins with, its relation, and how far one record moves ``s`` at most.
BOUNDED = [
    ("s = 0", "if x > 0 and s < 7:\n            s += 1", "added", "1"),
    ("s = 0", "if x > 0 and s < 7:\n            s += 1", "replaced", "1"),
    ("s = 0.0", "if s < c:\n            s += clip(x, 0, 1)", "added", "1"),
    ("s = 0.0", "s = max(s, clip(x, 0, 3))", "added", "3"),
    ("s = 5.0", "s = min(s, clip(x, 2, 9))", "replaced", "3"),
    ("s = 0.0", "s = clip(s + x, -1, 2)", "added", "3"),
    ("s = 0.0", "s = s / 2 + clip(x, 0, 1)", "added", "1"),
    ("s = 0.0", "s = s / 2 + clip(x, 0, 1)", "replaced", "1"),
    ("s = 0.0\n    n = True", "if n or x > s:\n            s = clip(x, 0, 2)\n            n = False", "added", "2"),
    ("s = 0.0\n    i = 0", "if i - i // 2 * 2 == 0:\n            s += clip(x, 0, 1)\n        i += 1", "replaced", "1"),
]  # fmt: skip


def program(begin, body, relation, result="s + laplace(1)"):
    return (
        f"{HEAD}@mechanism(xs={relation}())\ndef f(xs: list[float], c: float) -> float:\n"
        f"    {begin}\n    for x in xs:\n        {body}\n    return {result}\n"
    )


def is_confirmed(text, bound):
    try:
        Folds(Terms(milliseconds=500), parse_text(text)["f"], "epsilon").confirm(formula(bound), None)
    except Unproved:
        return False
    return True


@pytest.mark.parametrize(("begin", "body", "relation", "most"), BOUNDED)
def test_a_bounded_state_has_its_price_and_no_smaller_one(begin, body, relation, most):
    text = program(begin, body, relation)
    assert is_confirmed(text, most)
    assert not is_confirmed(text, f"{most} * 0.99")


#: Programs of which no record's effect is bounded so, with the condition of the rule that says so.
NEEDED = [
    # the first record that is looked at falls from 100 to 90
    ("_begins", "s = 100.0", "s = 0.9 * s + clip(x, 0, 1)", "added", "1"),
    # s grows with each record above 5, and falls by a tenth with each other one
    ("_lasts", "s = 0.0", "s = s + 1 if x > 5 else 0.9 * s + clip(x, 0, 1)", "added", "1"),
    ("_jumps", "s = 0.0", "s = max(s, x)", "added", "1"),
    ("_keeps", "s = 0.0", "s = 2 * s + clip(x, 0, 1)", "replaced", "1"),
    ("_keeps", "s = 0.0", "s = clip(x, 0, 1) + (9 if s > 0.5 else 0)", "replaced", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "begin", "body", "relation", "bound"), NEEDED)
def test_each_condition_is_needed(monkeypatch, condition, begin, body, relation, bound):
    text = program(begin, body, relation)
    assert not is_confirmed(text, bound)
    monkeypatch.setattr(Carried, condition, lambda *_: True)
    assert is_confirmed(text, bound)


def test_other_variables_may_be_anything(monkeypatch):
    # one record turns the summing on or off for all that follow
    body = "on = (not on) if x > 5 else on\n        s += clip(x, 0, 1) if on else 0"
    text = program("s = 0.0\n    on = True", body, "added")
    assert not is_confirmed(text, "1")
    monkeypatch.setattr(Carried, "_gap", lambda *_: carried.ZERO)
    assert is_confirmed(text, "1")


def test_a_record_moves_what_comes_to_depend_on_it(monkeypatch):
    # a record above 5 does not change s itself, but what later records do to it
    begin = "s = 0.0\n    t = 0.0\n    on = False"
    body = (
        "if x > 5:\n            on = True\n            t = max(t, clip(x, 0, 1))\n"
        "        elif on:\n            s = max(s, clip(x, 0, 1))"
    )
    text = program(begin, body, "added", "s + laplace(1) + t + laplace(1)")
    assert not is_confirmed(text, "1")
    assert is_confirmed(text, "2")

    def only_itself(self, name):
        return carried._changes(self.ended[name], carried._was(name))

    monkeypatch.setattr(Carried, "_touched", only_itself)
    assert is_confirmed(text, "1")


@pytest.mark.parametrize(
    ("begin", "body", "relation", "result"),
    [
        ("s = sum(xs)", "s = max(s, clip(x, 0, 1))", "added", "s + laplace(1)"),
        ("s = 0.0", "s = max(s, clip(x, 0, 1))", "replaced", "s"),
        ("s = 0.0", "s = max(s, clip(x, 0, 1))", "replaced", "(c if s > 0 else 0) + laplace(1)"),
        ("s = 0.0", "s = max(s, clip(x, 0, 1))", "added", "sum(s * clip(x, 0, 1) for x in xs) + laplace(1)"),
        ("s = 0.0\n    p = 0.0", "s += clip(x, 0, 1) * p\n        p = x", "replaced", "s + laplace(1)"),
    ],
)
def test_what_nothing_bounds_is_not_proved(begin, body, relation, result):
    assert not is_confirmed(program(begin, body, relation, result), "1")


def test_every_record_may_change():
    text = program("s = 0.0", "s = clip(s + x, 0, 1)", "replaced")
    assert is_confirmed(text, "1")
    assert not is_confirmed(text.replace("xs=replaced()", "xs=each(1)"), "1")
