"""The files behind the tables of a policy: which they are, whether they changed, and a keyed hash of their content."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lapwing.engines import delta, logs
from lapwing.errors import InvalidInput

DATABASE, PARQUET, CSV = "database", "parquet", "csv"
_SUFFIXES = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".csv": CSV,
    ".tsv": CSV,
    ".duckdb": DATABASE,
    ".ddb": DATABASE,
    ".db": DATABASE,
}
_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class Source:
    """The files of one table, all in one format; a database is one file."""

    format: str
    files: tuple[Path, ...]

    @property
    def delimiter(self) -> str:
        """What stands between the cells of a text file."""
        return "\t" if self.files[0].suffix.lower() == ".tsv" else ","


def find(path: Path) -> Source:
    """The files of a table: one file, or all data files of a folder as the parts of one table."""
    missing = InvalidInput("E101", f"there is no readable file or folder {str(path)!r}", "Correct its path")
    try:
        path = path.resolve(strict=True)
        whole = (path / delta.LOG).is_dir()
        files = _of_delta(path) if whole else _parts(path) if path.is_dir() else [path]
    except InvalidInput:
        raise
    except (OSError, RuntimeError, ValueError):
        raise missing from None
    kinds = {file.suffix.lower() for file in files}
    if not path.is_dir() and not kinds <= set(_SUFFIXES):
        raise InvalidInput(
            "E102",
            f"{str(path)!r} is not known for a table: its name does not end in a kind",
            f"Rename it by its kind, such as {path.stem}.parquet, {path.stem}.csv or {path.stem}.duckdb",
        )
    if len(kinds) != 1 or not kinds <= set(_SUFFIXES) or (path.is_dir() and _SUFFIXES[min(kinds)] == DATABASE):
        raise InvalidInput(
            "E102",
            f"{str(path)!r} is not a table that can be read",
            "Give a Parquet or CSV file, a folder of parts of one of these kinds, or a DuckDB database",
        )
    if not whole and _SUFFIXES[min(kinds)] == PARQUET:
        logs.check_names(str(path), (file.name for file in files))
        _check_plain(path)
    if not all(os.access(file, os.R_OK) for file in files):
        raise missing
    return Source(_SUFFIXES[min(kinds)], tuple(files))


def _parts(folder: Path) -> list[Path]:
    """The parts of a table in a folder: its data files. Those of folders in it would be forgotten without a word."""
    for inner in folder.iterdir():
        if inner.is_dir() and not _is_hidden(inner) and any(map(_is_part, inner.rglob("*"))):
            _check_plain(folder)
            raise InvalidInput(
                "E102",
                f"{str(folder)!r} has a folder {inner.name!r} in it that holds data files, too",
                "Bring the parts of a table into one folder, and other files elsewhere",
            )
    return sorted(file for file in folder.iterdir() if _is_part(file))


def _check_plain(place: Path) -> None:
    """Refuses files of which a log beside them, or around them, says which count."""
    for folder in (place, *place.parents):
        for way, sign in logs.SIGNS.items():
            if next(folder.glob(sign), None) is not None:
                raise logs.logged(str(place), way)


def _of_delta(folder: Path) -> list[Path]:
    """The files of a Delta table's newest version."""
    log = folder / delta.LOG
    parts = delta.needed(file.name for file in log.iterdir())
    return [folder / name for name in delta.version((part, (log / part).read_bytes()) for part in parts).files]


def _is_part(file: Path) -> bool:
    return file.suffix.lower() in _SUFFIXES and not _is_hidden(file) and file.is_file()


def _is_hidden(file: Path) -> bool:
    return file.name.startswith((".", "_"))


def header(source: Source) -> list[str]:
    """The column names of a text table, from the first line of its parts, which must agree."""
    found = []
    for file in source.files:
        with contextlib.suppress(OSError, UnicodeDecodeError, csv.Error), file.open("rb") as stream:
            # Only the first line is decoded: what follows may be anything.
            line = stream.readline(_CHUNK).decode("utf-8-sig").rstrip("\r\n")
            found.append(next(csv.reader([line], delimiter=source.delimiter), []))
    if len(found) < len(source.files):
        found = [[]]
    # a column without a name (data frames write their index so) gets the name that DuckDB would give it
    names = [name or f"column{place}" for place, name in enumerate(found[0])]
    if (
        any(other != found[0] for other in found)
        or not any(found[0])
        or len({n.lower() for n in names}) != len(names)
        or not names
    ):
        raise InvalidInput(
            "E103",
            f"the first line of {source.files[0].name!r} (or of another part) does not name its columns",
            "Give all parts the same first line, in UTF-8, with a different name for each column",
        )
    return names


def stamp(files: Iterable[Path]) -> str:
    """What the file system says of the files: it changes when they are written to or replaced."""
    digest = hashlib.sha256()
    for file in with_logs(files):
        try:
            seen = file.stat()
        except OSError:
            raise InvalidInput(
                "E101", f"the data file {file.name!r} is gone", "Put it back, or protect again"
            ) from None
        digest.update(
            f"{file}\0{seen.st_dev}\0{seen.st_ino}\0{seen.st_size}\0{seen.st_mtime_ns}\0{seen.st_ctime_ns}\n".encode()
        )
    return digest.hexdigest()[:32]


def content(files: Sequence[Path], secret: bytes) -> str:
    """A keyed hash of the names and bytes of the files: without the key it tells nothing of the data."""
    digest = hashlib.blake2b(key=secret[:64], digest_size=32)
    for file in with_logs(files):
        part = hashlib.blake2b(key=secret[:64], digest_size=32)
        try:
            with file.open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    part.update(chunk)
        except OSError:
            raise InvalidInput("E101", f"the data file {file.name!r} cannot be read", "Make it readable") from None
        digest.update(hashlib.sha256(file.name.encode()).digest() + part.digest())
    return digest.hexdigest()


def with_logs(files: Iterable[Path]) -> list[Path]:
    """The files with the write-ahead logs of databases, which are part of their content."""
    files = list(files)
    logs = (file.with_name(file.name + ".wal") for file in files if _SUFFIXES.get(file.suffix.lower()) == DATABASE)
    return sorted({*files, *(log for log in logs if log.exists())})
