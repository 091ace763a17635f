"""``lapwing example``: a table to start from, never over one that is there; and commands that were mistyped."""

from tests.cli.invoke import lapwing


def test_a_bundled_table_can_be_protected_as_the_command_says(tmp_path):
    done = lapwing("example", "people", "--folder", str(tmp_path))
    assert done.exit_code == 0
    assert (tmp_path / "people.parquet").is_file()
    again = lapwing("example", "people", "--folder", str(tmp_path))
    assert (again.exit_code, "F022" in again.stderr) == (2, True)
    protected = lapwing("protect", str(tmp_path / "people.parquet"), "--unit", "person", "--epsilon", "2")
    assert protected.exit_code == 0


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
