"""What the server adds to a session: quotes and free repeats over HTTP, beside the same calls in this process."""

import json
import os
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
from lapwing.session import Session, open_session
from lapwing.session.protecting import Wishes, protect

#: Of a processor a free repeat takes at most this, and the door adds at most this much to what a session takes.
REPEAT_MS, OVERHEAD_MS = 10.0, 15.0
TIMES, PAID = 200, 10
#: Seconds until a paid answer leaves: long enough that every one here is ready, so that the rest is the server's.
PACE = 1.5
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
    one, paid = {"sql": SQL, "epsilon": "1/10"}, [{"sql": SQL, "epsilon": f"1/{2000 + n}"} for n in range(PAID)]
    with open_session(folder / "people.parquet", "ana") as session:
        session.sql(SQL, epsilon="1/10")
        here = {
            "quote": _timed(lambda _: session.quote(SQL, epsilon="1/10")),
            "free repeat": _timed(lambda _: session.sql(SQL, epsilon="1/10")),
            "paid answer": _timed(lambda n: _after_a_pause(session, f"1/{1000 + n}"), times=PAID),
        }
    line.post("run", one)  # opens the table
    there = {
        "quote": _timed(lambda _: line.post("quote", one), server),
        "free repeat": _timed(lambda _: line.post("run", one), server),
        "paid answer": _timed(lambda n: line.post("run", paid[n]), server, PAID),
    }
    added = {name: there[name].computing - here[name].computing for name in here}
    print(
        f"{'computing of a call':20} {'session':>10} {'server':>10} {'added':>10} {'a second':>10} {'99 % within':>12}"
    )
    for name, found in there.items():
        figures = " ".join(f"{each:7.1f} ms" for each in (here[name].computing, found.computing, added[name]))
        late = found.tail - (1000 * PACE if name == "paid answer" else 0)
        print(f"{name:20} {figures} {1000 / found.computing:10.0f} {late:9.1f} ms")
    print("computing is the processor's; the last column is the clock's, for a paid answer from the moment it is due")
    repeat, most = there["free repeat"].computing, max(added.values())
    print(f"a free repeat takes {repeat:.1f} ms (at most {REPEAT_MS:g}); added are {most:.1f} ms ({OVERHEAD_MS:g})")
    return repeat <= REPEAT_MS and most <= OVERHEAD_MS


def _after_a_pause(session: Session, epsilon: str) -> None:
    """As the server asks: a pace after the question before, when the processor has turned to other things."""
    time.sleep(PACE)
    session.sql(SQL, epsilon=epsilon)


class Timed(NamedTuple):
    """Milliseconds of a processor for a call, and those of the clock that one call in a hundred takes longer than."""

    computing: float
    tail: float


def _timed(call: Callable[[int], object], process: int | None = None, times: int = TIMES) -> Timed:
    """What calls take, of this process or of another; a busy machine slows the clock's time, and not the computing."""
    clock = []
    before = _computed(process)
    for number in range(times):
        start = time.perf_counter()
        call(number)
        clock.append(1000 * (time.perf_counter() - start))
    return Timed(1000 * (_computed(process) - before) / times, sorted(clock)[int(times * 0.99) - 1])


def _computed(process: int | None) -> float:
    """Seconds of a processor that a process has had; of another one only Linux tells."""
    if process is None:
        return time.process_time()
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
