# ruff: noqa: E501  # programs stand on one line each
"""Finite secrets: k-ary randomized response, unary encoding, RAPPOR, hashing, in the spellings of many hands.

Every bound that is proved is held against the exact distributions of small cases; wrong neighbours are never proved.
"""

from fractions import Fraction
from itertools import product

import pytest

from lapwing.kernel.distribution.probability import distribution
from lapwing.kernel.evidence.certificate import Certificate, Enumeration
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.privacy.enumeration import by_enumeration
from lapwing.search.privacy.outcome import Found, claim_of
from lapwing.source.parse import parse_text

HEAD = "from lapwing import *\n"


def written(parameters, returns, body, relation="replaced()", claim=None):
    stated = "" if claim is None else f", claim={claim!r}"
    private = parameters.split(":")[0]
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{HEAD}@mechanism({private}={relation}{stated})\ndef f({parameters}) -> {returns}:\n{lines}\n"


def proved(text):
    """The bound that the prover finds and the checker confirms, if both do."""
    module = parse_text(text)
    found = by_enumeration(module["f"])
    if not isinstance(found, Found):
        return None
    claim = claim_of(module["f"])
    certificate = Certificate("f.py", "f", fingerprint(module, "f"), found.measure, found.bound, claim, found.proof)
    answer = check_certificate(certificate, module)
    return answer.bound if isinstance(answer, Proved) else None


def largest(text, secrets, public):
    """e^ε, exactly: the largest ratio of probabilities of an answer, over all pairs of secrets."""
    module = parse_text(text)
    (private,) = [each.name for each in module["f"].parameters if each.private]
    tables = [distribution(module, "f", {private: secret, **public}).masses for secret in secrets]
    worst = Fraction(1)
    for left, right in product(tables, tables):
        for answer, chance in left.items():
            below = right[answer].enclosure().lower if answer in right else Fraction(0)
            if below == 0:
                return None
            worst = max(worst, chance.enclosure().upper / below)
    return worst


KRR = "x: int, k: int, p: float"
KRR_SPELLINGS = [
    "assert k >= 2\ny = clip(x, 0, k - 1)\nif flip(p):\n    return y\nreturn uniform(k)",
    "assert k >= 2\ny = x % k\no = uniform(k)\nreturn y if flip(p) else o",
    "assert k > 1\ny = max(0, min(x, k - 1))\nif flip(p):\n    o = y\nelse:\n    o = uniform(k)\nreturn o",
    "assert k >= 2\ny = min(max(x, 0), k - 1)\nhonest = flip(p)\nlie = uniform(k)\nif not honest:\n    return lie\nreturn y",
    "assert 2 <= k\nif x < 0 or x >= k:\n    x = 0\nreturn x if flip(p) else uniform(k)",
    "assert k >= 2\nx = clip(x, 0, k - 1)\nreturn (x + uniform(k)) % k if flip(1 - p) else x",
    "assert k >= 2\ny = clip(x, 1, k)\nif flip(p):\n    return y\nreturn 1 + uniform(k)",
    "assert k >= 2\ny = clip(x, 0, k - 1)\nif flip(p):\n    return y\nreturn k - 1 - uniform(k)",
    "assert k >= 2\ny = x % k\nif flip(p):\n    u = y\nelse:\n    u = uniform(k)\nreturn u + 5",
    "assert k >= 2\ny = clip(x, 0, k - 1)\nif flip(p) == True:\n    return y\nelif k > 0:\n    return uniform(k)\nreturn 0",
]
OTHERS = [  # a lie is another value than the truth
    "assert k >= 2\ny = clip(x, 0, k - 1)\nif flip(p):\n    return y\nu = uniform(k - 1)\nif u >= y:\n    u += 1\nreturn u",
    "assert k >= 2\ny = x % k\nif flip(p):\n    return y\nreturn (y + 1 + uniform(k - 1)) % k",
    "assert k >= 2\ny = clip(x, 0, k - 1)\nu = uniform(k - 1)\nlie = u if u < y else u + 1\nreturn y if flip(p) else lie",
]
UNARY = "x: int, k: int, p: float, q: float"
UNARY_SPELLINGS = [
    "out = []\nfor i in range(k):\n    if i == x:\n        out.append(flip(p))\n    else:\n        out.append(flip(q))\nreturn out",
    "return [flip(p) if i == x else flip(q) for i in range(k)]",
    "return [flip(q) if x != i else flip(p) for i in range(k)]",
    "out = []\nfor i in range(k):\n    a = flip(p)\n    b = flip(q)\n    out.append(a if i == x else b)\nreturn out",
    "out = []\nfor i in range(k):\n    bit = i == x\n    if bit:\n        keep = flip(p)\n    else:\n        keep = flip(q)\n"
    "    out.append(keep)\nreturn out",
    "y = clip(x, 0, k - 1)\nout = []\nfor i in range(0, k):\n    same = y == i\n    out.append((same and flip(p)) or "
    "(not same and flip(q)))\nreturn out",
    "y = x % 7\nreturn [flip(p) if i == y else flip(q) for i in range(k)]",
    "return [flip(p) if i - x == 0 else flip(q) for i in range(1, k + 1)]",
    "out = []\nfor i in range(k):\n    if i >= x and i <= x:\n        b = flip(p)\n    else:\n        b = flip(q)\n"
    "    out.append(not b)\nreturn out",
    "return [flip(p) if i == 2 * x + 1 else flip(q) for i in range(k)]",
]
SIGNS = "assert 0 < q\nassert q < p\nassert p < 1\n"
POINTS = [{"k": 2, "p": Fraction(1, 2)}, {"k": 3, "p": Fraction(3, 4)}, {"k": 4, "p": Fraction(1, 10)}]


@pytest.mark.parametrize("body", KRR_SPELLINGS)
def test_randomized_response_over_k_values(body):
    text = written(KRR, "int", body)
    assert proved(text) == "ln((1 + k * p - p) / (1 - p))"
    for point in POINTS:
        assert largest(text, range(-1, 6), point) == 1 + point["k"] * point["p"] / (1 - point["p"])


@pytest.mark.parametrize("body", OTHERS)
def test_randomized_response_that_lies_with_another_value(body):
    text = written(KRR, "int", body)
    bound = proved(text)
    assert bound == "ln(max((k * p - p) / (1 - p), (1 - p) / (k * p - p)))"
    for point in POINTS:
        limit = max(ratio := (point["k"] - 1) * point["p"] / (1 - point["p"]), 1 / ratio)
        assert largest(text, range(-1, 6), point) == limit


@pytest.mark.parametrize("body", UNARY_SPELLINGS)
def test_unary_encoding(body):
    text = written(UNARY, "list[bool]", SIGNS + body)
    assert proved(text) == "ln((p - p * q) / (q - p * q))"
    worst = largest(text, range(4), {"k": 3, "p": Fraction(3, 4), "q": Fraction(1, 4)})
    assert worst <= 9


@pytest.mark.parametrize(
    ("parameters", "returns", "body", "bound"),
    [
        (UNARY, "list[int]", SIGNS + "return [1 if (flip(p) if i == x else flip(q)) else 0 for i in range(k)]",
         "ln((p - p * q) / (q - p * q))"),
        ("x: int, k: int, f: float", "list[bool]",
         "assert 0 < f\nassert f < 1\nout = []\nfor i in range(k):\n    bit = i == x\n    if flip(f):\n        bit = flip(1 / 2)\n"
         "    out.append(bit)\nreturn out", "ln((4 + f * f - 4 * f) / (f * f))"),
        ("x: int, table: list[int], g: int, p: float", "int",
         "assert g >= 2\nh = table[x] % g\nif flip(p):\n    return h\nreturn uniform(g)", "ln((1 + g * p - p) / (1 - p))"),
        ("xs: list[int], k: int, p: float", "list[int]",
         "assert k >= 2\nout = []\nfor x in xs:\n    y = clip(x, 0, k - 1)\n    out.append(y if flip(p) else uniform(k))\nreturn out",
         "ln((1 + k * p - p) / (1 - p))"),
        ("x: int, k: int, p: float", "tuple[int, bool]",
         "assert k >= 2\ny = x % k\nif flip(p):\n    return (y, flip(1 / 2))\nreturn (uniform(k), flip(1 / 2))",
         "ln((1 + k * p - p) / (1 - p))"),
    ],
)  # fmt: skip
def test_other_finite_secrets(parameters, returns, body, bound):
    assert proved(written(parameters, returns, body)) == bound


def test_the_two_steps_of_rappor():
    signs = "assert 0 < p\nassert p < q\nassert q < 1\nassert 0 < f\nassert f < 1\n"
    body = (
        "out = []\nfor i in range(k):\n    bit = i == x\n    if flip(f):\n        bit = flip(1 / 2)\n"
        "    out.append(flip(q) if bit else flip(p))\nreturn out"
    )
    text = written("x: int, k: int, f: float, p: float, q: float", "list[bool]", signs + body)
    bound = proved(text)
    point = {"f": Fraction(1, 2), "p": Fraction(1, 4), "q": Fraction(3, 4)}
    assert bound is not None
    assert enclosed(formula(bound).arguments[0], point).lower == largest(text, range(3), {"k": 3, **point})


WRONG = [
    # the truth is not among the values of a lie, or the lies are too few or too many
    (KRR, "int", "if flip(p):\n    return x\nreturn uniform(k)", None),
    (KRR, "int", "assert k >= 2\ny = clip(x, 0, k)\nreturn y if flip(p) else uniform(k)", None),
    (KRR, "int", "assert k >= 2\ny = clip(x, 0, k - 1)\nreturn y if flip(p) else 1 + uniform(k)", None),
    (KRR, "int", "assert k >= 2\ny = x % k\nreturn y if flip(p) else uniform(k - 1)", None),
    (KRR, "int", "assert k >= 2\ny = x % k\nreturn y if flip(p) else uniform(k + 1)", "ln((1 + k * p - p) / (1 - p))"),
    (KRR, "int", "assert k >= 2\ny = x % k\nreturn y if flip(p) else uniform(k)", "ln(k * p / (1 - p))"),
    (KRR, "int", "assert k >= 2\ny = x % k\nreturn y if flip(p) else uniform(k)", "ln((k * p - p) / (1 - p))"),
    (KRR, "int", "assert k >= 2\ny = x % k\nreturn y if flip(p) else 2 * uniform(k)", None),
    (KRR, "int", "assert k >= 2\ny = x % k\nu = uniform(k)\nif u == y:\n    return 1\nreturn 0", None),
    (KRR, "int", "y = x % 2\nreturn y", None),
    # one round's factor is not both, an off-by-one probability, several rounds, a private number of rounds
    (UNARY, "list[bool]", SIGNS + UNARY_SPELLINGS[1], "ln(p / q)"),
    (UNARY, "list[bool]", SIGNS + UNARY_SPELLINGS[1], "ln((1 - q) / (1 - p))"),
    (UNARY, "list[bool]", UNARY_SPELLINGS[1], "ln(p * (1 - q) / (q * (1 - p)))"),
    (UNARY, "list[bool]", SIGNS + "return [flip(p) if i == x else flip(q / 2) for i in range(k)]",
     "ln(p * (1 - q) / (q * (1 - p)))"),
    (UNARY, "list[bool]", SIGNS + "return [flip(p) if i <= x else flip(q) for i in range(k)]", None),
    (UNARY, "list[bool]", SIGNS + "return [flip(p) if i // 2 == x else flip(q) for i in range(k)]", None),
    (UNARY, "list[bool]", SIGNS + "return [flip(p) if i % 3 == x else flip(q) for i in range(k)]", None),
    (UNARY, "list[bool]", SIGNS + "return [flip(p) if i == x else flip(q) for i in range(x)]", None),
    (UNARY, "list[bool]", SIGNS + "return [flip(p) if i == x else flip(q) for i in range(k) if i != x]", None),
    (UNARY, "list[bool]", SIGNS + "return [i == x for i in range(k)]", None),
    (UNARY, "list[bool]", SIGNS + "s = 0\nout = []\nfor i in range(k):\n    if i == x:\n        s = 1\n"
     "    if s == 1:\n        out.append(flip(p))\n    else:\n        out.append(flip(q))\nreturn out", None),
    (UNARY, "list[bool]", SIGNS + "out = []\nfor i in range(k):\n    if i == x:\n        out.append(flip(p))\nreturn out", None),
    (UNARY, "list[bool]", SIGNS + "out = []\nfor i in range(k):\n    if i == x:\n        out.append(flip(p))\n"
     "        break\n    out.append(flip(q))\nreturn out", None),
    ("xs: list[int], k: int, p: float", "list[int]",
     "assert k >= 2\nout = []\nfor x in xs:\n    y = x % k\n    if flip(p):\n        out.append(y)\nreturn out", None),
    ("xs: list[int], k: int, p: float", "list[int]",
     "assert k >= 2\nlast = 0\nout = []\nfor x in xs:\n    y = x % k\n    out.append(last if flip(p) else uniform(k))\n"
     "    last = y\nreturn out", None),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "returns", "body", "claim"), WRONG)
def test_wrong_neighbours_are_never_proved(parameters, returns, body, claim):
    assert proved(written(parameters, returns, body, claim=claim)) is None


@pytest.mark.parametrize("bound", ["ln(1)", "ln((k * p - p) / (1 - p))", "ln(2)", "0", "ln((1 + k * p) / (2 - p))"])
def test_a_smaller_bound_is_rejected(bound):
    module = parse_text(written(KRR, "int", KRR_SPELLINGS[0]))
    for rows in (False, True):
        certificate = Certificate("f.py", "f", fingerprint(module, "f"), "epsilon", bound, None, Enumeration(rows))
        assert not isinstance(check_certificate(certificate, module), Proved)
