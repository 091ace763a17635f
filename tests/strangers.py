"""Mechanisms as strangers write them, with their truth: corpus/strangers, and spellings of one sum or count.

``## right`` stands before a mechanism whose claim is true, ``## wrong`` before one whose claim is false, and
``## outside`` before one that the language does not say.
"""

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import lapwing

SHELF = Path(__file__).resolve().parents[1] / "corpus" / "strangers"
HEAD = f"from lapwing import {', '.join(n for n in lapwing.__all__ if n.islower())}\n"


@dataclass(frozen=True)
class Stranger:
    """A mechanism in somebody's words."""

    shelf: str
    name: str
    truth: str
    text: str


def strangers():
    """Every mechanism of the shelf, in order."""
    return [_read(path.stem, part) for path in sorted(SHELF.glob("*.txt")) for part in _parts(path.read_text())]


def _parts(text):
    return re.split(r"^## ", text, flags=re.M)[1:]


def _read(shelf, part):
    truth, text = part.split("\n", 1)
    return Stranger(shelf, re.findall(r"^def (\w+)", text, flags=re.M)[-1], truth.strip(), HEAD + text)


#: How a record is bounded, with how far 'added' and 'replaced' move a sum of it.
BOUNDED = {
    "clip(x, 0, 4)": (4, 4),
    "min(max(x, -1), 3)": (3, 4),
    "(x if 0 <= x <= 2 else 0)": (2, 2),
    "abs(clip(x, -3, 3))": (3, 3),
    "int(x > 1)": (1, 1),
}
#: How records are added up: each of these sets 'total'.
SUMMED = (
    "total = sum({x} for x in xs)",
    "total = sum([{x} for x in xs])",
    "ys = [{x} for x in xs]\n    total = sum(ys)",
    "total = 0.0\n    for x in xs:\n        total += {x}",
    "total = 0.0\n    for x in xs:\n        y = {x}\n        total = y + total",
    "ys = []\n    for x in xs:\n        ys.append({x})\n    total = sum(ys)",
    "total = 0.0\n    for x in xs:\n        if x < -9:\n            continue\n        total += {x} if x > -10 else 1",
    "cells = [0.0] * 2\n    for x in xs:\n        cells[0 if x > 0 else 1] += {x}\n    total = cells[0] + cells[1]",
    "a = sum({x} for x in xs if x > 0)\n    b = sum({x} for x in xs if not x > 0)\n    total = a + b",
    "total = sum([p for p, b in [({x}, x > 0) for x in xs]])",
)


def spellings():
    """Pairs of texts, right and wrong by a hundredth of the noise, with the name of each."""
    for number, (how, (bounded, moves)) in enumerate(product(SUMMED, BOUNDED.items())):
        for place, relation in enumerate(("added", "replaced")):
            scales = (f"{moves[place]} / epsilon", f"{0.99 * moves[place]} / epsilon")
            yield f"{relation}_{number}", *(_spelled(how, bounded, relation, scale) for scale in scales)


def _spelled(how, bounded, relation, scale):
    return (
        f'{HEAD}@mechanism(xs={relation}(), claim="epsilon")\n'
        f"def f(xs: list[float], epsilon: float) -> float:\n"
        f"    {how.replace('{x}', bounded)}\n    return total + laplace({scale})\n"
    )
