"""New seeds for all generators that a callable could use, in a process that is thrown away.

The one idea: two processes that were split from one have the same generators, and so the same noise. Before a first run
there, whatever generator can be reached from the callable gets a state of its own, and what was cached is forgotten.
Modules are reached through ``sys.modules``: this file replaces what others drew from and draws nothing itself.
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

#: Objects that are looked at, nearest to the callable first.
MOST = 20_000


def generators_of(function: object) -> list[object]:
    """The generators and caches that can be reached from a callable."""
    return [found for found in _reachable(function) if is_generator(found) or _is_cache(found)]


def reseed(generators: Sequence[object]) -> None:
    """Give these generators new states, and those that everybody shares; empty the caches."""
    random, numpy = sys.modules.get("random"), sys.modules.get("numpy.random")
    for module in (random, numpy):
        if module is not None:
            module.seed()
    for found in generators:
        _renew(found)


def is_generator(found: object) -> bool:
    """Whether this is a source of noise whose copy gives the same noise again."""
    for kind in type(found).__mro__:
        place = str(kind.__module__).partition(".")[0]
        if (place, kind.__name__) == ("random", "SystemRandom"):
            return False
        if place in ("random", "_random") and kind.__name__ == "Random":
            return True
        if place == "numpy" and kind.__name__ in ("Generator", "RandomState", "BitGenerator"):
            return True
        if place == "torch" and kind.__name__ == "Generator":
            return True
    return False


def _is_cache(found: object) -> bool:
    return type(found).__name__ == "_lru_cache_wrapper"


def _renew(found: Any) -> None:  # noqa: ANN401  # whatever was found
    with suppress(Exception):  # a generator that cannot be renewed stays as it is
        if _is_cache(found):
            found.cache_clear()
        elif hasattr(found, "bit_generator"):
            found.bit_generator.state = type(found.bit_generator)().state
        elif hasattr(found, "seed"):
            found.seed()
        else:
            found.state = type(found)().state


def _reachable(function: object) -> list[object]:
    """What a callable refers to, directly or not, without other people's modules."""
    seen: dict[int, object] = {}
    waiting = deque([function])
    while waiting and len(seen) < MOST:
        found = waiting.popleft()
        if id(found) in seen or isinstance(found, str | bytes | int | float | None):
            continue
        seen[id(found)] = found
        if not isinstance(found, ModuleType) or _is_own(found):
            waiting.extend(gc.get_referents(found))
    return list(seen.values())


def _is_own(module: ModuleType) -> bool:
    """Whether a module is somebody's own code, and neither Python's nor an installed package."""
    file = getattr(module, "__file__", None) or ""
    if module.__name__.partition(".")[0] == "lapwing":
        return False
    return bool(file) and "site-packages" not in file and not file.startswith((sys.prefix, sys.base_prefix))
