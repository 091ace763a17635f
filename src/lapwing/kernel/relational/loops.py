"""A loop in two runs: how often it turns, who is in it, what a round sets, and what is forgotten at its head."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from lapwing.kernel.doubt import at
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.runs import FIRST, SECOND, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.solver import Term

Loop = ir.For | ir.While


class Status(Enum):
    """Where a run is when the other is at the head of a loop, or both are."""

    IN = "in the loop"
    LEFT = "behind it"
    ANSWERED = "at its end"
    OUT = "never there"


def count(setting: Setting, loop: Loop, state: State) -> Term | None:
    """How many rounds a ``for`` makes: settled before the first, the same in both runs. None for a ``while``."""
    terms, look = setting.terms, setting.look(state)
    if isinstance(loop, ir.While):
        return None
    if isinstance(loop.source, ir.Over):
        return terms.smaller(*(look.length(items) for _, items in loop.source.items))
    run = FIRST if state.active[FIRST] else SECOND
    if all(state.active):
        for end in (loop.source.start, loop.source.stop):
            setting.ask(state, look.same(end), loop, "the runs may make different numbers of rounds")
    start, stop = (look.value(end, run) for end in (loop.source.start, loop.source.stop))
    return terms.larger(terms.number(0), terms.arithmetic("-", stop, start))


def _jumps(loop: Loop) -> tuple[bool, bool]:
    """Whether a loop can be left by its own ``break``, and by an answer inside it."""
    return walk.breaks(loop.body), any(isinstance(each, ir.Return) for each in walk.statements(loop.body))


def statuses(setting: Setting, loop: Loop, state: State) -> list[list[Status]]:
    """Where each run may be at the head of ``loop``, which was reached in ``state``."""
    broken, answers = _jumps(loop)
    ways = [
        Status.IN,
        *([Status.LEFT] if broken else []),
        *([Status.ANSWERED] if answers and setting.waits else []),
    ]
    return [ways if state.active[run] else [Status.OUT] for run in (FIRST, SECOND)]


def standing(setting: Setting, number: int, head: State, status: tuple[Status, ...]) -> State:
    """The head in the case that the runs are there, have left the loop, or have answered."""
    terms = setting.terms
    facts: list[Term] = []
    answered, left = list(head.answered), list(head.left[number])
    for run, each in enumerate(status):
        if each is Status.OUT:
            continue
        has_answered = terms.truth(each is Status.ANSWERED)
        facts.append(terms.compare("==", answered[run], has_answered))
        answered[run] = has_answered
        if each is not Status.ANSWERED:
            facts.append(terms.compare("==", left[run], terms.truth(each is Status.LEFT)))
            left[run] = terms.truth(each is Status.LEFT)
    here = replace(head, answered=(answered[0], answered[1]), left={**head.left, number: (left[0], left[1])})
    return here.knowing(*facts)


def anywhere(setting: Setting, loop: Loop, state: State) -> State:
    """``state`` with everything that the loop can change replaced by anything at all; prices are never below 0."""
    terms, zero = setting.terms, setting.terms.number(0)
    values, lengths, costs, rounds = dict(state.values), dict(state.lengths), dict(state.costs), dict(state.rounds)
    left, nexts, answered, answer = dict(state.left), dict(state.nexts), state.answered, state.answer
    tries, uses = dict(state.tries), dict(state.uses)
    grown: list[Term] = []
    for inner in walk.statements((loop,)):
        for name in walk.targets(inner):
            if name in lengths:
                lengths[name] = terms.fresh(ir.Integer(), f"len({name})")
                grown.append(lengths[name])
                if name in nexts:
                    nexts[name] = terms.fresh(setting.ghost_lists[name], f"next({name})")
            else:
                mine, theirs = (terms.fresh(setting.types[name], each) for each in (name, f"{name}'"))
                pair, on = values[name], state.active  # who is not in the loop changes nothing
                values[name] = (mine if on[FIRST] else pair[FIRST]), (theirs if on[SECOND] else pair[SECOND])
        match inner:
            case ir.Sample(site=site) if site in costs:
                costs[site] = terms.fresh(ir.Real(), f"cost({site})")
                grown.append(costs[site])
                for counts, counted in ((tries, setting.counters_at(site)), (uses, {site} & uses.keys())):
                    for entry in counted:
                        counts[entry] = terms.fresh(ir.Integer(), "count")
                        grown.append(counts[entry])
            case ir.For(number=number) | ir.While(number=number):
                rounds[number] = terms.fresh(ir.Integer(), f"round({number})")
                grown.append(rounds[number])
                if _jumps(inner)[0]:
                    left[number] = terms.fresh(ir.Boolean(), "left"), terms.fresh(ir.Boolean(), "left'")
            case ir.Return() if setting.waits:
                answered = terms.fresh(ir.Boolean(), "answered"), terms.fresh(ir.Boolean(), "answered'")
                answer = terms.fresh(setting.mechanism.returns, "answer'")
    facts = [terms.compare(">=", each, zero) for each in grown]
    # a run that never came here, or had answered before, is as it was
    kept = tuple(new if here else old for new, old, here in zip(answered, state.answered, state.active, strict=True))
    return State(
        values, lengths, costs, rounds, (*state.known, *facts), state.mask, state.gone, state.inside,
        kept, answer if state.active[SECOND] else state.answer, left, nexts, tries, uses,
    )  # fmt: skip


def turn(setting: Setting, loop: Loop, head: State, rounds: Term | None) -> tuple[list[State], list[State]]:
    """From the head: the states in which a round begins, and those in which the loop has ended."""
    terms, number = setting.terms, loop.number
    if isinstance(loop, ir.While):
        look = setting.look(head)
        tests = [look.value(loop.condition, run) if on else terms.truth(False) for run, on in enumerate(head.active)]
        same = terms.compare("==", *tests)
        setting.ask(head, same, loop, "one run may go on with this loop while the other leaves it")
        begun = [head.knowing(*tests)] if all(head.active) else []
        return begun, [head.knowing(*map(terms.negate, tests))]
    done = head.rounds[number]
    head = head.knowing(terms.compare("<=", done, rounds))
    return (
        [_targets(setting, loop, done, head.knowing(terms.compare("<", done, rounds)))],
        [head.knowing(terms.compare("==", done, rounds))],
    )


def _targets(setting: Setting, loop: ir.For, done: Term, state: State) -> State:
    """What the variables of a ``for`` hold in its round ``done``, for the runs that are in it."""
    terms, source, inputs = setting.terms, loop.source, setting.inputs
    if isinstance(source, ir.Range):
        changed = set(walk.assigned((loop,)))
        if walk.names(source.start) & changed:
            raise at(loop, "the loop changes where it began to count")
        look = setting.look(state)
        return setting.set(state, source.target, lambda run: terms.arithmetic("+", look.value(source.start, run), done))
    if source.index is not None:
        state = setting.set(state, source.index, lambda _: done)
    for name, items in source.items:
        if isinstance(items, ir.Name) and items.name in inputs.elements:
            look = setting.look(state)
            found = [look.element(items.name, done, run) for run in (FIRST, SECOND)]
        else:  # a list the program built holds the same elements in both runs
            found = [terms.fresh(setting.types[name], name)] * 2
        state = setting.set(state, name, found.__getitem__)
    return state


def after(state: State, number: int, rounds: Term) -> State:
    """The state at the head again, with that many rounds made."""
    return replace(state, rounds={**state.rounds, number: rounds})
