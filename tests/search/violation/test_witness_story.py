import contextlib
import io

import pytest

from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.witness_story import snippet, story
from lapwing.source.parse import parse_file
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
def test_the_snippet_uses_public_names_and_computes_the_same_again(name):
    witness = witness_of(name)
    lines = snippet(witness)
    assert lines[0] == "import lapwing"
    scope = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(lines), scope)  # noqa: S102  # the lines are ours, and made to be pasted
    assert "on two neighbouring inputs" in printed.getvalue()
    assert "a privacy loss of" in printed.getvalue()


def test_an_infinite_loss_is_called_so():
    assert "cannot happen on the right at all" in story(witness_of("lyu_5"))


def test_a_loss_that_has_a_closed_form_is_shown_in_it():
    assert "a privacy loss of 2." in story(witness_of("two_counts"))
