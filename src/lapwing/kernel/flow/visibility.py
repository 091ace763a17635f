"""What ``@flow`` says about the names of a mechanism.

The one idea: whoever may see the result sees every parameter whose label is below the result's, and nothing else.
A :class:`Policy` answers which parameters those are; a list's length is labelled like its elements, except where
``@mechanism`` says that neighbours have the same length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lapwing.kernel.program.ir import Mechanism
from lapwing.kernel.program.labels import TWO_LABELS, Lattice


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
