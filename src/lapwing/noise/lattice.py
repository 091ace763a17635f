"""The grid of steps that statistics live on before noise, and the only way from floats to integers and back.

The one idea: a float is the exact binary number it is, and ⌊value/step⌋ is computed from that number, never from a
rounded quotient; sums are exact integers, so their order cannot matter and they cannot wrap around; and one correctly
rounded conversion to float happens at the very end. Nothing is refused because of a value: NaN has a declared
meaning, and everything else is clamped.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number, exact
from lapwing.errors import InvalidInput
from lapwing.noise.arrays import is_array, kind_of

#: A power of two, so floats fall on the grid without arithmetic: about a millionth.
DEFAULT_STEP = Fraction(1, 1 << 20)
#: Steps are at most this many, so that noise can be added without wrapping around.
LARGEST = 1 << 61
#: Steps between these are normal floats even when multiplied by any 64-bit integer.
_FINEST, _COARSEST = Fraction(1, 1 << 900), Fraction(1 << 900)
#: Sums of this many 32-bit halves stay within 64 bits.
_PIECE = 1 << 30


@dataclass(frozen=True, slots=True, init=False)
class Lattice:
    """The multiples of ``step``."""

    step: Fraction

    def __init__(self, step: Number = DEFAULT_STEP) -> None:
        number = exact(step, "step")
        if not _FINEST <= number <= _COARSEST:
            raise InvalidInput(
                "N250", f"step is {_shown(step)}, not in 2^-900 to 2^900", "Give a power of two, such as 1/1024"
            )
        object.__setattr__(self, "step", number)

    def bounds(self, low: Number, high: Number) -> tuple[int, int]:
        """The least and the largest number of steps that a value in [low, high] can have."""
        lo, hi = parameters.interval(low, high)
        least, most = lo // self.step, hi // self.step
        if least < -LARGEST or most > LARGEST:
            raise InvalidInput(
                "N251",
                f"the range {_shown(low)}:{_shown(high)} has more than 2^61 steps of {_shown(self.step)}",
                "Use a coarser step or a narrower range",
            )
        return least, most

    def sensitivity(self, bound: Number) -> int:
        """How many steps apart two values at most ``bound`` apart can be: bound/step rounded *up*.

        Because ⌊a⌋ - ⌊b⌋ is a whole number below a - b + 1, hence at most ⌈a - b⌉.
        """
        return -(-parameters.nonnegative(bound, "sensitivity") // self.step)

    def to_steps(
        self, values: NDArray[Any], low: Number, high: Number, *, missing: Number | None = None
    ) -> NDArray[np.int64]:
        """⌊value/step⌋ of every value clamped to [low, high], exactly; NaN is read as ``missing``, or else as ``low``.

        Flooring never changes order, so clamping the steps equals clamping the values. A float is the binary number it
        is: 1.7 is a little below seventeen tenths, so it has 16 steps of 1/10. Powers of two never surprise.
        """
        least, most = self.bounds(low, high)
        instead = exact(low if missing is None else missing, "missing") // self.step
        kind = values.dtype.kind if is_array(values) else ""
        if kind in {"i", "u"}:
            steps = self._of_integers(values.reshape(-1), least, most)
        elif kind == "f" and values.dtype.itemsize <= 8:
            steps = self._of_floats(values.reshape(-1).astype(np.float64), min(max(instead, least), most))
        else:
            raise InvalidInput("N252", f"the values are {kind_of(values)}", "Give an array of integers or of floats")
        return np.clip(steps, least, most).reshape(values.shape)

    def _of_integers(self, values: NDArray[Any], least: int, most: int) -> NDArray[np.int64]:
        # Whole numbers outside these have steps outside least..most, so clamping to them first changes nothing.
        low, high = (least * self.step).__floor__() - 1, ((most + 1) * self.step).__ceil__()
        limits = np.iinfo(values.dtype)
        low, high = min(max(low, limits.min), limits.max), min(max(high, limits.min), limits.max)
        clamped = np.clip(values, values.dtype.type(low), values.dtype.type(high))
        over, under = self.step.denominator, self.step.numerator
        if max(-low, high, 1) * over < 1 << 63 and under < 1 << 63:  # by public numbers alone
            quotients: NDArray[np.int64] = clamped.astype(np.int64) * over // under
            return quotients
        return _each(clamped, lambda value: value * over // under)

    def _of_floats(self, values: NDArray[np.float64], instead: int) -> NDArray[np.int64]:
        unknown = np.isnan(values)
        power = _power_of_two(self.step)
        if power is None:
            known = np.nan_to_num(values)  # infinities become the largest floats, which are clamped all the same
            over, under = self.step.denominator, self.step.numerator

            def floor(value: float) -> int:
                numerator, denominator = value.as_integer_ratio()
                return numerator * over // (denominator * under)

            steps = _each(known, floor)
        else:
            known = np.where(unknown, 0.0, values)
            with np.errstate(over="ignore", under="ignore"):
                scaled = np.ldexp(known, -power)  # exact, unless so large as to be clamped or so small as to be 0 or -1
            floors = np.where((scaled == 0) & (known < 0), -1.0, np.floor(scaled))
            steps = np.clip(floors, -(2.0**62), 2.0**62).astype(np.int64)
        steps[unknown] = instead
        return steps

    @overload
    def to_float(self, steps: int | np.integer[Any]) -> float: ...
    @overload
    def to_float(self, steps: NDArray[np.integer[Any]]) -> NDArray[np.float64]: ...
    def to_float(self, steps: int | np.integer[Any] | NDArray[np.integer[Any]]) -> float | NDArray[np.float64]:
        """The float nearest to steps·step, rounded once; infinite beyond the largest float."""
        if not is_array(steps):
            if isinstance(steps, bool) or not isinstance(steps, int | np.integer):
                raise InvalidInput("N253", f"the steps are a {type(steps).__name__}", "Give an int")
            return self._nearest(int(steps))
        if steps.dtype.kind not in "iu":
            raise InvalidInput("N253", f"the steps are an array of {steps.dtype}", "Give an array of integers")
        power = _power_of_two(self.step)
        if power is not None:
            return np.ldexp(steps.astype(np.float64), power)  # the cast rounds once, the scaling is exact
        nearest = np.array([self._nearest(step) for step in steps.reshape(-1).tolist()], dtype=np.float64)
        return nearest.reshape(steps.shape)

    def _nearest(self, steps: int) -> float:
        try:
            return steps * self.step.numerator / self.step.denominator  # int by int is rounded once, to nearest
        except OverflowError:
            return float("inf") if steps > 0 else float("-inf")


def exact_sum(steps: NDArray[np.int64]) -> int:
    """The sum as a Python integer: halves of 32 bits are summed apart, so nothing wraps around."""
    if not is_array(steps) or steps.dtype != np.int64:
        raise InvalidInput("N254", "the steps to sum are not an array of int64", "Give what Lattice.to_steps returned")
    flat = steps.reshape(-1)
    total = 0
    for start in range(0, len(flat), _PIECE):
        piece = flat[start : start + _PIECE]
        total += (int((piece >> 32).sum()) << 32) + int((piece & 0xFFFFFFFF).sum())
    return total


def _each(values: NDArray[Any], floor: Any) -> NDArray[np.int64]:  # noqa: ANN401  # from an int or from a float
    """``floor`` of every value in Python's exact integers, held within ±2^62."""
    limit = 1 << 62
    return np.array([min(max(floor(value), -limit), limit) for value in values.tolist()], dtype=np.int64)


def _power_of_two(step: Fraction) -> int | None:
    """The p with step = 2^p, if there is one."""
    over, under = step.numerator, step.denominator
    if over & (over - 1) or under & (under - 1):
        return None
    return over.bit_length() - under.bit_length()


def _shown(number: Number) -> str:
    text = str(number)
    return text if len(text) <= 20 else text[:17] + "..."
