"""In a terminal of 80 columns nothing is cut off: what is too long is folded, and rows can be told apart."""

import pytest

from lapwing.cli import main
from lapwing.cli.commands import COMMANDS
from lapwing.cli.console import people
from lapwing.cli.prove import _table
from lapwing.cli.touring import open_clinic
from lapwing.cli.touring.neighbours import STOP
from lapwing.cli.touring.stop import Indented
from lapwing.decide.verdict import Verdict
from tests.cli.invoke import lapwing

#: Their examples are queries, which do not get shorter.
QUERIES = ("quote", "run")


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_rows_of_a_proof_table_are_told_apart(capsys):
    files = [f"proved/sparse_vector_{kind}_by_a_coupling.py" for kind in ("falls", "rises")]
    bound, how = "(1 + 6 * limit) / 4 * epsilon", "exact violation of epsilon / 2"
    _table(
        [Verdict("privacy", "sparse_vector", file, 1, "unknown", how, 1.5, claim=how, bound=bound) for file in files],
        people(),
    )
    seen = capsys.readouterr().out
    assert "…" not in seen
    assert max(map(len, seen.splitlines())) <= 80
    heading, *lines = seen.splitlines()
    first = "".join(line[: heading.index("verdict")].strip() for line in lines)
    assert first == "".join(f"sparse_vector({file})" for file in files)


def test_the_picture_of_two_tables_fits(capsys):
    with open_clinic() as clinic:
        for part in STOP.visit(clinic).body:
            people().print(Indented(part))
    seen = capsys.readouterr().out
    assert "…" not in seen
    assert "answer" in seen
    assert "ratio" in seen
    assert max(map(len, seen.splitlines())) <= 80


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in QUERIES])
def test_help_fits(command):
    assert main.get_command(None, command) is not None
    assert [line for line in lapwing(command, "--help").stdout.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_the_exit_code_of_a_mistake_in_lapwing(command):
    assert "70 a mistake in Lapwing" in " ".join(lapwing(command, "--help").stdout.split())


def test_the_default_noise_of_compose_is_real_valued():
    shown = " ".join(lapwing("compose", "--help").stdout.split())
    assert "real-valued noise" in shown
    assert "steps=1024" not in shown
