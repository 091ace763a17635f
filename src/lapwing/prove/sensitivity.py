"""Proving by sensitivity: how far each value can move between neighbours, and what noise of that distance costs.

The one idea: Fuzz's typing judgements ([RP10]) without the types. A value is known by its distance, a sum of products
of public parameters (0 once it is released); noise of scale b on a value at distance Δ costs Δ/b in ε, and (Δ/b)²/2
in ρ, for Gaussian noise ([BS16] Prop. 1.6) as for pure ε ([BS16] Prop. 1.4). Prices add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.evidence.certificate import Certificate, Cost, Measure, Sensitivity
from lapwing.program import ir, walk
from lapwing.prove.blocked import Blocked
from lapwing.prove.bounds import Sum, added, divided, formula, multiplied, products, substituted, text
from lapwing.prove.outcome import Failed, Found
from lapwing.prove.ranges import bounds_of

#: The certificate of a callee in a measure, if there is one.
Callee = Callable[[str, Measure], Certificate | None]
ONE: Sum = {(): Fraction(1)}


@dataclass(frozen=True, slots=True)
class Noise:
    """A draw that waits for the one value it is added to."""

    draw: ir.Sample


#: A distance; ``None`` when nothing bounds it.
Distance = Sum | None


def by_sensitivity(module: ir.Module, mechanism: ir.Mechanism, certificate_of: Callee) -> Found | Failed:
    """A sensitivity proof of a body of plain assignments, draws and calls."""
    match mechanism.claim:
        case ir.PureClaim():
            measure: Measure = "epsilon"
        case ir.ZcdpClaim():
            measure = "rho"
        case None:
            gaussian = any(isinstance(each, ir.Sample) and each.kind == "gaussian" for each in mechanism.body)
            measure = "rho" if gaussian else "epsilon"
        case claim:
            return Failed("sensitivities give ε and ρ, not (ε, δ)", claim.span)
    derivation = _Derivation(module, mechanism, measure, certificate_of)
    try:
        return derivation.run()
    except Blocked as blocked:
        return Failed(blocked.reason, blocked.span)


@dataclass(slots=True)
class _Derivation:
    module: ir.Module
    mechanism: ir.Mechanism
    measure: Measure
    certificate_of: Callee
    known: dict[str, Noise | Distance] = field(default_factory=dict)
    costs: dict[int, tuple[Sum, Sum]] = field(default_factory=dict)
    callees: dict[str, Certificate] = field(default_factory=dict)

    def run(self) -> Found:
        for statement in self.mechanism.body:
            self.statement(statement)
        total: Sum | None = {}
        for _, price in self.costs.values():
            total = added(total, price)
        if total is None:
            raise Blocked("the prices do not add up to a formula", self.mechanism.span)
        costs = tuple(Cost(site, text(d), text(price)) for site, (d, price) in sorted(self.costs.items()))
        return Found(self.measure, text(total), Sensitivity(costs, tuple(self.callees.values())))

    # --- statements ---------------------------------------------------------------------------------------

    def statement(self, statement: ir.Statement) -> None:
        """Follow one statement: what it sets, and what it costs."""
        match statement:
            case ir.Assign(target, value):
                self.known[target] = self._value(value)
            case ir.Sample(target, "laplace" | "gaussian"):
                self.known[target] = Noise(statement)
            case ir.Sample(target, "choose"):
                self._charge(statement, self._scores(statement), statement.arguments[1])
                self.known[target] = {}
            case ir.Sample(target, "flip" | "uniform", _, site):
                self.costs[site] = {}, {}
                self.known[target] = {}
            case ir.Call(target):
                self._call(statement)
                self.known[target] = {}
            case ir.Return(value):
                for each in value.elements if isinstance(value, ir.TupleOf | ir.ListOf) else (value,):
                    if self._distance(each) != {}:
                        raise Blocked("the answer depends on a private value without noise", each.span)
            case _:
                word = {ir.If: "a branch", ir.For: "a loop", ir.While: "a loop"}.get(type(statement), "this statement")
                raise Blocked(f"sensitivities do not follow {word}", statement.span)

    def _charge(self, draw: ir.Sample, distance: Distance, scale: ir.Expression) -> None:
        if distance is None:
            raise Blocked("nothing bounds how far this moves between neighbours", draw.span)
        steps = divided(distance, products(scale))
        if self.measure == "epsilon" and draw.kind == "gaussian":
            raise Blocked("Gaussian noise has no bound on ε alone", draw.span)
        squared = multiplied(multiplied(steps, steps), {(): Fraction(1, 2)})
        price = steps if self.measure == "epsilon" else squared
        if price is None:
            raise Blocked("the price of this noise is not a formula that is followed", draw.span)
        self.costs[draw.site] = distance, price

    def _scores(self, draw: ir.Sample) -> Distance:
        """How far scores move against each other: 2d if each may move either way ([MT07] Thm 6), d if all one way."""
        scores = draw.arguments[0]
        parameter = self.mechanism.parameter(scores.name) if isinstance(scores, ir.Name) else None
        if parameter is None or parameter.relation is None or parameter.distance is None:
            raise Blocked("the scores are not a private list with a declared distance", draw.span)
        factor = Fraction(2 if parameter.relation.kind == "each" else 1)
        return multiplied({(): factor}, products(parameter.distance))

    def _call(self, call: ir.Call) -> None:
        certificate = self.certificate_of(call.mechanism, self.measure)
        if certificate is None:
            raise Blocked(f"there is no proof of {call.mechanism}", call.span)
        self.callees[call.mechanism] = certificate
        meanings: dict[str, Sum] = {}
        for parameter, argument in zip(self.module[call.mechanism].parameters, call.arguments, strict=True):
            if parameter.private and isinstance(argument, ir.Name):
                meanings[f"len({parameter.name})"] = {((f"len({argument.name})", 1),): Fraction(1)}
            elif (meant := products(argument)) is not None:
                meanings[parameter.name] = meant
        bound = formula(certificate.bound)
        price = None if bound is None else substituted(bound, meanings)
        if price is None:
            raise Blocked(f"the bound of {call.mechanism} is not a formula that is followed", call.span)
        self.costs[call.site] = ONE, price

    # --- distances ----------------------------------------------------------------------------------------

    def _value(self, node: ir.Expression) -> Noise | Distance:
        if isinstance(node, ir.Name) and node.name in self.known:
            return self.known[node.name]
        if isinstance(node, ir.Arithmetic) and node.operator in ("+", "-"):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                waiting = self._value(side)
                if isinstance(waiting, Noise):
                    self._charge(waiting.draw, self._distance(other), waiting.draw.arguments[0])
                    return {}
        return self._plain(node)

    def _distance(self, node: ir.Expression) -> Distance:
        found = self._value(node)
        if isinstance(found, Noise):
            raise Blocked("this noise is not added to a value", node.span)
        return found

    def _plain(self, node: ir.Expression) -> Distance:
        match node:
            case ir.Number() | ir.Truth():
                return {}
            case ir.Name(name):
                return self._parameter(name, node)
            case ir.Negate(operand) | ir.Builtin("abs", (operand,)):
                return self._distance(operand)
            case ir.Arithmetic("+" | "-", left, right):
                return added(self._distance(left), self._distance(right))
            case ir.Arithmetic("*", ir.Number(factor), other) | ir.Arithmetic("*", other, ir.Number(factor)):
                return multiplied({(): factor} if factor else {}, self._distance(other))
            case ir.Arithmetic("/", other, ir.Number(factor)):
                return multiplied({(): 1 / factor}, self._distance(other))
            case ir.Builtin("sum" | "len" as function, (items,)):
                return self._aggregate(function, items, node)
            case ir.Builtin("clip", (value, _, _)):
                width = _width(bounds_of(node))
                found = self._distance(value)
                return width if found is None else found
            case ir.Index(ir.Name(name), index) if self._distance(index) == {}:
                parameter = self.mechanism.parameter(name)
                if parameter is not None and parameter.distance is not None:
                    return products(parameter.distance)
            case ir.Conditional() if (ends := bounds_of(node)) is not None:
                return _width(ends)
        parts = list(walk.children(node))
        if parts and all(self._distance(part) == {} for part in parts):  # type: ignore[arg-type]  # expressions
            return {}
        raise Blocked("the distance of this expression is not derived", node.span)

    def _parameter(self, name: str, node: ir.Expression) -> Distance:
        parameter = self.mechanism.parameter(name)
        if parameter is None or isinstance(parameter.type, ir.List | ir.Tuple):
            raise Blocked(f"'{name}' is not followed as a whole", node.span)
        if parameter.relation is None:
            return {}
        return products(parameter.distance) if parameter.distance is not None else None

    def _aggregate(self, function: str, items: ir.Expression, node: ir.Expression) -> Distance:
        """``sum`` and ``len`` of a private list, or of a comprehension over one."""
        condition: ir.Expression | None = None
        plain = True
        match items:
            case ir.Name(over):
                pass
            case ir.Comprehension(element, ir.Over(((variable, ir.Name(over)),), None), condition):
                plain = element == ir.Name(variable)
            case _:
                raise Blocked("the distance of this expression is not derived", node.span)
        parameter = self.mechanism.parameter(over)
        if parameter is None or parameter.relation is None:
            raise Blocked("the distance of this expression is not derived", node.span)
        kind = parameter.relation.kind
        if function == "len":
            if condition is None:
                return ONE if kind == "added" else {}
            return ONE if kind in ("added", "replaced", "one") else None
        if condition is None and plain and parameter.distance is not None:
            each = products(parameter.distance)
            return each if kind == "one" else multiplied(each, {((f"len({over})", 1),): Fraction(1)})
        found = bounds_of(items.element) if isinstance(items, ir.Comprehension) else None
        if found is None or kind not in ("added", "replaced", "one"):
            return None
        low, high = found
        if condition is not None:  # a row that fails it counts as 0
            low, high = min(low, Fraction(0)), max(high, Fraction(0))
        # one row more or fewer adds or takes one term; one row changed swaps one term for another
        step = max(abs(low), abs(high)) if kind == "added" else high - low
        return {(): step} if step else {}


def _width(ends: tuple[Fraction, Fraction] | None) -> Distance:
    if ends is None:
        return None
    return {(): ends[1] - ends[0]} if ends[1] > ends[0] else {}


def judgements(module: ir.Module, certificate: Certificate) -> Iterator[tuple[ir.Statement, Noise | Distance]]:
    """Every statement of a mechanism that was proved, and how far what it sets moves between neighbours."""
    proof = certificate.proof
    callees = proof.callees if isinstance(proof, Sensitivity) else ()
    mechanism = module[certificate.function]
    derivation = _Derivation(
        module,
        mechanism,
        certificate.measure,
        lambda name, _measure: next((each for each in callees if each.function == name), None),
    )
    for statement in mechanism.body:
        derivation.statement(statement)
        target = getattr(statement, "target", None)
        yield statement, derivation.known.get(target, {}) if target is not None else {}
