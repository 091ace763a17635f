"""A server as people run it: a process of its own, on a port of its own, that can be stopped or killed."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


class Running:
    """``lapwing serve`` on a folder."""

    def __init__(self, folder, *options, port=0):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        environment.pop("PYTHONUNBUFFERED", None)  # as people run it
        words = ["serve", str(folder), "--port", str(port), "--json", *map(str, options)]
        self.log = (Path(folder) / "server.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lapwing", *words], stdout=subprocess.PIPE, stderr=self.log, env=environment
        )
        line = self.process.stdout.readline()
        assert line, (Path(folder) / "server.log").read_text()
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rpartition(":")[2])

    def kill(self):
        """Without warning, as a power cut would."""
        self.process.kill()
        self._over()

    def stop(self):
        """Gently; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._over()

    def _over(self):
        code = self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        return code


@contextmanager
def running(folder, *options):
    """A server for a test; gone when the test is."""
    server = Running(folder, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()
