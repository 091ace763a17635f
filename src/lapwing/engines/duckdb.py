"""DuckDB over Parquet and CSV files and its own databases: views of the policy's tables, then the door is locked.

The one idea: after opening, the connection can reach the listed files and nothing else, for reading only, and its
configuration cannot be changed any more, whatever a statement says.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from lapwing.engines import files
from lapwing.engines.background import in_background
from lapwing.engines.closing import Closing
from lapwing.engines.engine import Progress
from lapwing.engines.failures import changed, failed, guarded, unreadable
from lapwing.engines.files import Source
from lapwing.engines.kinds import WHOLE, kind_of, readable_as
from lapwing.engines.opening_sql import quoted_name, quoted_paths, quoted_text, scan_of
from lapwing.engines.parquet_checks import check_statistics
from lapwing.engines.person_column import keeps_people_apart, part_types_agree, spelled_alike
from lapwing.engines.roles import check_roles
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.expressions import Kind
from lapwing.ledger import Receipt
from lapwing.policy import Policy, Table
from lapwing.query.lowering import most_alike


class DuckDB(Closing):
    """The tables of a policy in DuckDB. ``DuckDB(policy, folder)`` opens them; paths are seen from the folder."""

    dialect = "duckdb"
    release = f"duckdb {duckdb.__version__}"

    def __init__(self, policy: Policy, folder: str | Path) -> None:
        sources = {table.name: files.find(Path(folder) / table.path) for table in policy.tables}
        check_roles(policy, sources)
        self._prepare({table.name for table in policy.tables if table.role == "public"}, policy.timeout)
        self._live = policy.data == "live"
        self._files = sorted({file for source in sources.values() for file in source.files})
        self._links: dict[Path, Path] = {}
        readable = {name: self._linked(source) for name, source in sources.items()}
        self._memory = b""
        self._sources = [
            (table.name, [column.name for column in table.columns], sources[table.name]) for table in policy.tables
        ]
        sources = readable
        try:
            self._stamp = files.stamp(self._files)
            databases = sorted({s.files[0] for s in sources.values() if s.format == files.DATABASE})
            names = {file: f"source_{i}" for i, file in enumerate(databases)}
            for file, name in names.items():
                self._run(f"ATTACH {quoted_text(str(file))} AS {quoted_name(name)} (READ_ONLY)", unreadable(file.name))
            units = [self._view(table, sources[table.name], names) for table in policy.tables]
            if not spelled_alike(unit for unit in units if unit is not None):
                raise InvalidInput(
                    "E111",
                    "the units of the private tables are stored as types that write one person in several ways",
                    "Store them as one type in all of these tables",
                )
            self._lock()
            self._unchanged()
        except BaseException:
            self.close()
            raise

    @classmethod
    def over(cls, tables: Mapping[str, pa.Table], public: Sequence[str] = ()) -> DuckDB:
        """An engine over Arrow tables in memory, for trying things out; ``public`` names those that are not private."""
        engine = cls.__new__(cls)
        engine._prepare(set(public))
        engine._files, engine._stamp, engine._sources, engine._links = [], files.stamp([]), [], {}
        content = hashlib.blake2b()
        for name, table in sorted(tables.items()):
            engine._connection.register(name, table)
            with pa.BufferOutputStream() as stream:
                with pa.ipc.new_stream(stream, table.schema) as writer:
                    writer.write_table(table)
                content.update(name.encode() + b"\0" + hashlib.blake2b(stream.getvalue()).digest())
        engine._memory = content.digest()
        engine._lock()
        return engine

    def fetch(self, receipt: Receipt, statements: Sequence[str], progress: Progress | None = None) -> list[pa.Table]:
        """The results of SELECT statements, all on one snapshot. Without a receipt nothing is read."""
        if not isinstance(receipt, Receipt):
            raise InvalidInput("E105", "private rows were asked for without a receipt", "Charge the ledger first")
        with self._busy:
            for statement in statements:
                self._only_select(statement)
        self._unchanged()
        results = in_background(
            functools.partial(self._on_one_snapshot, statements),
            self._busy,
            self._connection.interrupt,
            lambda: self._connection.query_progress() / 100,
            progress,
            self._seconds,
        )
        self._unchanged()
        return results

    def multiplicity(self, table: str, keys: Sequence[tuple[str, Kind]]) -> int:
        """The most rows of a public table that one key can meet; each column is compared as the kind beside it."""
        if table not in self._public:
            raise InvalidInput("E108", f"the table {table!r} is not public", "Ask this of public tables only")
        with self._busy:
            wanted = [table] if table in self._unread else []
            guarded(lambda: self._read_whole(wanted), failed())
            return int(self._run(most_alike(table, keys, self.dialect), failed())[0][0])

    def examine(self) -> None:
        """Reads everything once, for the curator, and holds what Parquet files say of their values against these.

        A value that cannot be read would otherwise fail only the statements that come across it, and so tell of it.
        """
        for name, columns, source in self._sources:
            if source.format == files.PARQUET:
                for file in source.files:
                    check_statistics(file, columns)
            unfit = InvalidInput("E114", f"the table {name!r} holds a value that cannot be read", "Correct the file")
            with self._busy:
                guarded(lambda name=name: self._read_whole([name] if name in self._unread else []), unfit)  # type: ignore[misc]  # bound now
                hashes = ", ".join(f"bit_xor(hash({quoted_name(column)}))" for column in columns) or "1"
                self._run(f"SELECT {hashes} FROM {quoted_name(name)}", unfit)  # noqa: S608  # quoted

    def fingerprint(self, secret: bytes, known: str | None = None) -> str:
        """A keyed hash of the content of all tables; ``known`` is returned where it is still true.

        It has two parts, ``content.stamp``: while the stamp is that of ``known``, no file was touched and none is read.
        Files that were touched since they were opened are refused here, where nothing is charged yet: ``fetch`` would.
        """
        found = self._fingerprint(secret, known)
        if known in (None, found):
            self._unchanged()
        return found

    def _fingerprint(self, secret: bytes, known: str | None) -> str:
        stamp = files.stamp(self._files)
        if known is not None and self._files and known.partition(".")[2] == stamp:
            return known
        content = files.content(self._files, secret)
        if self._memory:
            content = hashlib.blake2b(self._memory, key=secret[:64], digest_size=32).hexdigest()
        if files.stamp(self._files) != stamp:
            raise changed()
        return known if known is not None and known.partition(".")[0] == content else f"{content}.{stamp}"

    def _end(self) -> None:
        with self._busy:  # whoever is being answered is answered first
            self._connection.close()
        self._temporary.cleanup()

    # --- opening ---------------------------------------------------------------------------------------------

    def _prepare(self, public: set[str], seconds: float | None = None) -> None:
        super().__init__()
        # What does not fit memory goes to a folder that only this user can read, not to the working directory.
        self._temporary = tempfile.TemporaryDirectory(prefix="lapwing-", ignore_cleanup_errors=True)
        self._connection = duckdb.connect(":memory:")
        self._seconds = seconds
        self._public = public
        self._busy = threading.Lock()
        self._unread: dict[str, str] = {}
        self._settings({"temp_directory": quoted_text(self._temporary.name), "TimeZone": "'UTC'"})

    def _linked(self, source: Source) -> Source:
        """A database is attached by its very name, and its log lies beside it."""
        return (
            source if source.format == files.DATABASE else replace(source, files=tuple(map(self._link, source.files)))
        )

    def _link(self, file: Path) -> Path:
        """The file under a name that is no pattern: DuckDB takes run[12] for run1, and escapes need a look around."""
        if not any(letter in str(file) for letter in "[*?"):
            return file
        link = Path(self._temporary.name) / f"{len(self._links)}{file.suffix}"
        link.symlink_to(file)
        self._links[file] = link
        return link

    def _settings(self, settings: Mapping[str, str]) -> None:
        for name, value in settings.items():
            self._run(f"SET {name} = {value}", failed())

    def _view(self, table: Table, source: Source, databases: Mapping[Path, str]) -> str | None:
        """Opens a table; returns the stored type of a unit that is read as text."""
        database = databases.get(source.files[0], "")
        stored = self._stored(table, source, database)
        listed = []
        for column in table.columns:
            name, kind = stored.get(column.name.lower(), ("", ""))
            found = kind_of(kind)
            if found is None or not readable_as(found, Kind(column.kind)):
                raise InvalidInput(
                    "E104",
                    f"the data of table {table.name!r} have no {column.kind} column {column.name!r}",
                    "Correct the policy, or the file",
                )
            listed.append(f"{_exactly(quoted_name(name), kind, source)} AS {quoted_name(column.name)}")
        unit = self._unit_type(table, source, stored)
        scan = scan_of(source, table.relation, database)
        rows = f"{quoted_name(table.name)} AS SELECT {', '.join(listed) or '1 AS one'} FROM {scan}"  # noqa: S608  # quoted
        computed = source.format == files.DATABASE and self._is_computed(table, database)
        if computed and not table.trusted and table.role == "private":
            raise InvalidInput(
                "E116",
                f"{table.relation!r} is computed when it is read, and may not be the same twice",
                "Store it as a table, or trust it: lapwing protect ... --trust-view",
            )
        unexamined = self._live and source.format == files.PARQUET
        if source.format == files.CSV or computed or unexamined:
            # Read once, when first needed. A view would let the optimizer move casts into the reader of a text file,
            # which then leaves out whole lines, others in each statement: a person's rows would be counted wrong. And
            # what a Parquet file says of its values was held against them if it is fixed; of a live one, nobody has.
            self._unread[table.name] = f"CREATE TABLE {rows}"
        else:
            self._run(f"CREATE VIEW {rows}", unreadable(source.files[0].name))
        return unit

    def _is_computed(self, table: Table, database: str) -> bool:
        """Whether a relation of a database is a view, or has columns that are computed when they are read."""
        *_, schema, name = ["main", *(table.relation or "").split(".")]
        found = self._run(
            f"SELECT sql FROM duckdb_tables() WHERE database_name = {quoted_text(database)}"  # noqa: S608  # quoted
            f" AND lower(schema_name) = lower({quoted_text(schema)})"
            f" AND lower(table_name) = lower({quoted_text(name)})",
            failed(),
        )
        return len(found) != 1 or "GENERATED ALWAYS" in str(found[0][0]).upper()

    def _stored(self, table: Table, source: Source, database: str) -> dict[str, tuple[str, str]]:
        """The columns of a source by their names in lower case: the name as stored, and the type."""
        scan = scan_of(source, table.relation, database)
        described = self._run(f"DESCRIBE FROM {scan}", unreadable(source.files[0].name, table.relation))
        return {str(name).lower(): (str(name), str(kind)) for name, kind, *_ in described}

    def _unit_type(self, table: Table, source: Source, stored: Mapping[str, tuple[str, str]]) -> str | None:
        """Refuses a unit that is read so that two people could be one; its stored type if it is read as text."""
        column = table.column(table.unit) if table.unit is not None else None
        if column is None:
            return None
        at = column.name.lower()
        types = {stored[at][1]}
        if source.format == files.PARQUET and len(source.files) > 1:
            parts = (self._stored(table, Source(source.format, (file,)), "") for file in source.files)
            types = {part[at][1] for part in parts if at in part}
        declared = Kind(column.kind)
        if not part_types_agree(types) or not keeps_people_apart(stored[at][1], declared):
            raise InvalidInput(
                "E110",
                f"the unit {column.name!r} of table {table.name!r}, read as {column.kind}, could make two people one",
                'Declare it with kind = "text", and store it as one type in all parts',
            )
        return stored[at][1] if declared is Kind.TEXT else None

    def _lock(self) -> None:
        """From here on no other file, extension, Python variable or setting can be reached."""
        self._settings(
            {
                "enable_progress_bar": "true",
                "enable_progress_bar_print": "false",
                "progress_bar_time": "0",
                "python_enable_replacements": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allowed_paths": quoted_paths([*files.with_logs(self._files), *self._links.values()]),
                "enable_external_access": "false",
                "lock_configuration": "true",
            }
        )

    # --- running ---------------------------------------------------------------------------------------------

    def _run(self, statement: str, otherwise: LapwingError) -> list[tuple[Any, ...]]:
        return guarded(lambda: self._connection.execute(statement).fetchall(), otherwise)

    def _only_select(self, statement: str) -> None:
        parsed = guarded(lambda: self._connection.extract_statements(statement), failed())
        if len(parsed) != 1 or parsed[0].type != duckdb.StatementType.SELECT:
            raise InvalidInput(
                "E107", "a statement that is not one SELECT was given to the engine", "Give SELECTs only"
            )

    def _unchanged(self) -> None:
        if files.stamp(self._files) != self._stamp:
            raise changed()

    def _read_whole(self, tables: Sequence[str]) -> None:
        """Brings files into the connection; what does not fit memory goes to its own folder on disk."""
        for name in tables:
            self._connection.execute(self._unread[name])
            del self._unread[name]

    def _on_one_snapshot(self, statements: Sequence[str]) -> list[pa.Table]:
        self._read_whole(list(self._unread))
        self._connection.execute("BEGIN TRANSACTION READ ONLY")
        try:
            return [self._connection.sql(statement).to_arrow_table() for statement in statements]
        finally:
            with contextlib.suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")


def _exactly(name: str, stored: str, source: Source) -> str:
    """A column as it is read, every value as it is stored."""
    if source.format == files.DATABASE and stored == "VARCHAR":
        # A database may declare that 'A' equals 'a': two people, or two keys, would be one.
        return f'{name} COLLATE "binary"'
    # Statements read whole numbers by TRY_CAST, through which DuckDB does not see the least and the greatest in a file;
    # from a BIGINT to a BIGINT there is none left, and conditions that hold for all rows are not tried on each.
    return f"CAST({name} AS BIGINT)" if stored in WHOLE else name
