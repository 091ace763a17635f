"""An alignment as pieces: where each holds, and what it does there to the noise.

The one idea: for fixed states of both runs the noise line falls into pieces, by the guards. On each the noise is moved
by a fixed amount, or, if it lies in an interval, forgotten: the second run's is then *anything* in another interval.
What the pieces are moved to has to be disjoint; then their prices need not be added, the dearest counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.approximate import Subset
from lapwing.kernel.evidence.certificate import Branch
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.runs import FIRST, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.relational.values_in_runs import Evaluator
from lapwing.kernel.solver import Term, Terms


@dataclass(frozen=True, slots=True)
class Onto:
    """Noise ``inside`` an interval becomes anything strictly between the ends of another; each is a pair of ends."""

    inside: tuple[Term, Term]
    onto: tuple[Term, Term]


@dataclass(frozen=True, slots=True)
class Piece:
    """Where ``guard`` holds of the noise it is moved by ``amount``, or onto an interval."""

    guard: Term
    amount: Term | Onto


@dataclass(frozen=True, slots=True)
class Aligned:
    """The pieces of an alignment for one noise; exactly one of them holds. ``shifts`` move, the others forget."""

    noise: Term
    every: tuple[Piece, ...]
    shifts: tuple[Piece, ...]
    spared: tuple[Piece, ...]

    def moved(self, terms: Terms) -> Term:
        """Where the noise is moved to, if a piece that moves it holds."""
        return terms.arithmetic("+", self.noise, self.shift(terms))

    def shift(self, terms: Terms) -> Term:
        """How far it is moved, if a piece that moves it holds."""
        found = self.shifts[-1].amount
        for piece in reversed(self.shifts[:-1]):
            found = terms.choose(piece.guard, piece.amount, found)
        return found

    def moves(self, terms: Terms) -> Term:
        """That a piece that moves the noise holds."""
        return terms.negate(self.spares(terms))

    def spares(self, terms: Terms) -> Term:
        """That a piece that forgets the noise holds."""
        return terms.either([piece.guard for piece in self.spared])


def pieces(look: Evaluator, alignment: object, noise: Term) -> Aligned:
    """An alignment as pieces, for this noise."""
    every = tuple(Piece(look.terms.both(guards), amount) for guards, amount in _leaves(look, alignment, ()))
    shifts = tuple(each for each in every if not isinstance(each.amount, Onto))
    return Aligned(noise, every, shifts, tuple(each for each in every if isinstance(each.amount, Onto)))


def _leaves(
    look: Evaluator, alignment: object, guards: tuple[Term, ...]
) -> Iterator[tuple[tuple[Term, ...], Term | Onto]]:
    match alignment:
        case Branch(guard, then, otherwise):
            test = look.formula(guard)
            yield from _leaves(look, then, (*guards, test))
            yield from _leaves(look, otherwise, (*guards, look.terms.negate(test)))
        case Subset((low, high), (bottom, top)):
            ends = [_settled(look, each) for each in (low, high, bottom, top)]
            yield guards, Onto((ends[0], ends[1]), (ends[2], ends[3]))
        case str():
            yield guards, _settled(look, alignment)
        case _:
            raise Unproved("an alignment is neither a shift, nor an interval, nor a decision")


def _settled(look: Evaluator, text: str) -> Term:
    """An amount that does not depend on the noise itself, so that moving by it keeps the measure."""
    amount = formula(text)
    if any(isinstance(part, ir.Builtin) and part.function == "%draw" for part in walk.nodes(amount)):
        raise Unproved(f"the shift {text[:60]!r} depends on the noise itself, and need not keep its measure")
    return look.value(amount, FIRST)


def ask_disjoint(setting: Setting, draw: ir.Sample, state: State, one: Aligned, two: Aligned) -> None:
    """Ask that two noises are moved to different places, and no noise to an interval that another is moved onto."""
    terms, problem = setting.terms, "two noises may be moved to one"
    if one.shifts:
        moved, shifted = one.moved(terms), state if not one.spared else state.knowing(one.moves(terms))
        twins = shifted.knowing(terms.compare("!=", one.noise, two.noise), *([two.moves(terms)] if two.spared else []))
        setting.ask(twins, terms.compare("!=", moved, two.moved(terms)), draw, problem)
        for piece in two.spared:
            setting.ask(shifted.knowing(piece.guard), terms.negate(_between(terms, moved, piece)), draw, problem)
    for earlier, later in combinations(range(len(one.spared)), 2):
        here, there = one.spared[earlier], two.spared[later]
        (low, high), (bottom, top) = here.amount.onto, there.amount.onto
        clear = terms.either((terms.compare("<=", high, bottom), terms.compare("<=", top, low)))
        setting.ask(state.knowing(here.guard, there.guard), clear, draw, problem)


def _between(terms: Terms, noise: Term, piece: Piece) -> Term:
    low, high = piece.amount.onto
    return terms.both((terms.compare("<", low, noise), terms.compare("<", noise, high)))


def ask_nested(setting: Setting, draw: ir.Sample, state: State, parts: Aligned) -> None:
    """Ask what an interval and the one inside it need, so that the first is likelier by the stated price at most.

    Laplace noise of scale b lies in an interval of at least W that is made longer by at most K in all with at most
    1 + (e^(K/b) - 1) / (1 - e^(-W/b)) times the probability: beyond its end x the density at distance t is at most
    f(x) e^(t/b), and inside at least f(x) e^(-t/b); integrate, and (e^(a/b) - 1) + (e^(c/b) - 1) <= e^((a+c)/b) - 1.
    """
    terms = setting.terms
    if parts.spared and (draw.site not in setting.spreads or draw.kind != "laplace"):
        raise at(draw, "only Laplace noise with a stated width is moved onto an interval")
    for piece in parts.spared:
        here = state.knowing(piece.guard)
        (low, high), (bottom, top) = piece.amount.inside, piece.amount.onto
        taken = terms.arithmetic("+", terms.arithmetic("-", bottom, low), terms.arithmetic("-", high, top))
        spread = setting.spreads[draw.site]
        for goal, problem in (
            (terms.compare("<=", low, parts.noise), "the noise may lie below the interval"),
            (terms.compare("<=", parts.noise, high), "the noise may lie above the interval"),
            (terms.compare("<=", low, bottom), "the second run's interval may not lie in the first's"),
            (terms.compare("<=", top, high), "the second run's interval may not lie in the first's"),
            (
                terms.compare("<=", taken, setting.total(spread.extra)),
                "the intervals may differ by more than is stated",
            ),
            (
                terms.compare(">=", terms.arithmetic("-", top, bottom), setting.inputs.widths[draw.site]),
                "the second run's interval may be narrower than is stated",
            ),
        ):
            setting.ask(here, goal, draw, problem)
