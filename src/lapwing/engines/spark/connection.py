"""One session of a Spark cluster, with every setting that decides what a statement means, and nothing said aloud.

The one idea: a cluster's defaults are its administrator's, so each setting is made for this session and read back. The
driver writes failed statements with the values they failed on to standard error; here it writes nothing.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about versions of packages that are of no concern here
    from pyspark.errors import AnalysisException
    from pyspark.logger import PySparkLogger
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

from lapwing.engines.failures import failed, guarded
from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy.addresses import Address

# What it warns of may be a value, and is nobody's business.
warnings.filterwarnings("ignore", module=r"pyspark\.")
Result = TypeVar("Result")
#: The first version whose ANSI mode, UTF-8 functions and timestamps without a zone the phrases are written for.
OLDEST = 4
_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger", "pyspark.sql.connect.logging")
_PATIENCE = 10
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # what does not fit is an error, never a wrong number
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",  # without it a quotient of large DECIMALs fails
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",  # a name is the name that was written
    "spark.sql.variable.substitute": "false",  # ${…} in a constant is that text
    "spark.sql.parser.escapedStringLiterals": "false",  # a backslash in a constant escapes
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.groupByOrdinal": "false",  # a number is a number
    "spark.sql.orderByOrdinal": "false",
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",  # the table of a statement is the one it is given
    "spark.sql.runSQLOnFiles": "false",  # no statement names a file
    "spark.sql.files.ignoreCorruptFiles": "false",  # a file is read, or nothing is
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.filterPushdown": "false",  # what a file says of its own values is not believed
    "spark.sql.parquet.aggregatePushdown": "false",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",  # a day is the day that was written, and no error
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
#: What makes a session mean what older versions meant, or leaves out steps of theirs: it is taken back.
_OF_OLD = re.compile(r"spark\.sql\.legacy\.|spark\.sql\.optimizer\.excludedRules")
_NUMBERS = itertools.count()


class Connection:
    """A session. Its tables are temporary views of it, which nobody else sees."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._tag = f"lapwing-{next(_NUMBERS)}"
        self._asked = 0
        #: how many sessions there were: what was made in an earlier one is gone
        self.sessions = 0
        self._open()

    def _open(self) -> None:
        parts = urlsplit(self._address.server)
        try:  # the driver itself would try for ten minutes
            with socket.create_connection((parts.hostname, parts.port), _PATIENCE):
                pass
        except OSError:
            raise unreachable() from None
        for name in _LOGGERS:
            PySparkLogger.getLogger(name).disabled = True
        self._remote = f"sc://{parts.netloc}/;{'use_ssl=true;' if parts.query else ''}"
        session: Any = guarded(lambda: SparkSession.builder.remote(self._remote).create(), unreachable(), Exception)
        self._session = session
        self.sessions += 1
        try:
            self._session.client.set_retry_policies([DefaultPolicy(max_retries=2, max_backoff=1000)])
            self.version = str(self.look(lambda session: session.version, unreachable()))
            if not self.version.split(".")[0].isdecimal() or int(self.version.split(".")[0]) < OLDEST:
                raise _unfit(f"the cluster is Spark {self.version}, and the oldest that can be asked is {OLDEST}")
            self._set()
        except BaseException:
            self.close()
            raise

    def _set(self) -> None:
        """Makes every setting, and then reads all of them back."""

        def made(session: Any) -> dict[str, str]:  # noqa: ANN401  # the driver's own type
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for name in filter(_OF_OLD.match, dict(session.conf.getAll)):
                    _quietly(session.conf.unset, name)
                for name, value in _SETTINGS.items():
                    _quietly(session.conf.set, name, value)
                return dict(session.conf.getAll)

        found = self.look(made, _unfit("the cluster does not tell its settings"))
        for name in sorted({*_SETTINGS, *filter(_OF_OLD.match, found)}):
            if found.get(name, "").lower() != _SETTINGS.get(name, "").lower():
                raise _unfit(f"the cluster does not let a session set {name}")

    def revive(self) -> None:
        """Opens a new session if this one is gone: before anything is charged, and never after."""
        with contextlib.suppress(LapwingError):
            self.look(lambda session: session.sql("SELECT 1 AS one").toArrow(), failed())
            return
        lost = str(self._session.session_id)
        self.close()
        self._open()
        self._end(lost)

    def _end(self, lost: str) -> None:
        """Ends what a lost session still does on the cluster, which would go on for minutes."""

        def end() -> None:
            session = SparkSession.builder.remote(f"{self._remote}session_id={lost}").create()
            session.interruptAll()
            session.stop()

        _quietly(end)

    def look(self, work: Callable[[Any], Result], otherwise: LapwingError) -> Result:
        """What comes of one use of the session; an error of the driver becomes a fixed one."""
        return guarded(lambda: work(self._session), otherwise, Exception)

    @contextlib.contextmanager
    def tagged(self) -> Iterator[None]:
        """What this thread asks inside can be stopped from another one."""
        self._asked = 0
        self._session.addTag(self._tag)
        try:
            yield
        finally:
            with contextlib.suppress(Exception):
                self._session.removeTag(self._tag)

    def stop(self) -> None:
        """Asks the cluster to give up what is running; hangs up on one that does not listen."""
        self._asked += 1
        session = self._session
        if self._asked % 100 == 50:  # after five seconds
            threading.Thread(target=_quietly, args=(session.client.close,), daemon=True).start()
        elif self._asked % 10 == 1:
            threading.Thread(target=_quietly, args=(session.interruptTag, self._tag), daemon=True).start()

    def close(self) -> None:
        """Ends the session."""
        _quietly(self._session.stop)


def _quietly(work: Callable[..., object], *given: object) -> None:
    with contextlib.suppress(Exception):
        work(*given)


def is_there(pattern: str, session: Any) -> bool:  # noqa: ANN401  # the driver's own type
    """Whether there is a file or a folder of this pattern; whatever else is wrong is an error of the driver."""
    try:
        return bool(session.read.format("binaryFile").load(pattern).schema)
    except AnalysisException as none:
        if none.getCondition() == "PATH_NOT_FOUND":
            return False
        raise


def unreachable() -> LapwingError:
    """There is no way to the cluster, or what answers there is not Spark Connect."""
    return LapwingError(
        "E127",
        "no Spark Connect answers at this address, or it does not let anybody in",
        "Check host and port; start it on the cluster with start-connect-server.sh;"
        " a token goes into SPARK_CONNECT_AUTHENTICATE_TOKEN",
    )


def _unfit(problem: str) -> InvalidInput:
    return InvalidInput("E125", problem, f"Ask a cluster with Spark {OLDEST} or later, whose sessions may be set")
