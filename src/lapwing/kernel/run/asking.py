"""Functions that a run is given: somebody else's, told what is released, and answering with numbers.

The one idea: what leaves is an answer like every other (floors, in lists of its own), and what comes back is an input
like every other. A private function holds everything about the data, so whatever it does instead of answering, as
failing, must not end the run: it counts as 0. A public one knows what it was told, and may fail in public.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir
from lapwing.kernel.program.written_types import show
from lapwing.kernel.run import inputs
from lapwing.kernel.run.evaluate import Value

Asked = Callable[[Sequence[Value]], Value]


def asked(given: object, parameter: ir.Parameter, kind: ir.Oracle, bits: int) -> Asked:
    """What a run calls instead of ``given``; refuses at once what cannot be called with so many values."""
    name, count = parameter.name, len(kind.arguments)
    if not callable(given) or not _takes(given, count):
        problem = f"'{name}' is not a function of {count} value{'s' if count > 1 else ''}"
        raise InvalidInput("P205", problem, f"Give a function of type {show(kind)}")

    def ask(values: Sequence[Value]) -> Value:
        told = [inputs.answer(value, part, bits) for value, part in zip(values, kind.arguments, strict=True)]
        try:
            answer = given(*told)
        except Exception as error:
            if parameter.private:
                answer = 0
            else:
                problem = f"'{name}' failed with {type(error).__name__}"
                raise InvalidInput("P218", problem, "Give a function that answers whatever it is told") from None
        if parameter.private:
            return inputs.private(answer, kind.result, name)
        return inputs.public(answer, kind.result, f"an answer of {name}")

    return ask


def _takes(given: Callable[..., object], count: int) -> bool:
    """Whether a function can be called with that many values, as far as it tells."""
    try:
        inspect.signature(given).bind(*(None,) * count)
    except TypeError:
        return False
    except ValueError:  # some built-in functions do not say
        return True
    return True
