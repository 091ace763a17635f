"""A part of a body as a mechanism of its own: what it reads of released values are public parameters of it.

Claim: whatever the part does to the variables in ``outputs`` is a function of the outlined mechanism's answer and of
what was released before. (A list that the part only appends to is answered as what was appended.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.composition.exposure import Names, exposed, targets
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import types_of
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.kernel.wellformed.modules import remade


@dataclass(frozen=True, slots=True)
class Part:
    """What is outlined: a block, what private values it rests on (``prelude``), and what is needed of it afterwards."""

    block: tuple[ir.Statement, ...]
    prelude: tuple[ir.Statement, ...]
    released: Names
    outputs: Names
    #: variables of the loop that the block is the body of, with their types, and what is known of them
    counters: tuple[tuple[str, ir.Type], ...] = ()
    known: tuple[ir.Expression, ...] = ()
    #: elements of private lists that a round begins with: the variable, the list and its place
    elements: tuple[tuple[str, str, str], ...] = ()
    looped: bool = False


def outline(module: ir.Module, mechanism: ir.Mechanism, part: Part) -> ir.Module:
    """The part as a mechanism, in a module with what it calls."""
    return remade(module, _Outline(mechanism, part, dict(types_of(mechanism))).made())


@dataclass(slots=True)
class _Outline:
    mechanism: ir.Mechanism
    part: Part
    types: dict[str, ir.Type]
    #: what a variable is called at the moment, where it is set anew in every statement
    current: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    sites: int = 0
    loops: int = 0

    def made(self) -> ir.Mechanism:
        part, mechanism = self.part, self.mechanism
        self.taken = walk.taken(mechanism)
        inside = (*part.prelude, *part.block)
        private = {each.name for each in mechanism.parameters if each.private}
        parameters = {each.name for each in mechanism.parameters}
        counters = {name for name, _ in part.counters}
        begun = {name for name, _, _ in part.elements}
        # what a way through the step does not set is handed on as it was
        handed = ir.Return(ir.ListOf(tuple(ir.Name(name) for name in sorted(part.outputs))))
        read = exposed((*inside, handed), mechanism) - private - parameters - begun
        if any(walk.jumps(part.block)):
            read |= part.outputs & part.released
        grown = self._only_grown(inside)
        foreign = read - part.released - counters - grown
        if foreign:
            raise Unproved(f"'{min(foreign)}' is read in a step, and was not released before")
        if (counters | begun) & (targets(inside) | parameters) or counters & begun:
            raise Unproved("a loop's own variable is set inside it")
        set_here = targets(inside)
        fixed = sorted((read - grown - counters) - set_here)
        carried = sorted((read - grown - counters) & set_here)
        body: list[ir.Statement] = []
        public = [ir.Parameter(name, kind) for name, kind in part.counters]
        for name in fixed:
            meaning = self._formula(name)
            if meaning is None:
                public.append(ir.Parameter(name, self.types[name]))
            else:
                body.append(ir.Assign(name, meaning))
        for name in carried:
            before = walk.fresh(f"{name}_before", self.taken)
            public.append(ir.Parameter(before, self.types[name]))
            body.append(ir.Assign(name, ir.Name(before)))
        fresh = {name: ir.Assign(name, ir.ListOf(())) for name in sorted(grown)}
        body += fresh.values()
        for name, items, place in part.elements:
            kind = self.types[items]
            element = kind.element if isinstance(kind, ir.List) else ir.Real()
            body.append(ir.Assign(name, ir.Index(ir.Name(items), ir.Name(place), element)))
        body += inside
        unset = part.outputs - targets(body)
        if unset:
            raise Unproved(f"'{min(unset)}' is not set in the step")
        outputs = self._values(body, sorted(part.outputs), fresh)
        self.plain = self._set_at_the_top(body)
        breaks = walk.breaks(part.block)
        done, ends = self._block(body, breaks, outputs, top=True)
        if ends and self._returning:
            raise at(part.block[0], "an answer is given in the middle of the steps")
        if ends:
            done = (*done, self._answer(outputs, ir.Truth(False) if breaks else None))
        kinds: list[ir.Type] = [ir.Boolean()] if breaks else []
        kinds += [self.types[name] for name in outputs]
        returns = self._returns(kinds) if not self._returning else mechanism.returns
        variables = tuple(
            ir.Variable(name, self.types[name], False, False) for name in dict.fromkeys(walk.assigned(done))
        )
        return ir.Mechanism(
            mechanism.name, (*mechanism.parameters, *public), returns, (*mechanism.preconditions, *part.known), done,
            variables=variables,
        )  # fmt: skip

    plain: Names = field(init=False, default=frozenset())
    _returning: bool = False

    def _formula(self, name: str) -> ir.Expression | None:
        """What a variable is, if it is set once, to a formula over public parameters: then its price can be told."""
        try:
            found = over_parameters(self.mechanism, ir.Name(name))
        except Unproved:
            return None
        private = {each.name for each in self.mechanism.parameters if each.private}
        # a round has the lists of the whole, so their lengths are the same; a step on a sample has public ones alone
        stripped = _without_lengths(self.mechanism, found, private=self.part.looped)
        plain = all(isinstance(each, ir.Number | ir.Name | ir.Negate | ir.Arithmetic) for each in walk.nodes(stripped))
        return found if plain and not walk.names(stripped) & private and not isinstance(found, ir.Name) else None

    def _values(self, body: list[ir.Statement], outputs: list[str], grown: Mapping[str, ir.Statement]) -> list[str]:
        """A list that is only appended to, by statements of the body itself, is answered as its new elements."""
        if any(walk.jumps(self.part.block)):
            return outputs
        for name, start in grown.items():
            places = [number for number, each in enumerate(body) if isinstance(each, ir.Append) and each.target == name]
            every = [each for each in walk.statements(body) if isinstance(each, ir.Append) and each.target == name]
            if len(places) != len(every):
                continue
            outputs = [each for each in outputs if each != name]
            kind = self.types[name]
            for place in places:
                statement = body[place]
                value = walk.fresh(f"{name}_next", self.taken)
                self.types[value] = kind.element if isinstance(kind, ir.List) else ir.Real()
                body[place] = ir.Assign(value, statement.value, span=statement.span)  # type: ignore[union-attr]  # an append
                outputs.append(value)
            body[:] = [each for each in body if each is not start]
        return outputs

    def _returns(self, kinds: Sequence[ir.Type]) -> ir.Type:
        if not kinds:
            return ir.Integer()
        return kinds[0] if len(kinds) == 1 else ir.Tuple(tuple(kinds))

    def _only_grown(self, block: Sequence[ir.Statement]) -> set[str]:
        """Lists from before that the block appends to and does nothing else with."""
        appended = {each.target for each in walk.statements(block) if isinstance(each, ir.Append)}
        other = {
            name
            for each in walk.statements(block)
            for name in (
                *(n for e in walk.expressions(each) for n in walk.names(e)),
                *(() if isinstance(each, ir.Append) else walk.targets(each)),
            )
        }
        return {name for name in appended - other if name in self.part.released and name in self.part.outputs}

    def _set_at_the_top(self, body: Sequence[ir.Statement]) -> Names:
        """Variables that only plain statements of the body itself set: these get a name for each time."""
        nested = {
            name
            for each in body
            for inner in walk.statements((each,))
            if inner is not each or isinstance(each, ir.For | ir.Append)
            for name in walk.targets(inner)
        }
        return frozenset(name for each in body for name in walk.targets(each)) - nested

    # --- statements -----------------------------------------------------------------------------------------

    def _block(
        self, block: Sequence[ir.Statement], breaks: bool, outputs: Sequence[str], *, top: bool, inner: bool = False
    ) -> tuple[tuple[ir.Statement, ...], bool]:
        """The statements with names and numbers of their own; whether control comes to their end."""

        def rounds(body: walk.Block) -> walk.Block:
            return self._block(body, breaks, outputs, top=False, inner=True)[0]

        found: list[ir.Statement] = []
        for statement in block:
            match statement:
                case ir.Break() | ir.Continue() if not inner:
                    if not self.part.looped:
                        raise at(statement, "this leaves a loop from inside a step")
                    flag = ir.Truth(isinstance(statement, ir.Break)) if breaks else None
                    found.append(self._answer(outputs, flag))
                    return tuple(found), False
                case ir.Return(value):
                    if outputs or self.part.looped:
                        raise at(statement, "an answer is given in the middle of the steps")
                    self._returning = True
                    found.append(replace(statement, value=self._renamed(value)))
                    return tuple(found), False
                case ir.If(condition, then, otherwise):
                    test = self._renamed(condition)
                    one, first = self._block(then, breaks, outputs, top=False, inner=inner)
                    two, second = self._block(otherwise, breaks, outputs, top=False, inner=inner)
                    found.append(replace(statement, condition=test, then=one, otherwise=two))
                    if not (first or second):
                        return tuple(found), False
                case ir.For() | ir.While():
                    self.loops += 1
                    loop = walk.with_expressions(replace(statement, number=self.loops), self._renamed)
                    found.append(walk.with_blocks(loop, rounds))
                case _:
                    found.append(self._plain(statement, top=top))
        return tuple(found), True

    def _plain(self, statement: ir.Statement, *, top: bool) -> ir.Statement:
        made = walk.with_expressions(statement, self._renamed)
        if isinstance(made, ir.Sample | ir.Call):
            self.sites += 1
            made = replace(made, site=self.sites)
        if top and isinstance(made, ir.Assign | ir.Sample | ir.Call | ir.Asking):
            made = replace(made, target=self._set(made.target))
        return made

    def _set(self, name: str) -> str:
        """The name of a variable from here on."""
        if name not in self.plain or name not in self.current:
            self.current.setdefault(name, name)
            return self.current[name] if name in self.plain else name
        fresh = self.current[name] = walk.fresh(name, self.taken)
        self.types[fresh] = self.types[name]
        return fresh

    def _renamed(self, node: ir.Expression) -> ir.Expression:
        bound = {
            name for each in walk.nodes(node) if isinstance(each, ir.Comprehension) for name in each.source.targets
        }
        meanings: Mapping[ir.Expression, ir.Expression] = {
            ir.Name(old): ir.Name(new) for old, new in self.current.items() if old != new and old not in bound
        }
        return replaced(node, meanings) if meanings else node

    def _answer(self, outputs: Sequence[str], flag: ir.Expression | None) -> ir.Return:
        parts: list[ir.Expression] = [] if flag is None else [flag]
        parts += [ir.Name(self.current.get(name, name)) for name in outputs]
        if len(parts) < 2:
            return ir.Return(parts[0] if parts else ir.ZERO)
        return ir.Return(ir.TupleOf(tuple(parts)))


def _without_lengths(mechanism: ir.Mechanism, node: ir.Expression, *, private: bool) -> ir.Expression:
    """The expression with a number for each length that neighbours share, of ``private`` lists too."""
    changed = walk.assigned(mechanism.body)
    lengths: dict[ir.Expression, ir.Expression] = {
        ir.Builtin("len", (ir.Name(each.name),)): ir.ZERO
        for each in mechanism.parameters
        if isinstance(each.type, ir.List)
        and (not each.private or (private and each.as_long))
        and each.name not in changed
    }
    return replaced(node, lengths)
