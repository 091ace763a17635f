"""The same randomness on both inputs: what then still differs is not noise.

The one idea: while a callable runs here, the usual sources of randomness (NumPy's, ``random``, ``secrets``,
``os.urandom``) are replaced by ones that a number decides, and every draw is written down with its parameters and its
line. Two runs with the same number show whether a scale depends on the data, and how far the answer moves. Libraries
with a generator of their own (in Rust or C++) are not reached.

Nothing here is noise that anybody gets: audits replay in a process apart (:mod:`lapwing.audit.separate_process`), which
ends with all that was made there. Modules are reached through ``sys.modules`` because this file replaces what they
hold and must not import entropy itself.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from lapwing.noise.source import SECURE

_SCALED = {"laplace": 1.0, "normal": 1.0, "gauss": 1.0, "normalvariate": 1.0, "gumbel": 1.0, "logistic": 1.0}
_ONE_ARGUMENT = {"exponential": 1.0}
_BIT_GENERATOR = "PCG64"


@dataclass(frozen=True, slots=True)
class Draw:
    """One use of randomness: the function, its parameters as written, its scale if it has one, and where it was."""

    function: str
    parameters: str
    scale: float | None
    place: str


@dataclass(slots=True)
class Tape:
    """All draws of one run, in order."""

    draws: list[Draw] = field(default_factory=list)

    def note(self, function: str, arguments: tuple[object, ...], keywords: dict[str, object]) -> None:
        """Write down a draw."""
        words = [
            *(repr(each)[:40] for each in arguments),
            *(f"{name}={value!r}"[:60] for name, value in keywords.items()),
        ]
        self.draws.append(Draw(function, ", ".join(words), _scale(function, arguments, keywords), _caller()))


@contextmanager
def replayed(seed: int) -> Iterator[Tape]:
    """Inside, randomness follows from ``seed`` and is written down."""
    SECURE.random_bits(1)  # Lapwing's own key is drawn now, if it was not: never from what is put in place here
    tape = Tape()
    with ExitStack() as back:
        _replace_bytes(back, seed)
        _replace_random(back, tape, seed)
        _replace_numpy(back, tape, seed)
        yield tape


def _replace_bytes(back: ExitStack, seed: int) -> None:
    stream = _bytes(seed)
    _put(back, sys.modules["os"], "urandom", stream)
    if "random" in sys.modules:
        _put(back, sys.modules["random"], "_urandom", stream)


def _bytes(seed: int) -> Callable[[int], bytes]:
    drawn = 0

    def stream(count: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return hashlib.shake_256(f"replay {seed} {drawn}".encode()).digest(count)

    return stream


def _replace_random(back: ExitStack, tape: Tape, seed: int) -> None:
    module = sys.modules.get("random")
    if module is None:
        return
    plain = module.Random
    own = plain(seed)
    shared = module._inst
    for name, value in list(vars(module).items()):
        if getattr(value, "__self__", None) is shared and name not in ("seed", "getstate", "setstate"):
            _put(back, module, name, _noted(tape, name, getattr(own, name)))

    class Seeded(plain):  # type: ignore[misc, valid-type]  # the class is found at run time
        """``random.Random()``, which would otherwise be seeded where nothing can be replaced."""

        def __init__(self, given: object = None) -> None:
            super().__init__(seed if given is None else given)

    _put(back, module, "Random", Seeded)


def _replace_numpy(back: ExitStack, tape: Tape, seed: int) -> None:
    module: Any = sys.modules.get("numpy.random")
    if module is None:
        return
    own = module.RandomState(seed)
    for name, value in list(vars(module).items()):
        if type(getattr(value, "__self__", None)).__name__ == "RandomState" and name not in (
            "seed",
            "get_state",
            "set_state",
        ):
            _put(back, module, name, _noted(tape, name, getattr(own, name)))
    bits = getattr(module, _BIT_GENERATOR)

    class Noted(module.Generator):  # type: ignore[misc]  # the class is found at run time
        """A generator whose draws are written down."""

        def __getattribute__(self, name: str) -> Any:  # noqa: ANN401  # whatever a generator has
            value = super().__getattribute__(name)
            return value if name.startswith("_") or not callable(value) else _noted(tape, name, value)

    made = 0

    def generator(given: object = None) -> object:
        nonlocal made
        made += 1
        if isinstance(given, module.Generator):
            return given
        return Noted(bits(seed + made if given is None else given))

    _put(back, module, "default_rng", generator)


def _noted(tape: Tape, name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(draw)
    def noted(*arguments: object, **keywords: object) -> Any:  # noqa: ANN401  # whatever is drawn
        tape.note(name, arguments, keywords)
        return draw(*arguments, **keywords)

    return noted


def _put(back: ExitStack, module: Any, name: str, value: object) -> None:  # noqa: ANN401  # any module
    back.callback(setattr, module, name, getattr(module, name))
    setattr(module, name, value)


def _scale(function: str, arguments: tuple[object, ...], keywords: dict[str, object]) -> float | None:
    if function in _SCALED:
        usual, given = _SCALED[function], arguments[1:2]
        found = keywords.get("scale", keywords.get("sigma", given[0] if given else usual))
    elif function in _ONE_ARGUMENT:
        found = keywords.get("scale", arguments[0] if arguments else _ONE_ARGUMENT[function])
    else:
        return None
    return float(found) if isinstance(found, int | float) else None


def _caller() -> str:
    """The file and line that drew: the first frame that is not this file's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back  # type: ignore[assignment]  # ends at the caller of the callable at the latest
    return "?" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
