"""The statements of a mechanism on records, with totals in place of what computes them.

The one idea: a total is a number computed from the records, public parameters (which nothing sets) and, in a loop over
a public range or list, what that loop sets in a round. So it has one value wherever it is read, or one in each round of
that loop, and a parameter can stand for it: a number, or a list with one element for each round. A list in place of a
round's total is read by the counter of the loop, or walked beside what *this* loop walks over: they are equally long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.expressions import Look
from lapwing.kernel.folds.extraction import Extraction
from lapwing.kernel.folds.loops import over_records
from lapwing.kernel.folds.record_lists import Lists
from lapwing.kernel.folds.values import Items, Number, Value, has_type, moved_by, shared
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import ZERO, Term


@dataclass(frozen=True, slots=True)
class Total:
    """A parameter that stands for a number, or for a list of ``length`` of them: at each ``place``, an unknown."""

    name: str
    number: Number
    length: Term | None = None
    place: str = ""

    @property
    def listed(self) -> bool:
        """Whether it is a list of totals."""
        return self.length is not None

    @property
    def each(self) -> Term:
        """What one record adds to it."""
        return moved_by(self.number)

    @property
    def kind(self) -> ir.Type:
        """The type of the number, or of one of them."""
        return ir.Integer() if self.number.whole else ir.Real()

    @property
    def here(self) -> str:
        """The variable that holds the total of a round."""
        return f"{self.name}_here"


@dataclass(slots=True)
class Round:
    """Some round of a loop over a public range or list: its number, and the lists that are walked beside it."""

    source: ir.Over | ir.Range
    number: str
    beside: list[Total] = field(default_factory=list)

    @property
    def targets(self) -> frozenset[str]:
        """The variables that the loop sets."""
        return frozenset(self.source.targets)

    def read(self, total: Total) -> ir.Expression:
        """The total of this round."""
        if isinstance(self.source, ir.Range):
            return ir.Index(ir.Name(total.name), ir.Name(self.source.target), total.kind)
        self.beside.append(total)
        return ir.Name(total.here)


@dataclass(slots=True)
class Totals:
    """Puts parameters in the place of totals; ``parameters`` looks at expressions over parameters."""

    extraction: Extraction
    parameters: Look
    types: dict[str, ir.Type]
    found: list[Total] = field(default_factory=list)
    #: variables that only name a list of totals
    names: dict[ir.Expression, ir.Expression] = field(default_factory=dict)
    #: variables that hold what the last record left, where loops over records were
    left: set[str] = field(default_factory=set)

    @property
    def records(self) -> str:
        """The parameter that holds the records."""
        return self.extraction.records.name

    def block(
        self, block: Sequence[ir.Statement], here: Round | None, *, top: bool = False
    ) -> tuple[ir.Statement, ...]:
        """The statements with totals in place of what computes them; ``here`` is the public loop they stand in."""
        made: list[ir.Statement] = []
        constants: dict[str, Value] = {}  # what variables were just set to, in this very block
        for statement in block:
            if isinstance(statement, ir.For) and mentions(statement.source, self.records):
                for total in self._added_up(statement, here, constants):
                    if top and self._is_only_filled(total, statement):
                        made = [each for each in made if total.target not in walk.targets(each)]
                        self._call(total)
                    else:
                        made.append(total)
                constants = {}
                continue
            lifted = self._statement(statement, here)
            if top and isinstance(lifted, ir.Assign) and self._is_name_of_list(lifted):
                self._call(lifted)
                continue
            made.append(lifted)
            for name in walk.assigned((statement,)):
                constants.pop(name, None)
            if isinstance(statement, ir.Assign) and (begun := self._constant(statement)) is not None:
                constants[statement.target] = begun
        return tuple(made)

    def _constant(self, statement: ir.Assign) -> Value | None:
        """A number as written, or a list of such numbers, as long as public parameters say."""
        kind = self.types.get(statement.target)
        match statement.value:
            case ir.Number() as value:
                return Number(value, whole=kind == ir.Integer())
            case ir.ListOf((_, *_)) | ir.Comprehension(ir.Number()) as value if self._is_public(walk.names(value)):
                try:
                    found = self.parameters.value(value)
                except Unproved:
                    return None
                return found if isinstance(found, Items) and shared(found) and has_type(found, kind) else None
        return None

    def _statement(self, statement: ir.Statement, here: Round | None) -> ir.Statement:
        match statement:
            case ir.For():
                return self._loop(statement)
            case ir.While():
                here = None  # its rounds are not counted
            case ir.Call():
                raise Unproved("another mechanism is called, which totals do not cover")
        lifted = walk.with_expressions(statement, lambda each: self.expression(each, here))
        return walk.with_blocks(lifted, lambda inner: self.block(inner, here))

    def _call(self, named: ir.Assign) -> None:
        """From here on, a variable is another name for a list of totals."""
        self.names[ir.Name(named.target)] = named.value
        del self.types[named.target]

    def _is_only_filled(self, total: ir.Assign, loop: ir.For) -> bool:
        """Whether a list begins as numbers, is filled in this loop, and is set nowhere else."""
        every = walk.assigned(self.extraction.mechanism.body)
        inside = walk.assigned((loop,))
        listed = any(each.listed and ir.Name(each.name) == total.value for each in self.found)
        return listed and every.count(total.target) == inside.count(total.target) + 1

    def _is_name_of_list(self, lifted: ir.Assign) -> bool:
        """Whether a variable is set here and nowhere else, to a list of totals."""
        every = walk.assigned(self.extraction.mechanism.body)
        lists = {ir.Name(each.name) for each in self.found if each.listed}
        return every.count(lifted.target) == 1 and lifted.value in lists

    def _loop(self, loop: ir.For) -> ir.For:
        """A public loop: its totals become a list that is walked beside what it walks over, or read by its counter."""
        source = walk.with_walked(loop.source, lambda each: self.expression(each, None))
        usable = set(source.targets).isdisjoint(walk.assigned(loop.body)) and self._is_public(walk.names(source))
        if isinstance(source, ir.Range):
            usable = usable and source.start == ZERO  # so that the counter is a place in the list
        here = Round(source, self.extraction.symbols.round()) if usable else None
        lifted = self.block(loop.body, here)
        if here is not None and isinstance(source, ir.Over):
            self.types |= {each.here: each.kind for each in here.beside}
            source = replace(source, items=(*source.items, *((each.here, ir.Name(each.name)) for each in here.beside)))
        return replace(loop, source=source, body=lifted)

    def _added_up(self, loop: ir.For, here: Round | None, constants: Mapping[str, Value]) -> list[ir.Assign]:
        """A loop over the records: each variable that it adds to, from a number as written, is a total."""
        changed = set(walk.assigned((loop,)))
        read = {name for each in walk.nodes(loop) if isinstance(each, ir.Name) for name in (each.name,)}
        values, here = self._values(here, read)
        look = self.parameters.binding({**values, **constants})
        after = over_records(self.extraction, loop, Lists(look).walked(loop.source), look.values)
        self.left |= changed - set(constants)
        totals = sorted(changed & set(constants))
        return [ir.Assign(name, self._all_named(after[name], here), span=loop.span) for name in totals]

    def _all_named(self, value: Value, here: Round | None) -> ir.Expression:
        """A new parameter for a total, or for a list of them."""
        if not isinstance(value, Items):
            return self._named(value, here)
        if here is not None:
            raise Unproved("each round of a loop makes a list of totals")
        place = self.extraction.symbols.round()
        return self._named(value.at(ir.Name(place)), None, value.length, place)

    # --- expressions ----------------------------------------------------------------------------------------

    def expression(self, node: ir.Expression, here: Round | None) -> ir.Expression:
        """The expression with every total in it replaced by the parameter that stands for it."""
        node = replaced(node, self.names) if self.names else node
        if not mentions(node, self.records):
            return node
        found = self._total(node, here)
        if found is not None or isinstance(node, ir.Comprehension):
            return node if found is None else found
        return walk.with_parts(node, lambda child: self.expression(child, here))

    def _total(self, node: ir.Expression, here: Round | None) -> ir.Expression | None:
        names, place = walk.names(node), self.extraction.symbols.round()
        values, here = self._values(here, names)
        if not self._is_public(names - set(values)):
            return None
        try:
            value = self.parameters.binding(values).value(node)
            if isinstance(value, Items) and here is None:
                return self._named(value.at(ir.Name(place)), None, value.length, place)
            return self._named(value, here)
        except Unproved:
            return None

    def _values(self, here: Round | None, read: set[str] | frozenset[str]) -> tuple[Mapping[str, Value], Round | None]:
        """What the loop sets in some round, where it is read, and then the round."""
        if here is None or not here.targets & read:
            return {}, None
        return Lists(self.parameters).walked(here.source).at(ir.Name(here.number)), here

    def _named(self, value: Value, here: Round | None, length: Term | None = None, place: str = "") -> ir.Expression:
        """A new parameter for a total (of each round, if it is about one), as it is read here."""
        if not isinstance(value, Number) or not value.is_total:
            raise Unproved("this is not a total of the records")
        if here is not None:
            length, place = Lists(self.parameters).walked(here.source).count, here.number
        total = Total(f"total_{len(self.found) + 1}", value, length, place)
        self.found.append(total)
        return ir.Name(total.name) if here is None else here.read(total)

    def _is_public(self, names: frozenset[str]) -> bool:
        return all(name in self.parameters.values for name in names)


def mentions(node: ir.Node, name: str) -> bool:
    """Whether a name stands anywhere in a node."""
    return any(isinstance(part, ir.Name) and part.name == name for part in walk.nodes(node))
