"""``lapwing example``: a table to start from, never over one that is there; and commands that were mistyped."""

import shlex

from tests.cli.invoke import lapwing


def test_what_each_example_says_to_do_next_is_done(tmp_path, monkeypatch):
    """In this order: the plan is one for the table of people as it was protected."""
    monkeypatch.chdir(tmp_path)
    for name in ("people", "visits", "wishes"):
        done = lapwing("example", name)
        assert done.exit_code == 0
        again = lapwing("example", name)
        assert (again.exit_code, "F022" in again.stderr) == (2, True)
        program, *arguments = shlex.split(done.stdout.splitlines()[-1])
        assert program == "lapwing"
        followed = lapwing(*arguments)
        assert followed.exit_code == 0, followed.output


def test_a_mistyped_command_is_suggested():
    run = lapwing("runn")
    assert run.exit_code == 2
    assert "Did you mean run?" in run.output


def test_the_corpus_is_a_folder_of_programs_that_are_decided(tmp_path):
    done = lapwing("example", "corpus", "--folder", str(tmp_path))
    assert done.exit_code == 0
    assert (tmp_path / "corpus" / "proved" / "sparse_vector.py").is_file()
    assert not list(tmp_path.rglob("__pycache__"))
    again = lapwing("example", "corpus", "--folder", str(tmp_path))
    assert (again.exit_code, "F022" in again.stderr) == (2, True)
