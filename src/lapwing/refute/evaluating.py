"""Expressions evaluated in batches: what interrupts an evaluation is settled here, and the evaluation goes on.

The one idea: fresh noise stays fresh as long as nobody can tell. Read for the last time it moves into the value;
compared for the last time it becomes a probability; compared and used again it is bounded; anything else, and it is
enumerated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from lapwing.program import ir
from lapwing.program.spans import Span
from lapwing.refute import values
from lapwing.refute.answers import fresh, settled
from lapwing.refute.batches import Batch
from lapwing.refute.draws import Draws, constraints, decisions, paid
from lapwing.refute.expressions import Decide, Evaluation
from lapwing.refute.limits import TooFar
from lapwing.refute.values import Pending, Split, Touched, Value


class Evaluator:
    """Evaluates the expressions of one mechanism's statements. ``reads`` counts what each statement reads.

    ``matching``: some answer is wanted, so a draw that is released may stay fresh until it is matched.
    """

    def __init__(self, draws: Draws, reads: Mapping[int, Counter[str]], *, matching: bool) -> None:
        self._draws = draws
        self._reads = reads
        self._matching = matching

    def values_in(
        self, batches: list[Batch], statement: ir.Statement, node: ir.Expression, live: frozenset[str]
    ) -> list[tuple[Batch, Value]]:
        """The value of one expression of a statement, in every batch; ``live`` are the variables read later."""
        return self.evaluated(batches, statement, live, lambda evaluation: evaluation(node))

    def tuples_in(
        self, batches: list[Batch], statement: ir.Statement, nodes: tuple[ir.Expression, ...], live: frozenset[str]
    ) -> list[tuple[Batch, tuple[Value, ...]]]:
        """The values of several expressions of a statement."""
        found = self.evaluated(batches, statement, live, lambda ev: tuple(ev(node) for node in nodes))
        return [(batch, values.sequence(value)) for batch, value in found]

    def evaluated(
        self,
        batches: list[Batch],
        statement: ir.Statement,
        live: frozenset[str],
        evaluate: Callable[[Evaluation], Value],
    ) -> list[tuple[Batch, Value]]:
        """Evaluate in every batch, splitting and enumerating as the evaluation asks.

        Fresh noise may move into the value only if this is its last use, and it is read once here. A comparison of
        noise that is used again bounds the draw (once; the second comparison enumerates it).
        """
        used = self._reads[id(statement)]
        # an answer that is matched against the wanted one settles the draw in it; any other copy of it must be plain
        matched = isinstance(statement, ir.Return | ir.Append) and self._matching
        done: list[tuple[Batch, Value]] = []
        todo: list[tuple[Batch, dict[int, bool]]] = [(batch, {}) for batch in reversed(batches)]
        while todo:
            batch, decided = todo.pop()
            if not len(batch):
                continue
            # oldest first: a threshold is enumerated before the answers that are compared with it
            pending = [name for name, value in batch.variables.items() if name in used and isinstance(value, Pending)]
            several = len(pending) > 1 and any(name in live for name in pending)
            again = next((name for name in pending if used[name] > 1 or several), None)
            try:
                if again is not None:
                    raise Touched
                value = evaluate(Evaluation(batch.variables, len(batch), decided, self._draws.rounds))
                if fresh(value) is not None:  # the draw moves from its variable into the value
                    bounded = any(is_bounded(batch.variables[name]) for name in pending)
                    if any(name in live for name in pending) or (bounded and (len(pending) > 1 or not matched)):
                        raise Touched
                    batch = Batch({k: v for k, v in batch.variables.items() if k not in pending}, batch.weights)
                done.append(self._settled(batch, value, [name for name in used if name not in live]))
            except TooFar:
                raise TooFar(statement.span) from None
            except Touched:
                todo.append((self._draws.enumerated(batch, again or pending[0], statement.span), decided))
            except Split as split:
                todo.extend((part, decided) for part in batch.split(split.labels))
            except Decide as decide:
                if decide.noise.is_bounded or (pending[0] in live and decide.operator in ("==", "!=")):
                    todo.append((self._draws.enumerated(batch, pending[0], statement.span), decided))
                    continue
                # a live draw is the only one read here, so it is the one compared: `again` saw to that
                parts = constraints(batch, pending[0], decide) if pending[0] in live else decisions(batch, decide)
                todo.extend((part, {**decided, id(decide.node): truth}) for part, truth in parts)
        return done

    def _settled(self, batch: Batch, value: Value, last_read: list[str]) -> tuple[Batch, Value]:
        """Pay for draws of which something is known and which this evaluation, their last reader, did not look at."""
        if not any(is_bounded(batch.variables.get(name)) for name in last_read):
            return batch, value
        held = batch.with_variable("#value", value)
        for name in last_read:
            if is_bounded(held.variables.get(name)):
                held = paid(held, name)
        return held.without("#value"), held.variables["#value"]

    def acted(
        self, found: list[tuple[Batch, tuple[Value, ...]]], act: Callable[[Batch, tuple[Value, ...]], list[Batch]]
    ) -> list[Batch]:
        """Apply ``act`` to batches and values computed for them, splitting both where it asks."""
        done: list[Batch] = []
        todo = list(reversed(found))
        while todo:
            batch, given = todo.pop()
            try:
                done += act(batch, given)
            except Split as split:
                held = batch.with_variable("#given", given)
                todo += [
                    (p.without("#given"), values.sequence(p.variables["#given"])) for p in held.split(split.labels)
                ]
        return done

    def enumerated(self, found: list[tuple[Batch, Value]], span: Span) -> list[tuple[Batch, Value]]:
        """The same values with no fresh noise in them: a list, once stored, may be read many times."""
        done = []
        for batch, value in found:
            held = batch.with_variable("#value", value)
            while (noise := fresh(held.variables["#value"])) is not None:
                wide = self._draws.enumerated(held.with_variable("#fresh", noise), "#fresh", span)
                plain = settled(wide.variables["#value"], wide.variables["#fresh"])
                held = wide.without("#fresh").with_variable("#value", plain)
            done.append((held.without("#value"), held.variables["#value"]))
        return done


def is_bounded(value: Value | None) -> bool:
    """Whether a value is a draw of which something is known."""
    return isinstance(value, Pending) and value.is_bounded
