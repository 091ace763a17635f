"""What the server adds to a session: quotes, free repeats and paid answers over HTTP, beside the same calls here.

The two are asked in turn, each time for the same thing, so that a machine that others use slows both alike; and what is
compared is the processor's time, in the median.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from lapwing.server.accounts import Accounts
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect

#: Of a processor a free repeat takes at most this, and the door adds at most this much to what a session takes.
REPEAT_MS, OVERHEAD_MS = 10.0, 15.0
TIMES, PAID = 200, 30
#: Seconds until a paid answer leaves: long enough that every one here is ready, so that the rest is the server's.
PACE = 0.5
SQL = "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region"
WISHES = Wishes(
    "person",
    5,
    bounds={"income": (0, 150_000)},
    keys={"region": ["coast", "west", "south", "east", "north"]},
    analysts={"ana": 5},
)


def main() -> bool:
    """Whether both targets were met."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people = resources.files("lapwing").joinpath("data", "people.parquet")
        (folder / "people.parquet").write_bytes(people.read_bytes())
        protect(folder / "people.parquet", WISHES)
        accounts = Accounts.of(folder)
        accounts.add("ana", "analyst", "four words are enough", "bench")
        token = accounts.new_token("ana", "ask", 1, "bench")
        server = subprocess.Popen(  # noqa: S603  # our own command line
            [sys.executable, "-m", "lapwing", "serve", name, "--port", "0", "--json", "--pace", str(PACE)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ},
        )
        try:
            assert server.stdout is not None  # noqa: S101  # it is a pipe
            port = int(json.loads(server.stdout.readline())["url"].rpartition(":")[2])
            return _measured(folder, Line(port, token), server.pid)
        finally:
            server.terminate()
            server.wait(60)


class Line:
    """One connection that is kept."""

    def __init__(self, port: int, token: str) -> None:
        self._line = HTTPConnection("127.0.0.1", port)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, what: str, body: dict[str, object]) -> dict[str, object]:
        """What the server answers."""
        self._line.request("POST", f"/api/tables/people/{what}", json.dumps(body), self._headers)
        answer = self._line.getresponse()
        found: dict[str, object] = json.loads(answer.read())
        assert answer.status == 200, found  # noqa: S101  # a benchmark of refusals would be none
        return found


def _measured(folder: Path, line: Line, server: int) -> bool:
    with open_session(folder / "people.parquet", "ana") as session:
        one: dict[str, object] = {"sql": SQL, "epsilon": "1/10"}
        line.post("run", one)  # opens the table, and pays for the answer that is repeated
        session.sql(SQL, epsilon="1/10")
        found = {
            "quote": _compared(
                lambda _: session.quote(SQL, epsilon="1/10"), lambda _: line.post("quote", one), server, TIMES
            ),
            "free repeat": _compared(
                lambda _: session.sql(SQL, epsilon="1/10"), lambda _: line.post("run", one), server, TIMES
            ),
            "paid answer": _compared(
                lambda n: session.sql(SQL, epsilon=f"1/{1000 + n}"),
                lambda n: line.post("run", {"sql": SQL, "epsilon": f"1/{2000 + n}"}),
                server,
                PAID,
            ),
        }
    print(
        f"{'computing of a call':20} {'session':>10} {'server':>10} {'added':>10} {'a second':>10} {'99 % within':>12}"
    )
    for name, each in found.items():
        figures = " ".join(f"{number:7.1f} ms" for number in (each.here, each.there, each.added))
        late = each.tail - (1000 * PACE if name == "paid answer" else 0)
        print(f"{name:20} {figures} {1000 / each.there:10.0f} {late:9.1f} ms")
    print("computing is the processor's; the last column is the clock's, for a paid answer from the moment it is due")
    repeat, most = found["free repeat"].there, max(each.added for each in found.values())
    print(f"a free repeat takes {repeat:.1f} ms (at most {REPEAT_MS:g}); added are {most:.1f} ms ({OVERHEAD_MS:g})")
    return repeat <= REPEAT_MS and most <= OVERHEAD_MS


class Compared(NamedTuple):
    """Milliseconds of a processor for a call of a session and of the server, each the median; what the second adds.

    ``tail`` is by the clock: one call of the server in a hundred takes longer.
    """

    here: float
    there: float
    added: float
    tail: float


def _compared(here: Callable[[int], object], there: Callable[[int], object], server: int, times: int) -> Compared:
    """What calls of a session and of the server take; the wait between two calls of either is the other's."""
    own, other, clock = [], [], []
    for number in range(times):
        before, start = _computed(server), time.perf_counter()
        there(number)
        clock.append(1000 * (time.perf_counter() - start))
        other.append(_computed(server) - before)
        before = _computed(os.getpid())
        here(number)
        own.append(_computed(os.getpid()) - before)
    first, second = statistics.median(own), statistics.median(other)
    return Compared(first, second, second - first, sorted(clock)[int(times * 0.99) - 1])


def _computed(process: int) -> float:
    """Milliseconds of a processor that a process has had, on Linux: its clock, as clock_getcpuclockid(3) names it."""
    return 1000 * time.clock_gettime((~process << 3) | 2)
