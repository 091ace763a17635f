"""Which files of a folder of Delta count: its log says so, version by version.

The one idea: Delta's data are plain Parquet files that are written once, and the log beside them adds and removes them.
One version of the table is therefore a list of files, and reading exactly these is a snapshot. What would make more of
a file than its rows (deleted rows marked elsewhere, columns under other names) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from lapwing.errors import InvalidInput

LOG = "_delta_log"
_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.parquet")
#: What a version may use of later editions of the format; where a file has deleted rows, that is seen at the file.
_KNOWN = {"columnMapping", "deletionVectors", "timestampNtz", "vacuumProtocolCheck"}

Action = Mapping[str, Any]


@dataclass(slots=True)
class Version:
    """A version of a table: the paths of its files, seen from its folder."""

    _protocol: Action = field(default_factory=dict)
    _settings: Action = field(default_factory=dict)
    _added: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that count, in the order of their names; refuses a version that is more than its files."""
        features = set(self._protocol.get("readerFeatures") or ())
        if not self._protocol or self._protocol.get("minReaderVersion") not in (1, 2, 3) or features - _KNOWN:
            raise _unfit("uses parts of the format that are not known here")
        if self._settings.get("delta.columnMapping.mode", "none") != "none":
            raise _unfit("stores columns under other names than it shows")
        if any(mark for _, mark in self._added):
            raise _unfit("marks rows of its files as deleted")
        return tuple(sorted(self._added.values()))

    def apply(self, actions: Iterable[Action]) -> None:
        """What one commit, or a checkpoint of all before it, says."""
        for action in actions:
            if action.get("protocol"):
                self._protocol = action["protocol"]
            if action.get("metaData"):
                self._settings = dict(action["metaData"].get("configuration") or {})
            if action.get("remove"):
                self._added.pop(_file(action["remove"]), None)
            if action.get("add"):
                self._added[_file(action["add"])] = _inside(action["add"]["path"])


def needed(names: Iterable[str]) -> list[str]:
    """Of the names in a log those that make up the newest version: the last checkpoint, and the commits after it."""
    listed = sorted(names)
    commits = {int(found[1]): name for name in listed if (found := _COMMIT.fullmatch(name))}
    checkpoints = {int(found[1]): name for name in listed if (found := _CHECKPOINT.fullmatch(name))}
    last = max(checkpoints, default=-1)
    after = range(last + 1, max(commits, default=-1) + 1)
    if any(number not in commits for number in after):
        raise _unfit("has a log of which a part is missing")
    return [*([checkpoints[last]] if checkpoints else []), *(commits[number] for number in after)]


def version(log: Iterable[tuple[str, bytes]]) -> Version:
    """The version that these parts of a log make up, each with its name."""
    made = Version()
    try:
        for name, content in log:
            made.apply(_stored(content) if _CHECKPOINT.fullmatch(name) else _written(content))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise _unfit("has a log that cannot be read") from None
    return made


def _stored(content: bytes) -> list[Action]:
    found = pq.read_table(pa.BufferReader(content)).to_pylist(maps_as_pydicts="strict")
    return list(found)


def _written(content: bytes) -> list[Action]:
    return [json.loads(line) for line in content.decode().splitlines() if line.strip()]


def _file(action: Action) -> tuple[str, str]:
    """A file, with what is marked as deleted in it: the log adds and removes these together."""
    mark = action.get("deletionVector")
    return unquote(action["path"]), json.dumps(mark, sort_keys=True) if mark else ""


def _inside(path: str) -> str:
    found = unquote(path)
    if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", found) or not {"", ".", ".."}.isdisjoint(found.split("/")):
        raise _unfit("has files outside of its folder")
    return found


def _unfit(why: str) -> InvalidInput:
    return InvalidInput(
        "E128", f"a folder of Delta {why}", "Store a copy as Parquet files in a folder of their own, and protect that"
    )
