"""The files behind a table on a cluster: a folder of Parquet or Delta, or a table of the catalogue stored as Parquet.

The one idea: a folder has no snapshot, but a Parquet file is written once. So the files are listed, with their sizes
and times, exactly these are read, and they are looked at again afterwards: what was answered is about one state. Of
a folder of Delta, only the files of its newest version are listed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import unquote

from lapwing.engines import delta, logs
from lapwing.engines.failures import failed
from lapwing.engines.spark.connection import Connection, is_there
from lapwing.engines.spark.types import Stored, quoted
from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy import Policy, Table
from lapwing.policy.addresses import database_address

_TIME = "unix_micros(modificationTime)"
_PATTERN = "*?[]{}\\"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*:(//[^/]*)?)?/?")
#: How deep in a folder a table of somebody else's is looked for.
_DEPTH = 3


class File(NamedTuple):
    """A file's path, its size, and when it was changed last."""

    path: str
    size: int
    changed: int


#: The files of each table.
Files = dict[str, tuple[File, ...]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table's rows are, and its columns; ``schema`` is the driver's own description of them."""

    folder: str | None
    is_delta: bool
    relation: str | None
    location: str | None
    columns: tuple[Stored, ...]
    schema: Any


def found(connection: Connection, path: str, relation: str | None, shown: str) -> Source:
    """The source of a table; refuses what is not there, is a view, or is stored so that it has no snapshot."""
    address = database_address(path)
    missing = _unreadable(shown)
    if address.folder is not None:
        if address.is_delta:
            parts = connection.look(lambda session: _of_delta(session, address.folder or ""), missing)
        else:
            _check_plain(connection, address.folder)
            parts = [address.folder]
        # the columns of all parts together; parts that store a column as different types cannot be read
        reading = connection.look(lambda session: _parquet(session).load(parts).schema, missing)
        return Source(address.folder, address.is_delta, None, None, _columns(reading, shown), reading)
    names = ".".join(map(quoted, (relation or "").split(".")))
    said = connection.look(lambda session: session.sql(f"DESCRIBE TABLE EXTENDED {names}").toArrow(), missing)
    facts = dict(zip(said.column("col_name").to_pylist(), said.column("data_type").to_pylist(), strict=True))
    if "VIEW" in str(facts.get("Type")).upper():
        raise InvalidInput(
            "E122",
            f"{relation} is a view: it may fail on a value, or differ from reader to reader",
            "Protect the table behind it, or store it: CREATE TABLE ... USING parquet AS SELECT ...",
        )
    if str(facts.get("Provider")).lower() != "parquet" or not facts.get("Location"):
        raise _no_snapshot(str(relation))
    _check_plain(connection, str(facts["Location"]))
    reading = connection.look(lambda session: session.table(names).schema, missing)
    return Source(None, False, names, str(facts["Location"]), _columns(reading, shown), reading)


def listed(connection: Connection, sources: Mapping[str, Source], otherwise: LapwingError) -> Files:
    """The files of each source as they are now, by one question to the cluster."""

    def look(session: Any) -> list[tuple[int, str, int, int]]:  # noqa: ANN401  # the driver's own type
        reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
        parts = []
        for at, source in enumerate(sources.values()):
            places = _places(session, source)
            if places:
                parts.append(reader.load(places).selectExpr(f"{at} AS at", "path", "length", f"{_TIME} AS changed"))
        if not parts:
            return []
        seen = functools.reduce(lambda one, other: one.unionAll(other), parts).toArrow()
        return list(zip(*(column.to_pylist() for column in seen.columns), strict=True))

    found: dict[str, list[File]] = {name: [] for name in sources}
    for at, path, size, changed in connection.look(look, otherwise):
        found[list(sources)[at]].append(File(path, size, changed))
    paths = [file.path for files in found.values() for file in files]
    _no_pattern(paths)
    logs.check_names("a folder", (path.rpartition("/")[2] for path in paths))
    return {name: tuple(sorted(files)) for name, files in found.items()}


def _places(session: Any, source: Source) -> list[str]:  # noqa: ANN401  # the driver's own type
    if source.folder is None:
        return _of_table(session, source.relation or "")
    return _of_delta(session, source.folder) if source.is_delta else [source.folder]


def _of_delta(session: Any, folder: str) -> list[str]:  # noqa: ANN401  # the driver's own type
    """The files of a Delta table's newest version. Its log is read here: the cluster needs nothing for it."""
    log = f"{folder}/{delta.LOG}"
    reader = session.read.format("binaryFile")
    names = [unquote(path).rpartition("/")[2] for path in reader.load(log).select("path").toArrow()[0].to_pylist()]
    needed = delta.needed(names)
    seen = reader.load([f"{log}/{name}" for name in needed]).select("path", "content").toArrow() if needed else None
    read = {row["path"].rpartition("/")[2]: row["content"] for row in seen.to_pylist()} if seen else {}
    files = delta.version((name, read[name]) for name in needed).files
    _no_pattern(files)
    return [f"{folder}/{name}" for name in files]


def _of_table(session: Any, relation: str) -> list[str]:  # noqa: ANN401  # the driver's own type
    session.catalog.refreshTable(relation)
    files = [unquote(file) for file in session.table(relation).inputFiles()]
    _no_pattern(files)
    return files


def stamp(files: Files) -> str:
    """What the cluster says of the files of all tables: it changes when one is written, replaced or taken away."""
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:32]


def opened(connection: Connection, view: str, source: Source, files: tuple[File, ...], otherwise: LapwingError) -> None:
    """Makes a view of this session over exactly these files."""

    def make(session: Any) -> None:  # noqa: ANN401  # the driver's own type
        if not files:
            session.createDataFrame([], source.schema).createOrReplaceTempView(view)
            return
        reader = session.read.format("parquet").schema(source.schema)
        if source.location is not None:
            reader = reader.option("basePath", source.location)  # the parts' folders are columns of the table
        else:
            reader = reader.option("recursiveFileLookup", "true")
        reader.load([file.path for file in files]).createOrReplaceTempView(view)

    connection.look(make, otherwise)


def check_apart(policy: Policy, files: Files) -> None:
    """Refuses a public table that reads a file of a private one, also by another way to it, or a copy as it was."""
    private = {_told(file) for table in policy.tables if table.role == "private" for file in files[table.name]}
    for table in policy.tables:
        if table.role == "public" and not private.isdisjoint(map(_told, files[table.name])):
            raise InvalidInput(
                "E112",
                f"the public table {table.name!r} reads the data of a private table",
                "Take it out of the policy, or give it files of its own",
            )


def _told(file: File) -> tuple[str, int, int]:
    """What a file is told by: links and other names of one store lead to it under several paths."""
    return file.path.rpartition("/")[2], file.size, file.changed


def shown_of(table: Table) -> str:
    """A table's source as people know it."""
    return table.relation or database_address(table.path).folder or table.name


def _check_plain(connection: Connection, folder: str) -> None:
    """Refuses the folder of a table with a log of its own, or a part of it: some of its files hold deleted rows."""
    scheme = _SCHEME.match(folder)
    begin = scheme[0] if scheme else ""
    names = folder.removeprefix(begin).rstrip("/").split("/")
    within = ["/".join([*names, *["*"] * depth]) for depth in range(_DEPTH + 1)]
    around = ["/".join(names[:end]) for end in range(1, len(names))]
    for way, sign in logs.SIGNS.items():
        inner, outer = (f"{begin}{{{','.join(f'{place}/{sign}' for place in each)}}}" for each in (within, around))
        found = connection.look(partial(is_there, inner), _unreadable(folder))
        with contextlib.suppress(LapwingError):  # who may read a folder may not be let into those around it
            found = found or (bool(around) and connection.look(partial(is_there, outer), failed()))
        if found:
            raise logs.logged(folder, way)


def _no_snapshot(shown: str) -> InvalidInput:
    return InvalidInput(
        "E128",
        f"{shown} is not stored as plain Parquet, and how it is stored gives no snapshot that can be checked",
        "Store a copy: CREATE TABLE ... USING parquet AS SELECT ...",
    )


def _parquet(session: Any) -> Any:  # noqa: ANN401  # the driver's own types
    reader = session.read.format("parquet").option("recursiveFileLookup", "true")
    return reader.option("mergeSchema", "true")


def _columns(schema: Any, shown: str) -> tuple[Stored, ...]:  # noqa: ANN401  # the driver's own type
    columns = tuple(Stored(field.name, field.dataType.simpleString()) for field in schema.fields)
    if len({column.name.lower() for column in columns}) != len(columns):
        raise InvalidInput("E115", f"two columns of {shown!r} have one name, in letters of any case", "Rename one")
    return columns


def _no_pattern(paths: Iterable[str]) -> None:
    if any(letter in path for path in paths for letter in _PATTERN):
        raise InvalidInput(
            "E102",
            "a data file has a letter in its name that Spark takes for a pattern",
            "Rename it without * ? [ { \\",
        )


def _unreadable(shown: str) -> InvalidInput:
    return InvalidInput(
        "E103",
        f"{shown!r} cannot be read as a table",
        "Check that it is there, that its parts are Parquet and store each column as one type, and that it may be read",
    )
