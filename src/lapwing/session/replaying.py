"""Noise drawn again, for the ± of a release or of a quote: about no data, and so as free as any number.

The one idea: what a mechanism would have added is known to everybody. Drawing it once more says how far an answer may
be off, and is post-processing: nothing here meets a row, and what was released is not drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.kernel.evidence.release import NoisyMeasurement
from lapwing.noise import Exponential, Gaussian, Laplace
from lapwing.noise.seeded import Seeded
from lapwing.query.answers.replay import Noise
from lapwing.session.pricing import Additive, Priced
from lapwing.session.shown_units import in_units

#: Noise of at least this width is the same at every width but for its size.
_WIDE = 10_000


def fresh_noise(priced: Priced, confidence: Fraction) -> Noise:
    """Noise like that of a release, to be drawn again for its ±."""
    drawn: dict[tuple[str, int], NDArray[np.int64]] = {}

    def steps(name: str, at: int, mechanism: Additive, many: int) -> NDArray[Any]:  # noqa: ARG001  # places tell quotes apart
        if (name, many) not in drawn:
            drawn[name, many] = mechanism.release(np.zeros(many, np.int64))
        return drawn[name, many]

    return _noise(priced, confidence, steps)


def imagined_noise(priced: Priced, confidence: Fraction) -> Noise:
    """Noise for a quote: the same draws at every price, so that a higher price is never quoted a larger error."""
    return _noise(priced, confidence, lambda _name, at, mechanism, many: _imagined(at, mechanism, many))


def _noise(priced: Priced, confidence: Fraction, steps: Callable[[str, int, Additive, int], NDArray[Any]]) -> Noise:
    places = {part.measurement.name: at for at, part in enumerate(priced.noisy)}
    told = {each.measurement.name: each for each in priced.told}

    def drawn(part: NoisyMeasurement, many: int) -> NDArray[np.float64]:
        assert not isinstance(part.mechanism, Exponential)  # noqa: S101  # seen below
        name = part.measurement.name
        return in_units(steps(name, places[name], part.mechanism, many), part.measurement).astype(np.float64)

    def draw(name: str, many: int) -> NDArray[np.float64] | None:
        if any(isinstance(part.mechanism, Exponential) for _, part in told[name].parts):
            return None
        return told[name].of(lambda part: drawn(part, many))

    return Noise(confidence, draw)


def _imagined(at: int, mechanism: Additive, many: int) -> NDArray[Any]:
    """Draws of a mechanism; of a wide one they are those of another wide one, stretched."""
    width = mechanism.scale if isinstance(mechanism, Laplace) else mechanism.squared
    if width < _WIDE:
        return _drawn_once(at, mechanism, many)
    unit = Laplace(_WIDE) if isinstance(mechanism, Laplace) else Gaussian(squared=_WIDE)
    stretch = float(width / _WIDE) if isinstance(mechanism, Laplace) else math.sqrt(float(width / _WIDE))
    return _drawn_once(at, unit, many) * stretch


@lru_cache(maxsize=64)
def _drawn_once(at: int, mechanism: Additive, many: int) -> NDArray[np.int64]:
    """The same for everybody who asks: two quotes of one question agree. It protects nobody, so it needs no secret."""
    source = Seeded(at)
    drawn: NDArray[np.float64]
    one, two = ((source.words(many) >> np.uint64(11)) * 2.0**-53 + 2.0**-54 for _ in range(2))
    if isinstance(mechanism, Laplace):
        scale = float(mechanism.scale)
        drawn = np.floor(-scale * np.log(one)) - np.floor(-scale * np.log(two))
    else:
        drawn = np.rint(np.sqrt(-2 * float(mechanism.squared) * np.log(one)) * np.cos(2 * np.pi * two))
    return drawn.astype(np.int64)
