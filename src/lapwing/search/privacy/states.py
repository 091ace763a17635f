"""What the two runs have in common at one point of the program, and how two ways there become one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program.spans import Span
from lapwing.search.privacy.encoding import Entry, Truths, choose
from lapwing.search.privacy.terms import either


@dataclass(frozen=True, slots=True)
class State:
    """Variables of both runs, counters and accumulated shifts; ``guard`` says whether the runs are here at all."""

    variables: Mapping[str, Entry]
    words: Mapping[str, z3.ExprRef]
    guard: z3.BoolRef


def both(a: z3.BoolRef, b: z3.BoolRef) -> z3.BoolRef:
    """The conjunction, without what is certain."""
    return b if z3.is_true(a) else a if z3.is_true(b) else z3.And(a, b)


def some(a: z3.BoolRef, b: z3.BoolRef) -> z3.BoolRef:
    """The disjunction, without what is impossible."""
    return b if z3.is_false(a) else a if z3.is_false(b) else z3.Or(a, b)


def joined(state: State, others: list[State], span: Span) -> State:
    """``state`` or one of ``others``: their guards exclude each other."""
    for other in others:
        here = Truths(other.guard, other.guard)
        state = other if z3.is_false(state.guard) else merged(here, other, state, some(other.guard, state.guard), span)
    return state


def assigned(state: State, name: str, entry: Entry) -> State:
    """``state`` with a variable set."""
    return replace(state, variables={**state.variables, name: entry})


def completed(state: State, other: State) -> State:
    """``state``, where variables that only ``other`` has are there too: nothing reads them."""
    return replace(state, variables={**other.variables, **state.variables}, words={**other.words, **state.words})


def merged(condition: Truths, yes: State, no: State, guard: z3.BoolRef, span: Span) -> State:
    """One state for both outcomes of a test."""
    names = [name for name in yes.variables if name in no.variables]
    variables = {name: choose(condition, yes.variables[name], no.variables[name], span) for name in names}
    words = {name: either(condition.value, yes.words[name], no.words[name]) for name in yes.words if name in no.words}
    return State(variables, words, guard)
