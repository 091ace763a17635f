"""A desk for each protected table of a folder: opened once, and again when the table or its policy has changed.

The one idea: the session that answers is made for one account, from the open table, by exchanging its analyst. Whoever
has no share of the table gets none.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from lapwing.engines import files
from lapwing.errors import InvalidInput, LapwingError
from lapwing.ledger import Ledger
from lapwing.policy import SUFFIX, Policy, read_policy
from lapwing.server.accounts import Account
from lapwing.server.statuses import UNAVAILABLE, Refusal, forbidden, not_found
from lapwing.session import Session, open_session
from lapwing.session.policy_places import ledger_of, places

Log = Callable[[str], None]
#: Seconds that a look at a ledger waits for another process.
PATIENCE = 5.0
#: Bytes that must be free where the ledger is: a charge is small, and the answer that is kept after it may not be.
ROOM = 16 * 1024 * 1024


@dataclass(slots=True)
class Desk:
    """One protected table. ``turn`` is held by the one paying question that is being answered.

    ``begun`` is the ledger's last entry when that question began. What came of it is kept as soon as it is ready, and
    leaves on the schedule: until then nobody is shown it, or polling for it would tell how long the engine worked.
    """

    path: Path
    log: Log
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    begun: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open: tuple[object, Session] | None = None
    _read: tuple[object, Policy] | None = None

    @property
    def name(self) -> str:
        """The name of the table in addresses: that of its policy's file."""
        return self.path.name.removesuffix(SUFFIX)

    @property
    def ledger(self) -> Ledger:
        """The table's ledger, to be looked at."""
        opened = self._open
        path = opened[1].ledger.path if opened is not None else ledger_of(places(self.path), self.policy())
        return Ledger(path, PATIENCE)

    def policy(self) -> Policy:
        """What is public about the table; read again when its file has changed."""
        with self._explained():
            seen = self._stamp()  # before reading: a change meanwhile is noticed by the next question
            held = self._read
            if held is None or held[0] != seen:
                held = self._read = seen, self.written()
            return held[1]

    def holds_back(self, charge: int | None) -> bool:
        """Whether what came of this charge has not left yet."""
        begun = self.begun
        return begun is not None and charge is not None and charge > begun

    def session(self, analyst: str, *, paying: bool = False) -> Session:
        """A session that charges this analyst; refuses whoever has no share.

        One that pays waits for a ledger as long as sessions do: after the charge an answer would be lost for it. All
        else gives up soon, or a ledger that another process holds would hold up everybody, at every table.
        """
        with self._explained():
            session = self._current()
        if session.policy.analyst(analyst) is None:
            raise no_share(self.name)
        ledger = session.ledger if paying else Ledger(session.ledger.path, PATIENCE)
        return replace(session, analyst=analyst, ledger=ledger)

    def check_room(self) -> None:
        """Refuses to ask on a disk that is almost full: a price would be charged, and its answer could not be kept."""
        if shutil.disk_usage(self.path.parent).free < ROOM:
            problem = "the disk of the server is almost full, and an answer might not be kept; nothing was charged"
            raise Refusal(UNAVAILABLE, "D145", problem, "Tell the curator, who has to make room")

    def close(self) -> None:
        """Let go of the data."""
        with self._lock:
            if self._open is not None:
                self._open[1].close()
            self._open = None

    def written(self) -> Policy:
        """The policy, which must have the name of its file: it is the name that addresses, and links, go by."""
        found = read_policy(self.path)
        if found.name != self.name:
            problem = f"the policy in {self.path.name} is named {found.name!r}"
            raise InvalidInput("D138", problem, "Name it like its file, in its first line")
        return found

    def _current(self) -> Session:
        with self._lock:
            if self._open is None or self._open[0] != self._seen(self._open[1].policy):
                # The old one is not closed: an answer may still be coming out of it. It goes when nobody holds it.
                policy = self.written()
                seen = self._seen(policy)  # before opening: a change meanwhile is noticed by the next question
                if not policy.analysts:
                    raise no_share(self.name)
                self._open = (seen, open_session(self.path, policy.analysts[0].name))
            return self._open[1]

    def _seen(self, policy: Policy) -> object:
        """What the file system says of the policy, the ledger's place and the data."""
        ledger = places(self.path).ledger  # a ledger in a database is not there, and is not looked at
        place = ledger.stat().st_ino if ledger.exists() else None
        return self._stamp(), place, _data(policy, self.path.parent)

    def _stamp(self) -> tuple[int, int, int]:
        """What tells one writing of the policy from another."""
        found = self.path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Why a table cannot be opened is for the log: it may name files, which are no business of analysts."""
        try:
            yield
        except Refusal:
            raise
        except (LapwingError, OSError) as refused:
            what = str(refused) if isinstance(refused, LapwingError) else f"{self.path.name}: {refused.strerror}"
            self.log(f"table {self.name} cannot be opened: {what}")
            code = refused.code if isinstance(refused, LapwingError) else "F001"
            problem = f"the table {self.name!r} cannot be opened now ({code}); nothing was charged"
            raise Refusal(UNAVAILABLE, "D130", problem, "Tell the curator, who finds the reason in the log") from None


@dataclass(slots=True)
class Desks:
    """The desks of a folder: one for each policy in it, also for those that are written while it is served."""

    folder: Path
    log: Log
    _desks: dict[str, Desk] = field(default_factory=dict)

    def all(self) -> list[Desk]:
        """Every desk, by name."""
        found = sorted(path for path in self.folder.glob(f"*{SUFFIX}") if path.is_file())
        return [self._desk(path) for path in found]

    def named(self, name: str) -> Desk:
        """The desk of this name; refuses a name that no table has."""
        for desk in self.all():
            if desk.name == name:
                return desk
        raise unknown_table()

    def open_to(self, account: Account) -> list[tuple[Desk, Policy]]:
        """The tables that somebody may know of: those with a share of theirs, or all for a curator.

        A table whose policy cannot be read is left out, and the log says why: others can be asked all the same.
        """
        found = []
        for desk in self.all():
            try:
                policy = desk.policy()
            except LapwingError:
                continue
            if account.is_curator or policy.analyst(account.name) is not None:
                found.append((desk, policy))
        return found

    def check_ledgers(self) -> None:
        """Refuses a folder with a ledger that was changed: what was spent there is not known any more."""
        for desk in self.all():
            policy = desk.written()
            ledger = Ledger.open(ledger_of(places(desk.path), policy))
            ledger.check_policy(policy)
            chain = ledger.verify()
            if not chain.intact:
                raise InvalidInput(
                    "D134",
                    f"the ledger of {desk.name!r} is not intact: {chain.reason}",
                    f"Look at it with: lapwing ledger {desk.path.name}; restore it, or move the table away",
                )

    def close(self) -> None:
        """Let go of all data."""
        for desk in self._desks.values():
            desk.close()

    def _desk(self, path: Path) -> Desk:
        return self._desks.setdefault(path.name, Desk(path, self.log))


def unknown_table() -> Refusal:
    """What is said of a name that no table has, and of a table that somebody may not know of: the same."""
    return not_found("there is no table of this name, or you have no share of it", "Ask the curator for a share")


def no_share(table: str) -> Refusal:
    """Who has no share may not ask."""
    return forbidden(
        f"you have no share of the table {table!r}", "Ask a curator for a share: they give it under Accounts and shares"
    )


def _data(policy: Policy, folder: Path) -> tuple[str, ...]:
    """The stamps of the data files; none where the data are no files."""
    stamps = []
    for table in policy.tables:
        try:
            stamps.append(files.stamp(files.find(folder / table.path).files))
        except LapwingError:
            stamps.append("")
    return tuple(stamps)
