"""The examples of *serve a table* are commands that the command line knows, with options that it has."""

import re
import shlex
from pathlib import Path

import click
import pytest

from lapwing.cli import main

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "serve-a-table.md").read_text()
WORDS = [
    *re.findall(r"^(?:LAPWING_TOKEN=\S+ )?(lapwing .+)$", PAGE, re.MULTILINE),
    *re.findall(r"^ExecStart=\S*/(lapwing .+)$", PAGE, re.MULTILINE),
    " ".join(re.findall(r'"([^"]+)"', re.search(r"^CMD \[(.+)\]$", PAGE, re.MULTILINE)[1])),
]


def test_there_are_examples():
    assert len(WORDS) >= 6


@pytest.mark.parametrize("words", WORDS)
def test_an_example_is_a_command(words):
    _, *given = shlex.split(words)
    command, context = main, click.Context(main)
    while isinstance(command, click.Group):
        command = command.get_command(context, given.pop(0))
        assert command is not None, words
    command.make_context(command.name, given, resilient_parsing=False)  # raises where an option is unknown or wrong
