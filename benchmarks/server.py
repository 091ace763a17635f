"""What the server adds to a session: quotes and free repeats over HTTP, beside the same calls in this process."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from importlib import resources
from pathlib import Path

from lapwing.server.accounts import Accounts
from lapwing.session import open_session
from lapwing.session.protecting import Wishes, protect

#: A free repeat takes at most this long, and everything but a schedule adds at most this much to a session.
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
            return _measured(folder, Line(port, token))
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


def _measured(folder: Path, line: Line) -> bool:
    with open_session(folder / "people.parquet", "ana") as session:
        line.post("run", {"sql": SQL, "epsilon": "1/10"})
        rows = {
            "quote": (
                _milliseconds(lambda _: session.quote(SQL, epsilon="1/10")),
                _milliseconds(lambda _: line.post("quote", {"sql": SQL, "epsilon": "1/10"})),
            ),
            "free repeat": (
                _milliseconds(lambda _: session.sql(SQL, epsilon="1/10")),
                _milliseconds(lambda _: line.post("run", {"sql": SQL, "epsilon": "1/10"})),
            ),
        }
        paid = _milliseconds(lambda n: line.post("run", {"sql": SQL, "epsilon": f"1/{2000 + n}"}), PAID)
    print(f"{'median of a call':20} {'session':>10} {'server':>10} {'added':>10} {'p99':>10} {'a second':>10}")
    for name, (here, there) in rows.items():
        one, two = statistics.median(here), statistics.median(there)
        tail = sorted(there)[int(len(there) * 0.99) - 1]
        print(f"{name:20} {one:7.1f} ms {two:7.1f} ms {two - one:7.1f} ms {tail:7.1f} ms {1000 / two:10.0f}")
    repeat = statistics.median(rows["free repeat"][1])
    late = statistics.median(paid) - 1000 * PACE
    print(f"a paid answer leaves {late:.1f} ms after its moment")
    added = max(late, *(statistics.median(there) - statistics.median(here) for here, there in rows.values()))
    print(f"a free repeat takes {repeat:.1f} ms (at most {REPEAT_MS:g}); added are {added:.1f} ms ({OVERHEAD_MS:g})")
    return repeat <= REPEAT_MS and added <= OVERHEAD_MS


def _milliseconds(call, times: int = TIMES) -> list[float]:  # noqa: ANN001  # whatever is timed
    found = []
    for number in range(times):
        start = time.perf_counter()
        call(number)
        found.append(1000 * (time.perf_counter() - start))
    return found
