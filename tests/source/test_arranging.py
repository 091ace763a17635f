"""Lists that are laid out first are built, and noise drawn, where they are used: when nobody can tell, and not else."""

import pytest

from lapwing.errors import InvalidProgram
from lapwing.kernel.program.printer import show_mechanism
from lapwing.source import built_lists
from lapwing.source.arranging import filling
from lapwing.source.parse import parse_text
from tests.strangers import HEAD

SIGNATURE = "q: list[float], r: list[float], k: int, b: float"


def arranged(body, returns="list[float]"):
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    text = f"{HEAD}@mechanism(q=each(1))\ndef f({SIGNATURE}) -> {returns}:\n{lines}\n"
    module = parse_text(text, "<text>")
    shown = show_mechanism(module["f"])
    again = show_mechanism(parse_text(HEAD + shown, "<text>")["f"])
    assert again == shown
    return shown


def body_of(shown):
    return [line[4:] for line in shown.split("\n")[2:] if line]


FILLED = """
out = [0.0] * len(q)
for i in range(len(q)):
    out[i] = q[i] + laplace(b)
return out
"""


IN_PLACE = """
out = [0.0] * k
for x in r:
    out[0] = out[0] + x
for i in range(k):
    out[i] += laplace(b)
return out
"""


@pytest.mark.parametrize(
    "body",
    [
        IN_PLACE,
        IN_PLACE.replace("range(k):", "range(len(out)):"),
        IN_PLACE.replace("    out[i] += laplace(b)", "    z = laplace(b)\n    out[i] = max(out[i] + z, 0)"),
        IN_PLACE.replace("return out", "out[0] = 1.0\nreturn out"),
        IN_PLACE.replace("out = [0.0] * k", "out = [2.0 * j for j in range(k)]"),
    ],
)
def test_a_list_that_noise_is_added_to_in_place_is_made_anew(body):
    shown = arranged(body)
    assert "out_1.append(" in shown
    assert "return out_1" in shown


@pytest.mark.parametrize(
    "body",
    [
        IN_PLACE.replace("range(k):", "range(k + 1):"),
        IN_PLACE.replace("range(k):", "range(1, k):"),
        IN_PLACE.replace("out[i] += laplace(b)", "out[i] = out[i - 1] + laplace(b)"),
        IN_PLACE.replace("out[i] += laplace(b)", "out[0] += laplace(b)"),
        IN_PLACE.replace("    out[i] += laplace(b)", "    if i == 3:\n        break\n    out[i] += laplace(b)"),
        IN_PLACE.replace("for x in r:\n    out[0] = out[0] + x", "out.append(1.0)"),
    ],
)
def test_a_list_that_is_changed_otherwise_is_not(body):
    assert "out_1.append(" not in arranged(body)


def test_a_list_in_place_has_one_value_before_and_after():
    shown = arranged(IN_PLACE.replace("for i in", "before = out[:]\nfor i in").replace("return out", "return before"))
    assert "before = out" in shown
    assert "return before" in shown


@pytest.mark.parametrize(
    "body",
    [
        FILLED,
        FILLED.replace("[0.0] * len(q)", "[0.0 for _ in range(len(q))]"),
        FILLED.replace("range(len(q)):", "range(len(out)):"),
        FILLED.replace("out = [0.0] * len(q)", "n = len(q)\nout = [0.0] * n").replace("range(len(q)):", "range(n):"),
        FILLED.replace("out = [0.0] * len(q)", "out = q[:]").replace("= q[i] +", "= out[i] +"),
        FILLED.replace("out = [0.0] * len(q)", "out = [x for x in q]").replace("= q[i] +", "= out[i] +"),
        "out = [0.0] * len(q)\ni = 0\nwhile i < len(q):\n    out[i] = q[i] + laplace(b)\n    i += 1\nreturn out",
        FILLED.replace("return out", "    if i > k:\n        break\nreturn out"),
        FILLED.replace("for i in range(len(q)):", "for i, x in enumerate(q):").replace("q[i]", "x"),
    ],
)
def test_a_list_that_is_filled_grows(body):
    shown = arranged(body)
    assert ".append(" in shown
    assert "enumerate(out)" not in shown


def test_a_place_that_is_set_under_a_test_keeps_what_it_had():
    shown = arranged(
        FILLED.replace("    out[i] = q[i] + laplace(b)", "    if i > k:\n        out[i] = q[i] + laplace(b)")
    )
    assert "out_item_1 = 0" in shown
    assert "out.append(out_item_1)" in shown


@pytest.mark.parametrize(
    "body",
    [
        FILLED.replace("out[i] =", "out[k] ="),
        FILLED.replace("out[i] =", "out[i - 1] ="),
        FILLED.replace(
            "out[i] = q[i] + laplace(b)",
            "v = laplace(b)\n    out = [v if j == i or j < i else e for j, e in enumerate(out)]",
        ),
        FILLED.replace("range(len(q)):", "range(1, len(q)):"),
        FILLED.replace("range(len(q)):", "range(k):"),
        FILLED.replace("q[i] + ", "q[i] + out[0] + "),
        FILLED.replace("q[i] + ", "q[i] + out[i - 1] + "),
        FILLED.replace("return out", "    if i > k:\n        return out\nreturn out"),
        FILLED.replace("    out[i]", "    if i > k:\n        continue\n    out[i]"),
        "out = [0.0] * len(q)\ni = 1\nwhile i < len(q):\n    out[i] = q[i] + laplace(b)\n    i += 1\nreturn out",
        "out = [0.0] * len(q)\ni = 0\nwhile i < len(q):\n    out[i] = q[i] + laplace(b)\n    i += 2\nreturn out",
    ],
)
def test_a_list_that_is_filled_otherwise_stays(body):
    assert "enumerate(out)" in arranged(body)


TWICE = """
vs = [x + laplace(b) for x in q]
vs = [v + laplace(b) for v in vs]
"""


@pytest.mark.parametrize("rest", ["return vs.index(max(vs))", "n = 0\nfor i, v in enumerate(vs):\n    n = i\nreturn n"])
def test_a_list_that_is_walked_over_is_not_made_in_that_walk(rest):
    shown = arranged(TWICE + rest, returns="int")
    assert "vs = values_1" in shown
    assert "enumerate(vs)" in shown


FIRST = """
nus = [laplace(b) for _ in q]
t = laplace(2 * b)
for i in range(len(q)):
    if q[i] + nus[i] > t:
        return i
return -1
"""


#: What a loop leaves in its variable is read after it.
LEFT_WALKING = """
v = laplace(b)
nus = [laplace(1) for _ in q]
c = 0
for x, v in zip(q, nus):
    c += 1
return 1 if v > 0 else 0
"""
LEFT_COUNTING = """
j = 0
nus = []
for j in range(len(q)):
    nus.append(laplace(b))
t = 0.0
for i in range(len(q)):
    t += nus[i]
return j
"""
WALKED = """
nus = [laplace(b) for _ in q]
i = 0
while i < len(q):
    if nus[i] > q[i]:
        return i
    i += 1
return i
"""
AGAIN = """
nus = [laplace(b) for _ in q]
for j in range(k):
    for i in range(len(q)):
        if nus[i] > q[i]:
            return i
return k
"""


@pytest.mark.parametrize(
    "body",
    [
        FIRST,
        FIRST.replace("for _ in q", "for _ in range(len(q))"),
        FIRST.replace("range(len(q)):", "range(len(nus)):"),
        FIRST.replace("range(len(q)):", "range(1, len(q)):"),
        FIRST.replace("for i in range(len(q)):", "for i, (x, n) in enumerate(zip(q, nus)):").replace(
            "q[i] + nus[i]", "x + n"
        ),
        FIRST.replace("[laplace(b) for _ in q]", "[x + laplace(b) for x in q]").replace("q[i] + nus[i]", "nus[i]"),
        FIRST.replace("for i in range(len(q)):", "for i, v in enumerate(nus):").replace("q[i] + nus[i]", "v"),
        FIRST.replace(
            "nus = [laplace(b) for _ in q]", "nus = [0.0] * len(q)\nfor j in range(len(q)):\n    nus[j] = laplace(b)"
        ),
        "nus = [laplace(b) for _ in q]\ni = 0\nwhile i < len(q) and q[i] + nus[i] < 0:\n    i += 1\nreturn i",
        WALKED,
    ],
)
def test_noise_is_drawn_where_it_is_read(body):
    shown = arranged(body, "int")
    assert "nus.append(" not in shown
    assert shown.count("laplace(b)") == 1


@pytest.mark.parametrize(
    "body",
    [
        FIRST.replace("nus[i]", "nus[0]"),
        LEFT_WALKING,
        LEFT_COUNTING,
        FIRST.replace("nus[i]", "nus[i - 1]"),
        FIRST.replace("nus[i] > t", "nus[i] > t + nus[0]"),
        FIRST.replace("return -1", "return 1 if nus[0] > 0 else 0"),
        FIRST.replace("for _ in q", "for _ in r"),
        FIRST.replace("for _ in q", "for _ in range(k)"),
        FIRST.replace("range(len(q)):", "range(k):"),
        # read in two loops, and in a loop that goes round again
        FIRST.replace("return -1", "for i in range(len(q)):\n    if nus[i] > 3:\n        return i\nreturn -1"),
        AGAIN,
        # the counter is set again, or stays, or the other list is longer
        WALKED.replace("i += 1", "i = k"),
        WALKED.replace("        return i", "        continue"),
        WALKED.replace("    i += 1\n", "").replace("    if", "    i += 1\n    if"),
        "nus = [laplace(b) for _ in q]\nfor x, n in zip(r, nus):\n    if x + n > 3:\n        return 1\nreturn 0",
        # each draw rests on the one before
        "s = 0.0\nnus = []\nfor x in q:\n    s = s + laplace(b)\n    nus.append(s)\n" + FIRST.split("\n", 2)[2],
    ],
)
def test_noise_that_is_read_otherwise_is_drawn_up_front(body):
    assert "nus.append(" in arranged(body, "int")


SUMMED = """
s = 2 * b
j = 3
nus = [laplace(s) for _ in q]
t = 1
out = []
for i in range(len(q)):
    out.append(q[i] + nus[i])
return out
"""


@pytest.mark.parametrize(
    "body",
    [
        SUMMED.replace("t = 1", "s = 3 * b"),
        SUMMED.replace("    out.append", "    s = s + b\n    out.append"),
        SUMMED.replace("laplace(s)", "laplace(j * b)").replace("for i in", "for j in").replace("[i]", "[j]"),
    ],
    ids=["between", "in the loop", "by the loop's own counter"],
)
def test_noise_of_a_scale_that_changes_is_drawn_up_front(body):
    assert "nus.append(" not in arranged(SUMMED)
    assert "nus.append(" in arranged(body)


LARGEST = """
vs = [x + laplace(b) for x in q]
top = max(vs)
where = -1
for i in range(len(vs)):
    if vs[i] >= top:
        where = i
return where
"""


@pytest.mark.parametrize(
    ("body", "test"),
    [
        (LARGEST, ">= top"),
        (LARGEST.replace("range(len(vs))", "range(len(q))"), ">= top"),
        (LARGEST.replace("for i in range(len(vs))", "for i, v in enumerate(vs)").replace("if vs[i]", "if v"), ">= top"),
        (LARGEST.replace("vs[i] >= top", "not vs[i] < top"), ">= top"),
        (LARGEST.replace("vs[i] >= top", "vs[i] == top"), ">= top"),
        (LARGEST.replace("vs[i] >= top", "where < 0 and vs[i] == top"), "> top"),
        (LARGEST.replace("where = i", "where = i\n        break"), "> top"),
        (
            LARGEST.replace("where = i", "return i").replace("where = -1\n", "").replace("return where", "return -1"),
            "> top",
        ),
        (LARGEST.replace("max", "min").replace(">=", "<="), "<= top"),
    ],
)
def test_a_largest_element_is_found_with_its_place(body, test):
    shown = arranged(body, "int")
    assert "max(" not in shown
    assert "min(" not in shown
    assert f" {test}" in shown


@pytest.mark.parametrize(
    "body",
    [
        LARGEST.replace("vs[i] >= top", "vs[i] > top"),
        LARGEST.replace("vs[i] >= top", "vs[i] <= top"),
        LARGEST.replace("vs[i] >= top", "vs[i] >= top - 1"),
        LARGEST.replace("where = i", "where = i + 1"),
        LARGEST.replace("where = i", "where = i\n        break")
        .replace("return where", "return i")
        .replace("where = -1", "i = 0"),
        # it is looked for among the first three of five, or of k
        LARGEST.replace(
            "vs = [x + laplace(b) for x in q]", "m = 5\nvs = [i + laplace(b) for i in range(m)]\nm = 3"
        ).replace("len(vs)", "m"),
        LARGEST.replace("vs = [x + laplace(b) for x in q]", "vs = [i + laplace(b) for i in range(k)]\nk = 3").replace(
            "len(vs)", "k"
        ),
        LARGEST.replace("range(len(vs))", "range(k)"),
        LARGEST.replace("range(len(vs))", "range(1, len(vs))"),
        LARGEST.replace("where = -1", "where = -1\nvs.append(3.0)"),
        LARGEST.replace("vs[i] >= top", "where < 3 and vs[i] >= top"),
        LARGEST.replace("return where", "return where if top > 3 else 0"),
    ],
)
def test_a_place_that_is_looked_for_otherwise_is_looked_for(body):
    assert "= max(vs)" in arranged(body, "int")


@pytest.mark.parametrize("function", ["max", "min"])
def test_the_place_of_a_largest_element_is_a_word(function):
    shown = arranged(f"vs = [x + laplace(b) for x in q]\nreturn vs.index({function}(vs))", "int")
    assert f" {'>' if function == 'max' else '<'} best_1" in shown
    assert "vs.append(" not in shown


@pytest.mark.parametrize("called", ["vs.index(3.0)", "vs.index(max(q))", "vs.index(max(vs), 1)", "q.index(max(q[1:]))"])
def test_other_places_are_refused_with_a_word_on_what_works(called):
    with pytest.raises(InvalidProgram, match=r"xs\.index\(max\(xs\)\)|is outside the language"):
        arranged(f"vs = [x + laplace(b) for x in q]\nreturn {called}", "int")


def test_list_copies():
    assert "out.append(q[i] + noise_1)" in arranged(
        "out = list(q)\nfor i in range(len(out)):\n    out[i] += laplace(b)\nreturn out"
    )


COLUMNS = "nus = [laplace(b) for _ in range(k)]\ncs = [2.0 * j for j in range(k)]\n"


@pytest.mark.parametrize(
    "last",
    [
        "return [cs[i] + nus[i] for i in range(k)]",
        "return [c + z for c, z in zip(cs, nus)]",
        "return [nus[i] for i in range(k) if cs[i] > 1]",
        "out = [c + nus[i] for i, c in enumerate(cs)]\nreturn out",
        "return [max([c + z for c, z in zip(cs, nus)])]",
    ],
)
def test_noise_is_drawn_where_a_comprehension_reads_it(last):
    shown = arranged(COLUMNS + last)
    assert "nus = []" not in shown
    assert ("out.append(" if last.startswith("out") else "made_1.append(") in shown


@pytest.mark.parametrize(
    "last",
    [
        "return [cs[i] + nus[0] for i in range(k)]",
        "return [cs[i] + nus[i] + nus[i - 1] for i in range(k)]",
        "return [c + z for c, z in zip(cs, nus[1:])]",
        "return [c + z for c, z in zip(q, nus)]",
        "return [sum([nus[i] for j in range(k)]) + nus[0] for i in range(k)]",
        "return [nus[i] for i in range(k)] if k > 1 else [0.0]",
        # the same noise once more, beside the comprehension
        "return [sum([cs[i] + nus[i] for i in range(k)]), nus[0]]",
        "return [sum([c + z for c, z in zip(cs, nus)]), sum(nus)]",
    ],
)
def test_noise_that_a_comprehension_reads_otherwise_is_drawn_up_front(last):
    assert "nus.append(" in arranged(COLUMNS + last)


def test_noise_that_is_told_is_not_taken_for_what_the_list_held_before():
    shown = arranged("nus = [0.0 for _ in q]\n" + COLUMNS + "return [sum([c + z for c, z in zip(cs, nus)]), sum(nus)]")
    assert "nus.append(" in shown


def test_a_long_program_is_not_looked_through_for_every_statement(monkeypatch):
    """Five thousand assignments took minutes to read: each was looked for in all that follow it."""
    looks = []
    monkeypatch.setattr(filling, "mentioned", lambda block: looks.append(block) or built_lists.mentioned(block))
    lines = "\n".join(f"    a{number} = q[0] + {number}" for number in range(200))
    parse_text(f"@mechanism(q=each(1))\ndef f(q: list[float]) -> float:\n{lines}\n    return a7 + laplace(1)\n")
    assert len(looks) < 1000
