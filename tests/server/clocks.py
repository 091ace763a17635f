"""A clock that stands still unless a test moves it: what leaves when is then logic, on however busy a machine."""

from dataclasses import dataclass, field

from lapwing.engines import DuckDB
from lapwing.server.pacing import Schedule


@dataclass(frozen=True, slots=True)
class Virtual(Schedule):
    """A schedule by such a clock; ``left`` are the moments at which something left, counted from its turn.

    Tests ask one thing at a time, so a turn begins when the one before has left.
    """

    left: list = field(default_factory=list)
    clock: list = field(default_factory=lambda: [0.0])
    turn: list = field(default_factory=lambda: [0.0])

    def now(self):
        return self.clock[0]

    def pass_by(self, seconds):
        """So much time goes by."""
        self.clock[0] += seconds

    async def wait(self, until):
        self.left.append(round(until - self.turn[0], 6))
        self.turn[0] = self.clock[0] = max(self.clock[0], until)


def working(monkeypatch, schedule, seconds):
    """An engine that works as long as ``seconds`` says of what it found, by the clock of the schedule.

    It reports progress each second, as engines do.
    """
    plain = DuckDB.fetch

    def fetch(self, receipt, statements, progress=None):
        found = plain(self, receipt, statements)
        passed, whole = 0.0, seconds(found)
        while passed < whole:
            step = min(1.0, whole - passed)
            passed += step
            schedule.pass_by(step)
            if progress is not None:
                progress(0.5)
        return found

    monkeypatch.setattr(DuckDB, "fetch", fetch)
