"""A loop in two runs: how often it turns, what a round sets, and what is forgotten at its head."""

from __future__ import annotations

from dataclasses import replace

from lapwing.check.couplings.doubt import at
from lapwing.check.couplings.runs import FIRST, SECOND, State
from lapwing.check.couplings.setting import Setting
from lapwing.check.couplings.terms import Term
from lapwing.program import ir, walk

Loop = ir.For | ir.While


def count(setting: Setting, loop: Loop, state: State) -> Term | None:
    """How many rounds a ``for`` makes: settled before the first, the same in both runs. None for a ``while``."""
    terms, look = setting.terms, setting.look(state)
    if isinstance(loop, ir.While):
        return None
    if isinstance(loop.source, ir.Over):
        return terms.smaller(*(look.length(items) for _, items in loop.source.items))
    for end in (loop.source.start, loop.source.stop):
        setting.ask(state, look.same(end), loop, "the runs may make different numbers of rounds")
    start, stop = (look.value(end, FIRST) for end in (loop.source.start, loop.source.stop))
    return terms.larger(terms.number(0), terms.arithmetic("-", stop, start))


def anywhere(setting: Setting, loop: Loop, state: State) -> State:
    """``state`` with everything that the loop can change replaced by anything at all; prices are never below 0."""
    terms, zero = setting.terms, setting.terms.number(0)
    values, lengths, costs, rounds = dict(state.values), dict(state.lengths), dict(state.costs), dict(state.rounds)
    grown: list[Term] = []
    for inner in walk.statements((loop,)):
        for name in walk.targets(inner):
            if name in lengths:
                lengths[name] = terms.fresh(ir.Integer(), f"len({name})")
                grown.append(lengths[name])
            else:
                values[name] = terms.fresh(setting.types[name], name), terms.fresh(setting.types[name], f"{name}'")
        if isinstance(inner, ir.Sample) and inner.site in costs:
            costs[inner.site] = terms.fresh(ir.Real(), f"cost({inner.site})")
            grown.append(costs[inner.site])
        if isinstance(inner, ir.For | ir.While):
            number, _ = setting.loops[id(inner)]
            rounds[number] = terms.fresh(ir.Integer(), f"round({number})")
            grown.append(rounds[number])
    facts = (terms.compare(">=", each, zero) for each in grown)
    return State(values, lengths, costs, rounds, (*state.known, *facts))


def turn(setting: Setting, loop: Loop, head: State, rounds: Term | None) -> tuple[State, State]:
    """From the head: the state in which a round begins, and the one in which the loop has ended."""
    terms, (number, _) = setting.terms, setting.loops[id(loop)]
    if isinstance(loop, ir.While):
        first, second = setting.look(head).pair(loop.condition)
        same = terms.compare("==", first, second)
        setting.ask(head, same, loop, "one run may go on with this loop while the other leaves it")
        return head.knowing(first), head.knowing(terms.negate(first))
    done = head.rounds[number]
    head = head.knowing(terms.compare("<=", done, rounds))
    return (
        _targets(setting, loop, done, head.knowing(terms.compare("<", done, rounds))),
        head.knowing(terms.compare("==", done, rounds)),
    )


def _targets(setting: Setting, loop: ir.For, done: Term, state: State) -> State:
    """What the variables of a ``for`` hold in its round ``done``."""
    terms, source = setting.terms, loop.source
    if isinstance(source, ir.Range):
        changed = {name for inner in walk.statements((loop,)) for name in walk.targets(inner)}
        if walk.names(source.start) & changed:
            raise at(loop, "the loop changes where it began to count")
        here = terms.arithmetic("+", setting.look(state).value(source.start, FIRST), done)
        return state.with_value(source.target, (here, here))
    if source.index is not None:
        state = state.with_value(source.index, (done, done))
    for name, items in source.items:
        if isinstance(items, ir.Name) and items.name in setting.inputs.elements:
            first, second = (setting.inputs.element(items.name, done, run) for run in (FIRST, SECOND))
        else:  # a list the program built holds the same elements in both runs
            first = second = terms.fresh(setting.types[name], name)
        state = state.with_value(name, setting.fitted(name, first, second))
    return state


def after(state: State, number: int, rounds: Term) -> State:
    """The state at the head again, with that many rounds made."""
    return replace(state, rounds={**state.rounds, number: rounds})
