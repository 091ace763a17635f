"""Writing files: whole or not at all, and never over something that is not ours."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from lapwing.errors import InvalidInput

#: Endings that promise something: a page, or a table that other programs read.
_PAGES = (".html", ".htm")
_PROMISED = (*_PAGES, ".csv", ".tsv", ".parquet", ".xlsx", ".json", ".svg", ".png", ".pdf")


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: an interrupted run leaves no half file.

    What a link points to is written, and a device or a pipe is written to as it is.
    """
    data = content.encode() if isinstance(content, str) else content
    place = file.resolve()
    if place.exists() and not place.is_file():
        place.write_bytes(data)
        return
    partial = _new_beside(place)
    try:
        partial.write_bytes(data)
        partial.chmod(stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o666 & ~_umask())
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)


def check_report_file(file: Path, *, page: bool) -> None:
    """The same for the report of a plan: a page, or its JSON."""
    check_release_file(file, _is_page if page else _is_report, page=page)


def check_release_file(file: Path, ours: Callable[[Path], bool] | None = None, *, page: bool = False) -> None:
    """Refuse, before anything is paid, a file that an answer could not be written to, would destroy, or be misread."""
    try:
        place = file.resolve()
        if place.is_dir() or not place.parent.is_dir():
            problem = f"{str(file)!r} is a folder" if place.is_dir() else f"there is no folder {str(file.parent)!r}"
            raise InvalidInput("F003", problem, "Give the path of a file in a folder that is there")
        if place.is_file() and not (ours or _is_release)(place):
            problem = f"{str(file)!r} is there already and is no answer of Lapwing"
            raise InvalidInput("F019", problem, "Give another path")
        _check_ending(file, page=page)
        if not place.exists():
            place.touch(exist_ok=False)
            place.unlink()
        if not place.exists() or place.is_file():
            _new_beside(place).unlink()
    except InvalidInput:
        raise
    except (OSError, RuntimeError, ValueError) as error:  # also a circle of links, or a character that no path has
        reason = error.strerror if isinstance(error, OSError) else "it is no path"
        problem = f"{str(file)!r} cannot be written: {reason}"
        raise InvalidInput("F003", problem, "Give a path that you may write to") from None


def _check_ending(file: Path, *, page: bool) -> None:
    """Refuse a name that promises something else than is written."""
    ending = file.suffix.lower()
    if page and ending in _PROMISED and ending not in _PAGES:
        problem = f"a report is a page, and {file.name!r} would say that it is none"
        raise InvalidInput("F023", problem, "Give a name that ends in .html; --output writes JSON")
    if not page and ending in _PROMISED and ending != ".json":
        problem = f"answers are written as JSON, and {file.name!r} would say that they are not"
        remedy = "Give a name that ends in .json; plan --report writes a page, and in Python release.to_csv(path) CSV"
        raise InvalidInput("F023", problem, remedy)


def _new_beside(place: Path) -> Path:
    """A new file in the same folder, under a name that nobody could have put a link under."""
    handle, name = tempfile.mkstemp(prefix=".lapwing-", dir=place.parent)
    os.close(handle)
    return Path(name)


def _umask() -> int:
    """The bits that new files are made without; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _is_release(place: Path) -> bool:
    return {"certificate", "rows", "margins"} <= _names_in(place)


def _is_report(place: Path) -> bool:
    return {"releases", "plan", "receipt"} <= _names_in(place)


def _is_page(place: Path) -> bool:
    try:
        return b"<title>Private answers</title>" in place.read_bytes()[:1000]
    except OSError:
        return False


def _names_in(place: Path) -> set[str]:
    """The names in a JSON object; none in anything else."""
    try:
        found = json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return set()
    return set(found) if isinstance(found, dict) else set()
