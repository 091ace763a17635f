"""Neighbouring inputs as unknowns: what parameters and elements of lists are in both runs, and how far apart."""

from __future__ import annotations

from dataclasses import dataclass, field

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.program import ir
from lapwing.program.spans import Span
from lapwing.prove.blocked import Blocked
from lapwing.prove.encoding import Entry, Pair, PrivateList, PublicList, Scope, Truths
from lapwing.prove.terms import ZERO, is_zero, length


@dataclass(slots=True)
class Inputs:
    """The inputs of one mechanism. ``facts`` is what is known so far; reading an element of a list adds to it."""

    mechanism: ir.Mechanism
    facts: list[z3.BoolRef] = field(default_factory=list)
    #: numbers and truth values among the parameters; elements of lists that were read, with their places
    scalars: dict[str, Pair | Truths] = field(default_factory=dict)
    elements: list[tuple[str, Pair, Entry]] = field(default_factory=list)
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
                case ir.List(element):
                    found[each.name] = PrivateList(each) if each.private else PublicList(each.name, element)
                    if not each.private or (each.relation is not None and each.relation.keeps_length):
                        self.facts.append(length(each.name) >= 0)
                    if each.relation is not None and each.relation.kind in ("one", "replaced"):
                        words[f"where({each.name})"] = z3.Int(f"where({each.name})")
                    if each.relation is not None and each.relation.kind == "monotone":
                        words[f"rising({each.name})"] = z3.Bool(f"rising({each.name})")
                case ir.Real() | ir.Integer() | ir.Boolean() if not each.private:
                    found[each.name] = unknown(each.name, each.type, public=True)
                case ir.Real() | ir.Integer() if each.relation is not None and each.relation.kind == "within":
                    found[each.name] = unknown(each.name, each.type)
                case ir.Boolean():
                    found[each.name] = unknown(each.name, each.type)
                case _:
                    raise Blocked(f"the neighbours of '{each.name}' are outside what couplings follow", each.span)
        self.scalars = {name: entry for name, entry in found.items() if isinstance(entry, Pair | Truths)}
        publics = Scope({name: entry for name, entry in found.items() if not isinstance(entry, PrivateList)})
        for each in self.mechanism.parameters:
            if each.distance is not None:
                reach = publics.number(each.distance).value
                self.facts.append(reach >= 0)
                entry = found[each.name]
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
        if not is_zero(index.hat):
            raise Blocked("the place read in a list differs between the runs", span)
        name = sequence.name if isinstance(sequence, PublicList) else sequence.parameter.name
        key = (name, z3.simplify(index.value).sexpr())
        if key not in self._elements:
            self._elements[key] = self._element_at(sequence, index, span)
            self.elements.append((name, index, self._elements[key]))
        return self._elements[key]

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
            low, high = (
                entry.hat >= (ZERO if kind == "rises" else -reach),
                entry.hat <= (ZERO if kind == "falls" else reach),
            )
            self.facts += [low, high]
            if kind == "monotone":
                rising = z3.Bool(f"rising({parameter.name})")
                self.facts += [z3.Implies(rising, entry.hat >= 0), z3.Implies(z3.Not(rising), entry.hat <= 0)]
        return entry

    def _publics(self) -> list[ir.Parameter]:
        scalar = (ir.Real, ir.Integer, ir.Boolean)
        return [each for each in self.mechanism.parameters if not each.private and isinstance(each.type, scalar)]

    def _element(self, name: str, kind: ir.Type, *, public: bool) -> Entry:
        self._count += 1
        return unknown(f"{name}[{self._count}]", kind, public=public)


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
