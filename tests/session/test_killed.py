"""A process killed at any step of a run leaves an intact ledger that never charged too little."""

import signal
import subprocess
import sys
import textwrap

import pytest

from lapwing.session import open_session
from tests.session.tables import protected

#: (what is replaced, whether the step itself still happens, whether the charge is on disk then)
STEPS = {
    "before the charge": ("lapwing.ledger.ledger.Ledger.charge", False, False),
    "after the charge": ("lapwing.ledger.ledger.Ledger.charge", True, True),
    "before the receipt is used": ("lapwing.ledger.ledger.Ledger._use", False, False),  # of one transaction
    "after the receipt is used": ("lapwing.ledger.ledger.Ledger._use", True, False),
    "before the engine runs": ("lapwing.engines.duckdb.DuckDB.fetch", False, True),
    "after the engine ran": ("lapwing.engines.duckdb.DuckDB.fetch", True, True),
    "before the release is kept": ("lapwing.ledger.ledger.Ledger.keep", False, True),
    "after the release is kept": ("lapwing.ledger.ledger.Ledger.keep", True, True),
}
SCRIPT = textwrap.dedent(
    """
    import importlib, os, signal, sys
    path, place, happens = sys.argv[1:]
    room, owner, name = place.rsplit(".", 2)
    owner = getattr(importlib.import_module(room), owner)
    real = getattr(owner, name)

    def dying(*arguments, **keywords):
        if happens == "True":
            real(*arguments, **keywords)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, dying)
    from lapwing.session import open_session
    print(open_session(path).sql("SELECT COUNT(*) FROM people", epsilon=1))
    """
)


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_run_never_charges_too_little(tmp_path, step):
    place, happens, charged = STEPS[step]
    with protected(tmp_path):
        pass
    path = tmp_path / "people.parquet"
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), place, str(happens)], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert run.stdout == ""
    with open_session(path) as session:
        assert session.ledger.verify().intact
        assert session.remaining.epsilon == (9 if charged else 10)
        # the table still answers; an answer that was kept is handed out, one that was not is paid for again
        release = session.sql("SELECT COUNT(*) FROM people", epsilon=1)
        assert release.repeated == (step == "after the release is kept")
