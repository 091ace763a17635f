"""Bounds derived by listing runs."""

import pytest

from lapwing.search.privacy.enumeration import by_enumeration
from lapwing.search.privacy.outcome import Failed
from lapwing.source.parse import parse_text
from tests.search.privacy.proving import proved

HEAD = "from lapwing import choose, flip, mechanism, replaced, uniform\n\n@mechanism(x=replaced())\n"


def _answer(parameters, *lines, returns="bool"):
    body = "\n".join(f"    {line}" for line in lines)
    return f"{HEAD}def m(x: bool{parameters}) -> {returns}:\n{body}\n"


@pytest.mark.parametrize(
    ("source", "bound"),
    [
        (_answer("", "return x if flip(3 / 4) else not x"), "ln(3)"),
        (_answer("", "lie = uniform(4)", "return x if lie > 0 else not x"), "ln(3)"),
        (
            _answer(", p: float", "assert p > 1 / 2 and p < 1", "return x if flip(p) else not x"),
            "ln(p / (1 - p))",
        ),
        (_answer(", t: float", "lie = choose([3, 0], t)", "return x if lie == 0 else not x"), "3 / t"),
    ],
)
def test_the_bound_is_the_largest_ratio(source, bound):
    certificate = proved(source)
    assert (certificate.bound, certificate.method) == (bound, "enumeration")


def test_rows_are_answered_one_by_one():
    text = """from lapwing import flip, mechanism, replaced

@mechanism(rows=replaced())
def m(rows: list[bool]) -> list[bool]:
    out = []
    for row in rows:
        if flip(2 / 3):
            out.append(row)
        else:
            out.append(not row)
    return out
"""
    certificate = proved(text)
    assert (certificate.bound, certificate.proof.rows) == ("ln(2)", True)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (_answer("", "return x"), "possible on one input"),
        (_answer("", "return x if flip(3 / 2) else not x"), "not a probability"),
        (
            _answer(", n: int", "lie = uniform(n)", "return x if lie > 0 else not x"),
            "a draw that the answer does not tell",
        ),
        (_answer(", b: bool", "return x if b else flip(1 / 2)"), "outside what proofs by enumeration cover"),
    ],
)
def test_what_cannot_be_listed_is_refused_with_the_reason(source, reason):
    found = by_enumeration(parse_text(source).mechanisms[0])
    assert isinstance(found, Failed)
    assert reason in found.reason
