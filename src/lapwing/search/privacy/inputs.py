"""Neighbouring inputs as unknowns: what parameters and elements of lists are in both runs, and how far apart."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import Span
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.encoding import Entry, Filled, Pair, PrivateList, PublicList, Scope, Truths, choose
from lapwing.search.privacy.held import mark, nothing
from lapwing.search.privacy.terms import ZERO, is_zero, length

#: Relations under which all elements move one way; in which, depends on the order of the neighbours.
ONE_WAY = ("rises", "falls", "monotone")


def rising(parameter: ir.Parameter) -> z3.BoolRef:
    """Whether the second list is the higher one: in one order of the neighbours or in the other."""
    kind = None if parameter.relation is None else parameter.relation.kind
    if kind == "monotone":
        return z3.Bool(f"rising({parameter.name})")
    forward = z3.Bool("forward")
    return forward if kind == "rises" else z3.Not(forward)


@dataclass(slots=True)
class Inputs:
    """The inputs of one mechanism. ``facts`` is what is known so far; reading an element of a list adds to it."""

    mechanism: ir.Mechanism
    facts: list[z3.BoolRef] = field(default_factory=list)
    #: numbers and truth values among the parameters; elements of lists that were read, with their places
    scalars: dict[str, Pair | Truths] = field(default_factory=dict)
    elements: list[tuple[str, Pair, Entry]] = field(default_factory=list)
    #: facts that may hold of the elements of each list that the mechanism builds
    held: dict[str, tuple[ir.Expression, ...]] = field(default_factory=dict)
    #: what no run changes
    rigid: Scope = field(default_factory=lambda: Scope({}))
    #: elements read since the facts about them were stated
    _elements: dict[tuple[str, str], Entry] = field(default_factory=dict)
    _count: int = 0

    def start_again(self, facts: list[z3.BoolRef]) -> None:
        """Know only ``facts``."""
        self.facts = list(facts)
        self._elements.clear()

    def parameters(self, words: dict[str, z3.ExprRef]) -> dict[str, Entry]:
        """Every parameter in both runs; adds what certificates call the places where lists differ to ``words``."""
        found: dict[str, Entry] = {}
        for each in self.mechanism.parameters:
            match each.type:
                case ir.Oracle():
                    continue  # it has no value: its answers do
                case ir.List(element):
                    found[each.name] = PrivateList(each) if each.private else PublicList(each.name, element)
                    if each.as_long:
                        self.facts.append(length(each.name) >= 0)
                    if each.relation is not None and each.relation.kind in ("one", "replaced"):
                        words[f"where({each.name})"] = z3.Int(f"where({each.name})")
                    if each.relation is not None and each.relation.kind in ONE_WAY:
                        words[f"rising({each.name})"] = rising(each)
                case ir.Real() | ir.Integer() | ir.Boolean() if not each.private:
                    found[each.name] = unknown(each.name, each.type, public=True)
                case ir.Real() | ir.Integer() if each.relation is not None and each.relation.kind == "within":
                    found[each.name] = unknown(each.name, each.type)
                case ir.Boolean():
                    found[each.name] = unknown(each.name, each.type)
                case ir.Real() if each.relation is not None and each.relation.kind == "replaced":
                    found[each.name] = unknown(each.name, each.type)
                case _:
                    raise Blocked(f"the neighbours of '{each.name}' are outside what couplings follow", each.span)
        self.scalars = {name: entry for name, entry in found.items() if isinstance(entry, Pair | Truths)}
        self.rigid = Scope(found, words, self.read)  # type: ignore[arg-type]  # lists of parameters only
        publics = Scope({name: entry for name, entry in found.items() if not isinstance(entry, PrivateList)})
        for each in self.mechanism.parameters:
            if each.distance is not None:
                reach = publics.number(each.distance).value
                self.facts.append(reach >= 0)
                entry = found.get(each.name)
                if isinstance(entry, Pair):
                    self.facts += [entry.hat <= reach, entry.hat >= -reach]
        return found

    def assume_if_linear(self, condition: ir.Expression, scope: Scope) -> None:
        """Know a precondition, as far as it is linear."""
        for part in condition.operands if isinstance(condition, ir.And) else (condition,):
            try:
                self.facts.append(scope.truth(part).value)
            except Blocked:
                continue  # assuming less is sound

    def read(self, sequence: PrivateList | PublicList, index: Pair, span: Span) -> Entry:
        """An element of a list in both runs: the same one whenever the same place is read."""
        if is_zero(index.hat):
            return self._read_at(sequence, index.value, span)
        first, second = (self._anywhere(sequence, z3.simplify(each), span) for each in (index.value, index.other))
        if not (z3.is_app_of(index.value, z3.Z3_OP_ITE) or z3.is_app_of(index.other, z3.Z3_OP_ITE)):
            self.facts.append(z3.Implies(index.value == index.other, _alike(first, second)))
        return _across(first, second)

    def _anywhere(self, sequence: PrivateList | PublicList, place: z3.ArithRef, span: Span) -> Entry:
        """What stands at a place that may lie outside; one that depends on a test is read on each side of it."""
        if z3.is_app_of(place, z3.Z3_OP_ITE):
            test, then, otherwise = place.children()
            one, two = (self._anywhere(sequence, each, span) for each in (then, otherwise))
            return choose(Truths(test, test), one, two)
        element, name = self._read_at(sequence, place, span), _name(sequence)
        inside = z3.And(place >= 0, place < length(name))
        kind = ir.Boolean() if isinstance(element, Truths) else ir.Real()
        return choose(Truths(inside, inside), element, nothing(kind))

    def _read_at(self, sequence: PrivateList | PublicList, place: z3.ArithRef, span: Span) -> Entry:
        """The element at one place of both lists."""
        name = _name(sequence)
        key = (name, z3.simplify(place).sexpr())
        if key not in self._elements:
            self._elements[key] = self._element_at(sequence, Pair(place, ZERO), span)
            self.elements.append((name, Pair(place, ZERO), self._elements[key]))
        return self._elements[key]

    def hold(self, sequence: Filled, facts: Iterable[ir.Expression]) -> None:
        """Consider facts about the elements of a list, as far as they are linear."""
        before = list(self.facts)
        scope = self.of_element(sequence, z3.Int("place"), self._element("element", sequence.element, public=False))
        kept: list[ir.Expression] = []
        for fact in dict.fromkeys(facts):
            with suppress(Blocked):
                scope.truth(fact)
                kept.append(fact)
        self.held[sequence.name] = tuple(kept)
        self.start_again(before)

    def read_held(self, sequence: Filled, index: Pair, length: z3.ArithRef) -> Entry:
        """An element of a list that the mechanism builds, of which only the facts that may hold of each are known."""
        first = self._held_at(sequence, z3.simplify(index.value), length)
        if is_zero(index.hat):
            return first
        return _across(first, self._held_at(sequence, z3.simplify(index.other), length))

    def _held_at(self, sequence: Filled, place: z3.ArithRef, length: z3.ArithRef) -> Entry:
        if z3.is_app_of(place, z3.Z3_OP_ITE):  # so that one place that is read by two names is one
            test, then, otherwise = place.children()
            one, two = (self._held_at(sequence, each, length) for each in (then, otherwise))
            return choose(Truths(test, test), one, two)
        key = (sequence.name, place.sexpr())
        inside = z3.And(place >= 0, place < length)
        if key not in self._elements:
            element = self._elements[key] = self._element(sequence.name, sequence.element, public=False)
            scope = self.of_element(sequence, place, element)
            for number, fact in enumerate(self.held.get(sequence.name, ())):
                known = z3.And(mark(sequence.name, number), inside)
                self.facts.append(z3.Implies(known, scope.truth(fact).value))
        return choose(Truths(inside, inside), self._elements[key], nothing(sequence.element))

    def of_element(self, sequence: Filled, place: z3.ArithRef, element: Entry) -> Scope:
        """What names mean in a fact about an element."""
        words: dict[str, z3.ExprRef] = {**self.rigid.words, "place()": place}
        variables = {**self.rigid.variables, sequence.name: sequence}

        known: dict[tuple[str, str], Entry] = {}  # a fact asked again later speaks of the same elements

        def read(other: PrivateList | PublicList | Filled, index: Pair, span: Span) -> Entry:
            if isinstance(other, Filled):
                return element
            name = other.name if isinstance(other, PublicList) else other.parameter.name
            key = name, index.value.sexpr()
            if key not in known:
                known[key] = self.read(other, index, span)
            return known[key]

        return Scope(variables, words, read)

    def _element_at(self, sequence: PrivateList | PublicList, index: Pair, span: Span) -> Entry:
        if isinstance(sequence, PublicList):
            return self._element(sequence.name, sequence.element, public=True)
        parameter = sequence.parameter
        assert parameter.relation is not None  # noqa: S101  # private parameters have one
        assert isinstance(parameter.type, ir.List)  # noqa: S101  # this is one
        entry = self._element(parameter.name, parameter.type.element, public=False)
        kind = parameter.relation.kind
        if kind == "added":
            raise Blocked("couplings follow lists of one length only", span)
        differs = entry.hat != 0 if isinstance(entry, Pair) else entry.value != entry.other  # type: ignore[union-attr]  # an entry of numbers is one of these two
        if kind in ("one", "replaced"):
            position = z3.Int(f"where({parameter.name})")
            from_end = index.value + length(parameter.name)
            here = z3.If(index.value >= 0, index.value, from_end)
            self.facts.append(z3.Implies(differs, here == position))
        if parameter.distance is not None and isinstance(entry, Pair):
            publics = Scope({each.name: unknown(each.name, each.type, public=True) for each in self._publics()})
            reach = publics.number(parameter.distance).value
            self.facts += [entry.hat >= -reach, entry.hat <= reach]
            if kind in ONE_WAY:
                up = rising(parameter)
                self.facts += [z3.Implies(up, entry.hat >= 0), z3.Implies(z3.Not(up), entry.hat <= 0)]
        return entry

    def _publics(self) -> list[ir.Parameter]:
        scalar = (ir.Real, ir.Integer, ir.Boolean)
        return [each for each in self.mechanism.parameters if not each.private and isinstance(each.type, scalar)]

    def _element(self, name: str, kind: ir.Type, *, public: bool) -> Entry:
        self._count += 1
        return unknown(f"{name}[{self._count}]", kind, public=public)


def _name(sequence: PrivateList | PublicList) -> str:
    return sequence.name if isinstance(sequence, PublicList) else sequence.parameter.name


def _alike(one: Entry, two: Entry) -> z3.BoolRef:
    if isinstance(one, Pair) and isinstance(two, Pair):
        return z3.And(one.value == two.value, one.hat == two.hat)
    assert isinstance(one, Truths) and isinstance(two, Truths)  # noqa: S101, PT018  # elements of one list
    return z3.And(one.value == two.value, one.other == two.other)


def _across(first: Entry, second: Entry) -> Pair | Truths:
    """What the first run reads at its place, and the second at its own."""
    if isinstance(first, Pair) and isinstance(second, Pair):
        return Pair(first.value, second.other - first.value)
    if isinstance(first, Truths) and isinstance(second, Truths):
        return Truths(first.value, second.other)
    raise AssertionError(first)


def unknown(name: str, kind: ir.Type, *, public: bool = False) -> Pair | Truths:
    """A number or truth value nothing is known about; with ``public``, the same in both runs."""
    match kind:
        case ir.Boolean():
            value = z3.Bool(name)
            return Truths(value, value if public else z3.Bool(f"other({name})"))
        case ir.Integer():
            return Pair(z3.Int(name), ZERO if public else z3.Int(f"hat({name})"))
        case ir.Real():
            return Pair(z3.Real(name), ZERO if public else z3.Real(f"hat({name})"))
    raise Blocked(f"'{name}' is neither a number nor a truth value")
