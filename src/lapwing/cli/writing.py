"""Writing files: whole or not at all, and never over something that is not ours."""

from __future__ import annotations

import json
from pathlib import Path

from lapwing.errors import InvalidInput


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: an interrupted run leaves no half file.

    What a link points to is written, and a device or a pipe is written to as it is.
    """
    data = content.encode() if isinstance(content, str) else content
    place = file.resolve()
    if place.exists() and not place.is_file():
        place.write_bytes(data)
        return
    partial = _partial(place)
    try:
        partial.write_bytes(data)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)


def check_release_file(file: Path) -> None:
    """Refuse, before anything is paid, a file that an answer could not be written to, or would destroy."""
    place = file.resolve()
    if place.is_dir() or not place.parent.is_dir():
        problem = f"{str(file)!r} is a folder" if place.is_dir() else f"there is no folder {str(file.parent)!r}"
        raise InvalidInput("F003", problem, "Give the path of a file in a folder that is there")
    if place.is_file() and not _is_release(place):
        raise InvalidInput("F019", f"{str(file)!r} is there already and is no answer of Lapwing", "Give another path")
    if place.exists() and not place.is_file():
        return
    try:
        _partial(place).touch()
    except OSError as error:
        problem = f"{str(file)!r} cannot be written: {error.strerror}"
        raise InvalidInput("F003", problem, "Give a path that you may write to") from None
    finally:
        _partial(place).unlink(missing_ok=True)


def _partial(place: Path) -> Path:
    return place.with_name(f".{place.name}.partial")


def _is_release(place: Path) -> bool:
    try:
        found = json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {"certificate", "rows", "margins"} <= set(found)
