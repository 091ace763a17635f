"""Unknowns that differ between two runs: secrets, and what is not followed of them, each free to be anything.

The one idea: an element of a public table, a rest or a product that the walk does not follow is a function of some
terms. It gets an unknown of its own, the same wherever it is of the same terms. To take it for any number can only add
cases; to take two that differ for one would hide some, so terms with draws in them are told apart until the draws are
settled by what is told, and then it is what they were settled to that tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term, Terms


@dataclass(slots=True)
class Unfollowed:
    """``secrets`` are the unknowns that differ between two runs."""

    terms: Terms
    parameters: Parameters
    mechanism: ir.Mechanism
    secrets: list[Term] = field(default_factory=list)
    #: what is known of public numbers, and of the secrets
    facts: list[Term] = field(default_factory=list)
    bounds: list[Term] = field(default_factory=list)
    #: what is not followed: its unknown by what it is of, in order of making
    _known: dict[tuple[str | Term, ...], Term] = field(default_factory=dict)

    def _secret(self, name: str) -> Term:
        self.secrets.append(self.terms.fresh(ir.Integer(), name))
        return self.secrets[-1]

    def _within(self, number: Term, count: Term) -> tuple[Term, ...]:
        zero = self.terms.number(0)
        return self.terms.compare(">=", number, zero), self.terms.compare("<", number, count)

    def unknown(self, key: tuple[str | Term, ...]) -> Term:
        """The unknown of a function of some terms; see :meth:`settled`."""
        if key not in self._known:
            here = self._known[key] = self._secret(str(key[0]))
            if key[0] == "%":
                above = self.terms.compare(">", key[2], self.terms.number(0))
                self.bounds.append(self.terms.implies(above, self.terms.both(self._within(here, key[2]))))
        return self._known[key]

    def settled(self, unknowns: Sequence[Term], values: Sequence[Term]) -> tuple[list[Term], list[Term]]:
        """The same with what is not followed of these unknowns: it is that function of the values in their place."""
        found, meant = list(unknowns), list(values)
        for (kind, *terms), here in list(self._known.items()):
            arguments = [each.substitute(found, meant) for each in terms]  # type: ignore[union-attr]  # terms
            if arguments != terms:
                found.append(here)
                meant.append(self.unknown((kind, *arguments)))
        return found, meant

    def depends(self, term: Term, unknowns: set[Term]) -> bool:
        """Whether a term has one of the unknowns in it, or what is not followed of one."""
        pending, seen = [term], set[Term]()
        origins = {here: terms for (_, *terms), here in self._known.items()}
        while pending:
            part = pending.pop()
            if part in unknowns:
                return True
            if part not in seen:
                seen.add(part)
                pending.extend(part[index] for index in range(part.getNumChildren()))
                pending.extend(origins.get(part, ()))
        return False
