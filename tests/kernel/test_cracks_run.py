"""What a run once did otherwise than every proof said: each is refused now, or does what it says."""

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.original import Source
from lapwing.source.parse import parse_text
from lapwing.source.run import Runnable

HEAD = "from lapwing import each, flip, laplace, match, mechanism, discrete_laplace\n\n"
HELPERS = (
    "@mechanism(xs=each(1))\ndef same(xs: list[float]) -> list[float]:\n    return xs\n\n"
    "@mechanism(xs=each(1))\ndef fresh(xs: list[float]) -> list[float]:\n    return [x for x in xs]\n\n"
    "@mechanism(xs=each(1))\ndef nested(xs: list[float]) -> list[list[float]]:\n    return [xs]\n\n"
)


def source(body, returns="float"):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{HEAD}{HELPERS}@mechanism(q=each(1))\ndef f(q: list[float]) -> {returns}:\n{lines}\n"


def run(body, q, returns="float"):
    return Runnable("f", Source(source(body, returns)))(q)


# --- aliases: a list with two names, one of which grows ------------------------------------------------------

ROADS = {
    "a tuple": "out = [0.0]\nseen = (out, 1)[0]\nout.append(q[0])\nreturn seen[-1]",
    "a name": "out = [0.0]\nseen = out\nout.append(q[0])\nreturn seen[-1]",
    "a tuple that is kept": "out = [0.0]\npair = (out, 1)\nout.append(q[0])\nreturn pair[0][-1]",
    "a conditional": "out = [0.0]\nseen = out if q[0] > 0 else [1.0]\nout.append(q[0])\nreturn seen[-1]",
    "a branch": "out = [0.0]\nseen = [1.0]\nif q[0] > 0:\n    seen = out\nout.append(q[0])\nreturn seen[-1]",
    "an item of a list": "rows = [[0.0]]\nrow = rows[0]\nrow.append(q[0])\nreturn rows[0][-1]",
    "a list of lists": "row = [0.0]\nrows = [row]\nrow.append(q[0])\nreturn rows[0][-1]",
    "an appended list": "row = [0.0]\nrows = []\nrows.append(row)\nrow.append(q[0])\nreturn rows[0][-1]",
    "a comprehension's element": "row = [0.0]\nrows = [row for x in q]\nrow.append(q[0])\nreturn rows[0][-1]",
    "a comprehension's walk": "rows = [[0.0]]\nrow = [r for r in rows][0]\nrow.append(q[0])\nreturn rows[0][-1]",
    "a slice's elements": "rows = [[0.0]]\nrow = rows[:][0]\nrow.append(q[0])\nreturn rows[0][-1]",
    "a loop over lists": "rows = [[0.0]]\nfor row in rows:\n    row.append(q[0])\nreturn rows[0][-1]",
    "a list twice in a loop": (
        "t = 0.0\na = [0.0]\nfor row in [a, a]:\n    row.append(q[0])\n    t += len(row)\nreturn t"
    ),
    "a call": "out = [0.0]\nseen = same(out)\nseen.append(q[0])\nreturn out[-1]",
    "a call in a tuple": "out = [0.0]\nseen = (same(out), 1)[0]\nseen.append(q[0])\nreturn out[-1]",
    "a call's inside": "out = [0.0]\nrow = nested(out)[0]\nrow.append(q[0])\nreturn out[-1]",
    "a parameter": "out = q\nout.append(1.0)\nreturn q[-1]",
    "a parameter through a call": "out = same(q)\nout.append(1.0)\nreturn q[-1]",
    "a reassigned parameter": "p = q\nq = [1.0]\np.append(2.0)\nreturn q[-1]",
    "a swap": "a = [0.0]\nb = a\nc = [1.0]\nb, c = c, b\nc.append(q[0])\nreturn a[-1]",
    "a conditional swap": (
        "a = [0.0]\nb = [1.0]\nc = a\na, b = (b, a) if q[0] > 0 else (a, b)\nb.append(q[0])\nreturn c[-1]"
    ),
    "the round before": (
        "old = [0.0]\nfor x in q:\n    new = old if x > 0 else old[:]\n    old.append(x)\n    old = new\nreturn old[-1]"
    ),
    "a conditional copy": (
        "a = [0.0]\nb = a\nfor x in q:\n    b = a\n    a = a if x > 0 else a[:]\n    a.append(x)\nreturn b[-1]"
    ),
    "a call again": "a = [0.0]\nb = a\nfor x in q:\n    b = a\n    a = same(a)\n    a.append(x)\nreturn b[-1]",
    "a while": "a = [0.0]\nb = [1.0]\ni = 0\nwhile i < 2:\n    i += 1\n    b.append(q[0])\n    b = a\nreturn a[-1]",
    "a break": "a = [0.0]\nb = [1.0]\nfor x in q:\n    b = a\n    break\nb.append(q[0])\nreturn a[-1]",
}


@pytest.mark.parametrize("road", ROADS)
def test_a_list_that_grows_under_one_of_two_names_is_refused(road):
    with pytest.raises(InvalidProgram, match="P174") as caught:
        parse_text(source(ROADS[road]))
    assert ".append(" in caught.value.place
    assert "^" in caught.value.place


@pytest.mark.parametrize(
    "body",
    [
        "out = [1.0]\nfor x in out:\n    out.append(x)\nreturn 1",
        "out = [1.0]\nfor x, y in zip(q, out):\n    if x > 0:\n        out.append(x)\nreturn 1",
        "out = [1.0]\nfor i, x in enumerate(out):\n    for y in q:\n        out.append(y)\nreturn 1",
    ],
)
def test_a_list_that_grows_while_it_is_walked_over_is_refused(body):
    with pytest.raises(InvalidProgram, match="P175"):
        parse_text(source(body))


FINE = {
    "a copy": ("out = [0.0]\nseen = out[:]\nout.append(q[0])\nreturn seen[-1]", 0.0),
    "a fresh list each round": (
        "rows = []\nfor x in q:\n    row = []\n    row.append(x)\n    rows.append(row)\nreturn rows[0][0]",
        5.0,
    ),
    "growing, then sharing": ("out = []\nout.append(q[0])\nseen = out\nreturn seen[0]", 5.0),
    "another list by then": ("out = [1.0]\nseen = out\nout = []\nout.append(2.0)\nreturn seen[0] + len(out)", 2.0),
    "a list from a call": ("out = fresh(q)\nout.append(1.0)\nreturn sum(out) - len(q)", 7.0 + 5 + 1 - 2),
    "a copy of a call": ("out = same(q)[:]\nout.append(1.0)\nreturn out[-1]", 1.0),
    "a swap": ("a, b = [q[0]], [q[1], 0.0]\na, b = b, a\na.append(1.0)\nreturn len(a) * 10 + len(b)", 31.0),
    "a third name": ("a = [1.0]\nb = []\nc = a\na = b\nb = c\nb.append(1.0)\nreturn len(b)", 2.0),
    "walking a copy": ("out = [1.0]\nfor x in out[:]:\n    out.append(x)\nreturn len(out)", 2.0),
    "conditional lists": ("out = [] if q[0] > 0 else [1.0]\nout.append(3.0)\nreturn len(out)", 1.0),
    "lists in tuples": ("a, b = ([1.0], [2.0])\na = a[:]\na.append(9.0)\nreturn len(a) + len(b)", 3.0),
}


@pytest.mark.parametrize("case", FINE)
def test_what_python_and_values_agree_on_still_runs(case):
    body, answer = FINE[case]
    assert run(body, [5.0, 7.0]) == answer


def test_appending_never_changes_another_list():
    text = source("a = [1.0]\nb = a\nc = b\nreturn a[0] + b[0] + c[0]")
    assert Runnable("f", Source(text))([1]) == 3.0


# --- match: a list is a list, however it was made ------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("(out, 1)", "([1.0], 1)", True),
        ("([1.0], 1)", "(out, 1)", True),
        ("out", "out[:]", True),
        ("[out]", "[[1.0]]", True),
        ("out", "[x for x in [1.0]]", True),
        ("(out, 1)", "([1.0, 2.0], 1)", False),
        ("out", "[2.0]", False),
    ],
)
def test_match_of_a_grown_list(left, right, same):
    assert run(f"out = []\nout.append(1.0)\nreturn match({left}, {right})", [1], "bool") is same


# --- tuple assignment: the right side is evaluated once -------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 1), (3, 3)])
def test_a_conditional_swap_swaps(a, b):
    body = "a, b = q[0], q[1]\na, b = (b, a) if a > b else (a, b)\nreturn (a, b)"
    assert run(body, [a, b], "tuple[float, float]") == (min(a, b), max(a, b))


def test_a_tuple_is_not_made_again_for_each_name():
    body = "i = 1\nt = [(1.0, 2.0), (3.0, 4.0)]\nx = 0.0\nx, y = t[1 if x < 1 else 0]\nreturn (x, y)"
    assert run(body, [0], "tuple[float, float]") == (3.0, 4.0)


def test_a_tuple_is_unpacked_from_a_value_held_once():
    for first, second in ((1.0, 2.0), (2.0, 1.0)):
        assert run(f"a, b = {first}, {second}\na, b = (b, a) if a > b else (a, b)\nreturn a - b", [0.0]) == -1


# --- equality of noisy numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "under"),
    [
        ("x = laplace(1)\nreturn 1.0 if x == q[0] else 0.0", "x == q[0]"),
        ("return 1.0 if q[0] + laplace(1) != 3 else 0.0", "q[0] + laplace(1) != 3"),
        ("x = laplace(1)\nxs = [x, 1.0]\nreturn 1.0 if match(xs, [1.0, 2.0]) else 0.0", "match(xs, [1.0, 2.0])"),
        ("t = (laplace(1), 2)\nreturn 1.0 if match(t, (1.0, 2)) else 0.0", "match(t, (1.0, 2))"),
        ("xs = [x + laplace(1) for x in q]\nreturn len([1 for x in xs if x == 0])", "x == 0"),
        ("x = laplace(1)\ny = max(x, 0) * 2 - 1\nreturn 1.0 if 3 == y else 0.0", "3 == y"),
        ("x = 0.0\nfor y in q:\n    z = x\n    x = laplace(1)\n    x = 1.0 if z == y else x\nreturn x", "z == y"),
    ],
)
def test_a_noisy_number_is_never_asked_whether_it_equals_another(body, under):
    with pytest.raises(InvalidProgram, match="P185") as caught:
        parse_text(source(body))
    line, carets = caught.value.place.split("\n")[1:]
    assert line[carets.index("^") : carets.rindex("^") + 1] == under


def test_a_callee_that_compares_what_it_is_given():
    text = (
        "from lapwing import laplace, mechanism, within\n\n@mechanism(x=within(1))\ndef hit(x: float) -> bool:\n"
        "    return x == 1\n\n@mechanism(x=within(1))\ndef f(x: float) -> bool:\n    return hit({})\n"
    )
    parse_text(text.format("x"))
    with pytest.raises(InvalidProgram, match="P185 hit cannot be called with noisy numbers"):
        parse_text(text.format("x + laplace(1)"))


@pytest.mark.parametrize(
    "body",
    [
        "n = discrete_laplace(1)\nreturn 1.0 if n == 0 else 0.0",
        "x = 1.0 if laplace(1) > 0 else 2.0\nreturn 1.0 if x == 1 else 0.0",
        "t = (laplace(1), 2)\nreturn 1.0 if t[1] == 2 else 0.0",
        "b = laplace(1) > 0\nreturn 1.0 if b == flip(0.5) else 0.0",
        "xs = [x + laplace(1) for x in q]\nreturn 1.0 if len(xs) == 2 else 0.0",
    ],
)
def test_whole_numbers_and_decisions_may_be_compared(body):
    run(body, [1, 2])


def test_noisy_scores_are_refused():
    body = "return choose([x + laplace(1) for x in q], 1)"
    text = source(body, "int").replace("import each", "import choose, each")
    with pytest.raises(InvalidProgram, match="P186"):
        parse_text(text)
    parse_text(text.replace("+ laplace(1)", "+ discrete_laplace(1)"))
