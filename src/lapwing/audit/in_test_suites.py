"""Audits in a test suite: a test that attacks, and fails with the report when the attack succeeds.

The one idea: a test that fails by chance is soon ignored, so the error permitted here is one in a million per test. A
test that passes proves nothing: it says that so many runs did not refute the claim. ``lapwing_pytest`` is the plugin
that collects audited functions, limits their time and lists what was found.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from lapwing.algebra.exact import Number
    from lapwing.audit.finding import Finding

#: A refutation in a test is wrong at most once in a million tests.
CONFIDENCE = "0.999999"
SECONDS = 10.0
#: What the plugin's --audit-seconds sets, for the whole run.
LIMIT = "LAPWING_AUDIT_SECONDS"
#: Where a function says how it is to be audited.
MARK = "__lapwing_audit__"

Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Audited:
    """How a function is to be audited: the keywords of :func:`assert_not_refuted`."""

    keywords: dict[str, Any] = field(default_factory=dict)


#: Who is told of findings: the plugin, while a test runs.
listeners: list[Callable[[Finding], None]] = []


def assert_not_refuted(
    function: Callable[..., object] | None = None,
    *inputs: object,
    epsilon: Number,
    seconds: float = SECONDS,
    confidence: Number = CONFIDENCE,
    **keywords: Any,  # noqa: ANN401  # those of lapwing.audit
) -> Finding:
    """Attack a callable as :func:`lapwing.audit` does; raise AssertionError with the report if its claim is refuted.

    Too few runs to refute anything fail the test as well: a test that cannot fail is not a test.
    """
    __tracebackhide__ = True
    from lapwing.audit.audit_function import audit
    from lapwing.audit.finding import NOT_REFUTED

    limit = os.environ.get(LIMIT)
    finding = audit(
        function,
        *inputs,
        epsilon=epsilon,
        seconds=seconds if limit is None else float(limit),
        confidence=confidence,
        **keywords,
    )
    for tell in listeners:
        tell(finding)
    interrupted = finding.shown.get("interrupted")
    if isinstance(interrupted, KeyboardInterrupt):
        raise interrupted
    if finding.refuted or finding.verdict != NOT_REFUTED:
        raise AssertionError(str(finding))
    return finding


def audited(**keywords: Any) -> Callable[[Function], Function]:  # noqa: ANN401  # those of lapwing.audit
    """Have the pytest plugin audit this function, as a test of its own; the function itself stays as it is.

    Takes the keywords of :func:`lapwing.audit`: ``epsilon``, ``left`` and ``right`` or ``neighbours``, ``seconds`` ...
    """

    def mark(function: Function) -> Function:
        setattr(function, MARK, Audited(keywords))
        return function

    return mark


def run_marked(function: Callable[..., object]) -> Finding:
    """Audit a function as its mark says."""
    __tracebackhide__ = True
    marked: Audited = getattr(function, MARK)
    return assert_not_refuted(function, **marked.keywords)
