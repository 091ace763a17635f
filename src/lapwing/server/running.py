"""Running the server: one socket, one process, and an end that lets answers out that were paid for."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from lapwing.errors import InvalidInput

#: Seconds that open connections get, beyond the schedule's time-out, once the server was told to stop.
_GRACE = 5
#: The file that a server holds while it runs.
LOCK = "lapwing.serving"


def listen(host: str, port: int, *, behind_proxy: bool) -> socket.socket:
    """A socket to be served; refuses addresses that others can reach, unless a proxy is there to speak TLS."""
    if not behind_proxy and not _is_local(host):
        raise InvalidInput(
            "D135",
            f"{host!r} can be reached from other machines, and passwords would go there in clear",
            "Leave --host out, or put a proxy with TLS before the server and give --behind-proxy",
        )
    # With its protocol named: only then does asyncio send small answers at once, and not 40 milliseconds later.
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # to come back at once after a stop
        sock.bind((host, port))
        sock.listen(256)
        return sock
    except (OSError, OverflowError) as failed:
        sock.close()
        reason = failed.strerror if isinstance(failed, OSError) else "no such port"
        raise InvalidInput(
            "D136", f"the server cannot listen at {host} port {port} ({reason})", "Give another --port, or 0 for any"
        ) from None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Holds the folder for one server: two would each think that a question under way in the other was left over.

    What is held is a lock of SQLite, which ends with the process, however that ends.
    """
    held = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
    try:
        try:
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            raise InvalidInput(
                "D137", "another server has this folder, or it cannot be written to", "Stop the other one first"
            ) from None
        yield
    finally:
        held.close()


def serve(app: ASGIApp, sock: socket.socket, timeout: float, started: Callable[[], None]) -> None:
    """Answers until it is told to stop (Ctrl-C, or SIGTERM); then lets the questions that wait be answered."""
    config = uvicorn.Config(
        app,
        log_config=None,  # its own log would have tracebacks
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,  # whom to believe about addresses is decided in guard.py
        http="h11",  # another reader of requests, where one is installed, has no end of headers
        ws="none",
        limit_concurrency=1000,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(timeout) + _GRACE,
        h11_max_incomplete_event_size=16 * 1024,
    )
    _Server(config, started).run(sockets=[sock])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._say_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Says where the server is once it can be reached."""
        await super().startup(sockets)
        if self.started:
            self._say_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The first signal stops the server gently and the second at once; both are ours, and end as an ordinary end.

        The command line's own way of hearing Ctrl-C would ring again and again until somebody leaves, which is right
        for a proof and would here cut off answers.
        """
        handled = {each: signal.signal(each, self._stop) for each in (signal.SIGINT, signal.SIGTERM)}
        rung = signal.set_wakeup_fd(-1)
        try:
            yield
        finally:
            signal.set_wakeup_fd(rung)
            for each, before in handled.items():
                signal.signal(each, before)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
