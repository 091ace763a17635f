"""What two runs say: lists that grow alike, answers that are equal, and what has been paid by then.

The one idea: what a pair of runs owes is noted where it arises and asked at the end of its round, when all is known
that the first run says in it.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.program import ir
from lapwing.kernel.relational.runs import FIRST, SECOND, Pending, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.solver import Term


def assigned(setting: Setting, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
    """A list variable is set to elements, or to a copy of a list, that are the same in both runs."""
    look = setting.look(state)
    match value:
        case ir.ListOf(elements):
            length = setting.terms.number(len(elements))
        case ir.Name() | ir.Slice(ir.Name(), None, None):
            value = value.sequence if isinstance(value, ir.Slice) else value
            length = look.length(value)
        case _:
            raise at(node, f"'{target}' is set to a list that coupling proofs do not cover")
    state = _alike(setting, node, target, value, state)
    return state.with_length(target, length) if state.active[FIRST] else state


def appended(setting: Setting, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
    """Both runs append the same; what the first appends to a list that the ghost knows is what the ghost says."""
    terms, look = setting.terms, setting.look(state)
    if target in setting.inputs.held:
        return _held(setting, node, target, value, state)
    state = _alike(setting, node, target, value, state)
    if not state.active[FIRST]:
        return state
    if target in state.nexts:
        said = _said(setting, node, look.value(value, FIRST), state.nexts[target])
        following = terms.fresh(setting.ghost_lists[target], f"next({target})")
        state = replace(state.knowing(said), nexts={**state.nexts, target: following})
    return state.with_length(target, terms.arithmetic("+", state.lengths[target], terms.number(1)))


def _held(setting: Setting, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
    """Both runs append, perhaps not the same, but what the certificate says of every element.

    That is asked at once: whatever is read of the list later in the round rests on it. The list only grows, so one
    function from positions to elements is its content at all times, and the element's place is the length before.
    """
    terms, look, place = setting.terms, setting.look(state), state.lengths[target]
    if not all(state.active):
        setting.ask(state, terms.truth(False), node, f"one run may append to '{target}' alone")
        return state
    functions = setting.inputs.elements[target]
    for run, function in enumerate(functions):
        state = state.knowing(terms.compare("==", terms.at(function, place), look.value(value, run)))
    problem = f"what is said of the elements of '{target}' may not hold of this one"
    setting.ask(state, look.held(target, place), node, problem)
    return state.with_length(target, terms.arithmetic("+", place, terms.number(1)))


def _alike(setting: Setting, node: ir.Node, target: str, value: ir.Expression, state: State) -> State:
    """Ask, by the end of the round, that both runs are here with one value.

    Until then lengths are those of the first run, so that what it does from here on is what it would do.
    """
    goal = setting.look(state).same(value) if all(state.active) else setting.terms.truth(False)
    return state.owing(Pending(goal, node, f"'{target}' may differ between the runs"))


def _said(setting: Setting, node: ir.Node, value: Term, ghost: Term) -> Term:
    """That the first run says what the ghost does; a real number would do so with probability 0."""
    if value.getSort() != ghost.getSort():
        raise at(node, "a real number is considered one answer at a time")
    return setting.terms.compare("==", value, ghost)


def returned(setting: Setting, statement: ir.Return, value: ir.Expression, state: State) -> list[State]:
    """Who returns does nothing more. The path ends when both have."""
    terms, look, ghost, on = setting.terms, setting.look(state), setting.ghost, state.active
    if ghost is None or not setting.waits:
        goal = look.same(value) if all(on) else terms.truth(False)
        if ghost is not None and on[FIRST]:
            if not isinstance(value, ir.TupleOf) or setting.part is None:
                raise at(statement, "only a tuple that is written out is considered by one of its parts")
            state = state.knowing(_said(setting, statement, look.value(value.elements[setting.part], FIRST), ghost))
        return _ended(setting, statement, goal, state)
    if on[FIRST]:
        state = state.knowing(_said(setting, statement, look.value(value, FIRST), ghost))
    if on[SECOND]:
        state = replace(state, answer=look.value(value, SECOND))
    yes = terms.truth(True)
    first, second = (yes if here else before for here, before in zip(on, state.answered, strict=True))
    state = replace(state, answered=(first, second)).leaving()
    if not (first == yes and second == yes):
        return [state]
    return _ended(setting, statement, terms.compare("==", state.answer, ghost), state)


def _ended(setting: Setting, statement: ir.Return, goal: Term, state: State) -> list[State]:
    """Both runs have answered: alike, and at no higher price than is stated."""
    state = state.owing(Pending(goal, statement, "the second run may answer differently"))
    within_totals(setting, statement, settled(setting, state))
    return []


def none_waiting(state: State) -> None:
    """Refuse noise that one run drew together with the other's, if the other may not come to it."""
    for _, site in state.drawn:
        raise Unproved(f"the draw at site {site} is paired, and may not be made")


def settled(setting: Setting, state: State) -> State:
    """Ask what the path owes, now that all is known that the first run says in it; paired draws are both made."""
    none_waiting(state)
    for each in state.pending:
        setting.ask(state, each.goal, each.node, each.problem)
    return replace(state, pending=())


def within_totals(setting: Setting, statement: ir.Statement, state: State) -> None:
    """No site has cost more than its total by now."""
    terms = setting.terms
    for weights, text, total in setting.totals:
        spent = terms.number(0, real=True)
        for site, weight in weights:
            spent = terms.arithmetic("+", spent, terms.arithmetic("*", terms.number(weight), state.costs[site]))
        within = terms.compare("<=", spent, setting.total(total))
        setting.ask(state, within, statement, f"the shifts at site {weights[0][0]} may pass {text[:60]}")
    for site, spread in setting.spreads.items():
        within = terms.compare("<=", state.uses[site], setting.total(spread.uses))
        setting.ask(state, within, statement, f"site {site} may be moved onto an interval more often than is stated")
