"""The runs of a mechanism with a private number and draws from finite sets, as formulas: the answers, and when.

The one idea: a run is a path through the program. Its coins have probabilities that are formulas in the public
parameters, its tests compare the secret, the position of a loop and uniform draws. A whole-number answer o = u + r
settles its draw, u = o - r, so the probability of o is a sum, over the paths, of a weight where a condition on o and
the secret holds, and 0 where it does not. Nothing is counted: a draw that a test mentions and no answer settles is
refused. What is not followed of the secret (an element of a public table, a rest) is an unknown of its own, free to be
anything within its bounds: that can only add cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir
from lapwing.kernel.relational.branching import ONE, Branching, Drawn, Later, Path, Whole
from lapwing.kernel.solver import Term

#: More paths than any randomized response has.
MAX_PATHS = 64


@dataclass(frozen=True, slots=True)
class Way:
    """A path with its answer: ``weight`` is its probability where ``condition`` holds, else it is not taken."""

    weight: Quotient
    condition: Term
    natural: tuple[Quotient, ...]


#: What an answer looks like (truth values and literal numbers, None for a number), and the ways to it.
Ways = Mapping[tuple[object, ...], list[Way]]


@dataclass(slots=True)
class Finite(Branching):
    """Walks a program."""

    outputs: dict[int, Term] = field(default_factory=dict)
    _paths: int = 0

    # --- statements -----------------------------------------------------------------------------------------

    def run(self, todo: tuple[ir.Statement, ...], path: Path, target: str | None) -> Iterator[Path]:
        """Every path to an answer; ``target`` is the list that takes it, or ``None`` for what is returned."""
        self._paths += 1
        if self._paths > MAX_PATHS * 20:
            raise Unproved("there are too many runs to list")
        if not todo:
            if target is None:
                raise Unproved("a run ends without an answer")
            yield replace(path, answer=path.given)
            return
        statement, rest = todo[0], todo[1:]
        match statement:
            case ir.Assign(name, value) if name != target:
                yield from self.run(rest, self._after(path, (), {name: Later(value, path.state)}), target)
            case ir.If(condition, then, otherwise):
                for facts, truth in self.values(condition, path):
                    side = then if self._truth(truth, condition) else otherwise
                    yield from self.run((*side, *rest), self._after(path, facts, {}), target)
            case ir.Sample(name, "flip", (probability,)) if name != target:
                share = self.parameters.of(probability)
                natural = (*path.natural, share, ONE - share)
                for outcome, chance in ((True, share), (False, ONE - share)):
                    after = self._after(path, (), {name: outcome})
                    yield from self.run(rest, replace(after, chance=path.chance * chance, natural=natural), target)
            case ir.Sample(name, "uniform", (count,)) if name != target:
                outcomes = self.parameters.of(count)
                key = f"{name}#{len(path.draws)}"
                drawn = Drawn(self.terms.fresh(ir.Integer(), key), self._only(count, path), outcomes)
                whole = Whole(self.terms.number(0), ((key, 1),))
                after = self._after(path, self._within(drawn.unknown, drawn.count), {name: whole})
                natural = (*path.natural, outcomes - ONE)
                yield from self.run(rest, replace(after, draws={**path.draws, key: drawn}, natural=natural), target)
            case ir.Append(name, value) if name == target:
                for facts, found in self.values(value, path):
                    after = self._after(path, facts, {})
                    yield from self.run(rest, replace(after, given=(*path.given, found)), target)
            case ir.Return(value) if target is None:
                parts = value.elements if isinstance(value, ir.TupleOf) else (value,)
                for facts, answer in self._each(parts, path):
                    yield replace(self._after(path, facts, {}), answer=answer)
            case _:
                raise at(statement, "this statement is outside what proofs by enumeration cover")

    # --- answers --------------------------------------------------------------------------------------------

    def ways(self, paths: Iterator[Path], *, literal: bool = False) -> Ways:
        """The ways to every answer. What the answer does not settle of the draws must be in no test.

        With ``literal`` every number of an answer stands in the source, and is a part of its shape.
        """
        found: dict[tuple[object, ...], list[Way]] = {}
        for count, path in enumerate(paths):
            if count > MAX_PATHS:
                raise Unproved("there are too many runs to list")
            shape, way = self._way(path, literal=literal)
            found.setdefault(shape, []).append(way)
        return found

    def _way(self, path: Path, *, literal: bool) -> tuple[tuple[object, ...], Way]:
        terms = self.terms
        shape: list[object] = []
        conditions: list[Term] = []
        settled: dict[str, Term] = {}
        weight = path.chance
        for position, value in enumerate(path.answer or ()):
            if isinstance(value, bool):
                shape.append(value)
                continue
            if literal:
                if value.draws or not value.rest.isIntegerValue():
                    raise Unproved("a round answers with a number that does not stand in the source")
                shape.append(value.rest.getIntegerValue())
                continue
            shape.append(None)
            output = self.outputs.setdefault(position, terms.fresh(ir.Integer(), "output"))
            if not terms.is_whole(value.rest):
                raise Unproved("an answer is not a whole number")
            left = terms.arithmetic("-", output, value.rest)
            open_draws = []
            for key, factor in value.draws:
                if key in settled:
                    left = terms.arithmetic("-", left, terms.arithmetic("*", terms.number(factor), settled[key]))
                else:
                    open_draws.append((key, factor))
            match open_draws:
                case []:
                    conditions.append(terms.compare("==", left, terms.number(0)))
                case [(key, (1 | -1) as factor)]:
                    settled[key] = left if factor == 1 else terms.minus(left)
                    weight = weight / path.draws[key].outcomes
                case _:
                    raise Unproved("an answer mixes draws in a way that is not followed")
        unknowns = [path.draws[key].unknown for key in settled]
        values = list(settled.values())
        conditions += [fact.substitute(unknowns, values) if unknowns else fact for fact in path.facts]
        free = {path.draws[key].unknown for key in path.draws if key not in settled}
        own = {fact for key in path.draws for fact in self._within(path.draws[key].unknown, path.draws[key].count)}
        kept = [fact for fact in conditions if fact not in own or not free & set(_symbols(fact))]
        if any(free & set(_symbols(fact)) for fact in kept):
            raise Unproved("a test is about a draw that the answer does not tell")
        return tuple(shape), Way(weight, terms.both(kept), path.natural)


def _symbols(term: Term) -> Iterator[Term]:
    """The parts of a term."""
    pending = [term]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(part[index] for index in range(part.getNumChildren()))
