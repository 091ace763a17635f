"""Scores that are weighed by an ε before a choice among them: the scale of the choice takes the weight.

The one idea: ``choose([epsilon * s / 2 for s in scores], 1)`` chooses as ``choose([s for s in scores], 2 / epsilon)``
does, wherever the weight is above 0. Nothing is changed unless that is plain: a choice without a scale runs for every
weight, and one with a scale for those alone that are above 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.counting_coins import above_zero
from lapwing.source.built_lists import ONE, ZERO, Block, with_others

#: Weights that are set to each other before they are written in parameters alone.
MAX_DEPTH = 9
#: An expression without its weights, what it is multiplied by, and what it is divided by.
Parted = tuple[ir.Expression, list[ir.Expression], list[ir.Expression]]


def weighed(mechanism: ir.Mechanism, body: Block) -> Block:
    """The body with every weight that all scores of a choice have in the scale of that choice."""
    weights = Weights.of(mechanism, body)
    for draw in [each for each in walk.statements(body) if isinstance(each, ir.Sample) and each.kind == "choose"]:
        scores, scale = draw.arguments
        made = _setting(body, scores) if isinstance(scores, ir.Name) else None
        lighter, above, below = weights.of_all(scores if made is None else made.value)
        if not above and not below:
            continue
        scale = scaled(scale, above, below)
        new: dict[int, Block] = {id(draw): (replace(draw, arguments=(lighter if made is None else scores, scale)),)}
        if made is not None:
            new[id(made)] = (replace(made, value=lighter),)
        body = with_others(body, new)
    return body


def scaled(scale: ir.Expression, above: list[ir.Expression], below: list[ir.Expression]) -> ir.Expression:
    """The scale of a choice whose scores are no longer multiplied and divided by these."""
    for each in below:
        scale = ir.Arithmetic("*", scale, each, span=scale.span)
    for each in above:
        scale = ir.Arithmetic("/", scale, each, span=scale.span)
    return scale


def _setting(body: Block, scores: ir.Name) -> ir.Assign | None:
    """Where a list is set that is read once, as the scores of a choice, and set once before."""
    settings = [each for each in walk.statements(body) if scores.name in walk.targets(each)]
    reads = sum(isinstance(part, ir.Name) and part.name == scores.name for part in walk.parts(body))
    return settings[0] if len(settings) == 1 and reads == 1 and isinstance(settings[0], ir.Assign) else None


@dataclass(frozen=True, slots=True)
class Weights:
    """What may be a weight: numbers above 0 that are the same for all scores, and never change."""

    settings: dict[str, ir.Expression]
    positive: frozenset[str]
    #: distances that neighbours are declared to have: what is divided by them runs where they are above 0 alone
    divisors: frozenset[str]

    @staticmethod
    def of(mechanism: ir.Mechanism, body: Block) -> Weights:
        """The weights that a mechanism may have."""
        set_here = walk.assigned(body)
        settings = {
            each.target: each.value for each in body if isinstance(each, ir.Assign) and set_here.count(each.target) == 1
        }
        numbers = {
            each.name
            for each in mechanism.parameters
            if not each.private and isinstance(each.type, ir.Real | ir.Integer) and each.name not in set_here
        }
        known = {name for condition in mechanism.preconditions for name in above_zero(condition)} & numbers
        far = {each.distance.name for each in mechanism.parameters if isinstance(each.distance, ir.Name)}
        return Weights(settings, frozenset(known), frozenset(known | far & numbers))

    def of_all(self, scores: ir.Expression) -> Parted:
        """Scores without what all of them are weighed by."""
        match scores:
            case ir.Comprehension(element, source, _):
                lighter, above, below = self.parted(element, frozenset(source.targets))
                return replace(scores, element=lighter), above, below
            case ir.ListOf(elements):
                lighter_ones, above, below = self._alike(elements, frozenset())
                return replace(scores, elements=lighter_ones), above, below
        return scores, [], []

    def _alike(
        self, nodes: tuple[ir.Expression, ...], own: frozenset[str]
    ) -> tuple[tuple[ir.Expression, ...], list[ir.Expression], list[ir.Expression]]:
        """Several expressions without the weights that each of them has; nothing has any weight."""
        parts = [None if each == ZERO else self.parted(each, own) for each in nodes]
        weights = [part[1:] for part in parts if part is not None]
        if not weights or any(each != weights[0] for each in weights):
            return nodes, [], []
        lighter = tuple(ZERO if part is None else part[0] for part in parts)
        return lighter, *weights[0]

    def parted(self, node: ir.Expression, own: frozenset[str]) -> Parted:
        """An expression without its weights, what it is multiplied by, and what it is divided by."""
        match node:
            case ir.Arithmetic("*", left, right):
                for weight, rest in ((left, right), (right, left)):
                    if self._is_weight(weight, self.positive - own):
                        found, above, below = self.parted(rest, own)
                        return found, [*above, weight], below
                for side, other in ((left, right), (right, left)):
                    found, above, below = self.parted(side, own)
                    if above or below:
                        product = (found, other) if side is left else (other, found)
                        return replace(node, left=product[0], right=product[1]), above, below
            case ir.Arithmetic("/", left, right) if self._is_weight(right, self.divisors - own):
                found, above, below = self.parted(left, own)
                return found, above, [*below, right]
            case ir.Conditional(_, then, otherwise):
                (then, otherwise), above, below = self._alike((then, otherwise), own)
                return replace(node, then=then, otherwise=otherwise), above, below
            case ir.Name() if self._is_weight(node, self.positive - own):
                return ONE, [node], []
            case ir.Negate(operand):
                found, above, below = self.parted(operand, own)
                return replace(node, operand=found), above, below
        return node, [], []

    def _is_weight(self, node: ir.Expression, known: frozenset[str], depth: int = 0) -> bool:
        """Whether a number is above 0, and made of parameters and of what is set once, to such a number."""
        match node:
            case ir.Number(value):
                return value > 0
            case ir.Arithmetic("+" | "*", left, right):
                return self._is_weight(left, known, depth) and self._is_weight(right, known, depth)
            case ir.Arithmetic("/", left, right):
                # what is divided by is known to be above 0 for all parameters, not only where nothing else fails
                return self._is_weight(left, known, depth) and self._is_weight(right, known & self.positive, depth)
            case ir.Name(name) if name in self.settings and depth < MAX_DEPTH:
                return self._is_weight(self.settings[name], known & self.positive, depth + 1)
            case ir.Name(name):
                return name in known
        return False
