"""What every step of a check needs: the two runs' inputs, the parts of the proof, and whom to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.evaluate import Evaluator, inputs_of
from lapwing.check.couplings.lattice import Lattice
from lapwing.check.couplings.runs import Inputs, State
from lapwing.check.couplings.shape import Weights, loops_of, sites_of, totals
from lapwing.check.couplings.terms import Term, Terms
from lapwing.check.polynomials import Quotient
from lapwing.check.prices import Parameters
from lapwing.evidence.certificate import Coupling, Site
from lapwing.program import ir


@dataclass(slots=True)
class Setting:
    """One coupling proof of one mechanism."""

    terms: Terms
    mechanism: ir.Mechanism
    proof: Coupling
    types: Mapping[str, ir.Type] = field(init=False)
    inputs: Inputs = field(init=False)
    lattice: Lattice = field(init=False)
    sites: Mapping[int, Site] = field(init=False)
    loops: Mapping[int, tuple[int, str]] = field(init=False)
    parameters: Parameters = field(init=False)
    #: which shifts are added up, what the certificate says of their sum, and that as it is priced
    totals: list[tuple[Weights, str, Quotient]] = field(init=False)
    ghost: Term | None = None

    def __post_init__(self) -> None:
        self.lattice = Lattice(self.mechanism)
        self.types = self.lattice.types
        if len(self.types) < len(self.mechanism.parameters) + len(self.mechanism.variables):
            raise Unproved("a parameter is changed in the mechanism")
        self.inputs = inputs_of(self.terms, self.mechanism)
        self.sites = sites_of(self.proof, self.mechanism)
        self.loops = loops_of(self.proof, self.mechanism)
        self.parameters = Parameters(self.terms, self.mechanism)
        self.totals = [(weights, text, self._total(text)) for weights, text in totals(self.proof)]
        if self.proof.ghost == "output":
            self.ghost = self.terms.fresh(self.mechanism.returns, "output")

    def _total(self, text: str) -> Quotient:
        """A total as it is priced, which is not always what the solver makes of its text: k * (1 / k) at k = 0."""
        found = self.parameters.read(text)
        if found.below.terms != {(): 1}:
            raise Unproved(f"the total {text[:60]!r} divides by a parameter")
        return found

    def total(self, total: Quotient) -> Term:
        """A total as a term; it speaks of public parameters and lengths only."""
        unknowns = {name: first for name, (first, _) in self.inputs.scalars.items()}
        unknowns |= {f"len({name})": length for name, length in self.inputs.lengths.items()}
        return self.terms.polynomial(total.above.terms, unknowns)

    def ask(self, state: State, goal: Term, node: ir.Node, problem: str) -> None:
        """Refuse the proof unless ``goal`` holds whenever control is here."""
        if not self.terms.entailed((*self.inputs.facts, *state.known), goal):
            raise at(node, problem)

    def possible(self, state: State) -> bool:
        """Whether control can be here, as far as the solver can tell."""
        return not self.terms.entailed((*self.inputs.facts, *state.known), self.terms.truth(False))

    def look(self, state: State, draw: Term | None = None) -> Evaluator:
        """Expressions and formulas in this state."""
        return Evaluator(self.inputs, state, self.ghost, draw)

    def fitted(self, name: str, first: Term, second: Term) -> tuple[Term, Term]:
        """What ``name`` is set to: whole numbers as reals where it holds reals."""
        real = self.types[name] == ir.Real()
        return (self.terms.real(first), self.terms.real(second)) if real else (first, second)
