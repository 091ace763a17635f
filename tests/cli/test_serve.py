"""``lapwing serve``: where it listens, what it refuses to start on, and how it stops."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from lapwing.ledger import Ledger
from tests.cli.invoke import lapwing
from tests.cli.tables import charges, protected, refused
from tests.server.making import COUNT, fast_passwords, make_folder
from tests.server.running import SOURCE, running


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    fast_passwords(monkeypatch)


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310  # our own server
        return json.loads(answer.read())


def test_it_answers_and_stops_when_told(tmp_path):
    make_folder(tmp_path)
    with running(tmp_path) as server:
        assert get(f"{server.url}/health")["status"] == "ok"
        assert server.stop() == 0
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_a_paid_answer_gets_out_before_the_server_stops(tmp_path):
    accounts = make_folder(tmp_path)
    token = accounts.new_token("ana", "ask", 1, "test")
    with running(tmp_path, "--pace", 2) as server:
        request = urllib.request.Request(  # noqa: S310  # our own server
            f"{server.url}/api/tables/people/run",
            json.dumps({"sql": COUNT, "epsilon": 1}).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        found = []
        asking = threading.Thread(target=lambda: found.append(get(request)))
        asking.start()
        deadline = time.monotonic() + 20
        while not charges(tmp_path / "people.parquet") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert server.stop() == 0
        asking.join(20)
    assert found[0]["spent"] == 1.0


def test_it_does_not_start_on_a_ledger_that_was_changed(tmp_path):
    path = protected(tmp_path)
    lapwing("run", path, COUNT, "--epsilon", 1)
    lapwing("run", path, COUNT, "--epsilon", 2)
    ledger = Ledger.open(tmp_path / "people.lapwing.ledger")
    db = sqlite3.connect(ledger.path)
    db.execute("DROP TRIGGER no_update")
    db.execute("UPDATE entries SET text = 'nothing' WHERE sequence = 3")
    db.commit()
    db.close()
    assert refused(lapwing("serve", tmp_path, "--port", 0), "D134")


def test_addresses_that_others_can_reach_need_a_proxy(tmp_path):
    assert refused(lapwing("serve", tmp_path, "--host", "0.0.0.0"), "D135")  # noqa: S104  # refused
    assert refused(lapwing("serve", tmp_path, "--host", "stat.example"), "D135")


def test_what_it_cannot_serve(tmp_path):
    assert refused(lapwing("serve", tmp_path / "nowhere"), "D104")
    assert refused(lapwing("serve", tmp_path, "--pace", 0), "D133")
    assert refused(lapwing("serve", tmp_path, "--pace", 9, "--timeout", 3), "D133")
    (tmp_path / "elsewhere").mkdir()
    with running(tmp_path) as server:
        assert refused(lapwing("serve", tmp_path / "elsewhere", "--port", server.port), "D136")
        assert refused(lapwing("serve", tmp_path, "--port", 0), "D137")  # one server for a folder
        server.kill()
    with running(tmp_path) as server:  # the lock went with the one that was killed
        assert server.stop() == 0


def test_the_tour_can_be_served():
    """``lapwing demo --serve``: two accounts that can log in, and a folder that is gone afterwards."""
    words = [sys.executable, "-m", "lapwing", "demo", "--serve", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(words, **pipes, env={**os.environ, "PYTHONPATH": str(SOURCE)}) as tour:
        said = ""
        while "Ctrl-C" not in said:
            line = tour.stdout.readline()
            assert line, said
            said += line
        url = re.search(r"http://127\.0\.0\.1:\d+", said)[0]
        assert get(f"{url}/health")["status"] == "ok"
        for name in ("ana", "eva"):
            assert re.search(rf"{name}\s+[0-9a-f]{{16}}", said)
        tour.send_signal(signal.SIGTERM)
        assert tour.wait(30) == 0


def test_requests_are_read_by_the_reader_whose_headers_have_an_end(monkeypatch):
    """Where another one is installed it would be taken by itself, and strangers could send headers for ever."""
    from lapwing.server import running as runs

    seen = []
    monkeypatch.setattr(runs._Server, "run", lambda server, sockets: seen.append(server.config))  # noqa: ARG005  # as it is called
    runs.serve(lambda: None, None, 1.0, lambda: None)
    [config] = seen
    assert (config.http, config.ws, config.proxy_headers) == ("h11", "none", False)
    assert config.h11_max_incomplete_event_size <= 64 * 1024
