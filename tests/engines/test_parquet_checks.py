"""Data that a later statement could fail on, or be misled by, is refused when a table is protected."""

import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.engines.parquet_checks import check_statistics
from lapwing.errors import InvalidInput
from lapwing.session.protecting import Wishes, protect, renew
from tests.session.tables import PEOPLE, people, protected

WISHES = Wishes("uid", 1)
FAR = 2**30


def lying(path, table, said):
    """The table in a file whose footer says that no value is above ``said``."""
    pq.write_table(table, path, use_dictionary=False, compression="none")
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - size : -8]
    assert struct.pack("<q", FAR) in footer
    path.write_bytes(data[: -8 - size] + footer.replace(struct.pack("<q", FAR), struct.pack("<q", said)) + data[-8:])


@pytest.mark.parametrize("column", ["uid", "x"])
def test_a_file_that_misstates_its_greatest_value_is_refused(tmp_path, column):
    """DuckDB would leave out the clip, or take two people for one."""
    values = {"uid": [1, 2, 3], "x": [5, 7, 9]} | {column: [1, 2, FAR]}
    lying(tmp_path / "t.parquet", pa.table(values), 9)
    with pytest.raises(InvalidInput, match="E113"):
        protect(tmp_path / "t.parquet", WISHES)
    assert {each.name for each in tmp_path.iterdir()} == {"t.parquet"}


def test_a_file_that_misstates_a_column_nobody_can_ask_for_is_accepted(tmp_path):
    lying(tmp_path / "t.parquet", pa.table({"uid": [1, 2], "x": [1, FAR]}), 9)
    check_statistics(tmp_path / "t.parquet", ["uid"])


def test_honest_files_of_every_kind_are_accepted(tmp_path):
    table = pa.table(
        {
            "whole": pa.array([1, None, -5], pa.int8()),
            "unsigned": pa.array([1, 2**64 - 1, None], pa.uint64()),
            "real": pa.array([1.5, float("nan"), -0.0], pa.float64()),
            "only_nan": pa.array([float("nan")] * 3, pa.float32()),
            "text": ["ä" * 100, "b", None],
            "listed": pa.array(["x", None, "y"]).dictionary_encode(),
            "truth": [True, None, False],
            "day": pa.array([0, -(10**6), None], pa.int32()).cast(pa.date32()),
            "moment": pa.array([0, 2**62, None], pa.int64()).cast(pa.timestamp("us")),
            "money": pa.array([1, 2, None]).cast(pa.decimal128(30, 2)),
            "coins": pa.array([1, 2, None], pa.decimal32(8, 2)),
            "half": pa.array([1.5, -2, None], pa.float16()),
            "seen": pa.array(["x", "y" * 90, None], pa.string_view()),
            "nothing": pa.nulls(3, pa.int64()),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    check_statistics(tmp_path / "t.parquet", table.column_names)


def test_a_column_is_not_taken_for_a_part_of_another(tmp_path):
    table = pa.table({"s": [{"q": 1}, {"q": 2}], "s.q": ["a", "b"], "a.b": [5, 6], "a": [0.5, None]})
    pq.write_table(table, tmp_path / "t.parquet")
    check_statistics(tmp_path / "t.parquet", ["s.q", "a.b", "a"])


@pytest.mark.parametrize("name", ["x", "x, y", "x.y"])
def test_statistics_that_one_reader_hides_and_the_other_believes_are_refused(tmp_path, name):
    """Arrow distrusts what some old writers said of unsigned numbers, and DuckDB does not."""
    path = tmp_path / "t.parquet"
    table = pa.table({"uid": [1, 2], name: pa.array([5, 3_000_000_000], pa.uint32())})
    pq.write_table(table, path, use_dictionary=False, compression="none")
    data, version = path.read_bytes(), pq.ParquetFile(path).metadata.created_by.encode()
    path.write_bytes(data.replace(version, b"parquet-mr version 1.8.0 (build )".ljust(len(version))[: len(version)]))
    with pytest.raises(InvalidInput, match="E113"):
        protect(path, WISHES)


def test_two_columns_of_one_name_are_refused(tmp_path):
    """DuckDB would call the second x_1, and its statistics would be held against the first."""
    for names in (["uid", "x", "x"], ["uid", "x", "X"]):
        pq.write_table(pa.Table.from_arrays([pa.array([1, 2])] * 3, names=names), tmp_path / "t.parquet")
        with pytest.raises(InvalidInput, match="E115"):
            protect(tmp_path / "t.parquet", WISHES)
    pq.write_table(pa.table({"uid": [1, 2], "x": [{"q": 1}, {"q": 2}], "X": [3, 4]}), tmp_path / "t.parquet")
    with pytest.raises(InvalidInput, match="E115"):
        protect(tmp_path / "t.parquet", WISHES)


def test_text_that_is_none_is_refused(tmp_path):
    """A query that comes across it would fail, and so tell who it is: WHERE income < 84 fails, < 83 does not."""
    raw = pa.array([b"a", b"Jos\xe9"], pa.binary())
    table = pa.table({"uid": [1, 2], "name": pa.Array.from_buffers(pa.string(), 2, raw.buffers())})
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=False)
    with pytest.raises(InvalidInput, match=r"E11[34]"):
        protect(tmp_path / "t.parquet", WISHES)


def test_a_time_that_the_engine_has_no_room_for_is_refused(tmp_path):
    far = pa.array([0, 2**62], pa.int64()).cast(pa.timestamp("ms"))
    pq.write_table(pa.table({"uid": [1, 2], "at": far}), tmp_path / "t.parquet")
    with pytest.raises(InvalidInput, match=r"E11[34]"):
        protect(tmp_path / "t.parquet", WISHES)


def test_a_text_file_that_cannot_be_read_to_its_end_is_refused(tmp_path):
    rows = b"".join(b"%d,a,%d\n" % (i, i % 9) for i in range(60_000))
    (tmp_path / "t.csv").write_bytes(b"uid,s,x\n" + rows + b'77,"a b",3\r\n88,a,4\n')
    with pytest.raises(InvalidInput, match="E114"):
        protect(tmp_path / "t.csv", WISHES)


def test_new_data_are_examined_too(tmp_path):
    protected(tmp_path).close()
    path = tmp_path / "people.parquet"
    ages = pa.array([FAR] + [0] * (PEOPLE - 1))
    lying(path, people().drop(["age"]).append_column("age", ages), 9)
    with pytest.raises(InvalidInput, match="E113"):
        renew(path)
