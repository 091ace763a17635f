"""Whether a mechanism runs on given inputs: one run tells, with draws that are no noise at all.

The one idea: only what is public can be refused, and draws are not public (:mod:`~lapwing.kernel.wellformed.secrecy`).
So a mechanism refuses its inputs in every run or in none, whatever is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir
from lapwing.kernel.run.evaluate import Meter, Value
from lapwing.kernel.run.machine import Drawing, made

#: Steps after which a run is taken to go on without being refused.
STEPS = 100_000


def refusal(module: ir.Module, name: str, inputs: Mapping[str, Value], steps: int = STEPS) -> InvalidInput | None:
    """Why a mechanism does not run on these inputs, if it does not."""
    try:
        made(module, name, _alternating())(dict(inputs), Meter(steps))
    except InvalidInput as error:
        return None if error.code == "P206" else error  # out of patience is not a refusal
    return None


def _alternating() -> Drawing:
    """0 and 1 in turn, as far as there is a choice: loops that wait for a coin end."""
    turns = itertools.cycle((0, 1))

    def draw(kind: ir.NoiseKind, arguments: Sequence[Value]) -> Value:
        value = next(turns)
        match kind:
            case "flip":
                return bool(value)
            case "uniform":
                return value % arguments[0]
            case "choose":
                return value % len(arguments[0])
        return value

    return draw
