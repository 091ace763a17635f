"""A proof that was found, written as certificates: with each way to share β out that may fit the claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lapwing.errors import LapwingError
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, Bound, Site
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.kernel.symbolic.terms import ONE, arithmetic, minus, number, times
from lapwing.search.accuracy.invariants import Invariants
from lapwing.search.accuracy.likely_facts import Need, needed_margin
from lapwing.search.accuracy.shares import Priced, Share, chance_within, claimed_failures, shares
from lapwing.search.allowances import margins_in

_GAMMA, _BETA = ir.Name("gamma"), ir.Name("beta")


@dataclass(frozen=True, slots=True)
class Found:
    """A proof but for the shares of β."""

    assumed: Mapping[int, str]
    counts: Mapping[int, ir.Expression]
    need: Need
    invariants: Invariants


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the certificates of one proof."""

    mechanism: ir.Mechanism
    claim: ir.Accuracy
    gamma: ir.Expression | None
    found: Found
    file: str
    source: str

    @property
    def samples(self) -> dict[int, ir.Sample]:
        """The draws by site."""
        return {each.site: each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.Sample)}

    def certificates(self) -> Iterator[AccuracyCertificate]:
        """The proof with each way to share β out that may fit the claim."""
        priced = [self._priced(site, count) for site, count in self.found.need.items()]
        parts = margins_in(self.mechanism, self.claim.condition)
        is_open = self.claim.beta == _BETA and self.mechanism.parameter("beta") is None
        coins = self._coins()
        if priced and self.gamma is not None:
            yield from self._solved(priced, self.gamma)
            return
        if not priced:
            total = _short(" + ".join(coins.values()) or "0")
            yield self._certificate({}, coins, (), total if is_open else show(self.claim.beta))
            return
        left = self.claim.beta
        for text in coins.values():
            left = ir.Arithmetic("-", left, formula(text))
        need = show(needed_margin(self.found.need))
        for failures, value in self._shared(priced, left, parts):
            bounds = tuple(Bound(show(part), value or show(part), need) for part in parts)
            yield self._certificate(failures, coins, bounds, show(self.claim.beta))

    def _solved(self, priced: list[Priced], gamma: ir.Expression) -> Iterator[AccuracyCertificate]:
        """The proof with the β that goes with a given margin."""
        chance = chance_within(priced, gamma)
        if chance is None:
            return
        text = show(gamma)
        condition = replaced(self.claim.condition, {_GAMMA: gamma})
        bounds = (Bound(text, text, show(needed_margin(self.found.need))),)
        for share in shares(priced, chance):
            certificate = self._certificate(share.failures, {}, bounds, show(chance))
            yield replace(certificate, condition=show(condition))

    def _shared(
        self, priced: list[Priced], left: ir.Expression, parts: list[ir.Expression]
    ) -> Iterator[tuple[Mapping[int, str], str | None]]:
        ways: list[Share] = list(shares(priced, left))
        if parts == [_GAMMA]:
            yield from ((each.failures, each.value) for each in ways)
            return
        yield from ((each.failures, None) for each in ways)
        yield from ((each, None) for each in claimed_failures(priced, parts))

    def _priced(self, site: int, weight: ir.Expression) -> Priced:
        sample = self.samples[site]
        scale = over_parameters(self.mechanism, sample.arguments[-1])
        choices: ir.Expression = ONE
        if sample.kind == "choose":
            match over_parameters(self.mechanism, sample.arguments[0]):
                case ir.ListOf(elements):
                    choices = number(len(elements))
                case ir.Name(name) | ir.Comprehension(source=ir.Over(items=((_, ir.Name(name)),))):
                    choices = ir.Builtin("len", (ir.Name(name),))
        return Priced(site, sample.kind, scale, self.found.counts[site], weight, choices)

    def _coins(self) -> dict[int, str]:
        """What the coins of which a side is assumed fail with, all draws together."""
        texts = {}
        for site, side in self.found.assumed.items():
            if side in ("true", "false"):
                chance = over_parameters(self.mechanism, self.samples[site].arguments[0])
                failure = minus(ONE, _folded(chance)) if side == "true" else chance
                texts[site] = show(times(self.found.counts[site], failure))
        return texts

    def _certificate(
        self,
        failures: Mapping[int, str],
        coins: Mapping[int, str],
        bounds: tuple[Bound, ...],
        total: str,
    ) -> AccuracyCertificate:
        sites = []
        for site, assumed in sorted(self.found.assumed.items()):
            failure = failures.get(site, "0")
            if site in coins:
                chance = over_parameters(self.mechanism, self.samples[site].arguments[0])
                failure = show(minus(ONE, _folded(chance)) if assumed == "true" else chance)
            sites.append(Site(site, assumed, show(self.found.counts[site]), failure))
        invariants = tuple(
            Invariant(loop, " and ".join(f"({show(each)})" for each in kept) or "True")
            for loop, kept in sorted(self.found.invariants.items())
        )
        return AccuracyCertificate(
            self.file, self.mechanism.name, self.source, show(self.claim.condition), show(self.claim.beta), total,
            tuple(sites), bounds, invariants,
        )  # fmt: skip


def _short(text: str) -> str:
    """A number written out, where the text is one."""
    try:
        value = evaluate(formula(text), {})
    except (LapwingError, LookupError):
        return text
    return str(value).replace("/", " / ")


def _folded(node: ir.Expression) -> ir.Expression:
    """The expression with arithmetic on numbers done."""
    if isinstance(node, ir.Arithmetic):
        return arithmetic(node.operator, _folded(node.left), _folded(node.right))
    return node
