"""What lies beside the files of a table that is more than its files: a log that says which files, and rows, count.

The one idea: such a table looks like a folder of Parquet, and whoever reads all of it counts rows that were deleted. So
a folder is plain only if none of these signs is in it, or in a folder around it: parts of a table may lie deeper.
"""

from __future__ import annotations

from collections.abc import Iterable

from lapwing.engines import delta
from lapwing.errors import InvalidInput

#: For each way to store tables, a pattern for what its log is, seen from the table's folder.
SIGNS = {
    "Delta": delta.LOG,
    "Hudi": ".hoodie",
    "a stream of Spark": "_spark_metadata",
    "Iceberg": "metadata/[v0-9]*.metadata.json*",
    "Paimon": "snapshot/snapshot-[0-9]*",
}
_DUCKLAKE = "ducklake-"


def check_names(shown: str, names: Iterable[str]) -> None:
    """Refuses files of a table whose log is in a database somewhere else, which only their names tell."""
    if any(name.startswith(_DUCKLAKE) for name in names):
        raise logged(shown, "DuckLake")


def logged(shown: str, way: str) -> InvalidInput:
    """The refusal of such a table, or of a part of it."""
    return InvalidInput(
        "E128",
        f"{shown!r} is a table of {way}, or a part of one: a log says which rows count, and is not read",
        "Store a copy as Parquet files in a folder of their own, and protect that; of Delta, name the whole folder",
    )
