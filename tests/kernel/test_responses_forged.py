"""Certificates by enumeration that nobody's search wrote, for mechanisms that leak: each is rejected."""

import pytest

from lapwing.kernel.evidence.certificate import Certificate, Enumeration
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.relational.certificate import Rejected, check_certificate
from lapwing.search.privacy.outcome import claim_of
from lapwing.source.parse import parse_text

ROWS, ONE = "rows=replaced()", "x=replaced()"
R = "rows: list[int]"


def checked(private, parameters, returns, body, claim):
    """What the checker says of the claim by enumeration."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    head = f"@mechanism({private}, claim={claim!r})\ndef f({parameters}) -> {returns}:\n"
    module = parse_text(f"from lapwing import *\n{head}{lines}\n")
    stated = claim_of(module["f"])
    assert stated is not None
    proof = Enumeration(private == ROWS)
    return check_certificate(
        Certificate("f.py", "f", fingerprint(module, "f"), "epsilon", stated, stated, proof), module
    )


LEAKS = [
    # a name that meant something else before the loop is the record's in it
    (ROWS, R, "list[int]", "out = []\nx = 0\nfor x in rows:\n    out.append(x)\nreturn out", "1"),
    (ROWS, R, "list[bool]", "out = []\nx = 0\nfor x in rows:\n    out.append(x > 1000003)\nreturn out", "1"),
    (ROWS, R + ", k: int", "list[int]", "out = []\nfor k in rows:\n    out.append(k)\nreturn out", "1"),
    (ROWS, R + ", k: int", "list[float]", "out = []\nfor k in rows:\n    out.append(k / 2)\nreturn out", "1"),
    (ROWS, R + ", k: int", "list[bool]", "if k > 3:\n    x = 3\nelse:\n    x = 4\ny = x + 1\nout = []\n"
     "for x in rows:\n    out.append(x + 1 == y)\nreturn out", "1"),
    (ROWS, R, "list[bool]", "i = 0\nx = 0\nout = []\nfor i, x in enumerate(rows):\n    out.append(x == i)\n"
     "return out", "1"),
    # what stands in a power of e that is not used has no value here, and says nothing
    (ONE, "x: bool, r: float, e: float, k: int", "bool", "assert r == 0 and k <= 5\nif k > 5:\n"
     "    a = flip(exp(1 / r + e))\n    b = flip(exp(1 / r))\nc = flip(exp(e) / (1 + exp(e)))\nreturn x", "1"),
    # a coin that is never flipped says nothing of its chance
    (ONE, "x: bool, p: float, r: float", "bool", "if flip(p):\n    return flip(2 + r * r)\nreturn x", "1"),
    (ONE, "x: bool, p: float, r: float", "bool", "assert r == 0\nif flip(p):\n    return flip(1 / r)\nreturn x", "1"),
    # nor does a loop that is never come to, or that ends before the record
    (ROWS, R + ", k: int, e: float", "list[bool]", "out = []\nfor x in rows:\n    out.append(x == 3)\nif k > 3:\n"
     "    return out\nfor x in rows:\n    out.append((x == 3) == flip(2 + e * e))\nreturn out", "1"),
    (ROWS, R + ", pub: list[bool], e: float", "list[bool]", "out = []\nfor x, y in zip(rows, pub):\n"
     "    out.append((x == 3) == flip(2 + e * e))\nfor x in rows:\n    out.append(x == 3)\nreturn out", "1"),
    # a secret truth value decides how many rounds there are
    (ONE, "x: bool", "list[bool]", "out = []\nfor i in range(3 if x else 5):\n    out.append(flip(0.5))\n"
     "return out", "1"),
    (ONE, "x: bool", "list[bool]", "n = 1 if x else 0\nout = []\nfor i in range(n, 5):\n    out.append(flip(0.5))\n"
     "return out", "1"),
    (ONE, "x: bool", "list[bool]", "bits = [i == 1 for i in range(3 if x else 5)]\nout = []\nfor b in bits:\n"
     "    out.append(flip(0.5))\nreturn out", "1"),
    # what was computed before the loop, from what has changed since, is not what it was computed from
    (ROWS, R, "list[float]", "a = 1.5\nb = a\nfor j in range(1):\n    a = 2.5\nout = []\nfor x in rows:\n"
     "    if x == 3:\n        out.append(a)\n    else:\n        out.append(b)\nreturn out", "1"),
    (ONE, "x: int, p: float, q: bool", "list[float]", "a = p\nb = a\nif q:\n    a = 2.5\nout = []\n"
     "for i in range(3):\n    if x == i:\n        out.append(a)\n    else:\n        out.append(b)\nreturn out", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("private", "parameters", "returns", "body", "claim"), LEAKS)
def test_no_certificate_hides_a_leak(private, parameters, returns, body, claim):
    assert isinstance(checked(private, parameters, returns, body, claim), Rejected)
