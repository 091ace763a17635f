"""Two runs side by side, as terms: what each variable holds in the first run and in the second.

The one idea: nothing about the pair is assumed but the neighbour relation. Elements of a list are a function of their
position; wherever one is read, the relation is stated of that position, so no quantifier is needed. Lists that the
program builds are kept equal in both runs (the walk refuses every append that could make them differ), so
only their length is known; or else they only grow, and the certificate says what holds of each element: that is asked
where it is appended, and stated wherever it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import at
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term, Terms

FIRST, SECOND = 0, 1
Pair = tuple[Term, Term]


@dataclass(frozen=True, slots=True)
class Pending:
    """What a path owes: a goal that has to follow by the end of its round, where it stands, and what else is said."""

    goal: Term
    node: ir.Node
    problem: str


@dataclass(frozen=True, slots=True)
class State:
    """Where both runs are: scalars, lengths of lists, price so far by site, rounds by loop, and what is known.

    ``mask`` says which runs take the branch that is walked, ``gone`` which have left its round (by ``break``,
    ``continue`` or an answer); ``inside`` are the loops around. ``answered`` and ``left`` say the same of whole loops,
    as terms; ``answer`` is the second run's. ``nexts`` is, by list, the element that the ghost has next. ``tries`` and
    ``uses`` count, by entry and by site, what has a price of its own (:mod:`tails`, :mod:`alignments`). ``drawn`` is,
    by run and site, noise that was drawn together with the other run's and not yet come to.
    """

    values: Mapping[str, Pair]
    lengths: Mapping[str, Term]
    costs: Mapping[int, Term] = field(default_factory=dict)
    rounds: Mapping[int, Term] = field(default_factory=dict)
    known: tuple[Term, ...] = ()
    mask: tuple[bool, bool] = (True, True)
    gone: tuple[bool, bool] = (False, False)
    inside: tuple[int, ...] = ()
    answered: Pair = (None, None)
    answer: Term | None = None
    left: Mapping[int, Pair] = field(default_factory=dict)
    nexts: Mapping[str, Term] = field(default_factory=dict)
    tries: Mapping[int, Term] = field(default_factory=dict)
    uses: Mapping[int, Term] = field(default_factory=dict)
    drawn: Mapping[tuple[int, int], Term] = field(default_factory=dict)
    pending: tuple[Pending, ...] = ()

    @property
    def active(self) -> tuple[bool, bool]:
        """Which runs go on with the next statement."""
        return self.mask[0] and not self.gone[0], self.mask[1] and not self.gone[1]

    def leaving(self) -> State:
        """The runs that are here do nothing more in this round, or at all."""
        gone = self.gone[0] or self.active[0], self.gone[1] or self.active[1]
        return replace(self, gone=gone)

    def with_length(self, name: str, length: Term) -> State:
        """The state after a built list changed."""
        return replace(self, lengths={**self.lengths, name: length})

    def knowing(self, *facts: Term) -> State:
        """The state on a path where ``facts`` hold too."""
        return replace(self, known=(*self.known, *facts))

    def owing(self, pending: Pending) -> State:
        """The state on a path that has one more thing to show."""
        return replace(self, pending=(*self.pending, pending))


@dataclass(slots=True)
class Inputs:
    """The parameters of both runs, and every fact about them stated so far; public ones are one term for both."""

    terms: Terms
    mechanism: ir.Mechanism
    scalars: dict[str, Pair] = field(default_factory=dict)
    lengths: dict[str, Term] = field(default_factory=dict)
    #: the elements of each list as functions of the position
    elements: dict[str, Pair] = field(default_factory=dict)
    distances: dict[str, Term] = field(default_factory=dict)
    #: by list: the one position at which neighbours differ; whether all its elements rise
    where: dict[str, Term] = field(default_factory=dict)
    rising: dict[str, Term] = field(default_factory=dict)
    #: by site: the least width of the intervals it is moved onto, a public number that a certificate names
    widths: dict[int, Term] = field(default_factory=dict)
    #: by list that the program builds and whose elements may differ: what holds of each
    held: dict[str, ir.Expression] = field(default_factory=dict)
    facts: list[Term] = field(default_factory=list)
    #: whether the runs are neighbours in the order in which the relation names them, or in the other
    forward: Term = field(init=False)

    def __post_init__(self) -> None:
        terms = self.terms
        self.forward = terms.fresh(ir.Boolean(), "forward")
        for parameter in self.mechanism.parameters:
            name, kind = parameter.name, parameter.type
            if isinstance(kind, ir.Oracle):
                continue  # it has no value: its answers do
            if isinstance(kind, ir.List):
                if not parameter.as_long:
                    raise at(parameter, f"neighbours in '{name}' differ in length, which coupling proofs do not cover")
                first = terms.function(kind.element, name)
                second = terms.function(kind.element, f"{name}'") if parameter.private else first
                self.elements[name] = first, second
                self.lengths[name] = terms.fresh(ir.Integer(), f"len({name})")
                self.facts.append(terms.compare(">=", self.lengths[name], terms.number(0)))
                self.where[name] = terms.fresh(ir.Integer(), "where")
                self.rising[name] = self._rising(parameter)
            else:
                first = terms.fresh(kind, name)
                self.scalars[name] = first, terms.fresh(kind, f"{name}'") if parameter.private else first

    def _rising(self, parameter: ir.Parameter) -> Term:
        """Whether a list is the higher one in the second run.

        A guarantee is about neighbours in both orders, and the converse of ``rises`` is ``falls``. So either order
        may be the one at hand: the same for all lists that rise, and the opposite for those that fall.
        """
        match parameter.relation and parameter.relation.kind:
            case "rises":
                return self.forward
            case "falls":
                return self.terms.negate(self.forward)
        return self.terms.fresh(ir.Boolean(), "rising")

    def element(self, name: str, position: Term, run: int) -> Term:
        """The element at a position inside the list; states the relation there."""
        first, second = (self.terms.at(function, position) for function in self.elements[name])
        parameter = self.mechanism.parameter(name)
        if parameter is not None and parameter.relation is not None:
            if parameter.relation.kind in ("one", "replaced"):
                elsewhere = self.terms.compare("!=", position, self.where[name])
                self.facts.append(self.terms.implies(elsewhere, self.terms.compare("==", first, second)))
            self.relate(parameter, parameter.relation.kind, first, second)
        return second if run == SECOND else first

    def relate(self, parameter: ir.Parameter, kind: str, first: Term, second: Term) -> None:
        """State how far apart a private number, or one element of a private list, can be in the two runs."""
        if kind == "replaced":
            return
        if parameter.name not in self.distances:
            raise at(parameter, f"neighbours in '{parameter.name}' differ in a way that coupling proofs do not cover")
        terms, zero, most = self.terms, self.terms.number(0), self.distances[parameter.name]
        fall, rise = most, most
        if kind in ("rises", "falls", "monotone"):
            rising = self.rising[parameter.name]
            fall, rise = terms.choose(rising, zero, most), terms.choose(rising, most, zero)
        step = terms.arithmetic("-", second, first)
        self.facts += [terms.compare(">=", step, terms.minus(fall)), terms.compare("<=", step, rise)]
