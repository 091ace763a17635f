"""Finding alignments: guess, try a few rounds, learn from the counterexample, and only then prove every size.

The one idea: the first run does not depend on the alignment. So a counterexample is a first run (inputs, noise) with
the second run's inputs, and it condemns at once every alignment that fails on it: counterexample-guided synthesis.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import Span
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.encoding import Scope
from lapwing.search.privacy.inputs import Inputs
from lapwing.search.privacy.obligations import Obligation
from lapwing.search.privacy.product import Ghost, Product
from lapwing.search.privacy.suspects import Suspect, suspect
from lapwing.search.privacy.templates import Template, templates
from lapwing.search.privacy.terms import constants, real, solver
from lapwing.search.privacy.totals import Meter, Point, forms, scales, spent

#: Rounds each loop is unrolled for the search.
ROUNDS = 3
#: The last failures, whose inputs are worth a look.
SUSPECTS = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """The alignment of one site: a leaf, or a guard with a leaf on each side."""

    guard: ir.Expression | None
    then: ir.Expression
    otherwise: ir.Expression


Choices = Mapping[int, Choice]


def shift(choice: Choice, scope: Scope) -> z3.ArithRef:
    """The shift that a choice makes in ``scope``."""
    then = real(scope.number(choice.then).value)
    if choice.guard is None:
        return then
    return z3.If(scope.truth(choice.guard).value, then, real(scope.number(choice.otherwise).value))


@dataclass(slots=True)
class Search:
    """The state of one synthesis: what is still possible, and the counterexamples that say so."""

    mechanism: ir.Mechanism
    ghost: Ghost
    meters: tuple[Meter, ...]
    deadline: float
    rounds: int = ROUNDS
    options: dict[int, Template] = field(default_factory=dict)
    selectors: dict[int, tuple[z3.ArithRef, z3.ArithRef, z3.ArithRef]] = field(default_factory=dict)
    guesser: z3.Solver = field(default_factory=solver)
    forms: dict[Meter, tuple[ir.Expression, ...]] = field(default_factory=dict)
    #: the literal that asks for a total of a meter, and the test that it is kept
    asked: dict[tuple[Meter, int], z3.BoolRef] = field(default_factory=dict)
    kept: dict[tuple[Meter, int], z3.BoolRef] = field(default_factory=dict)
    impossible: list[dict[Meter, int]] = field(default_factory=list)
    trier: z3.Solver = field(default_factory=solver)
    fine: z3.BoolRef = field(default_factory=lambda: z3.BoolVal(True))
    facts: z3.BoolRef = field(default_factory=lambda: z3.BoolVal(True))
    world: list[z3.ExprRef] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    inputs: Inputs | None = None
    #: runs on which alignments failed, in the order of the failures
    lessons: list[z3.ModelRef] = field(default_factory=list)
    #: alignments whose shifts are too many for the number that was asked for, with the meter that shows it
    waiting: list[tuple[Mapping[z3.ArithRef, z3.ExprRef], Meter]] = field(default_factory=list)
    #: the last alignment that was offered
    _offered: Mapping[z3.ArithRef, z3.ExprRef] = field(default_factory=dict)
    #: the last alignment that failed, and the run on which it did
    _failure: tuple[Mapping[z3.ArithRef, z3.ExprRef], z3.ModelRef] | None = None

    def prepare(self) -> None:
        """Unroll the two runs with the alignment left open."""
        for template in templates(self.mechanism, ghost=self.ghost == "output"):
            site = template.site
            self.options[site] = template
            guard, then, otherwise = (z3.Int(f"{part}#{site}") for part in ("guard", "then", "otherwise"))
            self.selectors[site] = (guard, then, otherwise)
            self.guesser.add(guard >= 0, guard <= len(template.guards), then >= 0, otherwise >= 0)
            self.guesser.add(then < len(template.leaves), otherwise < len(template.leaves))
            self.guesser.add(z3.Implies(guard == 0, otherwise == 0))
            self.guesser.add(z3.Implies(guard != 0, then != otherwise))
        runs = Product(self.mechanism, self.ghost, self._open, self.rounds)
        runs.run()
        self.facts = z3.And(runs.facts)
        self.obligations = runs.obligations
        self.inputs = runs.inputs
        parts = [z3.Implies(each.facts[-1], each.formula) for each in runs.obligations]
        self.fine = z3.And(parts)
        for meter in self.meters:
            self.forms[meter] = forms(self.mechanism, meter)
            for index, form in enumerate(self.forms[meter]):
                self.asked[meter, index] = z3.Bool(f"total#{meter}#{index}")
                within = ir.Compare("<=", spent(meter), form)
                held = [z3.Implies(facts[-1], scope.truth(within).value) for facts, scope, _ in runs.exits]
                self.kept[meter, index] = z3.And(held)
        selectors = {str(each) for group in self.selectors.values() for each in group}
        everything = z3.And(self.facts, self.fine, *self.kept.values())
        self.world = [each for each in constants(everything) if str(each) not in selectors]
        self.trier.add(self.facts)

    def _open(self, site: int, scope: Scope) -> z3.ArithRef:
        guard, then, otherwise = self.selectors[site]
        template = self.options[site]
        leaves = [real(scope.number(each).value) for each in template.leaves]
        tests = [self._test(guard == index, each, scope) for index, each in enumerate(template.guards, 1)]
        yes, no = _pick(then, leaves), _pick(otherwise, leaves)
        if not tests:
            return yes
        test = z3.And([z3.Implies(guard == index, each) for index, each in enumerate(tests, 1)])
        return z3.If(z3.Or(guard == 0, test), yes, no)

    def _test(self, picked: z3.BoolRef, test: ir.Expression, scope: Scope) -> z3.BoolRef:
        try:
            return scope.truth(test).value
        except Blocked:  # it speaks of something that is not there at this draw
            self.guesser.add(z3.Not(picked))
            return z3.BoolVal(True)

    def combinations(self, point: Point) -> list[dict[Meter, int]]:
        """Totals of every meter, cheapest first at ``point``."""
        scale = scales(self.mechanism)
        priced = []
        for indices in product(*(range(len(self.forms[meter])) for meter in self.meters)):
            chosen = dict(zip(self.meters, indices, strict=True))
            price = point.price({meter: self.forms[meter][index] for meter, index in chosen.items()}, scale)
            if price is not None:
                priced.append((price, indices, chosen))
        return [chosen for _, _, chosen in sorted(priced, key=lambda each: each[:2])]

    def alignments(self, chosen: Mapping[Meter, int]) -> Iterator[Choices]:
        """Alignments that keep these totals for a few rounds; each one taken is not offered again, unless it waits."""
        for picked, meter in tuple(self.waiting):
            grows = not isinstance(self.forms[meter][chosen[meter]], ir.Number)
            if grows and not self._learn(picked, chosen):
                yield {site: self._choice(site, picked) for site in self.selectors}
        asked = [self.asked[meter, index] for meter, index in chosen.items()]
        while not self._hopeless(chosen):
            self._in_time()
            answer = self.guesser.check(*asked)
            if answer == z3.unknown:
                return
            if answer == z3.unsat:
                core = {str(each) for each in self.guesser.unsat_core()}
                self.impossible.append(
                    {meter: index for meter, index in chosen.items() if str(self.asked[meter, index]) in core}
                )
                return
            model = self.guesser.model()
            picked = {
                each: model.eval(each, model_completion=True) for group in self.selectors.values() for each in group
            }
            if self._learn(picked, chosen):
                continue
            self._offered = picked
            yield {site: self._choice(site, picked) for site in self.selectors}
            self.guesser.add(z3.Not(z3.And([each == value for each, value in picked.items()])))

    def wait(self, meter: Meter) -> None:
        """Offer the last alignment again where a total of this meter is asked for that is no number.

        A few rounds may be too few to pass a number that more of them pass.
        """
        if self._offered and all(picked is not self._offered for picked, _ in self.waiting):
            self.waiting.append((self._offered, meter))

    def _hopeless(self, chosen: Mapping[Meter, int]) -> bool:
        """Whether some of these totals are known to be impossible together."""
        return any(all(chosen[meter] == index for meter, index in each.items()) for each in self.impossible)

    def _learn(self, picked: Mapping[z3.ArithRef, z3.ExprRef], chosen: Mapping[Meter, int]) -> bool:
        """Try an alignment on a few rounds; a failure becomes a lesson for all of them."""
        broken = z3.Not(z3.And(self.fine, *(self.kept[meter, index] for meter, index in chosen.items())))
        self.trier.push()
        self.trier.add(z3.substitute(broken, *picked.items()))
        answer = self.trier.check()
        model = self.trier.model() if answer == z3.sat else None
        self.trier.pop()
        if answer == z3.unknown:
            raise Blocked("the solver gave up on a few rounds")
        if model is None:
            return False
        self._failure = picked, model
        self.lessons.append(model)
        seen = [(each, model.eval(each, model_completion=True)) for each in self.world]
        self.guesser.add(z3.simplify(z3.substitute(self.fine, *seen)))
        for key, literal in self.asked.items():
            self.guesser.add(z3.Implies(literal, z3.simplify(z3.substitute(self.kept[key], *seen))))
        return True

    def suspects(self) -> tuple[Suspect, ...]:
        """The inputs of the failures, the last ones first: those broke what had survived all before."""
        if self.inputs is None:
            return ()
        found = (suspect(self.inputs, model) for model in reversed(self.lessons[-SUSPECTS:]))
        return tuple(each for each in found if each is not None)

    def obstacle(self) -> tuple[str, Span]:
        """What went wrong, and where, with the last alignment that failed."""
        if self._failure is not None:
            picked, model = self._failure
            for each in self.obligations:
                broken = z3.substitute(z3.Implies(each.facts[-1], each.formula), *picked.items())
                if z3.is_false(model.eval(broken, model_completion=True)):
                    return each.reason, each.span
        return "the shifts cost too much", self.mechanism.span

    def _choice(self, site: int, picked: Mapping[z3.ArithRef, z3.ExprRef]) -> Choice:
        guard, then, otherwise = (picked[each].as_long() for each in self.selectors[site])
        template = self.options[site]
        test = template.guards[guard - 1] if guard else None
        return Choice(test, template.leaves[then], template.leaves[otherwise])

    def _in_time(self) -> None:
        if time.process_time() > self.deadline:
            raise Blocked("the time limit passed while looking for an alignment")


def _pick(selector: z3.ArithRef, terms: list[z3.ArithRef]) -> z3.ArithRef:
    found = terms[-1]
    for index in reversed(range(len(terms) - 1)):
        found = z3.If(selector == index, terms[index], found)
    return found
