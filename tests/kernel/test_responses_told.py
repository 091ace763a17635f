# ruff: noqa: E501  # programs stand on one line each
"""What rounds tell, and coins with powers of e: local mechanisms as strangers write them, and wrong neighbours.

Each wrong neighbour is one that the checker would prove if one of its conditions were dropped.
"""

import pytest

from tests.kernel.test_responses import HEAD, proved

ONE = "v=replaced()"
ROWS = "rows=replaced()"


def written(private, parameters, returns, body, claim):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{HEAD}@mechanism({private}, claim={claim!r})\ndef f({parameters}) -> {returns}:\n{lines}\n"


EPS = "assert epsilon > 0\n"
KEEP = "exp(epsilon) / (exp(epsilon) + k - 1)"
V, VB, R, RB = (
    "v: int, k: int, epsilon: float",
    "v: bool, epsilon: float",
    "rows: list[int], k: int, epsilon: float",
    "rows: list[bool], epsilon: float",
)
RIGHT = [
    # k-ary randomized response
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = clip(v, 0, k - 1)\nif flip({KEEP}):\n    return x\nr = uniform(k - 1)\nreturn r + 1 if r >= x else r", "epsilon"),
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = v % k\nreturn x if flip({KEEP}) else (x + 1 + uniform(k - 1)) % k", "epsilon"),
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = v % k\np = (exp(epsilon) - 1) / (exp(epsilon) + k - 1)\nreturn x if flip(p) else uniform(k)", "epsilon"),
    (ONE, V, "int", f"assert k >= 2\n{EPS}e = exp(epsilon)\np = e / (k - 1 + e)\nx = min(max(v, 0), k - 1)\ntruth = flip(p)\nlie = uniform(k - 1)\nif lie >= x:\n    lie += 1\nif truth:\n    return x\nreturn lie", "epsilon"),
    (ONE, "v: int, epsilon: float", "int", f"{EPS}x = clip(v, 0, 3)\nreturn x if flip(exp(epsilon) / (exp(epsilon) + 3)) else (x + 1 + uniform(3)) % 4", "epsilon"),
    # Warner, with the answer corrected afterwards
    (ONE, VB, "bool", f"{EPS}return v if flip(1 / (1 + exp(-epsilon))) else not v", "epsilon"),
    (ONE, VB, "float", f"{EPS}p = exp(epsilon) / (1 + exp(epsilon))\na = v if flip(p) else not v\nreturn ((1 if a else 0) - (1 - p)) / (2 * p - 1)", "epsilon"),
    (ONE, VB, "tuple[bool, bool]", f"{EPS}e = exp(epsilon / 2)\np = e / (1 + e)\nreturn (v if flip(p) else not v), (v if flip(p) else not v)", "epsilon"),
    (ONE, "v: bool, a: float, b: float", "tuple[bool, bool]", "assert a > 0 and b > 0\nx = v if flip(exp(a) / (1 + exp(a))) else not v\ny = v if flip(exp(b) / (1 + exp(b))) else not v\nreturn x, y", "a + b"),
    # unary encoding
    (ONE, V, "list[bool]", f"{EPS}p = exp(epsilon / 2) / (exp(epsilon / 2) + 1)\nbits = [i == v for i in range(k)]\nreturn [b if flip(p) else not b for b in bits]", "epsilon"),
    (ONE, V, "list[int]", f"assert k >= 1\n{EPS}p = exp(epsilon / 2) / (exp(epsilon / 2) + 1)\nbits = [0] * k\nbits[clip(v, 0, k - 1)] = 1\nout = []\nfor b in bits:\n    out.append(b if flip(p) else 1 - b)\nreturn out", "epsilon"),
    (ONE, V, "list[float]", f"{EPS}q = 1 / (exp(epsilon) + 1)\nout = []\nfor i in range(k):\n    out.append(flip(0.5) if i == v else flip(q))\nreturn [((1 if b else 0) - q) / (0.5 - q) for b in out]", "epsilon"),
    # local hashing and responses by a public matrix
    (ONE, "v: int, a: int, b: int, m: int, g: int, epsilon: float", "int", f"assert g >= 2 and m >= g\n{EPS}h = (a * v + b) % m % g\nif flip(exp(epsilon) / (exp(epsilon) + g - 1)):\n    return h\nr = uniform(g - 1)\nreturn r if r < h else r + 1", "epsilon"),
    (ONE, "v: int, m: int, g: int, epsilon: float", "tuple[int, int, int]", f"assert g >= 2 and m >= g\n{EPS}a = uniform(m)\nb = uniform(m)\nh = (a * v + b) % m % g\nreturn a, b, (h if flip(exp(epsilon) / (exp(epsilon) + g - 1)) else (h + 1 + uniform(g - 1)) % g)", "epsilon"),
    (ONE, "v: int, mask: list[bool], epsilon: float", "tuple[int, bool]", f"assert len(mask) >= 1\n{EPS}j = uniform(len(mask))\nbit = mask[(v * j) % len(mask)]\nreturn j, (bit if flip(exp(epsilon) / (1 + exp(epsilon))) else not bit)", "epsilon"),
    # records: each answers for itself, and what is done with the answers is nobody's secret
    (ROWS, RB, "int", f"{EPS}p = exp(epsilon) / (1 + exp(epsilon))\nyes = 0\nfor x in rows:\n    if x if flip(p) else not x:\n        yes += 1\nreturn yes", "epsilon"),
    (ROWS, RB, "float", f"assert len(rows) >= 1\n{EPS}p = exp(epsilon) / (1 + exp(epsilon))\nsaid = [x if flip(p) else not x for x in rows]\nyes = sum(1 for s in said if s)\nreturn (yes / len(rows) - (1 - p)) / (2 * p - 1)", "epsilon"),
    (ROWS, RB, "list[bool]", f"{EPS}out = []\nfor i in range(len(rows)):\n    out.append(rows[i] if flip(exp(epsilon) / (1 + exp(epsilon))) else not rows[i])\nreturn out", "epsilon"),
    (ROWS, R, "list[int]", f"assert k >= 2\n{EPS}counts = [0] * k\nfor v in rows:\n    x = v % k\n    if flip({KEEP}):\n        counts[x] += 1\n    else:\n        r = uniform(k - 1)\n        counts[r + 1 if r >= x else r] += 1\nreturn counts", "epsilon"),
    (ROWS, RB, "list[bool]", "out = []\nfor x in rows:\n    out.append(x if flip(0.75) else not x)\nfor x in rows:\n    out.append(x if flip(0.75) else not x)\nreturn out", "2 * ln(3)"),
    (ROWS, RB, "bool", "a = False\nfor x in rows:\n    if flip(0.5):\n        a = x\n    else:\n        a = flip(0.5)\nreturn a", "ln(3)"),
]  # fmt: skip
PLAIN = "yes = 0\nfor x in rows:\n    c = flip(0.5)\n"
WRONG = [
    # too much truth, k off by one, the lies of another chance, a claim of another power
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = v % k\nreturn x if flip(exp(epsilon) / (exp(epsilon) + k - 2)) else (x + 1 + uniform(k - 1)) % k", "epsilon"),
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = v % k\nreturn x if flip({KEEP}) else uniform(k)", "epsilon / 2"),
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = v % (k + 1)\nreturn x if flip({KEEP}) else uniform(k)", "epsilon"),
    (ONE, V, "int", f"assert k >= 2\n{EPS}x = clip(v, 0, k - 1)\nif flip({KEEP}):\n    return x\nr = uniform(k - 1)\nreturn r + 1 if r > x else r", "epsilon"),
    (ONE, V, "int", f"{EPS}x = v % 5\nreturn x if flip(exp(epsilon) / (exp(epsilon) + k - 1)) else (x + 1 + uniform(4)) % 5", "epsilon"),
    (ONE, VB, "bool", f"{EPS}return v if flip(exp(2 * epsilon) / (1 + exp(2 * epsilon))) else not v", "epsilon"),
    (ONE, VB, "bool", f"{EPS}return v if flip(exp(epsilon) / (1 + exp(epsilon))) else False", "epsilon"),
    (ONE, VB, "tuple[bool, bool]", f"{EPS}p = exp(epsilon) / (1 + exp(epsilon))\nreturn (v if flip(p) else not v), (v if flip(p) else not v)", "epsilon"),
    (ONE, "v: bool, a: float, b: float", "bool", "assert a > 0 and b > 0\nreturn v if flip(exp(a) / (1 + exp(a))) else not v", "b"),
    # without the sign of ε its claim may be below 0, and the chance of a lie above ½
    (ONE, VB, "bool", "return v if flip(exp(epsilon) / (1 + exp(epsilon))) else not v", "-epsilon"),
    # the second hash depends on the draw that is told: one that is settled in another way is another
    (ONE, "v: int, table: list[bool]", "tuple[int, bool]", "assert len(table) >= 2\nj = uniform(len(table))\nb = table[v + j]\nif flip(0.75):\n    return j, b\nreturn (j + 1) % len(table), not b", "ln(3)"),
    (ONE, "v: int, table: list[bool]", "tuple[bool, bool]", "b = table[v]\nc = table[v + 1]\nreturn (b if flip(0.75) else not b), (c if flip(0.75) else not c)", "ln(3)"),
    (ONE, "v: int, table: list[bool]", "bool", "j = uniform(2)\nb = table[v + j]\nreturn b if flip(0.75) else not b", "0"),
    # the same words with other meanings: what a name stands for is told, too
    (ONE, "v: bool, p: float, q: float", "float", "c = flip(0.5)\nif v:\n    t = p\nelse:\n    t = q\nreturn t * 0.5", "1"),
    (ROWS, RB, "int", PLAIN + "    if x:\n        t = yes + 1\n    else:\n        t = yes\n    yes = t\nreturn yes", "1"),
    (ROWS, RB, "int", PLAIN + "    if x:\n        t = 1\n    else:\n        t = 2\n    yes = yes + t\nreturn yes", "1"),
    (ROWS, RB, "int", PLAIN + "    if x:\n        t = yes\n        yes = yes + 1\n        yes = t\n    else:\n        yes = yes + 1\n        t = yes\n        yes = t\nreturn yes", "1"),
    (ROWS, RB, "int", PLAIN + "    if x:\n        yes = yes + 1\nreturn yes", "1"),
    # rounds that hand on what they did not tell, or look at other records
    (ROWS, RB, "int", "last = False\n" + PLAIN + "    if last:\n        yes = yes + 1\n    last = x\nreturn yes", "1"),
    (ROWS, RB, "bool", "b = False\nfor x in rows:\n    c = x if flip(0.75) else not x\n    b = x\nreturn b", "ln(3)"),
    (ROWS, RB, "list[bool]", "out = []\nfor i in range(len(rows)):\n    out.append(rows[i] if flip(0.75) else not rows[0])\nreturn out", "ln(3)"),
    (ROWS, RB, "list[bool]", "out = []\nfor x in rows:\n    out.append(x if flip(0.75) else not x)\nfor x in rows:\n    out.append(x if flip(0.75) else not x)\nreturn out", "ln(3)"),
    (ROWS, RB, "list[bool]", "out = []\nfor x in rows:\n    out.append(x if flip(0.75) else not x)\nout.append(rows[0])\nreturn out", "ln(3)"),
    ("rows=each(1)", "rows: list[int]", "list[int]", "out = []\nfor x in rows:\n    y = x % 2\n    out.append(y if flip(0.75) else 1 - y)\nreturn out", "ln(3)"),
    ("rows=added()", RB, "list[bool]", "out = []\nfor x in rows:\n    out.append(x if flip(0.75) else not x)\nreturn out", "ln(3)"),
    # a list as long as the secret, and positions of which many differ
    (ONE, V, "list[bool]", "bits = [i == 0 for i in range(v)]\nreturn [b if flip(0.75) else not b for b in bits]", "ln(9)"),
    (ONE, V, "list[bool]", "bits = [i <= v for i in range(k)]\nreturn [b if flip(0.75) else not b for b in bits]", "ln(9)"),
    (ONE, V, "list[bool]", "bits = [i == v for i in range(k)]\nout = [b if flip(0.75) else not b for b in bits]\nout.append(v == 3)\nreturn out", "ln(9)"),
    # a maximum beside another logarithm: products of its parts are no maximum
    (ONE, "v: bool, p: float", "bool", "assert 0 < p < 1\nreturn v if flip(p) else not v", "ln(max(-9, 1)) + ln(max(-9, 1))"),
    # what is known where a branch divides is not known where it does not
    (ONE, "v: bool, k: int", "bool", "assert k >= 0\nif k == 0:\n    return v if flip(0.9) else not v\nreturn v if flip(exp(1 / k) / (1 + 9 * exp(1 / k))) else flip(0.5)", "ln(8 + k * k)"),
]  # fmt: skip


@pytest.mark.parametrize(("private", "parameters", "returns", "body", "claim"), RIGHT)
def test_local_mechanisms_are_proved(private, parameters, returns, body, claim):
    assert proved(written(private, parameters, returns, body, claim)) is not None


@pytest.mark.parametrize(("private", "parameters", "returns", "body", "claim"), WRONG)
def test_wrong_neighbours_are_never_proved(private, parameters, returns, body, claim):
    assert proved(written(private, parameters, returns, body, claim)) is None
