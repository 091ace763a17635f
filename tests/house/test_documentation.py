"""The documentation is whole: every error code, command and public name is in it."""

import re
from pathlib import Path

import lapwing
from lapwing.cli import main
from lapwing.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "lapwing"
ERRORS = (ROOT / "docs" / "reference" / "errors.md").read_text()
CODE = re.compile(r'"([A-Z]\d{3})[ "]')


def codes_in_source():
    return {code for path in SOURCE.rglob("*.py") for code in CODE.findall(path.read_text())}


def codes_in_page():
    return set(re.findall(r"^\| `?([A-Z]\d{3})`? \|", ERRORS, flags=re.MULTILINE))


def test_every_error_code_is_documented():
    assert codes_in_source() - codes_in_page() == set()


def test_no_documented_code_is_left_over():
    assert codes_in_page() - codes_in_source() == set()


def test_every_command_is_documented_with_its_exit_codes():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    for name in COMMANDS:
        command = main.get_command(None, name)
        assert f"lapwing {name}" in page, name
        assert "xit code" in command.help, f"{name} --help says no exit codes"


def test_public_surface_is_sorted_and_whole():
    assert list(lapwing.__all__) == sorted(lapwing.__all__)
    for name in lapwing.__all__:
        assert hasattr(lapwing, name), name


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page):
    """What ``#…`` may name in a page: its headings, in small letters, without punctuation, with dashes for spaces."""
    headings = re.findall(r"^#+ +(.+?) *$", FENCED.sub("", page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_relative_link_leads_somewhere():
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)", page.read_text()):
            there = page.parent / target if target else page
            assert there.exists(), f"{page.name} links to {target}"
            assert not anchor or anchor in anchors(there), f"{page.name} links to {target}#{anchor}"


def test_tables_of_errors_have_a_cell_for_each_heading():
    columns = None
    for number, line in enumerate(ERRORS.splitlines(), 1):
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        columns = None if not cells else columns or len(cells)
        assert not cells or (len(cells) == columns and all(cell.strip() for cell in cells)), f"line {number}: {line}"


def test_repository_names_no_machine_or_registry():
    forbidden = re.compile(r"/work/|/root/|/home/\w|pypi\.org|files\.pythonhosted|index-url", re.IGNORECASE)
    tracked = [p for p in ROOT.rglob("*") if p.is_file() and not {".venv", ".git"} & set(p.relative_to(ROOT).parts)]
    kinds, names = {".py", ".md", ".toml", ".lock", ".yml"}, {"Makefile", "run"}
    texts = [p for p in tracked if p.suffix in kinds or p.name in names]
    assert len(texts) > 20
    for path in texts:
        if path != Path(__file__).resolve():
            found = forbidden.search(path.read_text())
            assert found is None, f"{path.relative_to(ROOT)} mentions {found and found.group()}"
