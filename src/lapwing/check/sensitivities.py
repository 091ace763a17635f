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

from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.lattice import Lattice
from lapwing.check.couplings.terms import Terms
from lapwing.check.distances import ZERO, operands, outer, plus, range_of, smaller, substituted, times, width
from lapwing.check.polynomials import Quotient, unknown
from lapwing.check.prices import Parameters, Price, certain, claimed
from lapwing.evidence.certificate import Certificate, Sensitivity
from lapwing.program import interpret, ir, walk


@dataclass(frozen=True, slots=True)
class Waiting:
    """Noise that was drawn and not yet added to anything."""

    draw: ir.Sample


@dataclass(frozen=True, slots=True)
class Near:
    """A value whose two versions differ by at most ``distance`` (None: by anything)."""

    distance: Quotient | None


Known = Waiting | Near
RELEASED = Near(ZERO)


@dataclass(slots=True)
class Derivation:
    """One walk over one mechanism: what is known of each variable, and the price of each site."""

    terms: Terms
    module: ir.Module
    mechanism: ir.Mechanism
    certificate: Certificate
    proof: Sensitivity
    check: Callable[[Certificate, ir.Module, Terms], object]
    known: dict[str, Known] = field(default_factory=dict)
    #: by site: the distance it protects, what it costs, and what is above 0 because it was reached
    priced: dict[int, tuple[Quotient, Price]] = field(default_factory=dict)

    def confirm(self) -> None:
        """Refuse unless every distance, every price and the bound are as the certificate says."""
        for statement in self.mechanism.body:
            self._statement(statement)
        stated = {cost.site: cost for cost in self.proof.costs}
        if len(stated) != len(self.proof.costs) or sorted(stated) != sorted(self._sites()):
            raise Unproved("the costs of the certificate are not for the mechanism's draws and calls")
        for site, cost in stated.items():
            if site not in self.priced:
                raise Unproved(f"the noise of site {site} protects nothing")
            distance, price = self.priced[site]
            if not self.parameters.read(cost.distance).agrees(distance):
                raise Unproved(f"site {site} does not protect a distance of {cost.distance[:60]}")
            if not self.parameters.read(cost.price).agrees(price.cost):
                raise Unproved(f"site {site} does not cost {cost.price[:60]}")
        called = {each.mechanism for each in self.mechanism.body if isinstance(each, ir.Call)}
        if sorted(each.function for each in self.proof.callees) != sorted(called):
            raise Unproved("the certificates of callees are not those of the mechanisms called")
        prices = [(price,) for _, (_, price) in sorted(self.priced.items())]
        self.parameters.check_sum(prices, self.certificate.bound, claimed(self.mechanism))

    @property
    def parameters(self) -> Parameters:
        """The public parameters."""
        return Parameters(self.terms, self.mechanism)

    @property
    def lattice(self) -> Lattice:
        """Which values are on the lattice."""
        return Lattice(self.mechanism, interpret.types_of(self.mechanism))

    def _sites(self) -> list[int]:
        return [each.site for each in self.mechanism.body if isinstance(each, ir.Sample | ir.Call)]

    # --- statements -----------------------------------------------------------------------------------------

    def _statement(self, statement: ir.Statement) -> None:
        for name in walk.targets(statement):
            if name in self.known or self.mechanism.parameter(name) is not None:
                raise at(statement, f"'{name}' is set twice, which sensitivity proofs do not cover")
        match statement:
            case ir.Assign(target, value):
                self.known[target] = self._value(value)
            case ir.Sample(target, "laplace" | "gaussian"):
                if sum(name == target for name in self._reads()) != 1:
                    raise at(statement, "this noise is not added to exactly one value")
                self.known[target] = Waiting(statement)
            case ir.Sample(target, "choose"):
                self.known[target] = RELEASED
                self._choose(statement)
            case ir.Sample(target, "flip" | "uniform"):
                self.known[target] = RELEASED
                self.priced[statement.site] = ZERO, Price(ZERO, ())
            case ir.Call(target):
                self.known[target] = RELEASED
                self._call(statement)
            case ir.Return(value) if statement == self.mechanism.body[-1]:
                self._released(value)
            case _:
                raise at(statement, "this statement is outside what sensitivity proofs cover")

    def _reads(self) -> list[str]:
        found = (part for each in self.mechanism.body for part in walk.nodes(each))
        return [part.name for part in found if isinstance(part, ir.Name)]

    def _released(self, value: ir.Expression) -> None:
        """Refuse an answer that is more than released and public values, put together."""
        if isinstance(value, ir.TupleOf | ir.ListOf):
            for element in value.elements:
                self._released(element)
        elif not self._is_released(self._value(value)):
            raise at(value, "the answer depends on a private value without noise")

    @staticmethod
    def _is_released(found: Known) -> bool:
        return isinstance(found, Near) and found.distance is not None and found.distance.above.is_zero

    # --- draws ----------------------------------------------------------------------------------------------

    def _protected(self, draw: ir.Sample, value: ir.Expression, distance: Quotient | None) -> None:
        if distance is None:
            raise at(value, "nothing bounds how far this moves between neighbours")
        if not self.lattice.moves_on(value):
            raise at(value, "this may move by an amount that is not a lattice value")
        scale = self.parameters.of(draw.arguments[0])
        self._price(draw, distance, scale)

    def _price(self, draw: ir.Sample, distance: Quotient, scale: Quotient) -> None:
        steps, half = distance / scale, Quotient.of(Fraction(1, 2))
        match draw.kind, self.certificate.measure:
            case "gaussian", "rho":
                cost = steps * steps * half
            case "gaussian", _:
                raise at(draw, "Gaussian noise has no bound on ε alone")
            case _, "rho":  # ε-DP is ε²/2-zCDP, [BS16] Prop. 1.4
                cost = steps * steps * half
            case _:
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
        factor = {"each": 2, "one": 1, "rises": 1, "falls": 1, "monotone": 1}.get(parameter.relation.kind)
        if factor is None:
            raise at(draw, "nothing bounds how far the scores move")
        distance = self.parameters.of(parameter.distance) * Quotient.of(factor)
        self._price(draw, distance, self.parameters.of(draw.arguments[1]))

    # --- calls ----------------------------------------------------------------------------------------------

    def _call(self, call: ir.Call) -> None:
        """The price is the callee's bound, by its own certificate, with arguments in place of parameters."""
        callee = self.module[call.mechanism]
        proof = next((each for each in self.proof.callees if each.function == callee.name), None)
        if proof is None or proof.measure != self.certificate.measure:
            raise at(call, f"there is no certificate of {callee.name} in the same measure")
        self.check(proof, self.module, self.terms)
        arguments: dict[str, Quotient] = {}
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            self._argument(call, parameter, argument, arguments)
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            if parameter.private and isinstance(argument, ir.Name):
                self._same_relation(call, callee, parameter, argument, arguments)
        inner = Parameters(self.terms, callee)
        cost = substituted(inner.read(proof.bound), arguments)
        reached = tuple(substituted(inner.of(each.arguments[-1]), arguments) for each in certain(callee))
        if not self.parameters.entailed(reached, [], cost):
            raise at(call, f"the bound of {callee.name} may be below 0 here")
        self.priced[call.site] = Quotient.of(1), Price(cost, reached)

    def _argument(
        self, call: ir.Call, parameter: ir.Parameter, argument: ir.Expression, arguments: dict[str, Quotient]
    ) -> None:
        own = self.mechanism.parameter(argument.name) if isinstance(argument, ir.Name) else None
        if parameter.private:
            # only private inputs as they came in: they are on the lattice, and their relation is declared
            if own is None or not own.private or own.type != parameter.type:
                raise at(call, f"'{parameter.name}' is not filled with a private parameter as it is")
            if isinstance(own.type, ir.List) and own.relation is not None and own.relation.keeps_length:
                arguments[f"len({parameter.name})"] = unknown(f"len({own.name})")
        elif isinstance(parameter.type, ir.Real | ir.Integer):
            arguments[parameter.name] = self.parameters.of(argument)
        else:
            raise at(call, f"'{parameter.name}' is of a type that sensitivity proofs do not cover in calls")

    def _same_relation(
        self,
        call: ir.Call,
        callee: ir.Mechanism,
        parameter: ir.Parameter,
        argument: ir.Name,
        by: dict[str, Quotient],
    ) -> None:
        """Refuse unless the caller's neighbours are the callee's: the same relation at the same distance."""
        own = self.mechanism.parameter(argument.name)
        if own is None or own.relation is None or parameter.relation is None:
            raise at(call, f"'{argument.name}' is not private in both mechanisms")
        forms = [(each.relation.kind, each.distance is None) for each in (own, parameter) if each.relation is not None]
        if forms[0] != forms[1]:
            raise at(call, f"neighbours in '{argument.name}' are not neighbours of {callee.name}")
        if own.distance is not None and parameter.distance is not None:
            theirs = substituted(Parameters(self.terms, callee).of(parameter.distance), by)
            if not self.parameters.of(own.distance).agrees(theirs):
                raise at(call, f"neighbours in '{argument.name}' are further apart than {callee.name} allows")

    # --- distances ------------------------------------------------------------------------------------------

    def _value(self, node: ir.Expression) -> Known:
        match node:
            case ir.Name(name) if name in self.known:
                return self.known[name]
            case ir.Arithmetic("+" | "-", left, right):
                a, b = self._value(left), self._value(right)
                match a, b:
                    case Waiting(draw), Near(distance):
                        self._protected(draw, right, distance)
                        return RELEASED
                    case Near(distance), Waiting(draw):
                        self._protected(draw, left, distance)
                        return RELEASED
        return Near(self._distance(node))

    def _near(self, node: ir.Expression) -> Quotient | None:
        found = self._value(node)
        if isinstance(found, Waiting):
            raise at(node, "this noise is not added to a value")
        return found.distance

    def _distance(self, node: ir.Expression) -> Quotient | None:
        """How far ``node`` can move between neighbours; None when nothing bounds it."""
        match node:
            case ir.Number() | ir.Truth():
                return ZERO
            case ir.Name(name):
                return self._parameter(node, name)
            case ir.Negate(operand) | ir.Builtin("abs", (operand,)):
                return self._near(operand)
            case ir.Arithmetic("+" | "-", left, right):
                return plus(self._near(left), self._near(right))
            case ir.Arithmetic("*", ir.Number(factor), other) | ir.Arithmetic("*", other, ir.Number(factor)):
                return times(self._near(other), factor)
            case ir.Arithmetic("/", other, ir.Number(factor)) if factor:
                return times(self._near(other), 1 / factor)
            case ir.Builtin("sum" | "len" as function, (items,)):
                return self._aggregate(node, function, items)
            case ir.Builtin("clip", (value, low, high)):
                return smaller(self._clipped(value, low, high), width(node))
            case ir.Index(ir.Name(name), index) if self._is_released(self._value(index)):
                return self._element(name)
            case ir.Conditional() if (found := width(node)) is not None:
                return found
        if all(self._is_released(self._value(part)) for part in operands(node)):
            return ZERO
        raise at(node, "the distance of this expression is not derived")

    def _clipped(self, value: ir.Expression, low: ir.Expression, high: ir.Expression) -> Quotient | None:
        """Clipping to the same ends in both runs brings nothing further apart."""
        if not (self._is_released(self._value(low)) and self._is_released(self._value(high))):
            raise at(value, "this is clipped to ends that may differ between neighbours")
        return self._near(value)

    def _parameter(self, node: ir.Node, name: str) -> Quotient | None:
        parameter = self.mechanism.parameter(name)
        if parameter is None:
            raise at(node, f"'{name}' is not known here")
        if parameter.relation is None:
            return ZERO
        if parameter.relation.kind == "within" and parameter.distance is not None:
            return self.parameters.of(parameter.distance)
        if isinstance(parameter.type, ir.List | ir.Tuple):
            raise at(node, f"'{name}' is used as a whole, which sensitivity proofs do not cover")
        return None

    def _element(self, name: str) -> Quotient | None:
        parameter = self.mechanism.parameter(name)
        if parameter is None:
            raise Unproved(f"'{name}' is not a parameter")
        if parameter.relation is None:
            return ZERO
        return None if parameter.distance is None else self.parameters.of(parameter.distance)

    def _aggregate(self, node: ir.Node, function: str, items: ir.Expression) -> Quotient | None:
        """``sum`` or ``len`` of a private list, or of a comprehension over one."""
        match items:
            case ir.Name(over):
                filtered, element, found = False, True, None
            case ir.Comprehension(value, ir.Over(items=((variable, ir.Name(over)),), index=None), condition):
                filtered = condition is not None
                if not all(self._is_released(self._value(each)) for each in outer(items)):
                    raise at(node, "a comprehension mixes private values")
                element, found = value == ir.Name(variable), range_of(value)
            case _:
                raise at(node, "the distance of this expression is not derived")
        parameter = self.mechanism.parameter(over)
        if parameter is None or parameter.relation is None:
            raise at(node, "this is not computed from a private list")
        kind = parameter.relation.kind
        if function == "len":
            if not filtered:
                return Quotient.of(1) if kind == "added" else ZERO
            return Quotient.of(1) if kind in ("added", "replaced", "one") else None
        if element and not filtered and parameter.distance is not None:
            each = self.parameters.of(parameter.distance)
            return each if kind == "one" else each * unknown(f"len({over})")
        if kind not in ("added", "replaced", "one") or found is None:
            return None
        low, high = (min(found[0], Fraction(0)), max(found[1], Fraction(0))) if filtered else found
        # one row more or fewer adds or takes one term; one row changed swaps one term for another
        return Quotient.of(max(abs(low), abs(high)) if kind == "added" else high - low)
