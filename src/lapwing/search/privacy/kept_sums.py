"""What sums have shown of each mechanism in one search: whoever cuts a body asks about the same part many times."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from lapwing.kernel.program import ir
from lapwing.search.privacy.folds import by_folds
from lapwing.search.privacy.outcome import Failed, Found


@dataclass(frozen=True, slots=True)
class Sums:
    """Answers of :func:`by_folds`, each searched for once."""

    #: with the seconds that it had, or None where it had enough of them
    found: dict[ir.Mechanism, tuple[float | None, tuple[Found | Failed, ...]]] = field(default_factory=dict)

    def of(self, mechanism: ir.Mechanism, seconds: float) -> tuple[Found | Failed, ...]:
        """What :func:`by_folds` says; what it gave up it tries again with more than twice the time."""
        had, said = self.found.get(mechanism, (0.0, ()))
        if had is not None and seconds > 2 * had:
            until = time.thread_time() + seconds
            said = tuple(by_folds(mechanism, seconds))
            self.found[mechanism] = (None if time.thread_time() < until else seconds), said
        return said
