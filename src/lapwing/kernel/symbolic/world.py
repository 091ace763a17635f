"""What is the same throughout a run: the parameters, and facts about lists that hold at every position.

The one idea: a statement about every position of a list (a running total grows by the element it passes; nothing is
above the maximum) is kept as a rule, and stated only of the positions that a question mentions, so that no solver ever
sees a quantifier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import ONE, TRUE, ZERO, Outside, Term, both, choose, compare, implies, inside, plus

#: Larger terms, written out, than any proof needs: parts that stand in several places count in each.
MAX_SIZE = 10_000
#: A list as a key: the name of any position, the element there, and whether it is in the list.
_Key = tuple[Term, Term, Term]


@dataclass(frozen=True, slots=True)
class Elements:
    """A list known by its elements, of which those that ``keep`` holds of are in it (all of them, if it is None).

    A list that is computed for the element of another may speak of any position of that one: ``level`` is how many
    such positions there are around it, at most.
    """

    length: Term
    at: Callable[[Term], Term] = field(compare=False)
    keep: Callable[[Term], Term] | None = field(default=None, compare=False)
    level: int = 0

    def added(self, position: Term) -> Term:
        """What the element at a position adds to the total."""
        element = self.at(position)
        return element if self.keep is None else choose(self.keep(position), element, ZERO)


@dataclass(frozen=True, slots=True)
class _Extreme:
    elements: Elements
    largest: bool
    value: Term
    position: Term

    def facts(self, position: Term) -> Term:
        """``value`` is not beaten at ``position``."""
        order = compare("<=" if self.largest else ">=", self.elements.at(position), self.value)
        return implies(inside(position, self.elements.length), order)


@dataclass(slots=True)
class World:
    """Unknowns with their types, facts about all runs, and rules about all positions."""

    mechanism: ir.Mechanism
    constants: dict[str, ir.Type] = field(default_factory=dict)
    functions: dict[str, ir.Type] = field(default_factory=dict)
    facts: list[Term] = field(default_factory=list)
    _totals: dict[_Key, tuple[str, Elements]] = field(default_factory=dict)
    _extremes: dict[tuple[Term, _Key, bool], _Extreme] = field(default_factory=dict)
    #: the levels of names whose meaning depends on any positions around them
    _levels: dict[str, int] = field(default_factory=dict)
    _positions: dict[Term, None] = field(default_factory=dict)
    #: sizes by identity, with the term itself, so that its place stays its own
    _sizes: dict[int, tuple[Term, int]] = field(default_factory=dict)
    _fresh: int = 0

    def unknown(self, name: str, kind: ir.Type) -> Term:
        """An unknown that goes by this very name."""
        if not isinstance(kind, ir.Real | ir.Integer | ir.Boolean):
            raise Outside(f"'{name}' is neither a number nor a truth value")
        self.constants[name] = kind
        return ir.Name(name)

    def fresh(self, name: str, kind: ir.Type, level: int = 0) -> Term:
        """An unknown never used before."""
        self._fresh += 1
        name = f"{name}@{self._fresh}"
        self._levels[name] = level
        return self.unknown(name, kind)

    def level(self, term: Term) -> int:
        """The level of a term: no "any position" beyond it has a part in what the term means."""
        return max((self._levels.get(name, 0) for name in walk.names(term)), default=0)

    def size(self, term: Term) -> int:
        """How large a term is when it is written out; found without writing it out."""
        known = self._sizes.get(id(term))
        if known is None or known[0] is not term:
            size = 1
            for part in walk.children(term):
                size += self.size(part)  # type: ignore[arg-type]  # parts of terms are terms
            known = self._sizes[id(term)] = term, min(size, MAX_SIZE + 1)
        return known[1]

    def type_of(self, term: Term) -> ir.Type:
        """The type of a term."""
        match term:
            case ir.Truth() | ir.Compare() | ir.And() | ir.Or() | ir.Not():
                return ir.Boolean()
            case ir.Name(name):
                return self.constants[name]
            case ir.Index(element=kind):
                return kind
            case ir.Number(value):
                return ir.Integer() if value.denominator == 1 else ir.Real()
            case ir.Negate(operand):
                return self.type_of(operand)
            case ir.Conditional(_, then, otherwise):
                kinds = {self.type_of(then), self.type_of(otherwise)}
                return kinds.pop() if len(kinds) == 1 else ir.Real()
            case ir.Arithmetic(symbol, left, right) if symbol != "/":
                whole = self.type_of(left) == self.type_of(right) == ir.Integer()
                return ir.Integer() if whole else ir.Real()
        return ir.Real()

    def parameter(self, parameter: ir.Parameter) -> Term | Elements:
        """A parameter, which may be any value of its type."""
        name = parameter.name
        match parameter.type:
            case ir.List(ir.Real() | ir.Integer() | ir.Boolean() as kind):
                length = self.unknown(f"len({name})", ir.Integer())
                self.facts.append(compare(">=", length, ZERO))
                self.functions[name] = kind
                return Elements(length, lambda position: ir.Index(ir.Name(name), position, kind))
            case ir.Real() | ir.Integer() | ir.Boolean():
                return self.unknown(name, parameter.type)
        raise Outside(f"the parameter '{name}' is a list of lists or a tuple", parameter)

    def mention(self, position: Term) -> None:
        """Note a position of which rules should be stated."""
        self._positions[position] = None

    def _key(self, elements: Elements) -> _Key:
        """The same for two lists only if they hold the same as far as they go.

        The elements are compared at a position that stands for any. Its name means nothing else in them, not even by
        way of a total or an extreme, and belongs to the key: inside a list over q, where x is the element of q at some
        position, ``[x for y in q]`` must not be taken for q.
        """
        level = elements.level + 1
        name = f"%position{level}"
        here = self.unknown(name, ir.Integer())
        self._levels[name] = level
        return here, elements.at(here), TRUE if elements.keep is None else elements.keep(here)

    def total(self, elements: Elements, count: Term) -> Term:
        """The sum of the first ``count`` elements, of a sequence without end that begins with the list."""
        key = self._key(elements)
        if key not in self._totals:
            name = f"total#{len(self._totals) + 1}"  # no unknown is called so
            self.functions[name] = ir.Real()
            self._levels[name] = elements.level
            self._totals[key] = (name, elements)
        name, _ = self._totals[key]
        return ir.Index(ir.Name(name), count, ir.Real())

    def extreme(self, elements: Elements, *, largest: bool) -> Term:
        """The largest or smallest element; 0 of an empty list."""
        if elements.keep is not None:
            raise Outside("the largest of some elements of a list is not followed")
        key = elements.length, self._key(elements), largest
        if key not in self._extremes:
            value = self.fresh("extreme", ir.Real(), elements.level)
            found = _Extreme(elements, largest, value, self.fresh("position", ir.Integer(), elements.level))
            self._extremes[key] = found
            self.mention(found.position)
            attained = both(
                (inside(found.position, elements.length), compare("==", elements.at(found.position), found.value))
            )
            empty = compare("==", elements.length, ZERO)
            self.facts.append(choose(empty, compare("==", found.value, ZERO), attained))
        return self._extremes[key].value

    @property
    def witnesses(self) -> list[Term]:
        """The positions at which largest and smallest elements are."""
        return [each.position for each in self._extremes.values()]

    def rules(self, names: frozenset[str]) -> list[Term]:
        """Every rule at every position that is written with these names only."""
        found: list[Term] = []
        mentioned = dict(self._positions)
        positions = [position for position in mentioned if walk.names(position) <= names]
        for name, elements in list(self._totals.values()):
            found.append(compare("==", ir.Index(ir.Name(name), ZERO, ir.Real()), ZERO))
            for position in positions:
                here = ir.Index(ir.Name(name), position, ir.Real())
                after = ir.Index(ir.Name(name), plus(position, ONE), ir.Real())
                grown = compare("==", after, plus(here, elements.added(position)))
                found.append(implies(compare(">=", position, ZERO), grown))
        for extreme in list(self._extremes.values()):
            found += (extreme.facts(position) for position in positions)
        self._positions = mentioned  # a rule about the positions that other rules speak of would lead to more of them
        return found
