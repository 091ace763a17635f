"""What would make an audit accuse the innocent, noticed before it does: fixed noise, memory, answers that never come.

The one idea: the e-process is valid if each run is a fresh draw on its input. A callable whose noise is fixed by a
seed, or whose answers depend on how often it was called, breaks that, so it is refused with the remedy. The thresholds
are far out (eight standard errors, or equality in every bit), so that chance does not refuse anybody.
"""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.features import features, fractional_bits, telling
from lapwing.audit.finding import Chunk
from lapwing.audit.one_answer import Raised
from lapwing.audit.reseeding import is_generator
from lapwing.audit.sampling import Call, answered, fresh
from lapwing.audit.seen_answers import Batch, Encoder
from lapwing.audit.separate_process import Unheard, apart
from lapwing.errors import InvalidInput

#: Standard errors between two groups of runs on one input that are no chance.
FAR = 8.0
#: An answer with so many fractional bits, the same in every run, is noise that a seed has fixed.
FINE = 20
_LEAST = 12
#: Occurrences that are to be expected in the smaller of two groups before their rates are compared.
_RARE = 10.0
#: Modules whose objects are data, whatever they do inside.
_DATA = ("pandas", "pyarrow", "polars", "numpy", "datetime", "decimal", "fractions", "lapwing")
#: Seconds for a look at what runs change in an input.
PATIENCE = 2.0
#: How deep in an input a generator is looked for.
_DEEPEST = 8
#: Kinds of answers that are compared, the commonest first: rarer ones are too rare to tell anything.
_KINDS = 50
#: The logarithm of the odds against an order of answers that is no chance.
_UNHEARD_OF = 25.0


def refuse_carried(*inputs: object) -> None:
    """Refuse inputs that carry a generator: every run gets a copy, and each copy gives the same noise."""
    for given in inputs:
        found = _generator_in(given, 0)
        if found is not None:
            raise InvalidInput(
                "Y205",
                f"an input carries a generator ({found}), and every copy of it gives the same noise",
                "Make the generator in the callable, or pass it as a setting",
            )


def refuse_restless(call: Call, *inputs: object) -> None:
    """Refuse inputs that hold an object of their own which every run changes: its copies start at the same state again.

    Looked at in a process apart, and only where an input is more than data. What changes once (a cache) is no matter.
    """
    for given in inputs:
        if not _is_data(given, 0):
            with suppress(Unheard):
                if apart(lambda given=given: _keeps_changing(call, fresh(given)), PATIENCE):  # type: ignore[misc]  # bound now
                    raise InvalidInput(
                        "Y205",
                        f"an input holds a {type(given).__name__} that every run changes, and each copy starts anew",
                        "Give data alone; make what changes in the callable, or pass it as a setting",
                    )


def _keeps_changing(call: Call, given: object) -> bool:
    states = [pickle.dumps(given)]
    for _ in range(3):
        answered(call, given)
        states.append(pickle.dumps(given))
    return all(one != other for one, other in pairwise(states))


def _is_data(given: object, depth: int) -> bool:
    """Whether an input is nothing but data: then a run that changes its copy (sorts it) harms nobody."""
    if given is None or isinstance(given, str | bytes | bytearray | int | float | complex | np.ndarray | np.generic):
        return True
    if isinstance(given, Mapping) and isinstance(given, dict):
        return depth < _DEEPEST and all(_is_data(part, depth + 1) for part in given.values())
    if isinstance(given, list | tuple | set | frozenset):
        return depth < _DEEPEST and all(_is_data(part, depth + 1) for part in given)
    return type(given).__module__.partition(".")[0] in _DATA


def _generator_in(given: object, depth: int) -> str | None:
    """The kind of a generator that is somewhere in an input."""
    if is_generator(given):
        return type(given).__name__
    if depth > _DEEPEST or given is None or isinstance(given, str | bytes | int | float | np.ndarray):
        return None
    parts: Iterable[object] = vars(given).values() if hasattr(given, "__dict__") and not callable(given) else ()
    if isinstance(given, Mapping):
        parts = [*given.keys(), *given.values()]
    elif isinstance(given, list | tuple | set | frozenset):
        parts = () if set(map(type, given)) <= {int, float, bool, str, bytes, type(None)} else given
    return next((found for part in parts if (found := _generator_in(part, depth + 1)) is not None), None)


def refuse_fixed_noise(left: Sequence[object], right: Sequence[object]) -> None:
    """Refuse answers that look noisy and are the same in every run."""
    if len(left) < _LEAST:
        return
    for answers, other in ((left, right), (right, left)):
        values = _numbers(answers[0])
        fine = len(values) > 0 and bool((fractional_bits(values) >= FINE).any())
        if fine and _all_alike(answers) and not _alike(answers[0], other[0]):
            raise InvalidInput(
                "Y203",
                f"the callable gave one answer in all of {len(answers)} runs, so its noise is fixed or absent",
                "Take the seed out: fixed noise protects nobody, and an audit of it certifies nothing",
            )


def refuse_memory(batch: Batch, ran_first: NDArray[np.bool_], encoder: Encoder, side: str) -> None:
    """Refuse a callable whose answers on one input depend on when it ran: early or late, first or second of a pair."""
    n = len(batch)
    if _ended(batch):
        raise memory(f"on the {side} input, one kind of answer came at first and never again")
    if n < 4 * _LEAST:
        return
    early = np.arange(n) < n // 2
    for group, when in (
        (early, "later runs differ from earlier ones"),
        (ran_first, "it matters which input ran before"),
    ):
        if 2 * _LEAST <= int(group.sum()) <= n - 2 * _LEAST and _differ(batch, group, encoder):
            raise memory(f"on the {side} input, {when}")


def _ended(batch: Batch) -> bool:
    """Whether all answers of one kind came before all others, which chance does in 1 of "n choose how many" runs."""
    n = len(batch)
    first = int(np.argmax(batch.tags != batch.tags[0])) if n else 0
    if first == 0 or (batch.tags[first:] == batch.tags[0]).any():
        return False
    return math.log(math.comb(n, first)) > _UNHEARD_OF


def refuse_drift(chunks: Sequence[Chunk]) -> None:
    """Refuse to accuse where the event itself became likelier or rarer on one side while it was bet on."""
    last = [chunk for chunk in chunks if chunk.event == chunks[-1].event] if chunks else []
    half = sum(chunk.pairs for chunk in last) / 2
    early = [chunk for number, chunk in enumerate(last) if sum(each.pairs for each in last[:number]) < half]
    late = last[len(early) :]
    n, m = (sum(chunk.pairs for chunk in part) for part in (early, late))
    if min(n, m) < 2 * _LEAST:
        return
    for hits in (lambda chunk: chunk.both + chunk.likelier, lambda chunk: chunk.both + chunk.other):
        if _standard_errors(sum(map(hits, early)), n, sum(map(hits, late)), m) > FAR:
            raise memory("the event was likelier in some runs than in others on the same input")


def memory(how: str) -> InvalidInput:
    """The refusal of a callable that remembers its earlier runs."""
    return InvalidInput(
        "Y204",
        f"the callable has a memory: {how}",
        "Make a fresh object in every run, or take the cache, counter, budget or time of day out",
    )


def always_raised(left: Batch, right: Batch, encoder: Encoder) -> str | None:
    """The exception, if there was no answer on either side; where the sides raise differently, that is a difference."""
    here, there = ({encoder.name(code) for code in set(batch.tags.tolist())} for batch in (left, right))
    if here != there or not all(kind.startswith("raises ") for kind in here):
        return None
    return min(here).removeprefix("raises ")


def _differ(batch: Batch, group: NDArray[np.bool_], _encoder: Encoder) -> bool:
    """Whether some tag, or some feature above its median, is far likelier in one group of runs than in the other."""
    events = [batch.tags == code for code, _ in Counter(batch.tags.tolist()).most_common(_KINDS)]
    places = telling(batch.values[group], batch.values[~group])
    for feature in features(batch.values.shape[1], places):
        column = feature.of(batch)
        if np.isfinite(column).any():
            events.append(column > np.nanmedian(column[np.isfinite(column)]))
    n, m = int(group.sum()), int((~group).sum())
    return any(_standard_errors(int(event[group].sum()), n, int(event[~group].sum()), m) > FAR for event in events)


def _standard_errors(some: int, n: int, others: int, m: int) -> float:
    """How far two rates are apart, in standard errors of their difference if there were none.

    0 where either outcome is so rare that a few occurrences would look like many standard errors.
    """
    pooled = (some + others) / (n + m)
    if min(pooled, 1 - pooled) * min(n, m) < _RARE:
        return 0.0
    return abs(some / n - others / m) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))


def _numbers(answer: object) -> NDArray[np.float64]:
    try:
        return np.atleast_1d(np.asarray(answer, dtype=np.float64)).ravel()
    except Exception:  # whatever another library's type, or a number beyond all floats, says to this
        return np.zeros(0)


def _all_alike(answers: Sequence[object]) -> bool:
    return all(_alike(answers[0], each) for each in answers)


def _alike(one: object, two: object) -> bool:
    if isinstance(one, Raised) or isinstance(two, Raised):
        return one == two
    return _numbers(one).tobytes() == _numbers(two).tobytes() and len(_numbers(one)) > 0
