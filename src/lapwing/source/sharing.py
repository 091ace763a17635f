"""Lists are values in every proof and in every run; Python's are objects that can grow under two names.

The one idea: a program is refused unless both readings agree. The walk follows which list objects Python would have
each variable hold, directly or inside other values, and refuses an ``append`` to an object, or an assignment to an
element of one, that anything else holds too: another variable, a loop that walks over it, or the caller. An object is
called by the place that makes it; the one made there last is told apart from older ones, so that ``row = []`` in a loop
makes a new list each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lapwing.errors import InvalidProgram
from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed.refusing import refused


@dataclass(frozen=True, slots=True)
class Made:
    """A list by where it comes from; ``last`` if it is the one made there most recently."""

    place: int | str
    last: bool = False


Lists = frozenset[Made]
NONE: Lists = frozenset()


@dataclass(frozen=True, slots=True)
class Held:
    """What a value may be, if it is a list, and which lists may be inside it."""

    itself: Lists = NONE
    inside: Lists = NONE

    @property
    def every(self) -> Lists:
        """All of them."""
        return self.itself | self.inside

    def __or__(self, other: Held) -> Held:
        return Held(self.itself | other.itself, self.inside | other.inside)

    def older(self, old: set[Made]) -> Held:
        """The same, where these lists are no longer the last made at their place."""
        return Held(_aged(self.itself, old), _aged(self.inside, old))


def _aged(lists: Lists, old: set[Made]) -> Lists:
    return frozenset(Made(made.place) if made in old else made for made in lists)


NOTHING = Held()
#: How the names begin under which iterators hold what they walk over: no variable is called so.
_WALK = "%walk "
State = dict[str, Held]
#: What a mechanism's answer may hold, by the names of its parameters (as :class:`Made` places).
Answers = Mapping[str, Held]


@dataclass(frozen=True, slots=True)
class Changes:
    """The assignments that stand for ``xs[i] = v``, and those that stand for ``xs[i][j] = v``."""

    elements: tuple[ir.Assign, ...] = ()
    cells: tuple[ir.Assign, ...] = ()


def check(mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism], changes: Changes | None = None) -> None:
    """Refuse a mechanism in which a list grows that something else holds, or changes by one of its ``changes``."""
    changes = changes or Changes()
    _check_rows(mechanism, changes)
    answers: dict[str, Held] = {}
    for statement in walk.statements(mechanism.body):
        if isinstance(statement, ir.Call) and statement.mechanism not in answers:
            answers[statement.mechanism] = _answer(callees[statement.mechanism], callees, answers)
    _walk(mechanism, answers, changes)


def _answer(mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism], known: dict[str, Held]) -> Held:
    for statement in walk.statements(mechanism.body):
        if isinstance(statement, ir.Call) and statement.mechanism not in known:
            known[statement.mechanism] = _answer(callees[statement.mechanism], callees, known)
    return _walk(mechanism, known)


def _check_rows(mechanism: ir.Mechanism, changes: Changes) -> None:
    """Refuse ``xs[i][j] = v`` where one list may be at two places of xs: each must be made where xs is, one by one."""
    cells = {id(each) for each in changes.cells}
    for name in sorted({each.target for each in changes.cells}):
        for statement in walk.statements(mechanism.body):
            made = isinstance(statement, ir.Assign) and (id(statement) in cells or _makes_rows(statement.value))
            if name in walk.targets(statement) and not made:
                raise refused(
                    "P174",
                    statement.span,
                    f"one list may be at two places of '{name}', of which an element of an element is set elsewhere",
                    f"Make it in one expression, with a list for each place: {name} = [[0] * c for i in range(r)]",
                )


def _makes_rows(value: ir.Expression) -> bool:
    """Whether a value is a list of lists that are all made by it, each for one place."""
    makers = (ir.ListOf, ir.Comprehension, ir.Slice)
    match value:
        case ir.Comprehension(element):
            return isinstance(element, makers)
        case ir.ListOf(elements):
            return all(isinstance(each, makers) for each in elements)
    return False


def _walk(mechanism: ir.Mechanism, answers: Answers, changes: Changes | None = None) -> Held:
    changes = changes or Changes()
    updates, cells = (frozenset(map(id, each)) for each in (changes.elements, changes.cells))
    walker = _Walker(answers, updates, cells, _forgotten(mechanism.body))
    walker.block(mechanism.body, {each.name: _given(each.name, each.type) for each in mechanism.parameters})
    return walker.answer


def _given(name: str, kind: ir.Type) -> Held:
    """What a parameter holds: lists of the caller's, one name for all of them."""
    own = frozenset({Made(name)})
    match kind:
        case ir.List(element):
            return Held(own, _given(name, element).every)
        case ir.Tuple(elements):
            return Held(NONE, own if any(_given(name, each).every for each in elements) else NONE)
    return NOTHING


@dataclass(slots=True)
class _Loop:
    """The states in which a loop goes round again, and in which it is left."""

    again: list[State] = field(default_factory=list)
    left: list[State] = field(default_factory=list)


@dataclass(slots=True)
class _Walker:
    answers: Answers
    #: by ``id``: the assignments that change a list and not what its name holds
    updates: frozenset[int]
    #: the same of a list that is in another
    cells: frozenset[int]
    #: variables that nothing reads after a statement, by its ``id``
    forgotten: Mapping[int, frozenset[str]]
    answer: Held = NOTHING
    loop: _Loop = field(default_factory=_Loop)

    # --- statements: from what is held before to what is held after, ``None`` where control never comes ---------

    def block(self, block: Sequence[ir.Statement], state: State | None) -> State | None:
        for statement in block:
            if state is None:
                return None
            state = self.statement(statement, state)
            gone = self.forgotten.get(id(statement))
            if gone and state is not None:
                state = {name: held for name, held in state.items() if name not in gone}
        return state

    def statement(self, statement: ir.Statement, state: State) -> State | None:
        state = _older(state, statement)
        match statement:
            case ir.Assign(target, value) if id(statement) in self.updates:
                return _changed(statement, target, _value(value, state).inside, state)
            case ir.Assign(target, value) if id(statement) in self.cells:
                held = state[target]
                for name, other in state.items():
                    if name != target and other.every & held.every:
                        raise _two_names(statement, f"'{name}'" if name[0] != "%" else "a loop")
                return {**state, target: Held(held.itself, held.inside | _value(value, state).inside)}
            case ir.Assign(target, value):
                return {**state, target: _value(value, state)}
            case ir.Sample(target) | ir.Asking(target):
                return {**state, target: NOTHING}
            case ir.Call(target):
                return {**state, target: self.called(statement, state)}
            case ir.Append(target, value):
                return _changed(statement, target, _value(value, state).every, state)
            case ir.If(_, then, otherwise):
                return _either(self.block(then, state), self.block(otherwise, state))
            case ir.For() | ir.While():
                return self.repeat(statement, state)
            case ir.Break():
                self.loop.left.append(state)
                return None
            case ir.Continue():
                self.loop.again.append(state)
                return None
            case ir.Return(value):
                self.answer |= _value(value, state)
                return None

    def repeat(self, statement: ir.For | ir.While, state: State) -> State:
        """What is held after a loop. Python's iterator holds what it walks over: a name of its own here."""
        source = statement.source if isinstance(statement, ir.For) else None
        items = source.items if isinstance(source, ir.Over) else ()
        iterator = f"{_WALK}{statement.number}"
        walked = NOTHING
        for _, value in items:
            walked |= _value(value, state)
        state = {**state, iterator: walked}
        outer = self.loop
        while True:  # what is held only grows, so this ends
            self.loop = _Loop()
            inner = state[iterator].inside
            start = {**state, **dict.fromkeys(() if source is None else source.targets, NOTHING)}
            start.update({name: Held(inner, inner) for name, _ in items})
            ended = self.block(statement.body, start)
            after = state
            for each in (*self.loop.again, ended):
                after = _either(after, each) or after
            if after == state:
                break
            state = after
        for each in self.loop.left:
            state = _either(state, each) or state
        self.loop = outer
        return {name: held for name, held in state.items() if name != iterator}

    def called(self, statement: ir.Call, state: State) -> Held:
        """What another mechanism answers: lists of its own, and perhaps some of those that it was given."""
        every: Lists = frozenset({Made(id(statement), last=True)})
        if any(isinstance(made.place, str) for made in self.answers[statement.mechanism].every):
            every = every.union(*(_value(argument, state).every for argument in statement.arguments))
        return Held(every, every)


def _changed(statement: ir.Append | ir.Assign, target: str, inside: Lists, state: State) -> State:
    """After the list that ``target`` holds has got another element, which nobody else may see."""
    held = state[target]
    for name, other in state.items():
        if name != target and other.every & held.itself:
            if name.startswith(_WALK) and other.itself & held.itself:
                verb = "grows" if isinstance(statement, ir.Append) else "changes"
                raise refused(
                    "P175", statement.span, f"'{target}' {verb} while it is walked over", f"Walk over {target}[:]"
                )
            raise _two_names(statement, f"'{name}'" if name[0] != "%" else "a loop")
    return {**state, target: Held(held.itself, held.inside | inside)}


def _forgotten(body: Sequence[ir.Statement]) -> dict[int, frozenset[str]]:
    """After which statement a variable is never read until it is set again, as the third name of a swap.

    Only where that is plain to see: it is set once, and read only by later statements of the same block.
    """
    every = list(walk.statements(body))
    targets = [name for statement in every for name in walk.targets(statement)]
    found: dict[int, frozenset[str]] = {}
    blocks = [body]
    for statement in every:
        blocks += walk.blocks(statement)
    reads = [name for statement in every for name in _reads(statement)]
    for block in blocks:
        inside = [[name for part in walk.statements((statement,)) for name in _reads(part)] for statement in block]
        for index, statement in enumerate(block):
            if isinstance(statement, ir.Assign) and targets.count(statement.target) == 1:
                name = statement.target
                later = [place for place in range(index + 1, len(block)) if name in inside[place]]
                if later and sum(inside[place].count(name) for place in later) == reads.count(name):
                    last = id(block[later[-1]])
                    found[last] = found.get(last, frozenset()) | {name}
    return found


def _reads(statement: ir.Statement) -> list[str]:
    """The variables that this one statement reads, each once; growing a list reads it."""
    names = frozenset[str]().union(*(walk.names(expression) for expression in walk.expressions(statement)))
    return [*names, *([statement.target] if isinstance(statement, ir.Append) else [])]


# --- expressions ----------------------------------------------------------------------------------------------


def _older(state: State, statement: ir.Statement) -> State:
    """What is held when ``statement`` begins: the lists that were made last where it makes some are older ones now.

    All at once, before any part is looked at: a part may hold one of them.
    """
    making = {id(part) for value in walk.expressions(statement) for part in walk.nodes(value)} | {id(statement)}
    old = {made for held in state.values() for made in held.every if made.last and made.place in making}
    return {name: held.older(old) for name, held in state.items()} if old else state


def _value(expression: ir.Expression, state: State, many: bool = False) -> Held:
    """What the value of ``expression`` holds; ``many`` if it is made again and again, so that none is the last."""
    match expression:
        case ir.Name(name):
            return state.get(name, NOTHING)
        case ir.Conditional(_, then, otherwise):
            return _value(then, state, many) | _value(otherwise, state, many)
        case ir.TupleOf(elements):
            return Held(NONE, NONE.union(*(_value(element, state, many).every for element in elements)))
        case ir.ListOf(elements):
            inside = NONE.union(*(_value(element, state, many).every for element in elements))
            return Held(_made(expression, many), inside)
        case ir.Item(sequence, _) | ir.Index(sequence, _, _):
            inside = _value(sequence, state, many).inside
            return Held(inside, inside)
        case ir.Slice(sequence, _, _):
            return Held(_made(expression, many), _value(sequence, state, many).inside)
        case ir.Comprehension(element, source, _):
            bound = {**state, **dict.fromkeys(source.targets, NOTHING)}
            for name, value in source.items if isinstance(source, ir.Over) else ():
                lists = _value(value, state, many).inside
                bound[name] = Held(lists, lists)
            return Held(_made(expression, many), _value(element, bound, many=True).every)
    return NOTHING


def _made(expression: ir.Expression, many: bool) -> Lists:
    return frozenset({Made(id(expression), last=not many)})


def _either(left: State | None, right: State | None) -> State | None:
    if left is None or right is None:
        return right if left is None else left
    return {name: left.get(name, NOTHING) | right.get(name, NOTHING) for name in left.keys() | right.keys()}


def _two_names(statement: ir.Append | ir.Assign, holder: str) -> InvalidProgram:
    verb = "grows" if isinstance(statement, ir.Append) else "changes"
    return refused(
        "P174",
        statement.span,
        f"the list that {verb} under the name '{statement.target}' is held by {holder} too",
        "Copy the list where it gets its second name: xs[:]",
    )
