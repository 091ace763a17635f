"""Lattices of security labels, as a program writes them."""

from __future__ import annotations

import itertools
import re

from lapwing.errors import InvalidInput
from lapwing.kernel.program.labels import Lattice, closure

#: More labels than any policy needs; a limit keeps reading one quick.
MAX_LABELS = 40


_LABEL = re.compile(r"[A-Za-z_]\w*")


_REMEDY = "Write chains of labels such as 'low < mid < high, low < left < high'"


def read_lattice(text: str) -> Lattice:
    """The lattice that ``low < mid < high, low < left < high`` describes; refuses an order that is none."""
    pairs: dict[tuple[str, str], None] = {}
    for chain in text.split(","):
        labels = [label.strip() for label in chain.split("<")]
        if len(labels) < 2 or not all(_LABEL.fullmatch(label) for label in labels):
            raise InvalidInput("W101", f"{chain.strip()[:40]!r} is not a chain of labels", _REMEDY)
        pairs.update(dict.fromkeys(itertools.pairwise(labels)))
    lattice = Lattice(tuple(pairs))
    if len(lattice.labels) > MAX_LABELS:
        raise InvalidInput("W101", f"the lattice has more than {MAX_LABELS} labels", "Name fewer")
    for label in lattice.labels:
        if (label, label) in closure(lattice.order):
            raise InvalidInput(
                "W102", f"the order of labels goes in a circle through '{label}'", "Remove one of its steps"
            )
    for left in lattice.labels:
        for right in lattice.labels:
            for word, above in (("above", True), ("below", False)):
                if not _extreme(lattice, left, right, above=above):
                    problem = f"'{left}' and '{right}' have no closest label {word} them both"
                    raise InvalidInput("W103", problem, f"Add a label {word} both, or order those that are")
    return lattice


def _extreme(lattice: Lattice, left: str, right: str, *, above: bool) -> bool:
    """Whether one label is the closest among those above (or below) both."""

    def ordered(one: str, two: str) -> bool:
        return lattice.below(one, two) if above else lattice.below(two, one)

    found = [each for each in lattice.labels if ordered(left, each) and ordered(right, each)]
    return any(all(ordered(each, other) for other in found) for each in found)
