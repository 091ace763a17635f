"""Folders of Parquet that a log makes less, or more, than their files are refused; plain ones are read."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from lapwing.cli import main
from lapwing.engines import files
from lapwing.errors import LapwingError

#: What each way to store tables leaves in a table's folder, and where in it the data are.
WAYS = {
    "Iceberg": (["metadata/v1.metadata.json", "metadata/version-hint.text", "metadata/snap-1.avro"], "data"),
    "Iceberg of a catalogue": (["metadata/00001-5f3c.metadata.json"], "data/town=a"),
    "Iceberg, compressed": (["metadata/00001-5f3c.gz.metadata.json"], "data"),
    "Iceberg, compressed long ago": (["metadata/v2.metadata.json.gz"], "data"),
    "Hudi": ([".hoodie/hoodie.properties"], ""),
    "Hudi in parts": ([".hoodie/hoodie.properties", "2024/.hoodie_partition_metadata"], "2024"),
    "Delta": (["_delta_log/00000000000000000000.json"], "year=2024/month=1"),
    "stream": (["_spark_metadata/0"], ""),
    "Paimon": (["snapshot/snapshot-1", "schema/schema-0", "manifest/manifest-1"], "bucket-0"),
}


def laid_out(place, listed, data):
    """A folder with such files in it; returns a data file."""
    for name in listed:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(json.dumps({"format-version": 2}))
    (place / data).mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"person": [1, 2]}), place / data / "one.parquet")
    return place / data / "one.parquet"


def refusal(path):
    with pytest.raises(LapwingError) as refused:
        files.find(path)
    return refused.value.code


@pytest.mark.parametrize("way", WAYS)
def test_tables_with_a_log_are_refused_whole_and_in_part(tmp_path, way):
    listed, data = WAYS[way]
    part = laid_out(tmp_path / "people", listed, data)
    assert {refusal(tmp_path / "people"), refusal(part.parent), refusal(part)} == {"E128"}


def test_a_file_of_a_ducklake_is_known_by_its_name(tmp_path):
    part = laid_out(tmp_path / "people", [], "")
    files.find(tmp_path / "people")
    renamed = part.rename(part.with_name("ducklake-0191.parquet"))
    assert {refusal(tmp_path / "people"), refusal(renamed)} == {"E128"}


def test_the_refusal_names_the_way_and_the_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    laid_out(tmp_path / "people", *WAYS["Iceberg"])
    said = CliRunner().invoke(main, ["protect", "people/data", "--unit", "person", "--epsilon", "1"])
    assert said.exit_code == 2
    assert "Iceberg" in said.output
    assert "Store a copy as Parquet" in said.output
    assert sorted(each.name for each in tmp_path.iterdir()) == ["people"]


def test_what_programs_leave_beside_plain_parts_is_no_log(tmp_path):
    part = laid_out(tmp_path / "people", ["_SUCCESS", "_metadata", ".one.parquet.crc", "README.md"], "")
    (part.parent / "_temporary").mkdir()
    for name in ("_temporary/two.parquet", "_begun.parquet", ".hidden.parquet"):
        (part.parent / name).write_bytes(part.read_bytes())
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "table.json").write_text("{}")
    assert [file.name for file in files.find(tmp_path / "people").files] == ["one.parquet"]


@pytest.mark.parametrize("inner", ["archive", "year=2024/month=1", "more.parquet"])
def test_parts_in_inner_folders_are_not_forgotten(tmp_path, inner):
    part = laid_out(tmp_path / "people", [], "")
    (part.parent / inner).mkdir(parents=True)
    assert files.find(part.parent).files == (part,)  # nothing is in it
    (part.parent / inner / "two.parquet").write_bytes(part.read_bytes())
    assert refusal(part.parent) == "E102"
    part.unlink()
    assert refusal(part.parent) == "E102"
