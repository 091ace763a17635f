"""Whether a Parquet file tells the truth about itself.

The one idea: DuckDB believes a file's own least and greatest values and its count of NULLs, and leaves out clips,
conditions and whole parts of the file that cannot matter if they are true. So they are held against the values once,
when a table is protected; from then on its fingerprint holds every byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lapwing.errors import InvalidInput


def check_statistics(file: Path, columns: Iterable[str]) -> None:
    """Refuse a file whose statistics of these columns are false."""
    wanted = {name.lower() for name in columns}
    try:
        with pq.ParquetFile(file) as parquet:
            honest = all(_is_honest(parquet, group, wanted) for group in range(parquet.num_row_groups))
    except (pa.ArrowException, OSError, OverflowError, TypeError, ValueError):
        honest = False  # not even readable: no word about which value it was
    if not honest:
        raise InvalidInput(
            "E113",
            f"what {file.name!r} says of its own values is not so, or cannot be read",
            "Write the file again with another tool, then protect it",
        )


def _is_honest(parquet: pq.ParquetFile, group: int, wanted: set[str]) -> bool:
    metadata = parquet.metadata.row_group(group)
    for at in range(metadata.num_columns):
        chunk = metadata.column(at)
        if chunk.path_in_schema.lower() not in wanted:
            continue
        values = parquet.read_row_group(group, columns=[chunk.path_in_schema]).column(0)
        if len(values) != metadata.num_rows or not _holds(chunk.statistics, values):
            return False
    return True


def _holds(said: pq.Statistics | None, values: pa.ChunkedArray) -> bool:
    if said is None:
        return True
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
        values = values.filter(pc.invert(pc.is_nan(values.cast(pa.float64()))))
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = values.cast(pa.large_binary())
    if pa.types.is_fixed_size_binary(values.type):
        values = values.cast(pa.binary())
    ends = pc.min_max(values).as_py()
    return ends["min"], ends["max"]


def _said(said: pq.Statistics, kind: pa.DataType) -> tuple[Any, Any]:
    if pa.types.is_temporal(kind) or isinstance(kind, pa.BaseExtensionType):
        # as stored: a date may be too far away for Python
        return said.min_raw, said.max_raw
    return _bytes(said.min), _bytes(said.max)


def _bytes(value: object) -> object:
    return value.encode() if isinstance(value, str) else value
