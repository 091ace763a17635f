"""Where a library adds its noise: the sensitivity it declares there, against how far the value really moves.

The one idea: many libraries add noise in one method of an object that knows its own ``sensitivity``. While a callable
runs here, such methods write down the declared sensitivity and the value they were given, before noise. If the value
moves between neighbours by more than was declared, the noise is too small.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

#: What the method is called in the libraries that have one.
METHODS = ("randomise", "randomize", "add_noise")
SENSITIVITIES = ("sensitivity", "_sensitivity")


@dataclass(frozen=True, slots=True)
class Crossing:
    """One value on its way to the noise."""

    mechanism: str
    declared: float
    value: float
    place: str


@contextmanager
def recorded(methods: Sequence[tuple[type, str]]) -> Iterator[list[Crossing]]:
    """Inside, every value that is handed to one of these methods is written down."""
    crossings: list[Crossing] = []
    with ExitStack() as back:
        for owner, name in methods:
            method = vars(owner)[name]
            back.callback(setattr, owner, name, method)
            setattr(owner, name, _watched(method, crossings))
        yield crossings


def noise_methods() -> list[tuple[type, str]]:
    """Every class that is loaded and defines such a method itself, outside Lapwing."""
    found: dict[type, str] = {}
    for module_name, module in list(sys.modules.items()):
        if module is None or module_name.partition(".")[0] == "lapwing":
            continue
        for value in list(getattr(module, "__dict__", {}).values()):
            if inspect.isclass(value):
                names = [name for name in METHODS if inspect.isfunction(vars(value).get(name))]
                if names:
                    found[value] = names[0]
    return list(found.items())


def _watched(method: Callable[..., Any], crossings: list[Crossing]) -> Callable[..., Any]:
    @functools.wraps(method)
    def watched(self: object, value: object, *rest: object, **keywords: object) -> Any:  # noqa: ANN401  # as it was
        declared = next((found for name in SENSITIVITIES if (found := getattr(self, name, None)) is not None), None)
        if isinstance(declared, int | float) and isinstance(value, int | float):
            crossings.append(Crossing(type(self).__name__, float(declared), float(value), _place()))
        return method(self, value, *rest, **keywords)

    return watched


def _place() -> str:
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
