"""``lapwing.prove`` and ``lapwing.refute``: what the command line does, for a notebook.

The one idea: a mechanism is given as the function itself, or as ``"PATH::NAME"``. What is decided about a function is
decided about the program that a call of it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lapwing.decide.claim_violation import SIZES, refute_module
from lapwing.decide.privacy import LIMIT, decide_module
from lapwing.decide.verdict import Verdict
from lapwing.library.certifying import Certified, named

if TYPE_CHECKING:
    from lapwing.source import Runnable


def prove(mechanism: Runnable | Certified | str, *, seconds: float = LIMIT) -> Verdict:
    """Prove the privacy claim of a mechanism, else refute it, else say why neither was possible.

    Without a claim the smallest bound that can be proved is found. ``seconds`` is how long to look for a proof.
    """
    runnable = mechanism.runnable if isinstance(mechanism, Certified) else named(mechanism)
    return decide_module(runnable.module, runnable.name, runnable.source.name, seconds)


def refute(
    mechanism: Runnable | Certified | str,
    *,
    left: Mapping[str, object] | None = None,
    right: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
    max_n: int = SIZES,
) -> Verdict:
    """Search small neighbouring inputs for a violation of the claim; or look only at the two inputs that are given."""
    runnable = mechanism.runnable if isinstance(mechanism, Certified) else named(mechanism)
    return refute_module(
        runnable.module, runnable.name, runnable.source.name, left=left, right=right, settings=settings, max_n=max_n
    )
