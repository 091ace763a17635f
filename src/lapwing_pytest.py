"""The pytest plugin: audits functions marked with ``@audited``, each as a test of its own, and lists what was found.

It stands beside the package, like the command, so that test runs without audits do not read Lapwing at all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any

import pytest

MARK = "__lapwing_audit__"
LIMIT = "LAPWING_AUDIT_SECONDS"
_PROPERTY = "lapwing audit"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--audit-seconds``: how long each audit may take, whatever it says itself."""
    group = parser.getgroup("lapwing", "audits of differential privacy")
    group.addoption("--audit-seconds", type=float, metavar="S", help="seconds for each audit, whatever it says itself")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and the time limit."""
    config.addinivalue_line("markers", "audit: attacks a callable by running it many times (see lapwing.testing)")
    seconds = config.getoption("--audit-seconds")
    if seconds is not None:
        if not 0 < seconds < 1e7:
            raise pytest.UsageError("--audit-seconds is not a time above 0")
        os.environ[LIMIT] = str(seconds)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave the environment as it was."""
    if config.getoption("--audit-seconds", None) is not None:
        os.environ.pop(LIMIT, None)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> Any:  # noqa: ANN401  # pytest's own
    """A function with the mark is a test, whatever its name."""
    if callable(obj) and hasattr(obj, MARK) and isinstance(collector, pytest.Module):
        return AuditItem.from_parent(collector, name=f"audit of {name}", audited=obj)
    return None


class AuditItem(pytest.Item):
    """One audit of one function."""

    def __init__(self, *, audited: Any, **keywords: Any) -> None:  # noqa: ANN401  # pytest's own
        super().__init__(**keywords)
        self.audited = audited
        self.add_marker("audit")

    def runtest(self) -> None:
        """Attack it."""
        from lapwing.audit.in_test_suites import run_marked

        run_marked(self.audited)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401  # pytest's own
        """The report, without a traceback into Lapwing."""
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the function is."""
        code = getattr(self.audited, "__code__", None)
        return self.path, None if code is None else code.co_firstlineno - 1, self.name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Note every finding with the test that made it, also across worker processes."""
    if "lapwing.audit.in_test_suites" not in sys.modules and not isinstance(item, AuditItem):
        return (yield)
    from lapwing.audit import in_test_suites
    from lapwing.audit.report import headline

    def tell(finding: Any) -> None:  # noqa: ANN401  # a Finding; naming it would read Lapwing at once
        item.user_properties.append((_PROPERTY, headline(finding)))

    in_test_suites.listeners.append(tell)
    try:
        return (yield)
    finally:
        in_test_suites.listeners.remove(tell)


def pytest_terminal_summary(terminalreporter: Any) -> None:  # noqa: ANN401  # pytest's own
    """All findings, one line each."""
    lines = [
        f"{report.nodeid}: {line}"
        for kind in ("passed", "failed")
        for report in terminalreporter.stats.get(kind, [])
        for name, line in getattr(report, "user_properties", [])
        if name == _PROPERTY and report.when == "call"
    ]
    if lines:
        terminalreporter.section("audits")
        for line in lines:
            terminalreporter.write_line(line)
