"""The search for a proof of accuracy: what to assume of draws, invariants, counts, and how β is shared out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from lapwing.errors import LapwingError
from lapwing.kernel.evidence.accuracy import AccuracyCertificate
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.symbolic.meanings import Scope
from lapwing.kernel.symbolic.one_run import Walk
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.kernel.symbolic.states import SENSIBLE, Assumed, Draws, Goal
from lapwing.kernel.symbolic.terms import ONE, Outside, Term, both, compare
from lapwing.search.accuracy.certificates import Found, Writer
from lapwing.search.accuracy.invariants import Houdini, Key, TooLong
from lapwing.search.accuracy.likely_facts import Need, counting, needed_margin, needs, valuing
from lapwing.search.accuracy.rewriting import at_ghosts
from lapwing.search.allowances import margins_in

#: Seconds of processor time for one mechanism and condition.
LIMIT = 20.0
#: More coins than this would be too many combinations of sides.
_MANY_COINS = 3
#: Sizes and counts by which margins are compared before they are known.
_LENGTH, _COUNT = 100, 5


@dataclass(frozen=True, slots=True)
class Failed:
    """No proof was found, and why."""

    reason: str
    line: int = 0


def attempts(
    module: ir.Module,
    name: str,
    file: str,
    claim: ir.Accuracy,
    *,
    gamma: ir.Expression | None = None,
    seconds: float = LIMIT,
) -> Iterator[AccuracyCertificate | Failed]:
    """Certificates to try, the one with the smallest margin first; a reason where there is none.

    With ``gamma``, a public number that the open ``gamma`` of the claim is to be, the β that goes with it is found.
    """
    search = _Search(module[name], claim, time.process_time() + seconds)
    try:
        found = search.run()
        if isinstance(found, Failed):
            yield found
            return
        certificates = Writer(module[name], claim, gamma, found, file, fingerprint(module, name)).certificates()
        first = next(certificates, None)
    except Outside as reason:
        yield Failed(reason.reason, reason.line)
        return
    except TooLong:
        yield Failed("the time limit passed while looking for invariants")
        return
    if first is not None:
        yield first
        yield from certificates
    else:
        yield Failed("for this noise, no formula gives the probability that goes with a margin")


@dataclass(slots=True)
class _Search:
    mechanism: ir.Mechanism
    claim: ir.Accuracy
    deadline: float

    @property
    def samples(self) -> dict[int, ir.Sample]:
        """The draws by site."""
        return {each.site: each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.Sample)}

    # --- assumptions ----------------------------------------------------------------------------------------

    def run(self) -> Found | Failed:
        """A proof, assuming as little of the draws as is enough."""
        reason: Found | Failed = Failed("the condition does not follow from margins of the noise")
        coins = [site for site, each in self.samples.items() if each.kind == "flip"]
        if len(coins) > _MANY_COINS:
            coins = []
        sides = sorted(
            product(("nothing", "true", "false"), repeat=len(coins)), key=lambda each: -each.count("nothing")
        )
        for side in sides:
            assumed = {
                site: "margin" if "margin" in SENSIBLE[s.kind] else "nothing" for site, s in self.samples.items()
            }
            assumed |= dict(zip(coins, side, strict=True))
            found = self._either(assumed)
            if isinstance(found, Found):
                return self._fewer(found)
            if found.line and not isinstance(reason, Found) and not reason.line:
                reason = found
        return reason

    def _fewer(self, found: Found) -> Found:
        """The same without the margins that are not needed, if they are not."""
        idle = {site for site, each in found.assumed.items() if each == "margin" and site not in found.need}
        if not idle:
            return found
        again = self._either({site: "nothing" if site in idle else each for site, each in found.assumed.items()})
        return again if isinstance(again, Found) else found

    # --- one proof ------------------------------------------------------------------------------------------

    def _either(self, assumed: Mapping[int, str]) -> Found | Failed:
        """A proof with some margins of each site, or else with as many as draws are added up in loops."""
        parts = margins_in(self.mechanism, self.claim.condition)
        names = {part: ir.Name(f"bound({n})") for n, part in enumerate(parts, 1)}
        draws = {site: Draws(each) for site, each in assumed.items()}
        walked = Walk(self.mechanism, self.claim.condition, draws, names)
        walked.run()
        houdini = Houdini(walked, self.deadline)
        assuming = {site for site, each in assumed.items() if each != "nothing"}
        houdini.settle(self._counting(walked, assuming))
        counts = self._counts(walked, houdini, assumed)
        if isinstance(counts, Failed):
            return counts
        margined = {site for site, each in assumed.items() if each == "margin"}
        loops = [each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.For | ir.While)]
        inner = [each for loop in loops for each in walk.statements(loop.body)]
        repeated = {each.site for each in inner if isinstance(each, ir.Sample)} & margined
        for added_up in (set[int](), repeated) if repeated else (set[int](),):
            houdini.products = bool(added_up)
            tried = self._ordered(needs(self.mechanism, margined, added_up)) if parts else [{}]
            houdini.settle(self._valuing(walked, parts, tried, assuming, products=houdini.products))
            found = self._with(walked, houdini, tried, list(names.values()))
            again = (
                self._counts(walked, houdini, assumed) if found is not None else counts
            )  # candidates were renumbered
            if found is not None and not isinstance(again, Failed):
                need, cores = found
                return Found(assumed, again[0], need, houdini.needed([*again[1], *cores]))
        return Failed("the condition does not follow from margins of the noise", self._returned())

    def _with(
        self, walked: Walk, houdini: Houdini, tried: list[Need], names: list[ir.Name]
    ) -> tuple[Need, list[set[Key]]] | None:
        """The least margin with which the condition holds at every return, and what of the invariants that takes."""
        exits = [goal for goal in walked.goals if goal.site is None and not isinstance(goal.shown, Assumed)]
        need = self._least(walked, houdini, exits, names, tried)
        if need is None:
            return None
        margin = self._scope(walked).term(needed_margin(need))
        known = [compare(">=", name, margin) for name in names]
        cores = [houdini.core((*goal.facts, *known), _formula(goal)) for goal in exits]
        return need, [core or set() for core in cores]

    def _returned(self) -> int:
        """The line of the last return."""
        every = [each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.Return)]
        return every[-1].span.line

    def _counting(self, walked: Walk, sites: set[int]) -> dict[int, list[ir.Expression]]:
        found: dict[int, list[ir.Expression]] = {loop: [] for loop in walked.loops.values()}
        for head in walked.heads:
            found[head.loop] += counting(self.mechanism, head.loop, head.scope, sites)
        return found

    def _valuing(
        self, walked: Walk, parts: list[ir.Expression], tried: list[Need], sites: set[int], *, products: bool
    ) -> dict[int, list[ir.Expression]]:
        answers = dict.fromkeys(
            each.value for each in walk.statements(self.mechanism.body) if isinstance(each, ir.Return)
        )
        conditions = []
        for need in tried:
            margin = needed_margin(need)
            for answer in answers:
                meanings = {**dict.fromkeys(parts, margin), ir.Name("result"): answer}
                conditions.append(at_ghosts(replaced(self.claim.condition, meanings)))
        found: dict[int, list[ir.Expression]] = {loop: [] for loop in walked.loops.values()}
        for head in walked.heads:
            found[head.loop] += valuing(self.mechanism, head.loop, head.scope, conditions, sites, products=products)
        return found

    def _scope(self, walked: Walk) -> Scope:
        words = {name: ir.Name(name) for name in walked.world.constants if name.startswith("gamma(")}
        return Scope(walked.world, walked.parameters, words)

    # --- counts ---------------------------------------------------------------------------------------------

    def _counts(
        self, walked: Walk, houdini: Houdini, assumed: Mapping[int, str]
    ) -> tuple[dict[int, ir.Expression], list[set[Key]]] | Failed:
        """At most how often each site draws, as a public formula."""
        sizes: list[ir.Expression] = [
            ir.Name(p.name) for p in self.mechanism.parameters if p.type == ir.Integer() and not p.private
        ]
        lengths = [
            ir.Builtin("len", (ir.Name(p.name),)) for p in self.mechanism.parameters if isinstance(p.type, ir.List)
        ]
        sizes += lengths
        found: dict[int, ir.Expression] = {}
        cores: list[set[Key]] = []
        for site, each in assumed.items():
            goals = [goal for goal in walked.goals if goal.site == site]
            found[site] = ONE
            if not goals or each == "nothing":
                continue
            for size in sizes:
                shown = [self._limited(walked, goal, size) for goal in goals]
                kept = [houdini.core(goal.facts, term) for goal, term in zip(goals, shown, strict=True)]
                if None not in kept:
                    found[site] = size
                    cores += [core for core in kept if core is not None]
                    break
            else:
                return Failed(f"nothing public bounds how often site {site} draws", self.samples[site].span.line)
        return found, cores

    def _limited(self, walked: Walk, goal: Goal, size: ir.Expression) -> Term:
        assert isinstance(goal.shown, ir.Compare)  # noqa: S101  # goals about sites compare draws with their count
        return compare("<=", goal.shown.left, self._scope(walked).term(size))

    # --- the least margin -----------------------------------------------------------------------------------

    def _ordered(self, tried: list[Need]) -> list[Need]:
        """The smallest first, as sample parameters show."""
        sample: dict[str, object] = {}
        for each in self.mechanism.parameters:
            number_of = {ir.Real(): 1, ir.Integer(): _COUNT}
            sample[each.name] = number_of.get(each.type, [0] * _LENGTH)

        def size(node: ir.Expression) -> float:
            try:
                return abs(float(evaluate(node, sample)))
            except (LapwingError, ArithmeticError, TypeError, KeyError, AttributeError):
                return 1.0

        scales = {s: size(over_parameters(self.mechanism, e.arguments[-1])) for s, e in self.samples.items()}
        return sorted(tried, key=lambda need: sum(size(count) * scales[site] for site, count in need.items()))

    def _least(
        self, walked: Walk, houdini: Houdini, exits: list[Goal], names: list[ir.Name], tried: list[Need]
    ) -> Need | None:
        """The smallest margin with which the condition holds at every return."""
        if not names:
            follows = all(houdini.core(goal.facts, _formula(goal)) is not None for goal in exits)
            return {} if follows else None
        scope = self._scope(walked)
        margins = [scope.term(needed_margin(need)) for need in tried]
        stated = [both(compare(">=", name, margin) for name in names) for margin in margins]
        open_ones = set(range(len(tried)))
        for goal in exits:
            open_ones &= houdini.following(goal, stated, open_ones)
        return tried[min(open_ones)] if open_ones else None


def _formula(goal: Goal) -> Term:
    assert not isinstance(goal.shown, Assumed)  # noqa: S101  # goals at returns are formulas
    return goal.shown
