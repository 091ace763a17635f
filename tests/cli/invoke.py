"""Runs commands the way ``lapwing`` does, in this process."""

import json
import os
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from lapwing.cli import main

ROOT = Path(__file__).resolve().parents[2]


def lapwing(*words):
    """The result of a command; an exception that is no exit fails the test."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def objects(result):
    """The JSON objects on standard output."""
    return [json.loads(line) for line in result.stdout.splitlines()]


@contextmanager
def inside(folder):
    """Work in another folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
