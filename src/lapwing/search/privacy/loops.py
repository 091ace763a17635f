"""Past a loop in two runs: unrolled for a few rounds, to search; or cut at its head, to prove every size.

The one idea: at the head of a cut loop nothing is known but the invariant, so each way there (from before, and from
the end of a round) is an arrival at which the invariant has to hold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.encoding import Entry, Filled, Grown, Pair, PrivateList, PublicList, Scope, Truths
from lapwing.search.privacy.inputs import unknown
from lapwing.search.privacy.obligations import Arrival
from lapwing.search.privacy.states import State, assigned, both, completed, joined, merged, some
from lapwing.search.privacy.terms import ZERO, is_zero, length

if TYPE_CHECKING:
    from lapwing.search.privacy.product import Product


def past_loop(runs: Product, statement: ir.For | ir.While, state: State, rest: tuple[ir.Statement, ...]) -> State:
    """The state after a loop."""
    number = statement.number
    counter = f"round({number})"
    state = replace(state, words={**state.words, counter: ZERO})
    if isinstance(statement, ir.For):
        _check_source(runs, statement.source, state)
    outer, runs.broken = runs.broken, []
    walked = _cut if runs.rounds is None else _unrolled
    ended = walked(runs, statement, state, number, rest)
    runs.broken = outer
    return ended


def _unrolled(
    runs: Product, statement: ir.For | ir.While, state: State, number: int, rest: tuple[ir.Statement, ...]
) -> State:
    assert runs.rounds is not None  # noqa: S101  # the caller's case
    grown = {each.target for each in walk.statements((statement,)) if isinstance(each, ir.Append)}
    for count in range(runs.rounds):
        goes_on = _goes_on(runs, statement, state, number)
        # whoever begins a round has made all before: numbers are plainer than what they were made of
        exact: dict[str, z3.ExprRef] = {f"round({number})": z3.IntVal(count)}
        for name, entry in state.variables.items():
            if name in grown and isinstance(entry, Filled):
                exact[f"len({name})"] = z3.IntVal(len(entry.elements))
        inside = replace(state, guard=both(state.guard, goes_on.value), words={**state.words, **exact})
        ended = _round(runs, statement, inside, number, rest)
        left = both(state.guard, z3.Not(goes_on.value))
        state = merged(goes_on, ended, completed(state, ended), some(ended.guard, left), statement.span)
    runs.facts.append(z3.Implies(state.guard, z3.Not(_goes_on(runs, statement, state, number).value)))
    return joined(state, runs.broken, statement.span)


def _cut(
    runs: Product, statement: ir.For | ir.While, state: State, number: int, rest: tuple[ir.Statement, ...]
) -> State:
    if runs.branches:
        raise Blocked("a loop inside a branch is outside what couplings follow", statement.span)
    runs.looks[number] = _looks(runs, statement, rest, state)
    _arrive(runs, number, state)
    live = walk.read((statement, *rest))
    parameters = {each.name for each in runs.mechanism.parameters}
    head = _havoc(runs, state, number, live, parameters)
    runs.heads[number] = _looking(runs.scope(head), [(each, _at_head(each, number)) for each in runs.looks[number]])
    runs.after = number
    runs.inputs.start_again(runs.rigid)
    goes_on = _goes_on(runs, statement, head, number)
    before = list(runs.facts)
    runs.inputs.start_again([*before, goes_on.value])
    _tie(runs, number, head)
    _arrive(runs, number, _round(runs, statement, head, number, (statement, *rest)))
    if runs.broken and runs.after != number:
        raise Blocked("a break beside an inner loop is outside what couplings follow", statement.span)
    inside = [each for each in runs.facts if each is not goes_on.value]
    runs.after = number
    if not runs.broken:
        runs.inputs.start_again([*before, z3.Not(goes_on.value)])
        _tie(runs, number, head)
        return head
    broken = [replace(each, guard=both(goes_on.value, each.guard)) for each in runs.broken]
    after = joined(replace(head, guard=z3.Not(goes_on.value)), broken, statement.span)
    runs.inputs.start_again([*inside, after.guard])
    return replace(after, guard=z3.BoolVal(True))


def _havoc(runs: Product, state: State, number: int, live: set[str], parameters: set[str]) -> State:
    variables: dict[str, Entry] = {}
    found = {each.name: each for each in runs.mechanism.variables}
    for name, entry in state.variables.items():
        if name in parameters or isinstance(entry, Grown | Filled):
            variables[name] = entry
        elif name in live:
            variables[name] = unknown(f"{name}@{number}", found[name].type, public=found[name].public)
    words = dict(state.words)
    for name, term in state.words.items():
        if name.startswith(("cost(", "round(")) or (name.startswith("len(") and name[4:-1] not in parameters):
            words[name] = z3.Const(f"{name}@{number}", term.sort())
    return State(variables, words, z3.BoolVal(True))


def _arrive(runs: Product, number: int, state: State) -> None:
    if not z3.is_false(state.guard):
        scope = runs.scope(state)
        scope = _looking(scope, [(each, scope.number(each)) for each in runs.looks[number]])
        runs.arrivals.append(Arrival(number, (*runs.facts, state.guard), scope, runs.after))


def _looks(runs: Product, statement: ir.For | ir.While, rest: tuple[ir.Statement, ...], state: State) -> list[ir.Index]:
    """Elements that the loop, or what follows, reads by a variable that it changes.

    Those of lists built before, and those of private ones where each run may read its own.
    """
    public = {each.name for each in runs.mechanism.variables if each.public}
    changed = set(walk.assigned((statement,)))
    changed -= set(statement.source.targets) if isinstance(statement, ir.For) else set()
    found: dict[ir.Index, None] = {}
    for inner in walk.statements((statement, *rest)):
        for expression in walk.expressions(inner):
            for part in walk.nodes(expression):
                match part:
                    case ir.Index(ir.Name(name), ir.Name(place), ir.Real() | ir.Integer()) if place in changed:
                        read = state.variables.get(name)
                        told = isinstance(read, Filled) or (isinstance(read, PrivateList) and place not in public)
                        if told and isinstance(state.variables.get(place), Pair):
                            found[part] = None
    return list(found)


def _at_head(look: ir.Index, number: int) -> Pair:
    sort = z3.IntSort() if isinstance(look.element, ir.Integer) else z3.RealSort()
    return Pair(z3.Const(f"{show(look)}@{number}", sort), z3.Const(f"hat({show(look)})@{number}", sort))


def _looking(scope: Scope, looks: list[tuple[ir.Index, Pair]]) -> Scope:
    """The scope, where what is read by a variable has a name."""
    words = dict(scope.words)
    for look, pair in looks:
        words |= {show(look): pair.value, f"hat({show(look)})": pair.hat}
    return replace(scope, words=words)


def _tie(runs: Product, number: int, head: State) -> None:
    """What is read by a variable at the head is what invariants call so."""
    for look in runs.looks[number]:
        here, named = runs.scope(head).number(look), _at_head(look, number)
        runs.facts.extend((named.value == here.value, named.hat == here.hat))


def _check_source(runs: Product, source: ir.Over | ir.Range, state: State) -> None:
    scope = runs.scope(state)
    if isinstance(source, ir.Range):
        if not is_zero(scope.number(source.start).hat) or not is_zero(scope.number(source.stop).hat):
            raise Blocked("the number of rounds differs between the runs", source.span)
        return
    for _, value in source.items:
        if not isinstance(scope.entry(value), PrivateList | PublicList | Filled | Grown):
            raise Blocked("this list is outside what couplings follow", value.span)


def _goes_on(runs: Product, statement: ir.For | ir.While, state: State, number: int) -> Truths:
    scope = runs.scope(state)
    if isinstance(statement, ir.While):
        found = scope.truth(statement.condition)
        if not found.same:
            runs.oblige(state, found.value == found.other, "only one run goes round again", statement.span)
        return Truths(found.value, found.value)
    counter = state.words[f"round({number})"]
    if isinstance(statement.source, ir.Range):
        start, stop = scope.number(statement.source.start), scope.number(statement.source.stop)
        test = counter < stop.value - start.value
    else:
        names = [value.name for _, value in statement.source.items if isinstance(value, ir.Name)]
        test = z3.And([counter < state.words.get(f"len({name})", length(name)) for name in names])
    return Truths(test, test)


def _round(
    runs: Product, statement: ir.For | ir.While, state: State, number: int, rest: tuple[ir.Statement, ...]
) -> State:
    counter = state.words[f"round({number})"]
    if isinstance(statement, ir.For):
        scope = runs.scope(state)
        source = statement.source
        if isinstance(source, ir.Range):
            start = scope.number(source.start)
            value = counter if is_zero(start.value) else start.value + counter
            state = assigned(state, source.target, Pair(value, ZERO))
        else:
            if source.index is not None:
                state = assigned(state, source.index, Pair(counter, ZERO))
            for name, value in source.items:
                entry = scope.entry(value)
                if isinstance(entry, Grown):  # the same elements in both runs
                    kind = next(each.type for each in runs.mechanism.variables if each.name == name)
                    same = unknown(str(runs.fresh(name, z3.IntSort())), kind, public=True)
                    state = assigned(state, name, same)
                    continue
                assert isinstance(entry, PrivateList | PublicList | Filled)  # noqa: S101  # _check_source
                assert scope.read is not None  # noqa: S101  # a scope of the runs
                state = assigned(state, name, scope.read(entry, Pair(counter, ZERO), source.span))
    outer, runs.continued = runs.continued, []
    branches, runs.branches = runs.branches, 0
    ended = joined(runs.block(statement.body, state, rest), runs.continued, statement.span)
    runs.continued, runs.branches = outer, branches
    following = counter + 1
    return replace(ended, words={**ended.words, f"round({number})": following})
