"""What every engine offers, small enough that a new database is one file; ``tests/contracts`` holds each to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self

import pyarrow as pa

from lapwing.kernel.evidence.expressions import Kind
from lapwing.ledger import Receipt

#: Told from time to time how much of a long query is done, from 0 to 1.
Progress = Callable[[float], None]


class Engine(Protocol):
    """A connection to the tables of one policy, and to nothing else."""

    @property
    def dialect(self) -> str:
        """The dialect that statements are lowered to."""

    @property
    def release(self) -> str:
        """The engine and its version: another one may print a value, and so hash a row, differently."""

    @property
    def closed(self) -> bool:
        """Whether the connection was ended: then nothing can be fetched any more."""

    def fetch(self, receipt: Receipt, statements: Sequence[str], progress: Progress | None = None) -> list[pa.Table]:
        """The results of SELECT statements, all on one snapshot. Without a receipt nothing is read."""

    def multiplicity(self, table: str, keys: Sequence[tuple[str, Kind]]) -> int:
        """The most rows of a public table that agree in these columns, each read as the kind beside it; NULLs aside.

        Only public tables are looked at, so this needs no receipt.
        """

    def examine(self) -> None:
        """Reads everything once, for the curator.

        Refuses data that a later statement could fail on, depending on which rows it reads, or be misled by.
        """

    def fingerprint(self, secret: bytes, known: str | None = None) -> str:
        """A keyed hash of the content of all tables.

        ``known`` is an earlier fingerprint, returned as it is while the content is the same; where files have not been
        touched since it was taken, they are not even read.
        """

    def on_close(self, afterwards: Callable[[], None]) -> None:
        """Something to do once the connection has ended."""

    def close(self) -> None:
        """Ends the connection and removes what it left on disk."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
