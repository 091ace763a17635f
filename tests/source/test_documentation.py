"""What docs/reference/language.md shows is so."""

import re
from pathlib import Path

import pytest

from lapwing.errors import InvalidProgram
from lapwing.source.language_words import FUNCTIONS, NEIGHBOURS, NOISE
from lapwing.source.parse import parse_text

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "language.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_example_is_a_mechanism():
    (example,) = [text for kind, text in BLOCKS if kind == "python"]
    assert parse_text(example)["sparse_vector"].claim is not None


def test_the_refusal_is_what_is_printed():
    (shown,) = [text for kind, text in BLOCKS if kind == ""]
    head = "from lapwing import mechanism, within\n@mechanism(x=within(1))\n"
    source = f"{head}def square(x: float) -> float:\n    return x ** 0.5\n"
    with pytest.raises(InvalidProgram) as caught:
        parse_text(source, "square.py")
    assert str(caught.value) + "\n" == shown


@pytest.mark.parametrize("word", sorted({*NOISE, *FUNCTIONS, *NEIGHBOURS}))
def test_every_word_of_the_language_is_in_the_page(word):
    assert re.search(rf"`[^`]*\b{word}\b", PAGE), word
