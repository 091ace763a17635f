"""Is a sensitivity proof right? Distances are derived again from the source, and prices from the distances.

The one idea: a body of plain assignments, draws and calls. Each value is released (equal in both runs once everything
released before is), private with a known distance, or noise that is waiting to be added to exactly one value. Noise
of scale b on a value with distance Δ costs Δ/b, [DR14] Thm 3.6; Gaussian noise costs Δ²/(2σ²) in ρ, on the lattice
too, [CKS20]; prices add up however later steps depend on earlier answers, [DR14] Thm 3.14 and [BS16].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.check.calls import price_of
from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.lattice import Lattice
from lapwing.check.couplings.terms import Terms
from lapwing.check.distances import ZERO, Distance, Distances
from lapwing.check.polynomials import Quotient
from lapwing.check.prices import Parameters, Price, claimed
from lapwing.evidence.certificate import Certificate, Sensitivity
from lapwing.program import ir, walk


@dataclass(slots=True)
class Derivation:
    """One walk over one mechanism: what is known of each variable, and the price of each site."""

    terms: Terms
    module: ir.Module
    mechanism: ir.Mechanism
    certificate: Certificate
    proof: Sensitivity
    check: Callable[[Certificate, ir.Module, Terms], object]
    parameters: Parameters = field(init=False)
    lattice: Lattice = field(init=False)
    distances: Distances = field(init=False)
    #: by site: the distance it protects, and what it costs
    priced: dict[int, tuple[Quotient, Price]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parameters = Parameters(self.terms, self.mechanism)
        self.lattice = Lattice(self.mechanism)
        self.distances = Distances(self.mechanism, self.parameters, self._protected)

    def confirm(self) -> None:
        """Refuse unless every distance, every price and the bound are as the certificate says."""
        body = self.mechanism.body
        for statement in body:
            self._statement(statement)
        stated = {cost.site: cost for cost in self.proof.costs}
        sites = [each.site for each in body if isinstance(each, ir.Sample | ir.Call)]
        if len(stated) != len(self.proof.costs) or sorted(stated) != sorted(sites):
            raise Unproved("the costs of the certificate are not for the mechanism's draws and calls")
        for site, cost in stated.items():
            if site not in self.priced:
                raise Unproved(f"the noise of site {site} protects nothing")
            distance, price = self.priced[site]
            if not self.parameters.read(cost.distance).agrees(distance):
                raise Unproved(f"site {site} does not protect a distance of {cost.distance[:60]}")
            if not self.parameters.read(cost.price).agrees(price.cost):
                raise Unproved(f"site {site} does not cost {cost.price[:60]}")
        called = {each.mechanism for each in body if isinstance(each, ir.Call)}
        if sorted(each.function for each in self.proof.callees) != sorted(called):
            raise Unproved("the certificates of callees are not those of the mechanisms called")
        prices = [(price,) for _, price in self.priced.values()]
        self.parameters.check_sum(prices, self.certificate.bound, claimed(self.mechanism))

    def _statement(self, statement: ir.Statement) -> None:
        known = self.distances.known
        for name in walk.targets(statement):
            if name in known or name in self.distances.waiting or self.mechanism.parameter(name) is not None:
                raise at(statement, f"'{name}' is set twice, which sensitivity proofs do not cover")
        match statement:
            case ir.Assign(target, value):
                known[target] = self.distances.of(value)
            case ir.Sample(target, "laplace" | "gaussian"):
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
            case ir.Call(target):
                known[target] = ZERO
                self._call(statement)
            case ir.Return(value) if statement is self.mechanism.body[-1]:
                self._released(value)
            case _:
                raise at(statement, "this statement is outside what sensitivity proofs cover")

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
        if not self.lattice.moves_on(value):
            raise at(value, "this may move by an amount that is not a lattice value")
        self._price(draw, distance)

    def _price(self, draw: ir.Sample, distance: Quotient) -> None:
        scale = self.parameters.of(draw.arguments[-1])
        steps = distance / scale
        if self.certificate.measure == "rho":  # also for pure noise: ε-DP is ε²/2-zCDP, [BS16] Prop. 1.4
            cost = steps * steps * Quotient.of(Fraction(1, 2))
        elif draw.kind == "gaussian":
            raise at(draw, "Gaussian noise has no bound on ε alone")
        else:
            cost = steps
        self.priced[draw.site] = distance, Price(cost, (scale,))

    def _choose(self, draw: ir.Sample) -> None:
        """The scores of a private list: each moves by d, so their differences by 2d, [MT07] Thm 6.

        When all move one way, or only one moves, numerator and normaliser move together and d is enough.
        """
        scores = draw.arguments[0]
        parameter = self.mechanism.parameter(scores.name) if isinstance(scores, ir.Name) else None
        if parameter is None or parameter.relation is None or parameter.distance is None:
            raise at(draw, "the scores are not a private list with a declared distance")
        factor = {"each": 2, "one": 1, "rises": 1, "falls": 1, "monotone": 1}[parameter.relation.kind]
        self._price(draw, self.parameters.of(parameter.distance) * Quotient.of(factor))

    def _call(self, call: ir.Call) -> None:
        callee = self.module[call.mechanism]
        proof = next((each for each in self.proof.callees if each.function == callee.name), None)
        if proof is None or proof.measure != self.certificate.measure:
            raise at(call, f"there is no certificate of {callee.name} in the same measure")
        self.check(proof, self.module, self.terms)
        self.priced[call.site] = Quotient.of(1), price_of(call, callee, proof.bound, self.parameters)
