"""The SQL by which DuckDB opens files and databases; every name and path in it is quoted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lapwing.engines import files
from lapwing.engines.files import Source
from lapwing.errors import InvalidInput


def scan_of(source: Source, relation: str | None, database: str, *, guessed: bool = False) -> str:
    """What to read a source from. In a text file a line that is no row is left out; kinds are guessed only if asked."""
    if source.format == files.DATABASE:
        if relation is None:
            raise InvalidInput("E103", "a database without the name of a table in it", "Give the relation")
        parts = relation.split(".") if "." in relation else ["main", relation]
        return ".".join(map(quoted_name, [database, *parts]))
    if relation is not None:
        raise InvalidInput("E103", "a file that is no database has no tables in it", "Leave the relation out")
    if source.format == files.PARQUET:
        # The least and greatest numbers in a Parquet file leave NaN out. Without can_have_nan, DuckDB takes from them
        # that there is none, and one person with a number would decide whether everybody's NaN is NULL.
        options = "union_by_name = true, hive_partitioning = false, can_have_nan = true"
        return f"read_parquet({only_these(source.files)}, {options})"
    listed = files.header(source)
    types = ", ".join(f"{quoted_text(name)}: 'VARCHAR'" for name in listed)
    names = ", ".join(map(quoted_text, listed))
    columns = f"names = [{names}]" if guessed else f"auto_detect = false, columns = {{{types}}}"
    return (
        f"read_csv({only_these(source.files)}, header = true, delim = {quoted_text(source.delimiter)}, quote = '\"',"
        f" escape = '\"', nullstr = '', ignore_errors = true, {columns})"
    )


def quoted_name(name: str) -> str:
    """A name of SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted_paths(files: Iterable[Path]) -> str:
    """A list of paths, as they are."""
    return "[" + ", ".join(quoted_text(str(file)) for file in files) + "]"


def only_these(files: Iterable[Path]) -> str:
    """A list of paths for a function that takes patterns: without this, ``run[12]`` would read ``run1``."""
    return "[" + ", ".join(quoted_text(literally(file)) for file in files) + "]"


def literally(file: Path) -> str:
    """A path as a pattern that this path alone matches."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(file))
