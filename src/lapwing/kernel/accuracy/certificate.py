"""A certificate of accuracy, confirmed condition by condition; one doubt rejects it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lapwing.kernel.accuracy.logarithms import Logarithms, Sum
from lapwing.kernel.accuracy.noise_margins import failure, margin
from lapwing.kernel.accuracy.questions import Questions
from lapwing.kernel.boundary import judged
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, Bound, Site
from lapwing.kernel.program import ir, printer, walk
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.solver import MILLISECONDS, Terms
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.kernel.symbolic.meanings import Scope
from lapwing.kernel.symbolic.one_run import Walk
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.kernel.symbolic.states import ASSUMPTIONS, Draws
from lapwing.kernel.symbolic.terms import compare
from lapwing.kernel.wellformed.certain import certain

#: The name that a condition or probability leaves open, where the mechanism has no such parameter.
GAMMA, BETA = ir.Name("gamma"), ir.Name("beta")


@dataclass(frozen=True, slots=True)
class Shown:
    """The certificate holds. ``statement`` says in one sentence what it shows; ``questions`` the solver was asked.

    ``given`` is what inputs have to meet besides the preconditions, such as a list with an element.
    """

    statement: str
    questions: int
    given: tuple[str, ...]


def check_accuracy(
    certificate: AccuracyCertificate, module: ir.Module, claim: ir.Accuracy, milliseconds: int = MILLISECONDS
) -> Shown | Rejected:
    """Check ``certificate`` of ``claim`` against the program; the solver has ``milliseconds`` for each question."""

    def confirm() -> Shown:
        mechanism = module[certificate.function]
        if printer.fingerprint(module, mechanism.name) != certificate.source:
            raise Unproved(f"the source of {mechanism.name} is not the one the certificate was written for")
        return _Check(Terms(milliseconds=milliseconds), mechanism, certificate, claim).confirm()

    return judged(confirm)


@dataclass(slots=True)
class _Check:
    terms: Terms
    mechanism: ir.Mechanism
    certificate: AccuracyCertificate
    claim: ir.Accuracy
    logarithms: Logarithms = field(init=False)
    sites: dict[int, Site] = field(init=False)
    samples: dict[int, ir.Sample] = field(init=False)

    def __post_init__(self) -> None:
        certificate = self.certificate
        every = list(walk.statements(self.mechanism.body))
        self.samples = {each.site: each for each in every if isinstance(each, ir.Sample)}
        self.sites = {site.site: site for site in certificate.sites}
        if len(self.sites) != len(certificate.sites) or sorted(self.sites) != sorted(self.samples):
            raise Unproved("the sites of the certificate are not the mechanism's draws")
        if any(site.assumed not in ASSUMPTIONS for site in self.sites.values()):
            raise Unproved("the certificate assumes something unknown of a draw")
        if walk.walked(self.claim.condition).intersection((GAMMA.name, BETA.name)):
            raise Unproved("a comprehension of the condition walks with a name that the condition leaves open")
        self.logarithms = Logarithms(self.terms, self._names())

    def _names(self) -> dict[str, bool]:
        """The unknowns of public formulas, and which are whole numbers."""
        found: dict[str, bool] = {}
        for each in self.mechanism.parameters:
            if isinstance(each.type, ir.List):
                found[f"len({each.name})"] = True
            elif not each.private and isinstance(each.type, ir.Real | ir.Integer):
                found[each.name] = each.type == ir.Integer()
        if self._is_open(BETA):
            found["beta"] = False
        return found

    def _is_open(self, name: ir.Name) -> bool:
        return self.mechanism.parameter(name.name) is None

    # --- the whole ------------------------------------------------------------------------------------------

    def confirm(self) -> Shown:
        """Confirm every condition."""
        given = self._know()
        margins = self._margins()
        self._confirm_total()
        self._confirm_bounds(margins)
        self.logarithms.confirm_logarithms()
        self._confirm_walk(margins)
        return Shown(self._statement(given), self.terms.questions, tuple(given))

    def _statement(self, given: list[str]) -> str:
        """What is shown, printed from what was read."""
        certificate = self.certificate
        bounds = [(formula(each.part), formula(each.value)) for each in certificate.bounds]
        found = [f"gamma = {printer.show(value)}" for part, value in bounds if part == GAMMA]
        read_total = formula(certificate.total)
        total = self.logarithms.read(read_total).number
        where = ", where that is below 1" if certificate.total != certificate.beta and total is None else ""
        where += f", where {' and '.join(found)}" if found else ""
        cases = f" (given {', '.join(given)})" if given else ""
        shown = printer.show(self.claim.condition)
        return f"{shown} fails with probability at most {printer.show(read_total)}{where}{cases}"

    def _know(self) -> list[str]:
        """What the statement is about: scales above 0, counts of at least 1, β in (0, 1), and the preconditions.

        Confirms on the way that the total is at most the β of the claim.
        """
        know, read = self.logarithms.know, self.logarithms.read
        for condition in self.mechanism.preconditions:
            self._precondition(condition)
        given = []
        assuming = [site for site in self.sites.values() if site.assumed != "nothing"]
        samples = [self.samples[site.site] for site in assuming if self.samples[site.site].kind != "flip"]
        first = {each.site for each in certain(self.mechanism)}
        for sample in sorted(samples, key=lambda each: each.site not in first):
            scale = self._public(sample.arguments[-1])
            # a draw that is always made has a scale above 0, or there is no answer; of others the statement says so
            if sample.site not in first and not self.logarithms.holds(read(scale), above=True):
                given.append(f"{printer.show(scale)} > 0")
            know(">", read(scale))
            if sample.kind == "choose":
                given += self._at_least_one(self._length(sample), f"the scores of site {sample.site}")
        for site in assuming:
            given += self._at_least_one(read(formula(site.count)), site.count)
        beta = read(self.claim.beta)
        know(">", beta)
        know(">", Sum.of(1) - beta)
        total = read(formula(self.certificate.total))
        # before the total is known to be below 1: a claim says what β is, and a total above it may not be left out
        if not (self.claim.beta == BETA and self._is_open(BETA)) and not self.logarithms.holds(beta - total):
            raise Unproved("the total is above the β of the claim")
        if total.number is not None and total.number >= 1:
            raise Unproved("a probability of 1 or more would be no statement")
        if self.certificate.total != self.certificate.beta and total.number is None:
            know(">", Sum.of(1) - total)  # elsewhere the bound says nothing, and the statement says so
        if self.logarithms.holds(Sum.of(-1)):
            raise Unproved("no parameters meet what the certificate is about")
        return list(dict.fromkeys(given))

    def _at_least_one(self, count: Sum, text: str) -> list[str]:
        """Know that a count is at least 1; says so, where that is not known anyway."""
        if self.logarithms.holds(count - Sum.of(1)):
            return []
        self.logarithms.know(">=", count - Sum.of(1))
        return [f"{text} >= 1"]

    def _precondition(self, node: ir.Expression) -> None:
        """Know a comparison of public formulas; another form is left out, which can only lose a proof."""
        match node:
            case ir.And(operands):
                for operand in operands:
                    self._precondition(operand)
            case ir.Compare("<" | "<=" | ">" | ">=" | "==" as symbol, left, right):
                try:
                    difference = self.logarithms.read(left) - self.logarithms.read(right)
                except Unproved:
                    return
                if symbol in ("<=", "<", "=="):
                    self.logarithms.know(">" if symbol == "<" else ">=", -difference)
                if symbol in (">=", ">", "=="):
                    self.logarithms.know(">" if symbol == ">" else ">=", difference)

    def _public(self, node: ir.Expression) -> ir.Expression:
        return over_parameters(self.mechanism, node)

    # --- the price ------------------------------------------------------------------------------------------

    def _margins(self) -> dict[int, Sum]:
        """The margin of each site that has one, by the rule of its noise."""
        found = {}
        for site in self.sites.values():
            if site.assumed == "margin":
                sample = self.samples[site.site]
                chance = self.logarithms.read(formula(site.failure))
                scale = self.logarithms.read(self._public(sample.arguments[-1]))
                choices = self._length(sample) if sample.kind == "choose" else Sum.of(1)
                found[site.site] = margin(self.logarithms, sample.kind, scale, chance, choices)
                if not self.logarithms.holds(Sum.of(1) - chance):  # where it is, the margin is not below 0
                    raise Unproved(f"the failure of site {site.site} may be above 1")
        return found

    def _length(self, sample: ir.Sample) -> Sum:
        match self._public(sample.arguments[0]):
            case ir.ListOf(elements):
                return Sum.of(len(elements))
            case ir.Name(name) | ir.Comprehension(source=ir.Over(items=((_, ir.Name(name)),))):
                return self.logarithms.read(ir.Builtin("len", (ir.Name(name),)))
        raise Unproved(f"line {sample.span.line}: the number of scores is not a public formula")

    def _confirm_total(self) -> None:
        """Σ count · failure is at most the total, which :meth:`_know` has shown to be at most β."""
        read = self.logarithms.read
        spent = Sum.of(0)
        for site in self.sites.values():
            if site.assumed == "nothing":
                continue
            sample = self.samples[site.site]
            chance = read(formula(site.failure))
            if sample.kind == "flip":
                chance = failure(site.assumed, read(self._public(sample.arguments[0])))
            if not self.logarithms.holds(chance):
                raise Unproved(f"the failure of site {site.site} may be below 0")
            spent = spent + read(formula(site.count)) * chance
        total = read(formula(self.certificate.total))
        if not self.logarithms.holds(total - spent):
            raise Unproved(f"the draws may fail with a probability above {self.certificate.total[:80]}")

    def _confirm_bounds(self, margins: Mapping[int, Sum]) -> None:
        for bound in self.certificate.bounds:
            self._confirm_bound(bound, margins)

    def _confirm_bound(self, bound: Bound, margins: Mapping[int, Sum]) -> None:
        """The value is enough, and it is what the condition says."""
        read = self.logarithms.read
        part, value = formula(bound.part), read(formula(bound.value))
        if "result" in walk.names(part):
            raise Unproved("the answer is no margin")

        def known(node: ir.Expression) -> Sum | None:
            match node:
                case ir.Builtin("gamma", (ir.Number(site),)):
                    if int(site) not in margins:
                        raise Unproved(f"site {site} has no margin")
                    return margins[int(site)]
            return None

        if not self.logarithms.holds(value - read(formula(bound.need), known)):
            raise Unproved(f"{bound.value[:80]} may be less than {bound.need[:80]}")
        if part == GAMMA and self._is_open(GAMMA):
            return
        if (value - read(part)).terms:
            raise Unproved(f"{bound.value[:80]} is not what stands in the condition, {bound.part[:80]}")

    # --- the condition --------------------------------------------------------------------------------------

    def _confirm_walk(self, margins: Mapping[int, Sum]) -> None:
        """The condition holds at every return where no draw has failed."""
        draws = {number: Draws(site.assumed, formula(site.count)) for number, site in self.sites.items()}
        parts = {formula(bound.part): ir.Name(f"bound({n})") for n, bound in enumerate(self.certificate.bounds, 1)}
        if len(parts) != len(self.certificate.bounds):
            raise Unproved("a part of the condition has two values")
        invariants = {each.loop: formula(each.formula) for each in self.certificate.invariants}
        walked = Walk(self.mechanism, self.claim.condition, draws, parts)
        if sorted(invariants) != sorted(walked.loops.values()) or len(invariants) != len(self.certificate.invariants):
            raise Unproved("the invariants of the certificate are not for the mechanism's loops")
        self._confirm_divisors([*invariants.values(), *(each.count for each in draws.values())])
        walked.run()
        words = {f"gamma({site})": ir.Name(f"gamma({site})") for site in margins}
        public = [each.name for each in self.mechanism.parameters if not each.private or isinstance(each.type, ir.List)]
        scope = Scope(walked.world, {name: walked.parameters[name] for name in public}, words)
        for name, bound in zip(parts.values(), self.certificate.bounds, strict=True):
            walked.world.facts.append(compare(">=", name, scope.term(formula(bound.need))))
        questions = Questions(self.terms, walked.world, invariants)
        for goal in walked.goals:
            questions.confirm(goal)

    def _confirm_divisors(self, formulas: list[ir.Expression]) -> None:
        """Formulas of the certificate divide by public numbers above 0 only."""
        needs = [formula(bound.need) for bound in self.certificate.bounds]
        for part in (part for each in (*formulas, *needs) for part in walk.nodes(each)):
            match part:
                case ir.Arithmetic("/", _, divisor) if not self._is_positive(divisor):
                    raise Unproved(f"a formula may divide by 0: {printer.show(part)[:60]}")

    def _is_positive(self, node: ir.Expression) -> bool:
        return self.logarithms.holds(self.logarithms.read(node), above=True)
