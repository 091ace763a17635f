"""What continuous integration does with a part of it that fails, or that there is no time for."""

import signal
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]


def within(seconds, *command):
    done = subprocess.run([".ci/within", str(seconds), "A part", *command], cwd=HERE, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize("code", [0, 1, 5])
def test_what_fails_in_a_part_fails_the_whole(code):
    assert within(60, "bash", "-c", f"echo its own words; exit {code}") == (code, "its own words\n")


@pytest.mark.parametrize("seconds", [1, 0, -5])
def test_only_a_lack_of_time_is_forgiven_and_said(seconds):
    code, said = within(seconds, "sleep", "60")
    assert code == 0
    assert said == "A part: NOT tested to the end, there was no time left for it. Run sleep 60\n"


def test_tests_that_run_in_the_background_hear_ctrl_c():
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.mark.parametrize("script", ["run", "spark", "debian-postgresql"])
def test_a_command_that_fails_ends_its_script(script):
    """In ``a || { b && c; }`` a failure of a is forgotten where b fails: so nothing hides behind an ``||``."""
    text = (HERE / ".ci" / script).read_text()
    assert "set -euo pipefail" in text
    told = [line for line in text.splitlines() if "||" in line and "pytest" in line]
    assert told == []
    assert "pytest" in text or ".ci/within" in text
