"""A program read for its folds: what it releases on each public way through it, and what that moves with one record.

The one idea: loops over records are summed up, public branches are followed one by one, and noise that was added to a
total makes it public at a price. What is not one of these ends the reading with the place and the reason.

* Noise added to a total, and to nothing else, makes it public: from there on it is one unknown for both neighbours
  (sequential composition, [DR14] Thm 3.14: later steps may depend on it).
* A branch on what is shared is a way of its own. One that a private number decides only sets variables (:mod:`bodies`).
* An answer is what is shared; so the two neighbours give it with probabilities that differ by what was released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.folds.bodies import RecordBody
from lapwing.kernel.folds.counting_whiles import counted
from lapwing.kernel.folds.expressions import Look
from lapwing.kernel.folds.loops import as_long_as, in_rounds, over_records
from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.record_lists import Lists
from lapwing.kernel.folds.symbols import Symbols, fields
from lapwing.kernel.folds.values import (
    RECORD,
    Flag,
    Items,
    Lost,
    Noisy,
    Number,
    Parts,
    Rows,
    Truth,
    Value,
    has_type,
    moved_by,
    of_record,
    shared,
)
from lapwing.kernel.folds.ways import Reading, Released, Way
from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.terms import TRUE, ZERO, negate, times

#: More public ways through a mechanism than are followed.
MAX_WAYS = 64


@dataclass(slots=True)
class Extraction:
    """The folds of one mechanism; ``records`` is the one private parameter."""

    mechanism: ir.Mechanism
    records: ir.Parameter
    questions: Cells
    symbols: Symbols = field(default_factory=Symbols)
    ways: list[Way] = field(default_factory=list)

    @property
    def places(self) -> bool:
        """Whether record k of one neighbour is beside record k of the other."""
        return self.records.relation is not None and self.records.relation.keeps_length

    def run(self) -> list[Way]:
        """Every public way through the mechanism."""
        if self.block(self.mechanism.body, [Reading(self.parameters())]):
            raise Unproved("the mechanism can end without an answer")
        return self.ways

    def parameters(self) -> dict[str, Value]:
        """What the parameters hold: of a whole number that an assert says is the number of records, that number."""
        found = {each.name: self._parameter(each.name, each) for each in self.mechanism.parameters}
        if self.places:
            length = Number(ir.Name(f"len({self.records.name})"), whole=True)
            found |= dict.fromkeys(self._counts(), length)
        return found

    def _counts(self) -> Iterator[str]:
        """Parameters that are as large as there are records, wherever the mechanism answers at all."""
        whole = {each.name for each in self.mechanism.parameters if not each.private and each.type == ir.Integer()}
        for condition in self.mechanism.preconditions:
            for part in condition.operands if isinstance(condition, ir.And) else (condition,):
                match part:
                    case ir.Compare("==", ir.Name(name), ir.Builtin("len", (ir.Name(of),))) | ir.Compare(
                        "==", ir.Builtin("len", (ir.Name(of),)), ir.Name(name)
                    ) if name in whole and of == self.records.name:
                        yield name

    def _parameter(self, name: str, parameter: ir.Parameter) -> Value:
        kind = parameter.type
        if parameter is not self.records and isinstance(kind, ir.List):
            # outside the list such an unknown is 0
            listed, inner = ir.Name(name), kind.element
            length = ir.Name(f"len({name})")
            return Items(length, lambda at: self.symbols.placed(listed, inner, at), everywhere=True)
        if parameter is not self.records:
            return self.symbols.named(name, kind)
        if not isinstance(kind, ir.List):  # what is in a list inside a record is followed where records are walked over
            lists = any(each.endswith(".len") for each in fields(RECORD, kind))
            return Lost(f"'{name}' holds lists, which is not followed") if lists else self.symbols.named(RECORD, kind)
        one = self.symbols.named(RECORD, kind.element)
        if isinstance(one, Lost):
            return one
        return Rows(one, length=ir.Name(f"len({name})") if self.places else None)

    # --- looking --------------------------------------------------------------------------------------------

    def kind(self, name: str) -> ir.Type | None:
        """The declared type of a variable."""
        variable = self.mechanism.variable(name)
        return None if variable is None else variable.type

    def typed(self, name: str, value: Value) -> Value:
        """The value, if a variable that is said to hold whole numbers gets nothing else: loops rely on its type."""
        return value if has_type(value, self.kind(name)) else Lost(f"'{name}' may not be a whole number")

    def look(self, state: Reading) -> Look:
        """Expressions where the reading is."""
        return Look(self.symbols, dict(state.values), lambda noisy: self.release(noisy, state), self.places)

    def for_a_record(self, takes: frozenset[str] = frozenset()) -> RecordBody:
        """Statements where one record decides."""

        def refuse(noisy: Noisy) -> Number:
            raise at(noisy.draw, "noise is used for each record, which sums over records do not cover")

        def look(values: Mapping[str, Value]) -> Look:
            return Look(self.symbols, values, refuse, self.places, inside=True)

        return RecordBody(look, self.typed, self.kind, takes)

    def release(self, noisy: Noisy, state: Reading) -> Number:
        """Noise on a total, made public: from here on one unknown for both neighbours."""
        draw, whole = noisy.draw, noisy.draw.kind.startswith("discrete_")
        if draw.site in state.used:
            raise at(draw, "this noise is used more than once")
        if whole and not (noisy.plus.whole and abs(noisy.factor) == 1):
            raise at(draw, "whole-number noise is added to what may not be a whole number")
        state.used |= {draw.site}
        state.released += (Released(draw, times(ir.Number(abs(noisy.factor)), noisy.scale), moved_by(noisy.plus)),)
        return Number(self.symbols.number("released", whole=whole), whole=whole)

    # --- statements -----------------------------------------------------------------------------------------

    def block(self, block: Sequence[ir.Statement], states: list[Reading]) -> list[Reading]:
        """Where a block leads, on every public way."""
        for statement in block:
            states = [after for each in states for after in self._statement(statement, each)]
            if len(states) + len(self.ways) > MAX_WAYS:
                raise at(statement, "there are too many ways through the mechanism")
        return states

    def _statement(self, statement: ir.Statement, state: Reading) -> list[Reading]:
        match statement:
            case ir.Assign(target, value):
                found = self.look(state).value(value)
                if isinstance(found, Noisy) and not shared(found.plus):
                    found = self.release(found, state)
                state.values[target] = self.typed(target, found)
            case ir.Sample():
                state.values[statement.target] = self._drawn(statement, state)
            case ir.Append(target, value):
                given = self.look(state).plain(value)
                kind = self.kind(target)
                if not (shared(given) and shared(state.values.get(target)) and isinstance(kind, ir.List)):
                    raise at(statement, f"'{target}' takes in what is not released")
                if not has_type(given, kind.element):
                    raise at(statement, f"'{target}' may take in what is not a whole number")
                state.values[target] = self.symbols.any(target, kind)
            case ir.If(condition, then, otherwise):
                look = self.look(state)
                found = look.value(condition)
                test = found if isinstance(found, Flag) else look.as_truth(found, condition)
                if not isinstance(test, Flag) and not of_record(test):
                    sides = ((test, then), (negate(test), otherwise))
                    return [end for truth, side in sides for end in self.block(side, [state.knowing(truth)])]
                state.values = dict(self.for_a_record().parted(test, then, otherwise, state.values, TRUE))
            case ir.For():
                walked = Lists(self.look(state)).walked(statement.source)
                if walked.rows is None:
                    return [in_rounds(self, statement, walked, state)]
                try:
                    state.values = over_records(self, statement, walked, state.values)
                except Unproved:
                    ended = self._by_place(statement, state)
                    if ended is None:
                        raise
                    return [ended]
            case ir.While():
                try:
                    return self._statement(counted(statement, state.values), state)
                except Unproved:
                    return [as_long_as(self, statement, state)]
            case ir.Return(value):
                self._give(value, self.look(state).plain(value), state)
                return []
            case _:
                raise at(statement, "this statement is not followed in sums over records")
        return [state]

    def _by_place(self, loop: ir.For, state: Reading) -> Reading | None:
        """A walk over the records that does not add up, as rounds of which each looks at one place of the list."""
        try:
            walked = Lists(self.look(state)).by_place(loop.source)
            return None if walked is None else in_rounds(self, loop, walked, state)
        except Unproved:
            return None

    def _drawn(self, draw: ir.Sample, state: Reading) -> Value:
        look = self.look(state)
        whole = draw.kind.startswith("discrete_")
        if draw.kind in ("laplace", "gaussian", "discrete_laplace", "discrete_gaussian"):
            state.used -= {draw.site}  # in another round of a loop it is another draw
            return Noisy(draw, look.shared(draw.arguments[0]), Fraction(1), Number(ZERO, whole=whole))
        if draw.kind in ("flip", "uniform"):
            look.shared(draw.arguments[0])
        elif draw.kind == "choose":
            self._choose(draw, look, state)
        else:
            raise at(draw, f"{draw.kind} noise is not followed in sums over records")
        return self.symbols.any("drawn", ir.Boolean() if draw.kind == "flip" else ir.Integer())

    def _choose(self, draw: ir.Sample, look: Look, state: Reading) -> None:
        """The exponential mechanism: ln of the ratio is at most (max Δ - min Δ) / scale over the scores, [MT07]."""
        scores, scale = look.value(draw.arguments[0]), look.shared(draw.arguments[1])
        if not isinstance(scores, Items):
            raise at(draw, "these scores are not followed in sums over records")
        one, two = (look.as_number(scores.at(ir.Name(self.symbols.round())), draw) for _ in range(2))
        state.released += (Released(draw, scale, moved_by(one), moved_by(two), one.loose or two.loose),)

    def _give(self, node: ir.Node, given: Value, state: Reading) -> None:
        """Refuse an answer that is more than released and public values."""
        if not shared(given):
            private = isinstance(given, Number | Truth | Flag | Parts | Rows)
            raise at(node, "the answer depends on a private value without noise" if private else "this is not followed")
        self.ways.append(Way(state.known, state.released))
