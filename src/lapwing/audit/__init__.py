"""Attacks on any callable, and a certain word on how private it is not.

The one idea: run the callable many times on two neighbouring inputs, look for an event that happens too often on one of
them, and bet on that event with fresh runs. Money won in a game that is fair under the claim is evidence against the
claim, however the event was found and whenever one stops (:mod:`lapwing.audit.recheck` has the proof).

Two files are to be trusted: ``finding.py`` (what was bet and what came of it) and ``recheck.py`` (what follows from
that, in exact arithmetic). All others only search. An audit can refute; it never proves.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Room(ModuleType):
    """The package, which can be called: ``lapwing.audit(f, ...)`` is the function, ``lapwing.audit`` its room."""

    def __call__(self, *arguments: object, **keywords: object) -> object:
        """Attack a callable: see :func:`lapwing.audit.audit_function.audit`."""
        from lapwing.audit.audit_function import audit

        return audit(*arguments, **keywords)  # type: ignore[arg-type]  # whatever it is given, it checks itself


sys.modules[__name__].__class__ = _Room
