import contextlib
import io

import pytest

from lapwing.program.parse import parse_file
from lapwing.refute.distribution import Subject
from lapwing.refute.search import refute
from lapwing.refute.story import snippet, story
from tests.corpus import ROOT


def witness_of(name):
    path = ROOT / "refuted" / f"{name}.py"
    module = parse_file(path)
    subject = Subject(module, list(module)[-1])
    return refute(subject).witness(subject, str(path))


def test_the_story_of_the_coin_toss_is_exact():
    text = story(witness_of("coin_toss"))
    assert "3/4" in text
    assert "1/4" in text
    assert "ln(3)" in text
    assert "[False]   [True]   <- differs" in text


@pytest.mark.parametrize("name", ["lyu_4", "coin_toss", "gaussian_answer", "two_counts"])
def test_the_snippet_recomputes_both_probabilities(name):
    witness = witness_of(name)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(snippet(witness)), {})  # noqa: S102  # the lines are ours, and made to be pasted
    left, right = map(float, printed.getvalue().split())
    assert left == pytest.approx(float(witness.probability_left), rel=1e-9)
    assert right == pytest.approx(float(witness.probability_right), rel=1e-9)


def test_an_infinite_loss_is_called_so():
    assert "no path to it was found on the right" in story(witness_of("lyu_5"))
