"""Answers that a place decides: the name of the winner, told as the place of the winner.

Theorem (post-processing). Let F be a function that is the same for neighbouring inputs. If a mechanism answers
F(at) wherever another answers ``at``, every guarantee of the other is one of it: {F(at) in S} is {at in F⁻¹(S)}.

The one idea: ``return names[at]`` is such an answer where ``names`` is a public parameter, and so is a variable that is
set to ``names[i]`` in some round of one loop, and to public values before it: which round set it last decides it. One
place is a whole number, and whole numbers can be considered one at a time; of real numbers each has probability 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.errors import InvalidProgram
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.walk import Block
from lapwing.kernel.relational.plain import plain
from lapwing.kernel.relational.tupled import tupled
from lapwing.kernel.wellformed.secrecy import with_variables

_NOWHERE = ir.Negate(ir.ONE)


def as_walked(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism in fewer words, with places for answers that places decide: every guarantee of it is one here."""
    return plain(told_by_place(mechanism))


def told_by_place(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism with a place for each part of its answer that a place decides."""
    if any(isinstance(each, ir.Call) for each in walk.statements(mechanism.body)):
        return mechanism
    mechanism = tupled(mechanism)
    *_, last = mechanism.body
    returns = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Return)]
    if not isinstance(last, ir.Return) or len(returns) != 1:
        return mechanism
    whole = isinstance(last.value, ir.TupleOf) and isinstance(mechanism.returns, ir.Tuple)
    parts = list(last.value.elements) if isinstance(last.value, ir.TupleOf) and whole else [last.value]
    kinds = list(mechanism.returns.elements) if isinstance(mechanism.returns, ir.Tuple) and whole else []
    kinds = kinds or [mechanism.returns]
    telling = _Telling(mechanism)
    for position, part in enumerate(parts):
        place = telling.read_at(part) or telling.set_at(part, [*parts[:position], *parts[position + 1 :]])
        if place is not None:
            parts[position], kinds[position] = ir.Name(place), ir.Integer()
    value = replace(last.value, elements=tuple(parts)) if isinstance(last.value, ir.TupleOf) and whole else parts[0]
    if value == last.value:
        return mechanism
    body = (*telling.body, replace(last, value=value))
    variables = (*mechanism.variables, *(ir.Variable(each, ir.Integer(), False, False) for each in telling.made))
    told = ir.Tuple(tuple(kinds)) if whole else kinds[0]
    try:
        return with_variables(replace(mechanism, body=body, returns=told, variables=variables), {})
    except InvalidProgram:
        return mechanism


@dataclass(slots=True)
class _Telling:
    """A mechanism whose answer is being rewritten: its body without the answer, and the places made for it."""

    mechanism: ir.Mechanism
    body: Block = ()
    made: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.body = self.mechanism.body[:-1]

    def _public(self) -> set[str]:
        return {each.name for each in self.mechanism.parameters if not each.private}

    def read_at(self, part: ir.Expression) -> str | None:
        """The whole number that alone, beside public parameters, a part of the answer is computed from.

        Only by what keeps different places apart, as a rule: a remainder may be private where the number is not.
        """
        whole = {each.name for each in self.mechanism.variables if each.type == ir.Integer()}
        read = walk.names(part) - self._public()
        if isinstance(part, ir.Name) or len(read) != 1 or not read <= whole:
            return None
        for each in walk.nodes(part):
            match each:
                case ir.Number() | ir.Name() | ir.Negate() | ir.Arithmetic() | ir.Index(ir.Name()):
                    continue
            return None
        return next(iter(read))

    def set_at(self, part: ir.Expression, others: list[ir.Expression]) -> str | None:
        """The round in which the variable that is answered was set last, or -1: it decides what it was set to."""
        if not isinstance(part, ir.Name) or part.name not in {each.name for each in self.mechanism.variables}:
            return None
        name = part.name
        if name in walk.read((*self.body, *(ir.Return(each) for each in others))):
            return None
        at = next((at for at, each in enumerate(self.body) if _sets_inside(each, name)), None)
        loop = None if at is None else self.body[at]
        if at is None or not isinstance(loop, ir.For):
            return None
        before, after = self.body[:at], self.body[at + 1 :]
        place = _fresh(self.mechanism, f"{name}_at", self.made)
        index = _fresh(self.mechanism, f"{name}_round", (*self.made, place))
        source, rounds = _numbered(loop.source, self._public(), index)
        inside = [each for each in walk.statements(loop.body) if name in walk.targets(each)]
        deeper = [each for each in walk.statements(loop.body) if isinstance(each, ir.For | ir.While)]
        if len(inside) != 1 or any(each is inside[0] for loops in deeper for each in walk.statements(loops.body)):
            return None
        setting = inside[0]
        if source is None or rounds & set(walk.assigned(loop.body)) or name in walk.assigned(after):
            return None
        if not isinstance(setting, ir.Assign) or not walk.names(setting.value) <= self._public() | rounds:
            return None
        if setting.value == ir.Name(_round(source)):
            return None  # it is a place already
        if not all(
            isinstance(each, ir.Assign) and walk.names(each.value) <= self._public()
            for each in before
            if name in walk.targets(each)
        ):
            return None
        self.made = (*self.made, place, index) if _round(source) == index else (*self.made, place)
        here = ir.Assign(place, ir.Name(_round(source)), span=setting.span)
        begun = tuple(
            ir.Assign(place, _NOWHERE, span=each.span) if name in walk.targets(each) else each for each in before
        )
        body = walk.exchanged(loop.body, lambda each: (here,) if each is setting else None)
        turned = replace(loop, source=source, body=body)
        self.body = (*begun, turned, *after)
        return place


def _numbered(source: ir.Over | ir.Range, public: set[str], index: str) -> tuple[ir.Over | ir.Range | None, set[str]]:
    """A loop whose rounds have numbers from 0 on, or other numbers not below it; and what a number decides."""
    if isinstance(source, ir.Range):
        counts = isinstance(source.start, ir.Number) and source.start.value >= 0
        return (source if counts else None), {source.target}
    numbered = source if source.index is not None else replace(source, index=index)
    own = {name for name, value in source.items if isinstance(value, ir.Name) and value.name in public}
    return numbered, own | {_round(numbered)}


def _round(source: ir.Over | ir.Range) -> str:
    return source.target if isinstance(source, ir.Range) else source.index or ""


def _sets_inside(statement: ir.Statement, name: str) -> bool:
    """Whether a variable is set in a branch or loop."""
    return isinstance(statement, ir.If | ir.For | ir.While) and name in walk.assigned((statement,))


def _fresh(mechanism: ir.Mechanism, name: str, made: tuple[str, ...]) -> str:
    taken = walk.taken(mechanism) | {*made}
    while name in taken:
        name += "_"
    return name
