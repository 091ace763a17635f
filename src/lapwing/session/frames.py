"""Data frames: pandas, Polars and Arrow tables, protected like files.

The one idea: what is protected is a copy, written once into a folder that only this user can read. Whatever happens to
the frame afterwards, answers are about what it was, and no message ever writes a frame out.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lapwing.errors import InvalidInput
from lapwing.policy import is_identifier


def is_frame(source: object) -> bool:
    """Whether this is a table in memory, told by its type alone."""
    kind = type(source)
    return isinstance(source, pa.Table) or (kind.__name__, kind.__module__.partition(".")[0]) in {
        ("DataFrame", "pandas"),
        ("DataFrame", "polars"),
    }


def written(frame: Any, name: str, folder: str | Path | None) -> tuple[Path, tempfile.TemporaryDirectory[str] | None]:  # noqa: ANN401  # pandas and Polars are optional, and so are their types
    """A copy of the frame as a Parquet file, and the folder to remove with it; None where the folder was given."""
    if not is_identifier(name):
        raise InvalidInput(
            "S127", "the name of a frame is no name in SQL", "Give name=... of the letters a to z, digits, underscores"
        )
    names = [str(each) for each in (frame.column_names if isinstance(frame, pa.Table) else frame.columns)]
    if not names:
        raise InvalidInput("S127", "the frame has no columns", "Give a frame with a column of values")
    if len({each.lower() for each in names}) < len(names):
        raise InvalidInput("S127", "two columns of the frame have one name, in letters of any case", "Rename one")
    passing = tempfile.TemporaryDirectory(prefix="lapwing-") if folder is None else None
    place = Path(passing.name if passing is not None else str(folder)) / f"{name}.parquet"
    if place.exists():
        raise InvalidInput("S123", f"{place} is there already", "Open it, or choose another folder or name")
    try:
        pq.write_table(_arrow(frame), place)
    except (pa.ArrowException, OSError, ValueError, TypeError):
        # the text of these errors may hold a cell
        raise InvalidInput(
            "S127",
            "the frame cannot be stored as a table",
            "Give each column one kind of value, and a folder to write to",
        ) from None
    return place, passing


def _arrow(frame: Any) -> pa.Table:  # noqa: ANN401  # as above
    if isinstance(frame, pa.Table):
        table = frame
    elif type(frame).__module__.partition(".")[0] == "polars":
        table = frame.to_arrow()
    else:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    for at, column in enumerate(table.schema):
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns" and column.type.tz is not None:
            # no engine reads nanoseconds with a zone, which pandas makes: their microseconds are kept
            kept = table.column(at).cast(pa.timestamp("us", column.type.tz), safe=False)
            table = table.set_column(at, column.name, kept)
    return table
