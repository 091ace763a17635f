"""What is written: whole, through links, and never over a table, a ledger or anything else that is no answer."""

import os
import subprocess
import sys
import threading

import pytest

from lapwing.cli.whole_files import check_release_file, write_whole
from lapwing.errors import InvalidInput
from tests.cli.invoke import lapwing
from tests.cli.tables import COUNT, charges, protected


def test_an_answer_overwrites_nothing_but_an_answer(tmp_path):
    path = protected(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for name in before:
        run = lapwing("run", path, COUNT, "--epsilon", "1", "--output", tmp_path / name)
        assert run.exit_code == 2
        assert "F019" in run.stderr
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert charges(path) == []
    for epsilon in ("1", "2"):
        assert lapwing("run", path, COUNT, "--epsilon", epsilon, "--output", tmp_path / "a.json").exit_code == 0


@pytest.mark.parametrize("place", ["", "missing/a.json", "/proc/a.json", "a" * 300])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_paid(tmp_path, place):
    path = protected(tmp_path)
    run = lapwing("run", path, COUNT, "--epsilon", "1", "--output", place)
    assert run.exit_code == 2
    assert "F003" in run.stderr
    assert charges(path) == []


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--output", "report.html"),
        ("--output", "answers.csv"),
        ("--output", "answers.PARQUET"),
        ("--report", "report.json"),
    ],
)
def test_a_name_that_promises_something_else_is_refused_before_anything_is_paid(tmp_path, option, name):
    """``plan --run --output report.html`` wrote JSON into it, and a page was then refused there."""
    path = protected(tmp_path)
    plan = tmp_path / "plan.toml"
    plan.write_text(f'[[question]]\nsql = "{COUNT}"\nepsilon = 1\n')
    commands = [["plan", plan, path, "--run"]]
    commands += [["run", path, COUNT, "--epsilon", "1"]] if option == "--output" else []
    for command in commands:
        run = lapwing(*command, option, tmp_path / name)
        assert run.exit_code == 2
        assert "F023" in run.stderr
    assert charges(path) == []
    assert not (tmp_path / name).exists()


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert {file.name for file in tmp_path.iterdir()} == {"target", "link"}


def test_nobody_elses_file_is_touched_and_rights_stay(tmp_path):
    victim, out = tmp_path / "victim.txt", tmp_path / "out.json"
    victim.write_text("mine")
    (tmp_path / ".out.json.partial").symlink_to(victim)
    out.write_text('{"certificate": {}, "rows": [], "margins": []}')
    out.chmod(0o600)
    check_release_file(out)
    write_whole(out, "new")
    assert victim.read_text() == "mine"
    assert (tmp_path / ".out.json.partial").is_symlink()
    assert out.read_text() == "new"
    assert out.stat().st_mode & 0o777 == 0o600
    assert len(list(tmp_path.iterdir())) == 3


def test_what_is_no_path_at_all_is_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for place in (tmp_path / "a", tmp_path / "nul\0"):
        with pytest.raises(InvalidInput, match="F003"):
            check_release_file(place)


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    write_whole(pipe, "all of it")
    reader.join(10)
    assert found == ["all of it"]
    assert pipe.is_fifo()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only some systems have a device that is always full")
def test_a_full_disk_says_that_the_price_was_charged(tmp_path):
    path = protected(tmp_path)
    words = [sys.executable, "-m", "lapwing", "run", str(path), COUNT, "--epsilon", "1"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "F003" in done.stderr
    assert "the price was charged" in done.stderr
    assert len(charges(path)) == 1
