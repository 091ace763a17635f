"""Security labels: a finite lattice of them, and what ``@flow`` says about the names of a mechanism.

The one idea: whoever may see the result sees every parameter whose label is below the result's, and nothing else.
A :class:`Policy` answers which parameters those are; a list's length is labelled like its elements, except where
``@mechanism`` says that neighbours have the same length.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lapwing.errors import InvalidInput

if TYPE_CHECKING:
    from lapwing.kernel.program.ir import Mechanism

#: More labels than any policy needs; a limit keeps reading one quick.
MAX_LABELS = 40
_LABEL = re.compile(r"[A-Za-z_]\w*")
_REMEDY = "Write chains of labels such as 'low < mid < high, low < left < high'"


@dataclass(frozen=True, slots=True)
class Lattice:
    """Labels under an order in which any two have a least upper and a greatest lower bound.

    ``order`` holds (lower, higher) pairs as written; the order is what follows from them.
    """

    order: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return ", ".join(f"{low} < {high}" for low, high in self.order)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label once, in the order of writing."""
        return tuple(dict.fromkeys(label for pair in self.order for label in pair))

    @property
    def bottom(self) -> str:
        """The label below all others: what anybody may see."""
        return _bottom(self)

    @property
    def top(self) -> str:
        """The label above all others."""
        return next(label for label in self.labels if all(self.below(other, label) for other in self.labels))

    def below(self, low: str, high: str) -> bool:
        """Whether ``low`` ⊑ ``high``: what is labelled ``low`` may flow to ``high``."""
        return low == high or (low, high) in _closure(self.order)

    def join(self, *labels: str) -> str:
        """The least label above all of ``labels``."""
        found = self.bottom
        for label in labels:
            found = (
                label if self.below(found, label) else found if self.below(label, found) else self._join(found, label)
            )
        return found

    def meet(self, left: str, right: str) -> str:
        """The greatest label below both."""
        lower = [each for each in self.labels if self.below(each, left) and self.below(each, right)]
        return next(each for each in lower if all(self.below(other, each) for other in lower))

    def _join(self, left: str, right: str) -> str:
        upper = [each for each in self.labels if self.below(left, each) and self.below(right, each)]
        return next(each for each in upper if all(self.below(each, other) for other in upper))


#: The lattice of a program that names none.
TWO_LABELS = Lattice((("public", "secret"),))


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
        if (label, label) in _closure(lattice.order):
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


@functools.cache
def _bottom(lattice: Lattice) -> str:
    labels = lattice.labels
    return next(label for label in labels if all(lattice.below(label, other) for other in labels))


@functools.cache
def _closure(order: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    """Every (lower, higher) pair that follows from ``order``."""
    found = set(order)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Policy:
    """The labels of a mechanism: of each parameter (and of the length of a list), and of the result."""

    lattice: Lattice
    labels: Mapping[str, str]
    lengths: Mapping[str, str]
    result: str

    def visible(self, name: str) -> bool:
        """Whether somebody who may see the result may see this parameter."""
        return self.lattice.below(self.labels[name], self.result)

    def length_visible(self, name: str) -> bool:
        """Whether somebody who may see the result may see how long this list is."""
        return self.lattice.below(self.lengths[name], self.result)


def policy(mechanism: Mechanism) -> Policy:
    """What ``@flow`` says; a private parameter of ``@mechanism`` without a label is secret, all else is public."""
    lattice = TWO_LABELS if mechanism.flow is None else mechanism.flow.lattice
    stated = {} if mechanism.flow is None else dict(mechanism.flow.labels)
    labels = {
        parameter.name: stated.get(parameter.name, lattice.top if parameter.private else lattice.bottom)
        for parameter in mechanism.parameters
    }
    lengths = {
        parameter.name: lattice.bottom
        if parameter.relation is not None and parameter.relation.keeps_length
        else labels[parameter.name]
        for parameter in mechanism.parameters
    }
    return Policy(lattice, labels, lengths, stated.get("result", lattice.bottom))
