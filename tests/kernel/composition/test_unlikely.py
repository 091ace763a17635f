"""A coin that seldom comes up costs its probability in δ, where every run flips it once, and nowhere else."""

from dataclasses import replace

import pytest

from lapwing.errors import InvalidProgram
from lapwing.kernel.composition import unlikely
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, printer, walk
from lapwing.kernel.wellformed import structure
from lapwing.search.privacy.story import story
from lapwing.source.parse import parse_text
from tests.campaigns.forgeries import anywhere
from tests.kernel.composition.test_composition import found, rejected, with_part
from tests.strangers import HEAD

SHAME = """
@mechanism(x=within(1), claim=("epsilon", "delta"))
def f(x: float, k: int, epsilon: float, delta: float) -> float:
    assert 0 < delta < 0.1
    if flip(delta):
        return x
    return x + laplace(1 / epsilon)
"""
LATER = SHAME.replace(
    "    if flip(delta):\n        return x\n", "    fails = flip(delta)\n    y = x + laplace(1 / epsilon)\n"
)
LATER = LATER.replace("return x + laplace(1 / epsilon)", "return x if fails else y")


@pytest.mark.parametrize(
    "text",
    [
        SHAME,
        LATER,
        SHAME.replace('"delta")', '"2 * delta")').replace("flip(delta)", "flip(2 * delta)"),
        SHAME.replace("return x\n", "return 3 * x\n"),
        SHAME.replace('"delta")', '"1 / 50")').replace("flip(delta)", "flip(1 / 50)"),
    ],
)
def test_proved_up_to_the_coin(text):
    certificate, module = found(HEAD + text)
    assert certificate is not None
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert "up to bad" in story(certificate, module)


@pytest.mark.parametrize(
    "text",
    [
        SHAME.replace("flip(delta)", "flip(2 * delta)"),
        SHAME.replace('"delta")', '"delta / 2")'),
        SHAME.replace("laplace(1 / epsilon)", "laplace(0.5 / epsilon)"),
        SHAME.replace("if flip(delta):", "if not flip(delta):"),
        # more than once; and by some runs only
        SHAME.replace(
            "    if flip(delta):\n        return x\n",
            "    for _ in range(k):\n        if flip(delta):\n            return x\n",
        ),
        SHAME.replace("    if flip", "    if x > 0:\n        return 0.0\n    if flip"),
        # two coins, of which one is paid for
        SHAME.replace("    return x + laplace", "    if flip(delta):\n        return 2 * x\n    return x + laplace"),
    ],
)
def test_never_proved(text):
    assert found(HEAD + text, 10)[0] is None


def test_forged():
    certificate, module = found(HEAD + SHAME)
    assert rejected(replace(certificate, delta="delta / 2"), module)
    assert rejected(replace(certificate, bound="epsilon / 2"), module)
    (part,) = certificate.proof.parts
    assert rejected(with_part(certificate, 0, statements=1), module)
    assert rejected(with_part(certificate, 0, inner=replace(part.inner, bound="epsilon / 2")), module)
    assert rejected(with_part(certificate, 0, inner=certificate), module)
    other, _ = found(
        HEAD + SHAME.replace("laplace(1 /", "laplace(2 /").replace("0 < delta", "epsilon > 0 and 0 < delta")
    )
    assert rejected(with_part(certificate, 0, inner=other.proof.parts[0].inner), module)


def test_a_coin_that_only_some_runs_flip_is_refused_for_that():
    """Without the condition, F₂ may pass V₂ / (1 - p): a mechanism that flips only where x > 0 would be 'proved'."""
    text = HEAD + SHAME.replace("    if flip", "    if x > 0:\n        return 0.0\n    if flip")
    module = found(text, 1)[1]
    with pytest.raises(unlikely.Unproved, match="every run flips"):
        unlikely.coin_of(module["f"])


def test_a_name_that_means_two_things_is_refused():
    # replacing the coin would replace the variable of the comprehension, too
    module = parse_text(HEAD + SHAME.replace("return x\n", "return sum([x for b in range(2)])\n"))
    hidden = next(each for each in walk.nodes(module["f"]) if isinstance(each, ir.Comprehension))
    coin = unlikely.coin_of(module["f"]).target
    shadowing = replace(hidden, source=replace(hidden.source, target=coin))
    body = walk.rewritten(module["f"].body, lambda each: replaced(each, {hidden: shadowing}))
    structure.check(module["f"])
    with pytest.raises(InvalidProgram, match="means two things"):
        structure.check(replace(module["f"], body=body))


#: With n = -1 no round is made, and the coin tells x with a probability above the δ that is claimed.
REFUNDED = """
@mechanism(x=within(1), claim=("epsilon", "delta"))
def leaf(x: float, epsilon: float, delta: float) -> float:
    assert epsilon > 0 and 0 < delta < 0.1
    if flip(delta):
        return x
    return x + laplace(1 / epsilon)

@mechanism(x=within(1), claim=("n * n * epsilon", "chance + n * delta"))
def f(x: float, n: int, epsilon: float, delta: float, chance: float) -> list[float]:
    assert n >= 0 and epsilon > 0 and 0 < delta < 0.1
    out = []
    if flip(chance):
        out.append(x)
        return out
    for _ in range(n):
        out.append(leaf(x, epsilon, delta))
    return out
"""


def test_what_is_left_is_not_proved_with_a_delta_below_zero(monkeypatch):
    """Accepted once: rounds that are not made paid for the coin."""
    certificate, module = found(HEAD + REFUNDED)
    assert certificate is not None
    monkeypatch.setattr(printer, "fingerprint", lambda *_: "any")
    certificate = anywhere(certificate)
    assert not rejected(certificate, module)
    assert rejected(certificate, parse_text(HEAD + REFUNDED.replace("n >= 0 and ", ""), only="f"))
