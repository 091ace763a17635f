"""Is a sensitivity proof right? Distances are derived again from the source, and prices from the distances.

The one idea: a body of plain assignments, draws and calls. Each value is released (equal in both runs once everything
released before is), private with a known distance, or noise that is waiting to be added to exactly one value. Noise
of scale b on a value with distance Δ costs Δ/b, [DR14] Thm 3.6, and so does integer noise on a value that moves by
whole numbers: P(k) ∝ e^(-|k|/b) changes by e^(|a|/b) at most when k moves by a. Gaussian noise costs Δ²/(2σ²) in ρ,
[BS16] Prop. 1.6, discrete Gaussian noise the same where Δ is whole, [CKS20] Prop. 5 (a smaller move costs less). Prices
add up however later steps depend on earlier answers, [DR14] Thm 3.14 and [BS16].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Certificate, Measure, Sensitivity
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.prices.callee_prices import price_of
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters, Price
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.distances import ZERO, Distance, Distances
from lapwing.kernel.relational.questions import function_of
from lapwing.kernel.solver import Terms


@dataclass(slots=True)
class Derivation:
    """One walk over one mechanism: what is known of each variable, and the price of each site.

    ``callee`` gives the bound of a mechanism that is called, in the same measure, if there is one.
    """

    terms: Terms
    module: ir.Module
    mechanism: ir.Mechanism
    measure: Measure
    callee: Callable[[str], str | None]
    parameters: Parameters = field(init=False)
    distances: Distances = field(init=False)
    #: by site: the distance it protects, and what it costs
    priced: dict[int, tuple[Quotient, Price]] = field(default_factory=dict)
    #: lists of scores by the variable that holds them
    scores: dict[str, ir.Comprehension] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parameters = Parameters(self.terms, self.mechanism)
        self.distances = Distances(self.mechanism, self.parameters, self._protected)

    def statement(self, statement: ir.Statement) -> None:
        """Follow one statement: how far what it sets can move, and what it costs."""
        known = self.distances.known
        if isinstance(statement, ir.Append):
            self._appended(statement)
            return
        for name in walk.targets(statement):
            if name in known or name in self.distances.waiting or self.mechanism.parameter(name) is not None:
                raise at(statement, f"'{name}' is set twice, which sensitivity proofs do not cover")
        match statement:
            case ir.Assign(target, ir.Comprehension() as value) if self._scored(value) is not None:
                known[target] = None  # its elements are scores; as a whole it has no distance
                self.scores[target] = value
            case ir.Assign(target, value):
                known[target] = self.distances.of(value)
            case ir.Sample(target, "laplace" | "gaussian" | "discrete_laplace" | "discrete_gaussian"):
                found = (part for each in self.mechanism.body for part in walk.nodes(each))
                if sum(isinstance(part, ir.Name) and part.name == target for part in found) != 1:
                    raise at(statement, "this noise is not added to exactly one value")
                self.distances.waiting[target] = statement
            case ir.Sample(target, "choose"):
                known[target] = ZERO
                self._choose(statement)
            case ir.Sample(target, "flip" | "uniform", arguments):
                if not all(self.distances.released(each) for each in arguments):
                    raise at(statement, "the two runs may draw from different laws")
                known[target] = ZERO
                self.priced[statement.site] = ZERO, Price(ZERO, ())
            case ir.Asking(target, arguments):
                known[target] = self._asked(statement, arguments[1:])
            case ir.Call(target):
                known[target] = ZERO
                self._call(statement)
            case ir.Return(value) if statement is self.mechanism.body[-1]:
                self._released(value)
            case ir.If():
                raise at(statement, "sensitivities do not follow a branch")
            case ir.For() | ir.While():
                raise at(statement, "sensitivities do not follow a loop")
            case _:
                raise at(statement, "this statement is outside what sensitivity proofs cover")

    def _appended(self, statement: ir.Append) -> None:
        """A list of released values stays one."""
        if self.distances.known.get(statement.target) != ZERO:
            raise at(statement, f"'{statement.target}' is not a list of released values")
        self._released(statement.value)

    def _asked(self, statement: ir.Asking, told: Sequence[ir.Expression]) -> Quotient:
        """How far apart the answers to one question are, which is made of released values: see :mod:`questions`."""
        parameter = function_of(self.mechanism, statement)
        for each in told:
            if not self.distances.released(each):
                raise at(each, "what is asked may differ between the runs")
        return ZERO if parameter.distance is None else self.parameters.of(parameter.distance)

    def _released(self, value: ir.Expression) -> None:
        """Refuse an answer that is more than released and public values, put together."""
        if isinstance(value, ir.TupleOf | ir.ListOf):
            for element in value.elements:
                self._released(element)
        elif not self.distances.released(value):
            raise at(value, "the answer depends on a private value without noise")

    def _protected(self, draw: ir.Sample, value: ir.Expression, distance: Distance) -> None:
        if distance is None:
            raise at(value, "nothing bounds how far this moves between neighbours")
        if draw.kind.startswith("discrete") and not self.distances.moves_whole(value):
            raise at(value, "integer noise is added to what may move by a fraction, which would show")
        self._price(draw, distance)

    def _price(self, draw: ir.Sample, distance: Quotient) -> None:
        scale = self.parameters.of(draw.arguments[-1])
        steps = distance / scale
        if self.measure == "rho":  # also for pure noise: ε-DP is ε²/2-zCDP, [BS16] Prop. 1.4
            cost = steps * steps * Quotient.of(Fraction(1, 2))
        elif draw.kind in ("gaussian", "discrete_gaussian"):
            raise at(draw, "Gaussian noise has no bound on ε alone")
        else:
            cost = steps
        self.priced[draw.site] = distance, Price(cost, (scale,))

    def _choose(self, draw: ir.Sample) -> None:
        """The scores of a private list: each moves by d, so their differences by 2d, [MT07] Thm 6.

        When all move one way, or only one moves, numerator and normaliser move together and d is enough, in both orders
        of the neighbours: the ratio of the numerators is e^0 to e^(d/scale) one way and its inverse the other.
        """
        scores = self._scored(draw.arguments[0])
        parameter = None if scores is None else self.mechanism.parameter(scores)
        if parameter is None or parameter.relation is None or parameter.distance is None:
            raise at(draw, "the scores are not a private list with a declared distance")
        factor = {"each": 2, "one": 1, "rises": 1, "falls": 1, "monotone": 1}[parameter.relation.kind]
        self._price(draw, self.parameters.of(parameter.distance) * Quotient.of(factor))

    def _scored(self, scores: ir.Expression) -> str | None:
        """The private list that scores are made of: each follows its element, or is released; and who does which, too.

        Then every score moves by no more than its element: f(x) = x, min, max, clip and sums with released numbers have
        |f(x) - f(y)| ≤ |x - y| and rise with x; so have -f and |f| but for the direction, which only counts where all
        elements move one way.
        """
        match scores:
            case ir.Name(name) if name in self.scores:  # a name is set once, and so is whatever is read in it
                return self._scored(self.scores[name])
            case ir.Name(name):
                return name
            case ir.Comprehension(element, ir.Range(place, start, ir.Builtin("len", (ir.Name(name) as walked,))), None):
                # what stands at a place of the list is its element, where the places are those of the list
                held = f"{place} of {name}"  # no variable has this name
                here: dict[ir.Expression, ir.Expression] = {
                    each: ir.Name(held)
                    for each in walk.nodes(element)
                    if isinstance(each, ir.Index) and each.sequence == walked and each.index == ir.Name(place)
                }
                if start == ir.ZERO and self.mechanism.is_private(name) and name != place:
                    return name if self._follows(replaced(element, here), held, {place}, self._any_way(name)) else None
            case ir.Comprehension(element, ir.Over(items, index), None):
                hidden = [
                    (variable, walked.name)
                    for variable, walked in items
                    if isinstance(walked, ir.Name) and self.mechanism.is_private(walked.name)
                ]
                own = {variable for variable, _ in items} | ({index} if index is not None else set())
                others = [
                    walked for variable, walked in items if (variable, getattr(walked, "name", None)) not in hidden
                ]
                if len(hidden) == 1 and all(self._reads_released(each, set()) for each in others):
                    variable, name = hidden[0]
                    return name if self._follows(element, variable, own - {variable}, self._any_way(name)) else None
        return None

    def _any_way(self, name: str) -> bool:
        """Whether the elements of a list may move in any direction, so that scores may, too."""
        parameter = self.mechanism.parameter(name)
        return parameter is not None and parameter.relation is not None and parameter.relation.kind in ("each", "one")

    def _follows(self, node: ir.Expression, variable: str, own: set[str], any_way: bool) -> bool:
        """Whether an expression moves by no more than a variable does, and in its direction unless any will do."""

        def follows(part: ir.Expression) -> bool:
            return self._follows(part, variable, own, any_way)

        def released(part: ir.Expression) -> bool:
            return self._reads_released(part, own)

        match node:
            case ir.Name(name) if name == variable:
                return True
            case ir.Conditional(condition, then, otherwise):
                return released(condition) and follows(then) and follows(otherwise)
            case ir.Arithmetic("+", left, right):
                return (follows(left) and released(right)) or (released(left) and follows(right))
            case ir.Arithmetic("-", left, right):
                return (follows(left) and released(right)) or (any_way and released(left) and follows(right))
            case ir.Negate(operand) | ir.Builtin("abs", (operand,)) if any_way:
                return follows(operand)
            case ir.Builtin("min" | "max" | "clip", (first, *others)) if others:
                return follows(first) and all(map(follows, others))
        return released(node)

    def _reads_released(self, node: ir.Expression, own: set[str]) -> bool:
        """Whether an expression is the same in both runs; ``own`` are variables that are."""
        return all(not self.mechanism.is_private(name) and self._is_known(name) for name in walk.names(node) - own)

    def _is_known(self, name: str) -> bool:
        return self.mechanism.parameter(name) is not None or self.distances.known.get(name) == ZERO

    def _call(self, call: ir.Call) -> None:
        callee = self.module[call.mechanism]
        bound = self.callee(callee.name)
        if bound is None:
            raise at(call, f"there is no proof of {callee.name} in the same measure")
        self.priced[call.site] = Quotient.of(1), price_of(call, callee, bound, self.parameters, self.distances.released)


def confirm(
    terms: Terms,
    module: ir.Module,
    certificate: Certificate,
    proof: Sensitivity,
    check: Callable[[Certificate], object],
) -> None:
    """Refuse unless every distance, every price and the bound are as the certificate says; ``check`` is for callees."""
    mechanism = module[certificate.function]

    def callee(name: str) -> str | None:
        found = next((each for each in proof.callees if each.function == name), None)
        if found is None or found.measure != certificate.measure:
            return None
        check(found)
        return found.bound

    derivation = Derivation(terms, module, mechanism, certificate.measure, callee)
    for statement in mechanism.body:
        derivation.statement(statement)
    stated = {cost.site: cost for cost in proof.costs}
    sites = [each.site for each in mechanism.body if isinstance(each, ir.Sample | ir.Call)]
    if len(stated) != len(proof.costs) or sorted(stated) != sorted(sites):
        raise Unproved("the costs of the certificate are not for the mechanism's draws and calls")
    for site, cost in stated.items():
        if site not in derivation.priced:
            raise Unproved(f"the noise of site {site} protects nothing")
        distance, price = derivation.priced[site]
        if not derivation.parameters.read(cost.distance).agrees(distance):
            raise Unproved(f"site {site} does not protect a distance of {cost.distance[:60]}")
        if not derivation.parameters.read(cost.price).agrees(price.cost):
            raise Unproved(f"site {site} does not cost {cost.price[:60]}")
    called = {each.mechanism for each in mechanism.body if isinstance(each, ir.Call)}
    if sorted(each.function for each in proof.callees) != sorted(called):
        raise Unproved("the certificates of callees are not those of the mechanisms called")
    prices = [(price,) for _, price in derivation.priced.values()]
    derivation.parameters.check_sum(prices, certificate.bound)
