"""The frame of the command line: help that teaches, errors in one line."""

import subprocess
import sys

import pytest

from lapwing import __version__
from lapwing.cli.commands import COMMANDS
from tests.cli.invoke import lapwing


def test_help_teaches_and_names_the_exit_codes():
    text = lapwing("--help").stdout
    assert "lapwing demo" in text
    assert "Exit codes" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_json_and_exit_codes(name):
    text = lapwing(name, "--help").stdout
    assert "--json" in text
    assert "Exit codes" in text


def test_version_and_module_agree():
    run = subprocess.run([sys.executable, "-m", "lapwing", "--version"], capture_output=True, text=True, check=True)
    assert __version__ in run.stdout


def test_an_unknown_command_is_a_usage_error():
    run = lapwing("prive")
    assert run.exit_code == 2
    assert "Traceback" not in run.output


def test_an_unwritable_file_is_one_line(tmp_path):
    folder = tmp_path / "cost.png"
    folder.mkdir()
    run = lapwing("compose", "pure(1)", "--plot", str(folder))
    assert run.exit_code == 2
    assert "Traceback" not in run.output


class Panic(BaseException):
    """As libraries in Rust raise it: no Exception."""


@pytest.mark.parametrize("kind", [IndexError, Panic])
def test_a_mistake_of_ours_is_one_line_and_no_verdict(monkeypatch, kind):
    def broken(*_, **__):
        raise kind("far away")

    monkeypatch.setattr("lapwing.cli.compose.account", broken)
    run = lapwing("compose", "pure(1)")
    assert run.exit_code == 70
    assert f"F099 internal error ({kind.__name__})" in run.stderr
    assert "Traceback" not in run.stderr
    assert "Traceback" in lapwing("--debug", "compose", "pure(1)").stderr
    assert "70" in lapwing("--help").stdout


def test_a_reader_who_leaves_early_is_no_verdict():
    script = "from lapwing.cli import main; main(['compose', 'pure(1)'])"
    shell = f'{sys.executable} -c "{script}" | true; exit ${{PIPESTATUS[0]}}'
    run = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)  # noqa: S607  # any bash
    assert run.returncode in (0, 141)
    assert "Traceback" not in run.stderr
