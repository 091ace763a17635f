"""Whether a Parquet file tells the truth about itself.

The one idea: DuckDB believes a file's own least and greatest values and its count of NULLs, and leaves out clips,
conditions and whole parts of the file that cannot matter if they are true. So they are held against the values once,
when a table is protected; from then on its fingerprint holds every byte.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lapwing.engines.opening_sql import literally, quoted_text
from lapwing.errors import InvalidInput

#: For a row group and the number of a column, the least and the greatest value as text, where there is one.
Believed = dict[tuple[int, int], tuple[str | None, str | None]]


def check_statistics(file: Path, columns: Iterable[str]) -> None:
    """Refuse a file whose statistics of these columns are false, or cannot be compared with its values."""
    wanted = {name.lower() for name in columns}
    try:
        with pq.ParquetFile(file) as parquet:
            names = [name.lower() for name in parquet.schema_arrow.names]
            believed, groups = _believed(file), range(parquet.num_row_groups)
            honest = len(set(names)) == len(names) and all(_is_honest(parquet, at, wanted, believed) for at in groups)
    except (pa.ArrowException, duckdb.Error, OSError, OverflowError, TypeError, ValueError, struct.error):
        names, honest = [], False  # not even readable: no word about which value it was
    if len(set(names)) != len(names):
        raise InvalidInput("E115", f"two columns of {file.name!r} have one name, in letters of any case", "Rename one")
    if not honest:
        raise InvalidInput(
            "E113",
            f"what {file.name!r} says of its own values is not so, or cannot be read",
            "Write the file again with another tool, then protect it",
        )


def _believed(file: Path) -> Believed:
    """The row groups and columns whose least or greatest value DuckDB believes, also where Arrow does not.

    Where one of the two is too long to be written down, Arrow reads neither, and DuckDB the other.
    """
    ends = "coalesce(stats_min_value, stats_min), coalesce(stats_max_value, stats_max)"
    found = f"SELECT row_group_id, column_id, {ends} FROM parquet_metadata({quoted_text(literally(file))})"  # noqa: S608  # quoted
    with contextlib.closing(duckdb.connect()) as connection:
        rows = connection.execute(found).fetchall()
    return {(int(group), int(at)): (low, high) for group, at, low, high in rows if (low, high) != (None, None)}


def _is_honest(parquet: pq.ParquetFile, group: int, wanted: set[str], believed: Believed) -> bool:
    metadata = parquet.metadata.row_group(group)
    for at in range(metadata.num_columns):
        name = parquet.schema.column(at).name
        said = metadata.column(at).statistics
        if name.lower() not in wanted or name != metadata.column(at).path_in_schema:  # a part of another column
            continue
        values = parquet.read_row_group(group, columns=[name]).column(name)  # Arrow also gives s{q} for "s.q"
        ends = believed.get((group, at))
        if ends is not None and (said is None or not said.has_min_max) and not _is_text_within(values, ends):
            return False
        if len(values) != metadata.num_rows or (said is not None and not _holds(said, values)):
            return False
    return True


def _is_text_within(values: pa.ChunkedArray, ends: tuple[str | None, str | None]) -> bool:
    """Whether texts lie between the ends that DuckDB reads, as far as it reads any."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return False
    least, greatest = _ends(values)
    low, high = (None if end is None else end.encode() for end in ends)
    return least is None or ((low is None or low <= least) and (high is None or greatest <= high))


def _holds(said: pq.Statistics, values: pa.ChunkedArray) -> bool:
    if said.has_null_count and said.null_count != values.null_count:
        return False
    least, greatest = _ends(values)
    if not said.has_min_max or least is None:
        return True
    low, high = _said(said, values.type)
    return bool(low <= least and greatest <= high)  # text may be cut short, so that the ends lie farther out


def _ends(values: pa.ChunkedArray) -> tuple[Any, Any]:
    """The least and the greatest value, in the order that statistics use; NaN has no place in it."""
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):  # a UUID
        values = values.cast(kind.storage_type)
    elif pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
    elif pa.types.is_temporal(kind):
        values = values.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    elif pa.types.is_floating(kind):
        values = values.cast(pa.float64())
        values = values.filter(pc.invert(pc.is_nan(values)))
    elif pa.types.is_decimal(kind) and kind.bit_width < 128:
        values = values.cast(pa.decimal128(kind.precision, kind.scale))
    if any(is_text(values.type) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)):
        values = values.cast(pa.large_binary())
    if pa.types.is_fixed_size_binary(values.type):
        values = values.cast(pa.binary())
    ends = pc.min_max(values).as_py()
    return ends["min"], ends["max"]


def _said(said: pq.Statistics, kind: pa.DataType) -> tuple[Any, Any]:
    if pa.types.is_temporal(kind) or isinstance(kind, pa.BaseExtensionType):
        # as stored: a date may be too far away for Python
        return said.min_raw, said.max_raw
    if pa.types.is_float16(kind):
        low, high = (struct.unpack("<e", end)[0] for end in (said.min_raw, said.max_raw))
        return low, high
    return _bytes(said.min), _bytes(said.max)


def _bytes(value: object) -> object:
    return value.encode() if isinstance(value, str) else value
