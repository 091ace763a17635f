"""Folders of Delta: exactly the files of the newest version are read, and what is more than its files is refused."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from lapwing.cli import main
from lapwing.engines import DuckDB, files, open_engine
from lapwing.errors import LapwingError
from tests.contracts import spark
from tests.contracts.engines import policy, receipt

FIRST = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
SCHEMA = {"metaData": {"id": "1", "partitionColumns": [], "configuration": {}}}


class Folder:
    """A Delta table, written by hand: every commit is a list of actions."""

    def __init__(self, place):
        self.place, self.version = place, -1
        (place / "_delta_log").mkdir(parents=True)

    def commit(self, *actions):
        self.version += 1
        lines = [json.dumps({"commitInfo": {"operation": "WRITE"}}), *map(json.dumps, actions)]
        (self.place / "_delta_log" / f"{self.version:020}.json").write_text("\n".join(lines) + "\n")

    def write(self, name, people, **more):
        """An action that adds a file with one row for each of these people."""
        pq.write_table(
            pa.table({"person": people, "town": ["a"] * len(people), "pay": [1.0] * len(people)}), self.place / name
        )
        return {"add": {"path": name, "partitionValues": {}, "size": 1, "dataChange": True} | more}

    def checkpoint(self, *actions):
        """All that the commits said so far, instead of them."""
        log = self.place / "_delta_log"
        file = pa.struct([("path", pa.string()), ("partitionValues", pa.map_(pa.string(), pa.string()))])
        meta = pa.struct([("id", pa.string()), ("configuration", pa.map_(pa.string(), pa.string()))])
        known = pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])
        kinds = {"add": file, "remove": file, "metaData": meta, "protocol": known}
        table = pa.table({name: pa.array([each.get(name) for each in actions], kind) for name, kind in kinds.items()})
        pq.write_table(table, log / f"{self.version:020}.checkpoint.parquet")
        for old in log.glob("*.json"):
            old.unlink()


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "people")


def listed(folder):
    return [file.name for file in files.find(folder.place).files]


def refusal(folder):
    with pytest.raises(LapwingError) as refused:
        files.find(folder.place)
    return refused.value.code


def test_deleted_rows_are_not_read_and_a_new_version_is_other_data(folder, tmp_path):
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", [1, 2, 3]))
    pq.write_table(pa.table({"name": ["a"], "code": [1]}), tmp_path / "towns.parquet")
    both = policy("people", "towns.parquet")
    count = "SELECT count(*) AS n FROM people"
    with DuckDB(both, tmp_path) as before:
        whole = before.fingerprint(b"secret")
        # the second person asked to be forgotten; a reader that began earlier goes on with what it began with
        folder.commit({"remove": {"path": "one.parquet"}}, folder.write("two.parquet", [1, 3]))
        assert before.fetch(receipt(), [count])[0].to_pylist() == [{"n": 3}]
    with DuckDB(both, tmp_path) as after:
        assert after.fetch(receipt(), [count])[0].to_pylist() == [{"n": 2}]
        assert after.fingerprint(b"secret", whole).partition(".")[0] != whole.partition(".")[0]


def test_a_file_that_no_commit_lists_does_not_count(folder):
    folder.commit(FIRST, SCHEMA, folder.write("a b%.parquet", [1], path="a%20b%25.parquet"))
    folder.write("begun.parquet", [7])  # a writer that has not finished
    assert listed(folder) == ["a b%.parquet"]
    folder.commit({"remove": {"path": "a b%25.parquet"}}, folder.write("two.parquet", [1]))  # the same file
    assert listed(folder) == ["two.parquet"]


def test_a_checkpoint_stands_for_the_commits_before_it(folder):
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", [1]))
    folder.commit(folder.write("two.parquet", [2]))
    gone = {"remove": {"path": "one.parquet", "partitionValues": {}}}
    folder.checkpoint(FIRST, {"metaData": {"id": "1", "configuration": {}}}, gone, folder.write("two.parquet", [2]))
    assert listed(folder) == ["two.parquet"]
    folder.commit({"remove": {"path": "two.parquet"}}, folder.write("three.parquet", [3]))
    assert listed(folder) == ["three.parquet"]
    folder.version += 1  # a commit that is missing
    folder.commit(folder.write("five.parquet", [5]))
    assert refusal(folder) == "E128"


_MARK = {"storageType": "u", "pathOrInlineDv": "x", "offset": 1, "sizeInBytes": 1, "cardinality": 1}


@pytest.mark.parametrize(
    "actions",
    [
        [{"protocol": {"minReaderVersion": 4}}],
        [{"protocol": {"minReaderVersion": 3, "readerFeatures": ["typeWidening"]}}],
        [{"metaData": {"configuration": {"delta.columnMapping.mode": "name"}}}],
        [{"add": {"path": "one.parquet", "deletionVector": _MARK}}],
        [{"add": {"path": "../other.parquet"}}],
        [{"add": {"path": "./one.parquet"}}],
        [{"add": {"path": "part//one.parquet"}}],
        [{"add": {"path": ""}}],
        [{"add": {"path": "file:///etc/other.parquet"}}],
        [{"add": {"path": "%2Fetc/other.parquet"}}],
        [{"add": "one.parquet"}],
        ["add"],
    ],
)
def test_a_version_that_is_more_than_its_files_is_refused(folder, actions):
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", [1]))
    assert listed(folder) == ["one.parquet"]
    folder.commit(*actions)
    assert refusal(folder) == "E128"


def test_features_that_are_not_used_are_no_reason_to_refuse(folder):
    protocol = {"minReaderVersion": 3, "readerFeatures": ["deletionVectors", "columnMapping", "timestampNtz"]}
    folder.commit({"protocol": protocol}, SCHEMA, folder.write("one.parquet", [1]))
    assert listed(folder) == ["one.parquet"]
    # marked and rewritten: the file with its mark is another one than the file without
    folder.commit({"remove": {"path": "one.parquet"}}, {"add": {"path": "one.parquet", "deletionVector": _MARK}})
    assert refusal(folder) == "E128"
    mark = {"remove": {"path": "one.parquet", "deletionVector": dict(reversed(_MARK.items()))}}
    folder.commit(mark, folder.write("two.parquet", [1]))
    assert listed(folder) == ["two.parquet"]


@pytest.mark.parametrize("broken", ["", "{", "[]", "\udcff", '{"add": {}}', "null"])
def test_a_log_that_cannot_be_read_is_refused(folder, broken):
    (folder.place / "_delta_log" / f"{0:020}.json").write_bytes(broken.encode("utf-8", "surrogateescape"))
    folder.write("one.parquet", [1])
    assert refusal(folder) == "E128"


def test_a_part_of_a_folder_with_a_log_is_refused(folder, tmp_path):
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", [1]))
    (folder.place / "year=2024").mkdir()
    pq.write_table(pa.table({"person": [1]}), folder.place / "year=2024" / "one.parquet")
    other = Folder(tmp_path / "hudi")
    other.write("one.parquet", [1])
    (other.place / "_delta_log").rename(other.place / ".hoodie")
    assert refusal(other) == "E128"
    with pytest.raises(LapwingError, match="E128"):
        files.find(folder.place / "year=2024")


def test_a_file_that_was_vacuumed_away_is_missing(folder):
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", [1]))
    (folder.place / "one.parquet").unlink()
    assert refusal(folder) == "E101"


def test_a_delta_table_is_protected_answered_and_refused_after_a_new_version(folder, monkeypatch):
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", list(range(500))))
    folder.commit({"remove": {"path": "one.parquet"}}, folder.write("two.parquet", list(range(100))))
    monkeypatch.chdir(folder.place.parent)
    run = CliRunner().invoke
    made = run(main, ["protect", "people", "--unit", "person", "--rows-per-unit", "1", "--epsilon", "50"])
    assert made.exit_code == 0, made.output
    asked = ["run", "people", "SELECT COUNT(*) AS n FROM people", "--epsilon"]
    answer = run(main, [*asked, "20"])
    assert answer.exit_code == 0, answer.output
    assert abs(int(answer.stdout.splitlines()[1].split()[0]) - 100) < 20
    folder.commit(folder.write("three.parquet", [7]))
    changed = run(main, [*asked, "10"])
    assert changed.exit_code != 0
    assert "S134" in changed.output


def test_on_spark_the_files_of_the_newest_version_are_read(folder, tmp_path):
    place = spark.server()
    spark.write(tmp_path, towns=pa.table({"name": ["a"], "code": [1]}))
    folder.commit(FIRST, SCHEMA, folder.write("one.parquet", [1, 2, 3]))
    folder.commit({"remove": {"path": "one.parquet"}}, folder.write("two.parquet", [1, 3]))
    folder.checkpoint(FIRST, {"metaData": {"id": "1", "configuration": {}}}, folder.write("two.parquet", [1, 3]))
    folder.write("begun.parquet", [7])
    address = f"spark://{place}/delta:{folder.place}"
    both = policy(address, spark.address(tmp_path / "towns"))
    people = "SELECT `person integer` AS p FROM people ORDER BY p"

    def read(engine):
        return engine.fetch(receipt(), [people])[0].to_pydict()["p"]

    with open_engine(both, ".") as engine:
        before = engine.fingerprint(b"secret")
        assert read(engine) == [1, 3]
        folder.commit(folder.write("a b%.parquet", [4], path="a%20b%25.parquet"))
        with pytest.raises(LapwingError, match="E109"):  # what was compared was the version before
            read(engine)
        after = engine.fingerprint(b"secret", before)
        assert after.partition(".")[0] != before.partition(".")[0]
        assert read(engine) == [1, 3, 4]
        folder.commit({"add": {"path": "two.parquet", "deletionVector": _MARK}})
        with pytest.raises(LapwingError, match="E128"):
            engine.fingerprint(b"secret", after)
    with pytest.raises(LapwingError, match="E128"):
        open_engine(both, ".")
    with pytest.raises(LapwingError, match="E128"):  # and its files are no plain folder
        open_engine(policy(spark.address(folder.place), spark.address(tmp_path / "towns")), ".")
