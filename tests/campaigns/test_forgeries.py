"""A slice of the forged proofs, and that the judge notices what he is there for."""

import pytest

from lapwing.kernel.relational.certificate import Proved
from tests.campaigns import forgeries
from tests.campaigns.judge import overstepped
from tests.kernel.composition import test_forged_steps as forged

COUNT = """
@mechanism(xs=added(), claim="epsilon")
def f(xs: list[float], epsilon: float) -> float:
    return sum(clip(x, 0, 1) for x in xs) + laplace(1 / epsilon)
"""
COIN = """
@mechanism(x=replaced())
def f(x: bool) -> bool:
    return x != flip(1 / 4)
"""

WHOLE = """
@mechanism(n=within("d"))
def f(n: int, d: float, epsilon: float) -> int:
    return n + discrete_laplace(d / epsilon)
"""


def test_the_judge_finds_nothing_against_what_is_true():
    assert overstepped(COUNT, "f", "epsilon", pairs=4) is None
    assert overstepped(COIN, "f", "ln(3)") is None
    assert overstepped(WHOLE, "f", "epsilon") is None


def test_the_judge_finds_what_is_not():
    assert overstepped(COUNT, "f", "epsilon / 2") is not None
    assert overstepped(COUNT.replace("clip(x, 0, 1)", "x"), "f", "epsilon") is not None
    assert overstepped(COUNT.replace("+ laplace(1 / epsilon)", "+ 0"), "f", "0 * epsilon", delta="1 / 2") is not None
    assert overstepped(COIN, "f", "ln(2.99)") is not None


@pytest.mark.parametrize(
    ("text", "bound"),
    [(forged.TWO_STEPS, "k + j"), (forged.REFUNDED, "budget"), (forged.ENDLESS, "epsilon")],
    ids=["steps", "accounts", "endless"],
)
def test_the_judge_finds_what_forged_proofs_said(text, bound):
    assert overstepped(text, "f", bound, pairs=40) is not None


@pytest.fixture
def few(monkeypatch):
    """Programs whose proofs are found at once."""
    names = ("proved/noisy_sum_1", "folds/mean", "programs/basic, no claim on k", "folds/moments")
    known = [each for each in forgeries.sources() if each[0] in names]
    monkeypatch.setattr(forgeries, "sources", lambda: known)
    forgeries.proof_of.cache_clear()
    yield
    forgeries.proof_of.cache_clear()


@pytest.mark.usefixtures("few")
def test_what_is_accepted_of_a_forged_proof_is_true():
    found = forgeries.campaign(40, seed=1, of_each=10)
    assert found["CONTRADICTION"] == 0
    assert found["rejected"] >= 8


@pytest.mark.usefixtures("few")
def test_a_kernel_that_accepts_everything_is_noticed(monkeypatch):
    for label, _ in forgeries.sources():
        forgeries.proof_of(label)
    monkeypatch.setattr(forgeries, "check_certificate", lambda *_, **__: Proved("anything", "epsilon", 0))
    assert forgeries.campaign(20, seed=1, of_each=10)["CONTRADICTION"] >= 2
