"""Programs on distributions of states: every statement turns batches into batches.

The one idea: a statement is executed once for all states. Conditions divide batches, joins merge them, dead
variables are forgotten (:mod:`lapwing.refute.liveness`), a comparison with fresh noise multiplies weights by a
cumulative probability, and only noise that survives its first use is enumerated over the lattice.

When one answer is asked for (``wanted``), states that cannot give it any more are dropped as soon as they show it,
and a number that is released is matched by the probability of the one draw that gives it: sparse vector then costs
the number of threshold values per query, and a released noisy value costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lapwing.errors import InvalidInput
from lapwing.program import ir
from lapwing.refute import values
from lapwing.refute.answers import growing_answers
from lapwing.refute.batches import Batch, merged
from lapwing.refute.draws import Draws, matching, paid
from lapwing.refute.evaluating import Evaluator, is_bounded
from lapwing.refute.expressions import Evaluation
from lapwing.refute.liveness import Liveness
from lapwing.refute.values import Column, Flags, Pending, Plain, Value

RESULT = "#result"


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a mechanism before it runs: computed once, used by every run."""

    mechanism: ir.Mechanism
    live: Liveness

    @classmethod
    def of(cls, mechanism: ir.Mechanism) -> Analysis:
        """Analyse a mechanism."""
        return cls(mechanism, Liveness(mechanism))


def run(
    analysed: Mapping[str, Analysis], name: str, start: Batch, draws: Draws, wanted: Plain | None = None
) -> list[Batch]:
    """The distribution of the answer (with ``wanted``, of that one alone): batches whose only variable is RESULT."""
    frame = _Frame(analysed, draws, name, wanted)
    paths = frame.block(analysed[name].mechanism.body, [start])
    return merged(paths.returned, lambda name: name == RESULT)


@dataclass(slots=True)
class _Paths:
    """Where batches are after a statement: going on, leaving the loop, at its next round, or done."""

    on: list[Batch]
    broken: list[Batch] = field(default_factory=list)
    continued: list[Batch] = field(default_factory=list)
    returned: list[Batch] = field(default_factory=list)

    def absorb(self, other: _Paths) -> None:
        """Take over the exits of a part; ``on`` is the caller's business."""
        self.broken += other.broken
        self.continued += other.continued
        self.returned += other.returned


class _Frame:
    """One mechanism being run: its live variables, and the answer that is wanted of it, if one is."""

    def __init__(
        self, analysed: Mapping[str, Analysis], draws: Draws, name: str, wanted: Plain | None, *, called: bool = False
    ) -> None:
        self._analysed = analysed
        self._draws = draws
        self._live = analysed[name].live
        self._evaluate = Evaluator(draws, self._live.reads, matching=wanted is not None)
        self._wanted = wanted
        self._called = called
        self._growing = growing_answers(analysed[name].mechanism, wanted)

    # --- blocks and joins ---

    def block(self, body: Sequence[ir.Statement], batches: list[Batch]) -> _Paths:
        """Statements one after the other."""
        paths = _Paths(batches)
        for statement in body:
            if not paths.on:
                break
            after = self._statement(statement, paths.on)
            paths.absorb(after)
            paths.on = after.on
        return paths

    def _statement(self, statement: ir.Statement, batches: list[Batch]) -> _Paths:
        live = self._live.after[id(statement)]
        match statement:
            case ir.Assign(target=target, value=value):
                found = self._evaluate.values_in(batches, statement, value, live - {target})
                kept = [pair for pair in found if isinstance(pair[1], Pending)]  # one holder, so it may stay fresh
                settled = self._evaluate.enumerated(
                    [pair for pair in found if not isinstance(pair[1], Pending)], statement.span
                )
                return _Paths(self._forget([b.with_variable(target, v) for b, v in kept + settled], live))
            case ir.Append(target=target, value=value):
                return _Paths(self._forget(self._append(statement, batches, live), live))
            case ir.Sample(target=target, arguments=arguments):
                given = self._evaluate.tuples_in(batches, statement, arguments, live)
                return _Paths(
                    self._evaluate.acted(given, lambda batch, items: [self._draws.drawn(batch, statement, items)])
                )
            case ir.Call(target=target, arguments=arguments):
                return _Paths(self._call(statement, self._evaluate.tuples_in(batches, statement, arguments, live)))
            case ir.If():
                return self._if(statement, batches, live)
            case ir.For():
                return self._for(statement, batches, live)
            case ir.While():
                return self._while(statement, batches, live)
            case ir.Break():
                return _Paths([], broken=batches)
            case ir.Continue():
                return _Paths([], continued=batches)
            case ir.Return(value=value):
                return _Paths([], returned=self._returned(statement, batches, value))

    def _forget(self, batches: list[Batch], live: frozenset[str]) -> list[Batch]:
        """Drop dead variables; merge only when that can bring states together."""
        keep = _keeper(live)
        batches = _entering(batches, live)
        if all(keep(name) for batch in batches for name in batch.variables):
            return batches
        heavy = any(
            not keep(name) and isinstance(value, Column | Flags | tuple) and len(batch) > 1
            for batch in batches
            for name, value in batch.variables.items()
        )
        if heavy:
            return merged(batches, keep)
        return [Batch({k: v for k, v in batch.variables.items() if keep(k)}, batch.weights) for batch in batches]

    # --- statements with parts ---

    def _divided(self, statement: ir.If | ir.While, batches: list[Batch]) -> tuple[list[Batch], list[Batch]]:
        """The batches in which the condition holds, and those in which it does not."""
        inside, outside = self._live.begin[id(statement)]
        live = inside | outside
        yes: list[Batch] = []
        no: list[Batch] = []
        for batch, value in self._evaluate.values_in(batches, statement, statement.condition, live):
            if isinstance(value, Flags):
                yes.append(batch.take(value.bits))
                no.append(batch.take(~value.bits))
            else:
                (yes if value else no).append(batch)
        return _entering(yes, inside), _entering(no, outside)

    def _if(self, statement: ir.If, batches: list[Batch], live: frozenset[str]) -> _Paths:
        yes, no = self._divided(statement, batches)
        then, otherwise = self.block(statement.then, yes), self.block(statement.otherwise, no)
        then.absorb(otherwise)
        then.on = merged(then.on + otherwise.on, _keeper(live))
        return then

    def _for(self, loop: ir.For, batches: list[Batch], live: frozenset[str]) -> _Paths:
        """Rounds in step: the lists still to walk are a hidden variable, so batches may have different ones."""
        hidden = f"#loop{id(loop)}"
        started = self._evaluate.evaluated(
            batches,
            loop,
            live | self._live.round_end[id(loop)],
            lambda ev: tuple(_round(loop, b) for b in ev.rounds(loop.source)),
        )
        active = [batch.with_variable(hidden, value) for batch, value in self._evaluate.enumerated(started, loop.span)]
        keep_round = _keeper(self._live.round_end[id(loop)])
        left = _Paths([])
        while active:
            inside, outside = self._live.begin[id(loop)]
            left.on += _entering([b.without(hidden) for b in active if not b.variables[hidden]], outside)
            begun = _entering([b for b in active if b.variables[hidden]], inside)
            begun = [_bound(loop, batch, hidden) for batch in begun]
            paths = self.block(loop.body, begun)
            left.on += [batch.without(hidden) for batch in paths.broken]
            left.returned += paths.returned
            active = merged(paths.on + paths.continued, keep_round)
        return _Paths(merged(left.on, _keeper(live)), returned=left.returned)

    def _while(self, loop: ir.While, batches: list[Batch], live: frozenset[str]) -> _Paths:
        keep_round = _keeper(self._live.round_end[id(loop)])
        left = _Paths([])
        active = batches
        count = 0
        while active and self._draws.round_allowed(count, active, loop):
            yes, no = self._divided(loop, active)
            left.on += no
            paths = self.block(loop.body, yes)
            left.on += paths.broken
            left.returned += paths.returned
            active = merged(paths.on + paths.continued, keep_round)
            count += 1
        return _Paths(merged(left.on, _keeper(live)), returned=left.returned)

    def _call(self, call: ir.Call, found: list[tuple[Batch, tuple[Value, ...]]]) -> list[Batch]:
        """Run the callee in a frame of its own; the caller's variables wait under hidden names."""
        callee = self._analysed[call.mechanism].mechanism
        away = f"#{call.site}{id(call)}."
        live = self._live.after[id(call)] - {call.target}
        frame = _Frame(self._analysed, self._draws, callee.name, None, called=True)
        started = []
        for batch, given in found:
            waiting = {away + k: v for k, v in batch.variables.items() if k in live or k.startswith("#")}
            arguments = {p.name: v for p, v in zip(callee.parameters, given, strict=True)}
            started.append(Batch({**waiting, **arguments}, batch.weights))
        paths = frame.block(callee.body, self._met(callee, started))
        back = []
        for batch in merged(paths.returned, lambda name: name.startswith("#")):
            variables = {k.removeprefix(away): v for k, v in batch.variables.items() if k.startswith(away)}
            back.append(Batch({**variables, call.target: batch.variables[RESULT]}, batch.weights))
        return back

    def _met(self, callee: ir.Mechanism, batches: list[Batch]) -> list[Batch]:
        for batch in batches:
            for condition in callee.preconditions:
                if not values.one_truth(Evaluation(batch.variables, len(batch), {}, self._draws.rounds)(condition)):
                    raise InvalidInput(
                        "R105",
                        f"a call breaks the precondition at {condition.span} of {callee.name}",
                        "Change the inputs",
                    )
        return batches

    # --- answers ---

    def _append(self, statement: ir.Append, batches: list[Batch], live: frozenset[str]) -> list[Batch]:
        target = statement.target
        found = self._evaluate.values_in(batches, statement, statement.value, live)
        if target not in self._growing:
            return [
                batch.with_variable(target, (*values.sequence(batch.variables[target]), value))
                for batch, value in self._evaluate.enumerated(found, statement.span)
            ]
        wanted = self._growing[target]
        done = []
        for batch, value in found:
            position = len(values.sequence(batch.variables[target]))
            if position < len(wanted):
                part = matching(batch, value, wanted[position])
                done.append(part.with_variable(target, wanted[: position + 1]))
        return [batch for batch in done if len(batch)]

    def _returned(self, statement: ir.Return, batches: list[Batch], node: ir.Expression) -> list[Batch]:
        found = self._evaluate.values_in(batches, statement, node, frozenset())
        if self._wanted is None:
            # an answer to a caller has one holder, so noise in it may stay fresh; the last answer is enumerated
            kept = [pair for pair in found if self._called and isinstance(pair[1], Pending)]
            found = [pair for pair in found if not (self._called and isinstance(pair[1], Pending))]
            found = kept + self._evaluate.enumerated(found, statement.span)
            return [Batch({**_hidden(batch), RESULT: value}, batch.weights) for batch, value in found]
        done = []
        for batch, value in found:
            part = matching(batch, value, self._wanted)
            done.append(Batch({**_hidden(part), RESULT: self._wanted}, part.weights))
        return [batch for batch in done if len(batch)]


def _entering(batches: list[Batch], live: frozenset[str]) -> list[Batch]:
    """The batches where a path begins on which some draw is not used any more: what was known of it is paid."""
    done = []
    for batch in batches:
        for name, value in list(batch.variables.items()):
            if is_bounded(value) and name not in live and not name.startswith("#"):
                batch = paid(batch, name)
        if len(batch):
            done.append(batch)
    return done


def _keeper(live: frozenset[str]) -> Callable[[str], bool]:
    return lambda name: name in live or name.startswith("#")


def _hidden(batch: Batch) -> dict[str, Value]:
    return {name: value for name, value in batch.variables.items() if name.startswith("#")}


def _round(loop: ir.For, bound: dict[str, Value]) -> Value:
    return tuple(bound[name] for name in loop.source.targets)


def _bound(loop: ir.For, batch: Batch, hidden: str) -> Batch:
    first, *rest = values.sequence(batch.variables[hidden])
    targets = dict(zip(loop.source.targets, values.sequence(first), strict=True))
    return Batch({**batch.variables, **targets, hidden: tuple(rest)}, batch.weights)
