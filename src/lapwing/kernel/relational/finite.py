"""The runs of a mechanism with private numbers and draws from finite sets, as formulas: what they tell, and when.

The one idea: a run is a path through the program. Its coins have probabilities that are formulas in the public
parameters, its tests compare the secret, the position of a loop and uniform draws. A whole number o = u + r that is
told settles its draw, u = o - r, so the probability of o is a sum, over the paths, of a weight where a condition on o
and the secret holds, and 0 where it does not. Nothing is counted: a draw that a test mentions and nothing told settles
is refused, or listed where it has few outcomes. What is not followed of the secret (an element of a public table, a
rest) is an unknown of its own (:mod:`~lapwing.kernel.relational.unfollowed`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.telling import ToldPaths
from lapwing.kernel.relational.wholes import ONE, Drawn, Later, Path, Whole
from lapwing.kernel.solver import Term

#: A draw that is told at once: no variable can have this name.
DRAWN = "%drawn"
#: More paths than any randomized response has, and more outcomes of a draw than are listed.
MAX_PATHS, MAX_OUTCOMES = 128, 24
#: More values of a secret than are listed: as many tests can be looked at.
MAX_VALUES = 9


@dataclass(frozen=True, slots=True)
class Way:
    """A path with what it told: ``weight`` is its probability where ``condition`` holds, else it is not taken."""

    weight: Quotient
    condition: Term
    natural: tuple[Quotient, ...]


#: What was told looks like (truth values, literal numbers and what is done with them, None for a number), and the ways.
Ways = Mapping[tuple[object, ...], list[Way]]


@dataclass(slots=True)
class Finite(ToldPaths):
    """Walks a program. ``listing``: every outcome of a uniform draw is a path of its own."""

    listing: bool = False
    outputs: dict[int, Term] = field(default_factory=dict)
    _paths: int = 0

    # --- statements -----------------------------------------------------------------------------------------

    def run(self, todo: tuple[ir.Statement, ...], path: Path, *, rounds: bool) -> Iterator[Path]:
        """Every path to an answer, or to the end of a round."""
        self._paths += 1
        if self._paths > MAX_PATHS * 20:
            raise Unproved("there are too many runs to list")
        if not todo:
            if not rounds:
                raise Unproved("a run ends without an answer")
            yield path
            return
        statement, rest = todo[0], todo[1:]
        match statement:
            case ir.Assign(name, value) if name in self.state:
                for found in self.telling(f"{name} =", value, path):
                    yield from self.run(rest, found, rounds=rounds)
            case ir.Append(name, value) if name in self.state:
                for found in self.telling(f"{name} +=", value, path):
                    yield from self.run(rest, found, rounds=rounds)
            case ir.Assign(name, ir.Builtin() as value) if self.listing and (few := _few(value)):
                for found in self._listed(name, value, few, path):
                    yield from self.run(rest, found, rounds=rounds)
            case ir.Assign(name, value):
                yield from self.run(rest, self._after(path, (), {name: Later(value, path.state)}), rounds=rounds)
            case ir.If() if (chosen := _chosen_value(statement, path, self.state)) is not None:
                yield from self.run((chosen, *rest), path, rounds=rounds)
            case ir.If(condition, then, otherwise):
                for facts, truth in self.values(condition, path):
                    side = then if self._truth(truth, condition) else otherwise
                    yield from self.run((*side, *rest), self._after(path, facts, {}), rounds=rounds)
            case ir.Sample(name) if name in self.state:
                drawing = replace(statement, target=DRAWN)
                yield from self.run((drawing, ir.Assign(name, ir.Name(DRAWN)), *rest), path, rounds=rounds)
            case ir.Sample():
                for found in self._drawn(statement, path):
                    yield from self.run(rest, found, rounds=rounds)
            case ir.Continue() if rounds:
                yield path
            case ir.Return(value) if not rounds:
                yield from self.telling("", value, path)
            case _:
                raise at(statement, "this statement is outside what proofs by enumeration cover")

    def _listed(self, name: str, value: ir.Builtin, values: range, path: Path) -> Iterator[Path]:
        """A path for each value that a number may have: it has one of them, and no other."""
        for facts, found in self.values(value, path):
            number = self.term(self._whole(found, value), path)
            for each in values:
                here = self.terms.number(each)
                yield self._after(path, (*facts, self.terms.compare("==", number, here)), {name: Whole(here)})

    def _drawn(self, draw: ir.Sample, path: Path) -> Iterator[Path]:
        match draw.kind, draw.arguments:
            case "flip", (probability,):
                share = self.parameters.of(probability)
                if any(each.is_negative for each in (share, ONE - share)):
                    raise at(draw, "this is not a probability, so the mechanism never answers")
                facts = (share, ONE - share, *self._about_powers(probability))
                natural = (*path.natural, *self._where_taken(path, facts))
                for outcome, chance in ((True, share), (False, ONE - share)):
                    if not chance.above.is_zero:
                        after = self._after(path, (), {draw.target: outcome})
                        yield replace(after, chance=path.chance * chance, natural=natural)
            case "uniform", (ir.Number(count),) if self.listing and 1 <= count <= MAX_OUTCOMES:
                for index in range(int(count)):
                    after = self._after(path, (), {draw.target: Whole(self.terms.number(index))})
                    yield replace(after, chance=path.chance / Quotient.of(count))
            case "uniform", (count,):
                outcomes = self.parameters.of(count)
                key = f"{draw.target}#{len(path.draws)}"
                drawn = Drawn(self.terms.fresh(ir.Integer(), key), self.only(count, path), outcomes)
                whole = Whole(self.terms.number(0), ((key, 1),))
                after = self._after(path, self._within(drawn.unknown, drawn.count), {draw.target: whole})
                natural = (*path.natural, *self._where_taken(path, (outcomes - ONE,)))
                yield replace(after, draws={**path.draws, key: drawn}, natural=natural)
            case "choose", (ir.ListOf(elements), scale) if elements:
                yield from self._chosen(draw.target, elements, scale, path)
            case _:
                raise at(draw, "this draw is outside what proofs by enumeration cover")

    def _chosen(
        self, name: str, elements: tuple[ir.Expression, ...], scale: ir.Expression, path: Path
    ) -> Iterator[Path]:
        """An index by scores that are known on the path: proportional to e^(score / scale)."""
        size = self.parameters.of(scale)
        about = self.parameters.powers.facts(ONE / size)
        for facts, scores in self._each(elements, path):
            if not all(isinstance(each, Whole) and not each.draws and each.rest.isIntegerValue() for each in scores):
                raise Unproved("a score is not a number that stands in the source")
            numbers = [each.rest.getIntegerValue() for each in scores if isinstance(each, Whole)]
            weights = [self.parameters.powers.of(Quotient.of(each - min(numbers)) / size) for each in numbers]
            total = Quotient.of(0)
            for weight in weights:
                total = total + weight
            for index, weight in enumerate(weights):
                after = self._after(path, facts, {name: Whole(self.terms.number(index))})
                natural = (*path.natural, *self._where_taken(path, (size, *about)))
                yield replace(after, chance=path.chance * (weight / total), natural=natural)

    def _where_taken(self, path: Path, facts: Sequence[Quotient]) -> Iterator[Quotient]:
        """Facts of a draw as facts of all runs: where the path to it has no probability, little is known.

        A run refuses parameters that no draw may have before it chooses a path, yet exact losses need no such draw.
        """
        chance = path.chance
        if self.parameters.never_zero((), [chance.above, chance.below]):
            yield from facts
            return
        if not self.parameters.never_zero((), [each.below for each in facts]):
            raise Unproved("what a draw is given may divide by 0 where it is never drawn")
        yield from (chance * each for each in facts)

    def _about_powers(self, probability: ir.Expression) -> Iterator[Quotient]:
        """What is known of the powers of e in a probability that is used."""
        for part in walk.nodes(probability):
            if isinstance(part, ir.Builtin) and part.function == "exp":
                yield from self.parameters.powers.facts(self.parameters.of(part.arguments[0]))

    # --- ways -----------------------------------------------------------------------------------------------

    def ways(self, paths: Iterator[Path], *, literal: bool = False) -> Ways:
        """The ways to everything that may be told. What is not settled of the draws must be in no test.

        With ``literal`` every number that is told stands in the source, and is a part of the shape.
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
        for position, value in enumerate(path.told):
            if isinstance(value, bool | str):
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
        drawn = {each.unknown for each in path.draws.values()}
        free = {each.unknown for key, each in path.draws.items() if key not in settled}
        own = {
            fact
            for each in path.draws.values()
            if each.unknown in free
            for fact in self._within(each.unknown, each.count)
        }
        kept = [fact for fact in (*conditions, *path.facts) if fact not in own]
        unknowns = [path.draws[key].unknown for key in settled]
        values = list(settled.values())
        for _ in settled:  # what settles one draw may be about another
            found, meant = self.settled(unknowns, values)
            kept = [fact.substitute(found, meant) for fact in kept]
        if any(self.depends(fact, drawn) for fact in kept):
            raise Unproved("a test is about a draw that the answer does not tell")
        return tuple(shape), Way(weight, terms.both(kept), path.natural)


def _chosen_value(branch: ir.If, path: Path, told: frozenset[str]) -> ir.Assign | None:
    """A branch that sets one variable is a conditional expression: what nobody uses tests nothing."""
    sides = (branch.then, branch.otherwise)
    names = {each.target for side in sides for each in side if isinstance(each, ir.Assign)}
    plain = all(len(side) <= 1 and all(isinstance(each, ir.Assign) for each in side) for side in sides)
    if not plain or len(names) != 1 or names & told:
        return None
    (name,) = names
    if not all(sides) and name not in path.state:
        return None
    values = [side[0].value if side and isinstance(side[0], ir.Assign) else ir.Name(name) for side in sides]
    return ir.Assign(name, ir.Conditional(branch.condition, values[0], values[1]), span=branch.span)


def holds_few_values(mechanism: ir.Mechanism) -> bool:
    """Whether a variable is set to a number of which all values are listed."""
    settings = (each.value for each in walk.statements(mechanism.body) if isinstance(each, ir.Assign))
    return any(isinstance(each, ir.Builtin) and _few(each) for each in settings)


def _few(value: ir.Builtin) -> range:
    """All values of a whole number that is held between two numbers, or is a rest, where they are few."""
    match value:
        case ir.Builtin("clip", (_, ir.Number(low), ir.Number(high))):
            values = range(int(low), int(high) + 1) if low.denominator == high.denominator == 1 else range(0)
        case ir.Builtin("%", (_, ir.Number(count))) if count.denominator == 1:
            values = range(int(count))
        case _:
            values = range(0)
    return values if len(values) <= MAX_VALUES else range(0)
