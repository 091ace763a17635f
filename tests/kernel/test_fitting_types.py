"""What the type of a variable says is looked at again by the kernel: a proof rests on it, and readers may be wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.errors import InvalidProgram
from lapwing.kernel.program import ir, walk
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import check_certificate
from lapwing.kernel.wellformed import fitting_types
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify, coupling

#: On an empty list the answer is t itself, which neighbours know to be less than 1 apart.
FALLS_BACK = """
from lapwing import laplace, mechanism, within

@mechanism(t=within(0.9), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> float:
    where = t
    top = 0.0
    for i in range(len(q)):
        v = q[i] + laplace(2 / epsilon)
        if i == 0 or v > top:
            top = v
            where = i
    return where
"""
LESS_THAN_ONE = coupling([("0", "2")], ["abs(hat(where)) < 1 and cost(1) <= 0 and hat(top) == 0"])


def called_whole(module):
    """The module of a reader that takes ``where`` for a whole number."""
    return ir.Module((with_type(module["f"], "where", ir.Integer()),))


def with_type(mechanism, name, kind):
    variables = tuple(replace(each, type=kind) if each.name == name else each for each in mechanism.variables)
    return replace(mechanism, variables=variables)


def test_two_numbers_less_than_one_apart_are_not_the_same_because_a_reader_calls_them_whole():
    module, certificate = parse_text(FALLS_BACK), certify("p.py", FALLS_BACK, LESS_THAN_ONE, "epsilon")
    assert isinstance(check_certificate(certificate, module), Rejected)
    told = check_certificate(certificate, called_whole(module))  # accepted once
    assert isinstance(told, Rejected)
    assert "'where' is int, and is given float" in told.reason


PROGRAM = """
from lapwing import flip, laplace, mechanism, one

@mechanism(q=one(1))
def f(q: list[int], truths: list[bool]) -> list[float]:
    out = []
    for x in q:
        coin = flip(0.5)
        noise = laplace(1)
        y = q[0] + noise
        out.append(x + y if coin else noise)
    first = truths[0]
    return out
"""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("out", ir.List(ir.Integer())),
        ("out", ir.Real()),
        ("coin", ir.Real()),
        ("noise", ir.Integer()),
        ("y", ir.Integer()),
        ("x", ir.Boolean()),
        ("first", ir.Integer()),
    ],
)
def test_every_way_to_set_a_variable_is_looked_at(name, kind):
    mechanism = parse_text(PROGRAM)["f"]
    fitting_types.check(mechanism, {})
    with pytest.raises(InvalidProgram, match="P131"):
        fitting_types.check(with_type(mechanism, name, kind), {})


def test_answers_and_elements_are_looked_at():
    mechanism = parse_text(PROGRAM)["f"]
    with pytest.raises(InvalidProgram, match="P131"):
        fitting_types.check(replace(mechanism, returns=ir.List(ir.Integer())), {})

    def as_truths(expression):
        match expression:
            case ir.Index(sequence, index, ir.Boolean()):
                return ir.Index(sequence, index, ir.Integer())
        return expression

    body = walk.rewritten(mechanism.body, as_truths)
    assert body != mechanism.body
    with pytest.raises(InvalidProgram, match="P131"):
        fitting_types.check(replace(mechanism, body=body), {})


def test_no_variable_is_without_a_type():
    mechanism = parse_text(PROGRAM)["f"]
    body = (ir.Assign("nobody", ir.Number(Fraction(1))), *mechanism.body)
    with pytest.raises(InvalidProgram, match="P131"):
        fitting_types.check(replace(mechanism, body=body), {})
