"""Every transcript in the README and the docs is executed: commands after ``$``, Python after ``>>>``.

``...`` in an expected output stands for anything (noise, seconds), as in doctest. In a block marked ``noisy`` any
number stands for any other: the page shows one answer of many.
"""

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.invoke import inside, lapwing

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONSOLE = re.compile(r"^```console( noisy)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?(e-?\d+)?")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(page):
    for noisy, block in CONSOLE.findall(page.read_text()):
        steps = re.split(r"^\$ ", block, flags=re.MULTILINE)
        for step in steps[1:]:
            command, _, expected = step.replace("\\\n", " ").partition("\n")
            yield command, expected, bool(noisy)


def run(command, folder):
    """In this process: that a process of its own prints the same is what tests of the command line look at."""
    words = shlex.split(command)
    assert words[0] == "lapwing", f"a transcript runs {words[0]}; only lapwing commands are executed here"
    with inside(folder):
        return lapwing(*words[1:])


@pytest.fixture
def desk(tmp_path, request):
    """A folder as a reader has it: the corpus and copies of the bundled tables; the README makes its own."""
    page = request.node.callspec.params["page"]
    if page.name == "README.md" and "commands" in request.node.name:
        return tmp_path
    (tmp_path / "corpus").symlink_to(ROOT / "corpus")
    for table in (ROOT / "src" / "lapwing" / "data").iterdir():
        shutil.copy(table, tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [p for p in PAGES if CONSOLE.search(p.read_text())], ids=lambda p: p.name)
def test_commands_print_what_the_page_shows(page, desk):
    # one after the other, as a reader would: a table that is protected stays so for the rest of the page
    for command, expected, noisy in commands(page):
        done = run(command, desk)
        got = done.stdout + done.stderr
        if noisy:
            expected, got = NUMBER.sub("#", expected), NUMBER.sub("#", got)
        same = doctest.OutputChecker().check_output(expected, got, FLAGS)
        assert same, f"{command}\npage shows:\n{expected}\ngot:\n{got}"


@pytest.mark.parametrize("page", [p for p in PAGES if ">>> " in p.read_text()], ids=lambda p: p.name)
def test_python_does_what_the_page_shows(page, desk, monkeypatch):
    monkeypatch.chdir(desk)
    # doctest reads a fence as part of the expected output, so fences become blank lines.
    text = re.sub(r"^```.*$", "", page.read_text(), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    failures = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_readme_has_transcripts_to_execute():
    assert sum(1 for _ in commands(ROOT / "README.md")) >= 2
    assert ">>> " in (ROOT / "README.md").read_text()


def test_a_wrong_transcript_would_be_noticed(tmp_path):
    done = run("lapwing --version", tmp_path)
    assert not doctest.OutputChecker().check_output("lapwing, version 99\n", done.stdout, FLAGS)
