"""Running the callable on both inputs, so that nothing but the input differs between the two sides.

The one idea: within each pair it is left to chance which side runs first, so that warm caches, drift and counters
cannot pass for a difference between inputs. Each run gets its own copy of the input. An exception is an answer,
and so is leaving the program, and what a generator yields; running out of memory or being interrupted is none.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.one_answer import WIDEST, Raised
from lapwing.audit.run_limits import TimeIsUp, is_for_us, patience, staying
from lapwing.audit.seen_answers import Batch, Encoder
from lapwing.errors import InvalidInput
from lapwing.noise.source import SECURE, Source

Call = Callable[[object], object]
Many = Callable[[object, int], Sequence[object] | NDArray[np.generic]]

_ATOMS = (type(None), bool, int, float, complex, str, bytes, frozenset)


@dataclass(slots=True)
class Sampler:
    """Draws pairs of answers: one run on each input per pair, or whole batches where the callable can make them."""

    left: object
    right: object
    call: Call | None = None
    many: Many | None = None
    source: Source = SECURE
    encoder: Encoder = field(default_factory=Encoder)
    #: which side ran first in each pair of the last draw (all alike for a batch)
    first: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    runs: int = 0
    #: what NumPy does about errors in a run: as whoever asked for the audit has set it
    errors: dict[str, Any] = field(default_factory=lambda: dict(np.geterr()))

    def draw(self, pairs: int, deadline: float = float("inf")) -> tuple[Batch, Batch]:
        """``pairs`` pairs of fresh answers, encoded; raises TimeIsUp rather than returning fewer."""
        left, right = self.raw(pairs, deadline)
        self.runs += pairs
        return self.encoder.encode(left), self.encoder.encode(right)

    def raw(self, pairs: int, deadline: float = float("inf")) -> tuple[Sequence[object], Sequence[object]]:
        """The answers themselves."""
        with warnings.catch_warnings(), np.errstate(**self.errors), patience(deadline), staying():
            warnings.simplefilter("ignore")  # what a callable warns about was said in its first runs, or is no matter
            if self.many is not None:
                return self._batches(self.many, pairs)
            if self.call is None:
                raise AssertionError("there is nothing to run")
            return self._one_by_one(self.call, pairs, deadline)

    def _one_by_one(self, call: Call, pairs: int, deadline: float) -> tuple[list[object], list[object]]:
        self.first = (self.source.words(pairs) & np.uint64(1)).astype(bool)
        answers: tuple[list[object], list[object]] = ([], [])
        inputs = (self.left, self.right)
        frozen = (_is_frozen(self.left), _is_frozen(self.right))
        for right_first in self.first.tolist():
            for side in (1, 0) if right_first else (0, 1):
                given = inputs[side] if frozen[side] else fresh(inputs[side])
                answers[side].append(answered(call, given))
            if time.monotonic() > deadline:
                raise TimeIsUp
        return answers

    def _batches(self, many: Many, pairs: int) -> tuple[Sequence[object], Sequence[object]]:
        right_first = bool(self.source.random_bits(1))
        self.first = np.full(pairs, right_first)
        answers: list[Sequence[object]] = [[], []]
        for side, given in ((1, self.right), (0, self.left)) if right_first else ((0, self.left), (1, self.right)):
            found = _many_answered(many, fresh(given), pairs)
            if not hasattr(found, "__len__") or len(found) != pairs:
                got = len(found) if hasattr(found, "__len__") else f"a {type(found).__name__}"
                problem = f"batch was asked for {pairs} answers and gave {got}"
                raise InvalidInput("Y209", problem, "Return a list or an array with one answer per run")
            answers[side] = found if isinstance(found, np.ndarray) else list(found)  # type: ignore[assignment]  # NumPy's arrays are sequences all the same
        return answers[0], answers[1]


def _many_answered(many: Many, given: object, pairs: int) -> Sequence[object] | NDArray[np.generic]:
    """Answers of a batch; one exception for all of its runs is no answer of any."""
    try:
        return many(given, pairs)
    except MemoryError:
        raise InvalidInput("Y208", "the callable ran out of memory", "Audit it on smaller inputs") from None
    except BaseException as error:
        if is_for_us(error):
            raise
        raise InvalidInput(
            "Y217",
            f"batch raised {type(error).__name__}, which says nothing about single runs",
            "Return one answer per run, or audit the function itself, run by run",
        ) from None


def answered(call: Call, given: object) -> object:
    """The answer of one run, or what it raised instead: whatever that is, an observer sees it."""
    try:
        answer = call(given)
    except MemoryError:
        raise InvalidInput("Y208", "the callable ran out of memory", "Audit it on smaller inputs") from None
    except BaseException as error:  # a panic of Rust, or a task that was cancelled, is no Exception
        if is_for_us(error):
            raise
        return Raised(type(error).__name__)
    if isinstance(answer, Generator):
        return _yielded(answer)
    if isinstance(answer, Coroutine | AsyncGenerator):
        raise _unawaited(answer)
    return answer


def _yielded(answer: Generator[object]) -> list[object]:
    """What a generator yields, and what it raises; one that does not end is not looked into further."""
    found: list[object] = []
    try:
        found += islice(answer, WIDEST)
        found += [answer] if len(found) == WIDEST else []
    except BaseException as error:
        if is_for_us(error):
            raise
        found.append(Raised(type(error).__name__))
    return found


def _unawaited(answer: Coroutine[object, object, object] | AsyncGenerator[object, object]) -> InvalidInput:
    if isinstance(answer, Coroutine):
        answer.close()  # nobody waits for it
    return InvalidInput(
        "Y212",
        f"the callable is asynchronous: a run gives a {type(answer).__name__}, and no answer",
        "Audit a function that waits for it, such as: lambda x: asyncio.run(f(x))",
    )


def fresh(given: object) -> object:
    """The input for one run: its own copy where it could be changed."""
    if isinstance(given, _ATOMS):
        return given
    if isinstance(given, np.ndarray):
        return given.copy()
    if isinstance(given, list) and all(isinstance(each, _ATOMS) for each in given):
        return list(given)
    try:
        return copy.deepcopy(given)
    except Exception:  # whatever its own code raises
        raise InvalidInput(
            "Y205",
            f"an input is a {type(given).__name__} that cannot be copied, and every run needs one of its own",
            "Give data (numbers, lists, dicts, arrays, tables), and make the rest in the callable",
        ) from None


def _is_frozen(given: object) -> bool:
    """Whether no run could change it."""
    return isinstance(given, _ATOMS) or (isinstance(given, tuple) and all(map(_is_frozen, given)))
