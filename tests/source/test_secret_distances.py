"""A distance between neighbours is checked before a run, so it cannot hang on what only the run may see."""

import pytest

from lapwing.errors import InvalidInput
from lapwing.source.original import Source
from lapwing.source.run import Runnable

TEXT = """from lapwing import flow, laplace, mechanism, within


@flow(d="{label}")
@mechanism(x=within("d"), claim="epsilon")
def f(x: float, d: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
"""


def runnable(label):
    return Runnable("f", Source(TEXT.format(label=label), "f.py"))


def test_a_distance_over_a_secret_is_refused():
    with pytest.raises(InvalidInput, match="'x' are apart depends on 'd', which is a secret") as caught:
        runnable("secret")(1, 1, 1)
    assert caught.value.code == "P212"


def test_a_distance_over_a_public_parameter_runs():
    assert isinstance(float(runnable("public")(1, 1, 1)), float)
