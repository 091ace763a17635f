"""Draws in two runs: shifted one-to-one at a price, equal for nothing, or made by one run alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.alignments import ask_disjoint, ask_nested, pieces
from lapwing.kernel.relational.runs import FIRST, SECOND, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.relational.tails import not_in_tails
from lapwing.kernel.relational.values_in_runs import Evaluator
from lapwing.kernel.solver import Term

#: Words that are not about what the first run knows before a draw.
_LATER = frozenset({"%draw", "%hat", "%other", "%next", "%answer"})


def shifted(setting: Setting, draw: ir.Sample, state: State) -> State:
    """Noise moved by the alignment one-to-one and inside its support; costs |shift|.

    For fixed states of both runs the alignment is one of finitely many shifts, by the guards that hold of the draw:
    on each piece a translation, which keeps the measure. As images are disjoint, ∫ f(η) V(η + a(η)) dη is at most
    e^(|a|/b) ∫ f(ζ) V(ζ) dζ: [BGGHS16] rule LapGen for each piece, [AH18] for choosing between them. For integer
    noise the same holds of sums, as long as it is moved by whole numbers.
    """
    before = state
    state, first, second = _coupled(setting, draw, setting.sites[draw.site].alignment, draw.site, state)
    state = state.knowing(*_apart(setting, draw, before, first))
    state = not_in_tails(setting, draw, state, first, FIRST)
    return setting.set(state, draw.target, (first, second).__getitem__)


def _coupled(setting: Setting, draw: ir.Sample, alignment: object, site: int, state: State) -> tuple[State, Term, Term]:
    """The noises of both runs by an alignment, and the state in which their price is booked on ``site``."""
    terms, zero = setting.terms, setting.terms.number(0)
    first, twin = noise(setting, draw, state), _anything(setting, draw)
    one, two = (pieces(setting.look(state, each), alignment, each) for each in (first, twin))
    if draw.kind == "discrete_laplace" and (one.spared or not terms.is_whole(one.shift(terms))):
        raise Unproved(f"integer noise at site {draw.site} may be moved by a fraction")
    both = state
    if draw.kind == "exponential":
        state = state.knowing(terms.compare(">=", first, zero))
        both = state.knowing(terms.compare(">=", twin, zero))
        setting.ask(state, terms.compare(">=", one.moved(terms), zero), draw, "the shift may leave the noise's support")
    ask_disjoint(setting, draw, both, one, two)
    ask_nested(setting, draw, state, one)
    cost, second = zero, None
    if one.shifts:
        cost, second = terms.real(terms.magnitude(one.shift(terms))), one.moved(terms)
    uses = dict(state.uses)
    if one.spared:
        spared = one.spares(terms)
        cost = zero if second is None else terms.choose(spared, zero, cost)
        uses[site] = terms.choose(spared, terms.arithmetic("+", uses[site], terms.number(1)), uses[site])
    for piece in one.spared:
        anything, (low, high) = terms.fresh(ir.Real(), draw.target), piece.amount.onto
        within = terms.both((terms.compare("<", low, anything), terms.compare("<", anything, high)))
        state = state.knowing(terms.implies(piece.guard, within))
        second = anything if second is None else terms.choose(piece.guard, anything, second)
    costs = {**state.costs, site: terms.arithmetic("+", state.costs[site], cost)}
    return replace(state, costs=costs, uses=uses), first, second


def _apart(setting: Setting, draw: ir.Sample, before: State, first: Term) -> Iterator[Term]:
    """Real noise is none of the numbers that the first run knows before it is drawn, with probability 1.

    There are finitely many such draws in a run of n steps, and each is independent of what came before it; so all runs
    in which one fails to be apart have probability 0 together, in whatever order draws are then thought to be made.
    """
    for each in setting.proof.apart:
        if each.site == draw.site:
            value = formula(each.value)
            if draw.kind not in ("laplace", "exponential") or not known_before(setting, value):
                raise Unproved(f"noise of site {each.site} may be {each.value[:60]!r}")
            yield setting.terms.compare("!=", first, setting.look(before).value(value, FIRST))


def known_before(setting: Setting, value: ir.Expression) -> bool:
    """Whether the first run knows a number before it draws: nothing in it is of the second run, or of the future."""
    words = {part.function for part in walk.nodes(value) if isinstance(part, ir.Builtin)}
    foreseen = set() if setting.proof.deferral is None else {setting.proof.deferral.foreseen}
    return not words & _LATER and not walk.names(value) & foreseen


def noise(setting: Setting, draw: ir.Sample, _state: State) -> Term:
    """The first run's draw: nothing before it knows its value."""
    return _anything(setting, draw)


def alone(setting: Setting, draw: ir.Sample, state: State) -> State:
    """Noise that may be shifted, drawn by one run while the other does not.

    The certificate may pair it with a draw of the other run, in the other branch: both are then drawn at once, where
    the earlier is made. That is sound, as draws are independent of everything before them.
    """
    run = FIRST if state.active[FIRST] else SECOND
    if (run, draw.site) in state.drawn:
        mine = state.drawn[run, draw.site]
        state = replace(state, drawn={each: held for each, held in state.drawn.items() if each != (run, draw.site)})
    elif (pairing := setting.pairing(run, draw.site)) is not None:
        state, first, second = _coupled(setting, draw, pairing.alignment, pairing.first, state)
        mine, held = (first, second) if run == FIRST else (second, first)
        other = (SECOND, pairing.second) if run == FIRST else (FIRST, pairing.first)
        if other in state.drawn:
            raise Unproved(f"the draw at site {other[1]} is paired twice")
        state = replace(state, drawn={**state.drawn, other: held})
    else:
        return equal(setting, draw, state)
    if run == FIRST:
        state = not_in_tails(setting, draw, state, mine, FIRST)
    return setting.set(state, draw.target, [mine, mine].__getitem__)


def equal(setting: Setting, draw: ir.Sample, state: State) -> State:
    """A draw from the same law in both runs, coupled to be equal; costs nothing.

    Of a run that draws alone, whatever follows is shown for every value that it may draw.
    """
    look = setting.look(state)
    both = all(state.active)
    if both:
        for argument in draw.arguments:
            setting.ask(state, look.same(argument), draw, "the two runs may draw from different laws")
    drawn = [_anything(setting, draw)] * 2 if both else [_anything(setting, draw), _anything(setting, draw)]
    for run in (FIRST, SECOND):
        if state.active[run]:
            state = state.knowing(*_support(setting, draw, look, drawn[run], run))
            if not both:
                state = not_in_tails(setting, draw, state, drawn[run], run)
    return setting.set(state, draw.target, drawn.__getitem__)


def _anything(setting: Setting, draw: ir.Sample) -> Term:
    match draw.kind:
        case "flip":
            kind: ir.Type = ir.Boolean()
        case "uniform" | "choose" | "discrete_laplace" | "discrete_gaussian":
            kind = ir.Integer()
        case _:
            kind = ir.Real()
    return setting.terms.fresh(kind, draw.target)


def _support(setting: Setting, draw: ir.Sample, look: Evaluator, drawn: Term, run: int) -> list[Term]:
    """Between what a draw lies."""
    terms, zero = setting.terms, setting.terms.number(0)
    match draw.kind, draw.arguments:
        case "exponential", _:
            return [terms.compare("<=", zero, drawn)]
        case "uniform", (count,):
            end = look.value(count, run)
        case "choose", (ir.ListOf(elements), _):
            end = terms.number(len(elements))
        case "choose", (scores, _):
            end = look.length(scores)
        case _:
            return []
    return [terms.compare("<=", zero, drawn), terms.compare("<", drawn, end)]
