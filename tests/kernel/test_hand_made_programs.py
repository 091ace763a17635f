"""Programs that no reader of Python writes: the kernel looks at the program itself, whoever has made it.

Those that lose more were accepted once, at a price below their loss.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.evidence.certificate import Certificate, Enumeration
from lapwing.kernel.program import ir, printer
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.source.parse import parse_text
from tests.campaigns.forgeries import any_source, anywhere
from tests.search.privacy.proving import proved

COIN = """
@mechanism(x=replaced())
def f(x: bool, p: float) -> bool:
    assert p > 0 and p < 1 / 2
    rate = 1 / 100
    return x != flip(p)
"""
ROUNDS = """
@mechanism(q=replaced(), claim="epsilon")
def f(q: list[float], epsilon: float) -> list[float]:
    out = []
    for i in range(0, len(q)):
        out.append(clip(q[i], 0, 1) + laplace(1 / epsilon))
    return out
"""
TEST = """
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> bool:
    noisy = x + laplace(1 / epsilon)
    return noisy >= 3
"""


@pytest.mark.parametrize(("name", "outcome"), [("rate", Proved), ("p", Rejected)])
def test_no_parameter_is_set(name, outcome):
    """A bound that speaks of p is about the p that was given, and the coin would have another bias."""
    mechanism = parse_text(COIN)["f"]
    setting, *rest = mechanism.body
    variables = tuple(replace(each, name=name) if each.name == "rate" else each for each in mechanism.variables)
    changed = replace(mechanism, body=(replace(setting, target=name), *rest), variables=variables)
    module = ir.Module((changed,))
    source, bound = printer.fingerprint(module, "f"), "ln((1 - p) / p)"
    certificate = Certificate("p.py", "f", source, "epsilon", bound, None, Enumeration(rows=False))
    assert isinstance(check_certificate(certificate, module), outcome)


@pytest.mark.parametrize(("first", "outcome"), [(0, Proved), (-1, Rejected)])
def test_no_number_is_written_below_zero(first, outcome):
    """Rounds from -1 on look at the last place of the list twice, so that they are not apart."""
    mechanism = parse_text(ROUNDS)["f"]
    begun, loop, answer = mechanism.body
    source = replace(loop.source, start=ir.Number(Fraction(first)))
    changed = replace(mechanism, body=(begun, replace(loop, source=source), answer))
    proof = anywhere(proved(ROUNDS))
    with any_source():
        assert isinstance(check_certificate(proof, ir.Module((changed,))), outcome)


@pytest.mark.parametrize(("symbol", "outcome"), [(">=", Proved), ("==", Rejected)])
def test_no_noisy_number_is_asked_whether_it_equals_another(symbol, outcome):
    """A run would never know, and what it never says is not what a proof speaks of."""
    mechanism = parse_text(TEST)["f"]
    (answer,) = mechanism.body[-1:]
    changed = replace(
        mechanism, body=(*mechanism.body[:-1], replace(answer, value=replace(answer.value, operator=symbol)))
    )
    proof = anywhere(decide_text(TEST, "f").certificate)
    with any_source():
        assert isinstance(check_certificate(proof, ir.Module((changed,))), outcome)
