"""What every step of a check needs: the two runs' inputs, the parts of the proof, and whom to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.approximate import Pairing, Tail
from lapwing.kernel.evidence.certificate import Coupling, Site
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.program.types import types_of
from lapwing.kernel.relational.proof_parts import (
    Weights,
    answered_lists,
    confirm_pairs,
    elements_of,
    loops_of,
    shifted_draws,
    sites_of,
    totals,
)
from lapwing.kernel.relational.runs import FIRST, Inputs, State
from lapwing.kernel.relational.values_in_runs import Evaluator, inputs_of
from lapwing.kernel.solver import Term, Terms


@dataclass(frozen=True, slots=True)
class Width:
    """How often a site may be moved onto an interval, what that may take away, and its price, as public formulas."""

    extra: Quotient
    uses: Quotient
    price: Quotient


@dataclass(slots=True)
class Setting:
    """One coupling proof of one mechanism."""

    terms: Terms
    mechanism: ir.Mechanism
    proof: Coupling
    types: Mapping[str, ir.Type] = field(init=False)
    inputs: Inputs = field(init=False)
    sites: Mapping[int, Site] = field(init=False)
    #: the invariant of each loop, by its number
    loops: Mapping[int, ir.Expression] = field(init=False)
    parameters: Parameters = field(init=False)
    #: which shifts are added up, what the certificate says of their sum, and that as it is priced
    totals: list[tuple[Weights, str, Quotient]] = field(init=False)
    #: what may cost a probability, by the number of its entry; that of the entry where it is counted; and how far
    tails: Mapping[int, Tail] = field(init=False)
    counters: Mapping[int, int] = field(init=False)
    counts: Mapping[int, Quotient] = field(init=False)
    #: by site: the intervals that its noise is moved onto
    spreads: Mapping[int, Width] = field(init=False)
    ghost: Term | None = None
    #: of an answer that is a tuple: which part of it is the one considered
    part: int | None = None
    #: lists of which the answer is known in advance, with the type of their elements
    ghost_lists: Mapping[str, ir.Type] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.types = types_of(self.mechanism)
        if len(self.types) < len(self.mechanism.parameters) + len(self.mechanism.variables):
            raise Unproved("a parameter is changed in the mechanism")
        self.inputs = inputs_of(self.terms, self.mechanism)
        for name, (kind, said) in elements_of(self.proof, self.mechanism).items():
            self.inputs.elements[name] = self.terms.function(kind, name), self.terms.function(kind, f"{name}'")
            self.inputs.held[name] = said
        self.sites = sites_of(self.proof, self.mechanism)
        self.loops = loops_of(self.proof, self.mechanism)
        self.parameters = Parameters(self.terms, self.mechanism)
        self.totals = [(weights, text, self._total(text)) for weights, text in totals(self.proof)]
        self._approximate()
        if self.proof.ghost == "output":
            # one answer at a time says nothing of real answers: each has probability 0, whatever the densities are
            self.ghost = self.terms.fresh(self._considered(), "output")
        if self.proof.ghost == "lists":
            self.ghost_lists = answered_lists(self.mechanism)

    def _considered(self) -> ir.Type:
        """The type of the answer considered: of a tuple, that of its one part that is no real number."""
        returns = self.mechanism.returns
        parts = list(returns.elements) if isinstance(returns, ir.Tuple) else [returns]
        whole = [number for number, part in enumerate(parts) if isinstance(part, ir.Integer | ir.Boolean)]
        if len(whole) != 1:
            raise Unproved("only a whole number or a truth value can be considered one answer at a time")
        self.part = whole[0] if isinstance(returns, ir.Tuple) else None
        return parts[whole[0]]

    @property
    def waits(self) -> bool:
        """Whether a run that has answered waits for the other: what it said is the answer considered, and no more."""
        return self.ghost is not None and self.part is None

    def _approximate(self) -> None:
        """Read what costs a probability, or a price that is no shift."""
        self.tails = dict(enumerate(self.proof.bad, 1))
        self.counters = {entry: tail.beside or entry for entry, tail in self.tails.items()}
        alone = {entry: tail.count for entry, tail in self.tails.items() if tail.beside is None}
        if any(alone.get(self.counters[entry]) != tail.count for entry, tail in self.tails.items()):
            raise Unproved("what is bad is beside another that does not count for itself, or counts otherwise")
        self.counts = {entry: self._total(count) for entry, count in alone.items()}
        spreads = self.proof.intervals
        self.spreads = {
            each.site: Width(self._total(each.extra), self._total(each.uses), self.parameters.read(each.price))
            for each in spreads
        }
        drawn = {each.site: each for each in shifted_draws(self.mechanism)}
        named = [tail.site for tail in self.tails.values()] + [each.site for each in spreads]
        if len(self.spreads) != len(spreads) or not set(named) <= set(drawn):
            raise Unproved("what the certificate says of intervals or tails is not about the mechanism's draws")
        apart = self.proof.apart
        if len(set(apart)) < len(apart) or not {each.site for each in apart} <= set(drawn):
            raise Unproved("what noise is apart from is said twice, or not of the mechanism's draws")
        confirm_pairs(self.proof.pairs, drawn)
        for pair in self.proof.pairs:
            one, two = (self.parameters.of(drawn[site].arguments[0]) for site in (pair.first, pair.second))
            if not one.agrees(two):
                raise Unproved(f"the draws at sites {pair.first} and {pair.second} may have different scales")
        for each in spreads:
            width = self.inputs.widths[each.site] = self._width(each.site, each.width)
            self.inputs.facts.append(self.terms.compare(">", width, self.terms.number(0)))

    def _width(self, site: int, text: str) -> Term:
        """A width as a term: what it is, or any number if its formula says more than the walk can."""
        try:
            return self.total(self._total(text))
        except Unproved:
            return self.terms.fresh(ir.Real(), f"width({site})")

    def tails_at(self, site: int) -> list[int]:
        """The entries about draws of a site."""
        return [entry for entry, tail in self.tails.items() if tail.site == site]

    def counters_at(self, site: int) -> set[int]:
        """What counts the draws of a site: entries, each for itself and those beside it."""
        return {self.counters[entry] for entry in self.tails_at(site)}

    def pairing(self, run: int, site: int) -> Pairing | None:
        """The pair that a draw belongs to, if that run makes it alone."""
        named = [each for each in self.proof.pairs if (each.first if run == FIRST else each.second) == site]
        return named[0] if named else None

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
        if not self.follows(state, goal):
            raise at(node, problem)

    def follows(self, state: State, goal: Term) -> bool:
        """Whether ``goal`` holds whenever control is here, as far as the solver can tell."""
        return self.terms.entailed((*self.inputs.facts, *state.known), goal)

    def possible(self, state: State) -> bool:
        """Whether control can be here, as far as the solver can tell."""
        return not self.follows(state, self.terms.truth(False))

    def look(self, state: State, draw: Term | None = None) -> Evaluator:
        """Expressions and formulas in this state."""
        return Evaluator(self.inputs, state, self.ghost, draw)

    def set(self, state: State, name: str, value: Callable[[int], Term]) -> State:
        """The state after the runs that are here set ``name``: to whole numbers as reals where it holds reals."""
        real = self.types[name] == ir.Real()
        pair = [
            (self.terms.real(value(run)) if real else value(run)) if on else before
            for run, (on, before) in enumerate(zip(state.active, state.values[name], strict=True))
        ]
        return replace(state, values={**state.values, name: (pair[0], pair[1])})
