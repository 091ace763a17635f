"""The frame of the command line: help that teaches, errors in one line, interruption, the tour."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from lapwing import __version__
from lapwing.cli import main
from tests.cli.invoke import lapwing


def test_help_teaches_and_names_the_exit_codes():
    text = lapwing("--help").stdout
    assert "lapwing demo" in text
    assert "Exit codes" in text


@pytest.mark.parametrize("name", sorted(main.commands))
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


def test_a_mistake_of_ours_is_one_line_and_no_verdict(monkeypatch):
    def broken(*_, **__):
        raise IndexError("far away")

    monkeypatch.setattr("lapwing.cli.compose.account", broken)
    run = lapwing("compose", "pure(1)")
    assert run.exit_code == 70
    assert "F099 internal error (IndexError)" in run.stderr
    assert "Traceback" not in run.stderr
    assert "Traceback" in lapwing("--debug", "compose", "pure(1)").stderr
    assert "70" in lapwing("--help").stdout


def test_interruption_is_quiet():
    words = ["compose", "100000 * poisson(0.001, gaussian(0.7))", "--delta", "1e-9"]
    script = f"from lapwing.cli import main; print('ready', flush=True); main({words})"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"  # imports are over, however long they took
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert "interrupted" in stderr


def test_the_tour_runs_for_real_and_speaks_json():
    run = lapwing("demo", "--json")
    assert run.exit_code == 0
    stops = [json.loads(line) for line in run.stdout.splitlines()]
    assert [stop["stop"] for stop in stops] == list(range(1, len(stops) + 1))
    by_question = {stop["question"]: stop for stop in stops}
    assert len(by_question) == len(stops)
    assert stops[0]["epsilon"] == 0.5
    assert stops[1]["ratio"] == pytest.approx(2.718281828**0.5)
    assert stops[2]["closed_form"] == "ln 3"
    assert stops[3]["charges"] == 10
    assert [stop["verdict"] for stop in stops[-2:]] == ["refuted", "proved"]
    assert stops[-1]["bound"] == "epsilon"


def test_the_tour_draws_when_asked(tmp_path):
    run = lapwing("demo", "--pictures", str(tmp_path / "new"))
    assert run.exit_code == 0, run.output
    assert (tmp_path / "new" / "neighbours.png").read_bytes().startswith(b"\x89PNG")
