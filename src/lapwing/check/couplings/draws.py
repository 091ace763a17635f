"""Draws in two runs: shifted one-to-one at a price, or equal for nothing."""

from __future__ import annotations

from dataclasses import replace

from lapwing.check.couplings.doubt import Unproved
from lapwing.check.couplings.evaluate import Evaluator
from lapwing.check.couplings.formulas import formula
from lapwing.check.couplings.runs import FIRST, State
from lapwing.check.couplings.setting import Setting
from lapwing.check.couplings.terms import Term
from lapwing.evidence.certificate import Alignment, Branch
from lapwing.program import ir


def shifted(setting: Setting, draw: ir.Sample, state: State) -> State:
    """Laplace or exponential noise, moved by the alignment one-to-one and inside its support; costs |shift|."""
    terms, alignment, zero = setting.terms, setting.sites[draw.site].alignment, setting.terms.number(0)
    first, twin = noise(setting, draw, state), terms.fresh(ir.Real(), "twin")
    shift = _shift(setting, alignment, setting.look(state, first))
    second = terms.arithmetic("+", first, shift)
    twin_second = terms.arithmetic("+", twin, _shift(setting, alignment, setting.look(state, twin)))
    two = state.knowing(terms.compare("!=", first, twin))
    if draw.kind == "exponential":
        state = state.knowing(terms.compare(">=", first, zero))
        setting.ask(state, terms.compare(">=", second, zero), draw, "the shift may leave the noise's support")
        two = two.knowing(terms.compare(">=", first, zero), terms.compare(">=", twin, zero))
    setting.ask(two, terms.compare("!=", second, twin_second), draw, "two noises may be moved to one")
    cost = terms.arithmetic("+", state.costs[draw.site], terms.real(terms.magnitude(shift)))
    return replace(state, costs={**state.costs, draw.site: cost}).with_value(draw.target, (first, second))


def noise(setting: Setting, draw: ir.Sample, _state: State) -> Term:
    """A draw is anything at all: nothing before it knows its value."""
    return setting.terms.fresh(ir.Real(), draw.target)


def _shift(setting: Setting, alignment: Alignment, look: Evaluator) -> Term:
    if isinstance(alignment, Branch):
        then, otherwise = (_shift(setting, each, look) for each in (alignment.then, alignment.otherwise))
        return setting.terms.choose(look.formula(alignment.guard), then, otherwise)
    if not setting.lattice.allows(formula(alignment)):
        raise Unproved(f"the shift {alignment[:60]!r} need not be a lattice value")
    return setting.terms.real(look.formula(alignment))


def equal(setting: Setting, draw: ir.Sample, state: State) -> State:
    """A draw from the same law in both runs, coupled to be equal; costs nothing."""
    terms, look = setting.terms, setting.look(state)
    for argument in draw.arguments:
        setting.ask(state, look.same(argument), draw, "the two runs may draw from different laws")
    if draw.kind == "flip":
        drawn = terms.fresh(ir.Boolean(), draw.target)
        return state.with_value(draw.target, (drawn, drawn))
    drawn = terms.fresh(ir.Integer(), draw.target)
    match draw.arguments[0]:
        case count if draw.kind == "uniform":
            end = look.value(count, FIRST)
        case ir.ListOf(elements):
            end = terms.number(len(elements))
        case scores:
            end = look.length(scores)
    inside = terms.compare("<=", terms.number(0), drawn), terms.compare("<", drawn, end)
    return state.knowing(*inside).with_value(draw.target, (drawn, drawn))
