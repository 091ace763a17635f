"""The service and the container of *serve a table* are started as they are written, with a folder of ours in them."""

import re
import shlex
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

from lapwing.cli.demo import demo
from tests.server.making import make_accounts
from tests.server.running import running

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "serve-a-table.md").read_text()
UNIT = re.search(r"```ini\n(.+?)```", PAGE, re.DOTALL)[1]
COMMANDS = {
    "service": shlex.split(re.search(r"^ExecStart=\S+ (.+)$", UNIT, re.MULTILINE)[1]),
    "container": re.findall(r'"([^"]+)"', re.search(r"^CMD \[(.+)\]$", PAGE, re.MULTILINE)[1])[1:],
}


@pytest.mark.parametrize("where", COMMANDS)
def test_it_starts_says_so_and_stops(where, tmp_path):
    serve, folder, *options = COMMANDS[where]
    assert (serve, folder) == ("serve", "/srv/tables")
    make_accounts(tmp_path)
    with running(tmp_path, *options) as server:
        port = server.url.rpartition(":")[2]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:  # our own
            assert answer.status == 200
            assert "strict-transport-security" in answer.headers  # behind a proxy, as it says
        assert server.stop() == 0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here: its unit file is not verified")
def test_systemd_understands_the_unit(tmp_path):
    unit = tmp_path / "lapwing.service"
    # the program and the user are the reader's own
    unit.write_text(
        re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNIT, flags=re.MULTILINE).replace("=lapwing", "=root")
    )
    words = ["systemd-analyze", "verify", "--man=no", str(unit)]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    said = [line for line in found.stderr.splitlines() if "lapwing.service" in line]
    assert said == [], found.stderr


def test_the_tour_serves_with_and_without_a_port():
    def port(*words):
        return demo.make_context("demo", list(words), resilient_parsing=False).params["port"]

    assert (port(), port("--serve"), port("--serve", "0"), port("--serve", "--json")) == (None, 8000, 0, 8000)
