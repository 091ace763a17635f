"""The parts of a body: the smallest that work, from the front."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced_with
from fractions import Fraction
from math import ceil

from lapwing.errors import LapwingError
from lapwing.kernel.composition.confirm import Composition
from lapwing.kernel.composition.exposure import exposed, targets
from lapwing.kernel.composition.spending import Account, Way
from lapwing.kernel.composition.thinning import samples
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Certificate, Composed, Measure
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.privacy.bookkeeping import kept_accounts, stated_accounts
from lapwing.search.privacy.kept_solver import KeptTerms
from lapwing.search.privacy.outcome import Failed
from lapwing.search.privacy.prepared import acts, loop_behind
from lapwing.search.privacy.quotient_text import written
from lapwing.search.privacy.shared_claims import by_a_share

#: Noise that waits for what it is added to.
ADDED = ("laplace", "exponential", "gaussian", "discrete_laplace", "discrete_gaussian")
#: What a number gets on top before it is rounded up, and to how many digits.
TINY, DIGITS = Fraction(1, 10**15), 12
#: The certificate of another mechanism, if there is one.
Callee = Callable[[str], Certificate | None]
#: Certificates of a mechanism in a module that need not be the source's.
Attempts = Callable[[ir.Module], Iterator[Certificate | Failed]]


def is_approximate(module: ir.Module, statement: ir.Statement) -> bool:
    """Whether a call of a mechanism with an (ε, δ) claim is in a statement."""
    calls = (each for each in walk.statements((statement,)) if isinstance(each, ir.Call))
    return any(isinstance(module[each.mechanism].claim, ir.ApproximateClaim) for each in calls)


@dataclass(slots=True)
class Partition:
    """A body being cut into parts, each with a certificate."""

    module: ir.Module
    mechanism: ir.Mechanism
    measure: Measure
    attempts: Attempts
    callee: Callee
    deadline: float
    #: what advanced composition may add to δ
    slack: str | None
    #: whether noise that a loop shares with what stands before it is one step with the loop
    coarse: bool = False
    #: whether a loop is one step with what is set before it, rather than many rounds
    whole: bool = False
    #: whether the price of a sample is stated without a logarithm
    simple: bool = False
    #: whether a step was met whose price has one
    amplified: bool = field(init=False, default=False)
    #: the variable in which the loop around adds up what is paid
    account: str | None = None
    #: how many loops add to δ
    loops: int = field(init=False, default=0)
    #: certificates of parts, by what they are of
    proved: dict[str, Certificate] = field(default_factory=dict)
    walk: Composition = field(init=False)

    def __post_init__(self) -> None:
        self.walk = self._fresh()

    def _fresh(self) -> Composition:
        return Composition(KeptTerms(), self.module, self.mechanism, self.measure, lambda *_: None)

    def parts(
        self, body: tuple[ir.Statement, ...] | None = None, behind: tuple[ir.Statement, ...] = ()
    ) -> list[Stretch]:
        """The parts of the body, from the front: the smallest that work."""
        found: list[Stretch] = []
        body, position = self.mechanism.body if body is None else body, 0
        while position < len(body):
            part, problem = None, None
            for count in self._counts(body, position):
                block, rest = body[position : position + count], (*body[position + count :], *behind)
                part, problem = self._part(block, rest, problem)
                if part is not None:
                    break
            if part is None:
                raise problem or Unproved("this is not a step")
            found.append(part)
            position += part.statements
        return found

    def _counts(self, body: tuple[ir.Statement, ...], position: int) -> Iterator[int]:
        """How many statements to try for a part that begins here."""
        most = len(body) - position
        if self.coarse and isinstance(body[position], ir.Sample):
            ends = (number for number in range(position, len(body)) if isinstance(body[number], ir.For | ir.While))
            yield from (end - position + 1 for end in ends)
        if self.whole and (end := loop_behind(body, position)) is not None:
            yield end - position + 1
        yield from range(1, most + 1)

    def _part(
        self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...], before: Exception | None
    ) -> tuple[Stretch | None, Exception | None]:
        """The block as a part, if it is one; otherwise the most telling reason so far."""
        for make in (
            self._public,
            self._private,
            self._call,
            self._branch,
            self._sampled,
            self._parallel,
            self._spending,
            self._loop,
            self._step,
        ):
            kept = replaced_with(self.walk.again(), paid=list(self.walk.paid))
            try:
                found = make(block, rest)
            except (Unproved, LapwingError) as doubt:
                self.walk = kept
                before = before or doubt
                continue
            if found is not None:
                return found, None
            self.walk = kept
        return None, before

    def _public(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        used = exposed(rest, self.mechanism)
        waits = any(isinstance(each, ir.Sample) and each.kind in ADDED and each.target in used for each in block)
        if len(block) > 1 or (waits and not isinstance(block[0], ir.For | ir.While)):
            return None  # noise waits for what it is added to
        if _fills_with_sample(_records(self.mechanism), block[0], rest) or (
            isinstance(block[0], ir.If) and self._books(block[0])
        ):
            return None
        part = Stretch(1, "public")
        self.walk.part(part, block, rest)
        return part

    def _private(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        part = Stretch(len(block), "private")
        self.walk.part(part, block, rest)
        return part

    def _branch(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        (statement, *others) = block
        if others or not isinstance(statement, ir.If) or not (acts(statement) or self._books(statement)):
            return None
        if exposed((ir.Return(statement.condition),), self.mechanism) - self.walk.known_names:
            return None
        sides = []
        for side in (statement.then, statement.otherwise):
            inner = replaced_with(self)
            inner.walk = self.walk.again()
            sides.append(tuple(inner.parts(side, rest)))
        part = Stretch(1, "branch", then=sides[0], otherwise=sides[1])
        self.walk.part(part, block, rest)
        return part

    def _sampled(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        records = _records(self.mechanism)
        if records is None or not any(samples(each, records) for each in block):
            return None
        if time.process_time() > self.deadline:
            raise Unproved("the time limit passed while looking for steps")
        again = self.walk.again()
        outlined = again.sampled(block, rest)
        if not any(map(acts, outlined[self.mechanism.name].body)) or _bare(self.walk, block) & exposed(
            rest, self.mechanism
        ):
            return None  # what is done with the sample comes behind
        part = Stretch(len(block), "sampled", self._proved(outlined))
        self.walk.part(part, block, rest)
        return part

    def _loop(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        if len(block) != 1 or not isinstance(block[0], ir.For | ir.While):
            return None
        again = self.walk.again()
        outlined, turning = again.loop(block, rest)
        inner = self._proved(outlined)
        price = None if self.slack is None else _price(self.mechanism, inner, turning.count, self.slack)
        part = Stretch(1, "loop", inner, written(turning.count), self.slack, price)
        self.walk.part(part, block, rest)
        self.loops += self.slack is not None
        return part

    def _parallel(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        if len(block) != 1 or not isinstance(block[0], ir.For | ir.While) or not acts(block[0]):
            return None
        part = Stretch(1, "parallel", self._proved(self.walk.again().apart(block, rest)))
        self.walk.part(part, block, rest)
        return part

    def _books(self, statement: ir.Statement) -> bool:
        """Whether an account is kept, or a round of its loop ends, in a statement."""
        if self.account is None:
            return False
        jumps = any(isinstance(each, ir.Break | ir.Continue | ir.Return) for each in walk.statements((statement,)))
        return jumps or self.account in targets((statement,))

    def _spending(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        loop = block[0]
        if len(block) != 1 or not isinstance(loop, ir.For | ir.While) or not acts(loop):
            return None
        doubt: Exception | None = None
        whole = frozenset(each.name for each in self.mechanism.variables if each.type == ir.Integer())
        for name in kept_accounts(loop, self.walk.known_names, whole):
            inner = replaced_with(self, account=name)
            inner.walk = self.walk.inside(loop, rest, Account(name, ir.Name(name)))
            try:
                parts = tuple(inner.parts(loop.body, (loop, *rest)))
                ways = _ways(self.walk.again(), loop, rest, parts, name)
            except Unproved as found:
                doubt = found
                continue
            for account, limit in stated_accounts(loop, name, ways):
                part = Stretch(1, "spending", slack=self.slack, then=parts, account=account, limit=limit)
                for slack in dict.fromkeys((None, self.slack)):
                    kept = replaced_with(self.walk.again(), paid=list(self.walk.paid))
                    try:
                        self.walk.part(replaced_with(part, slack=slack), block, rest)
                    except Unproved as found:
                        self.walk, doubt = kept, found
                        continue
                    self.loops += slack is not None
                    return replaced_with(part, slack=slack)
        if doubt is not None:
            raise doubt
        return None

    def _call(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        (call, *others) = block
        if others or not isinstance(call, ir.Call) or not is_approximate(self.module, call):
            return None
        inner = self.callee(call.mechanism)
        if inner is None:
            raise at(call, f"there is no proof of {call.mechanism}")
        part = Stretch(1, "call", inner)
        self.walk.part(part, block, rest)
        return part

    def _step(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> Stretch | None:
        again = self.walk.again()
        if time.process_time() > self.deadline:
            raise Unproved("the time limit passed while looking for steps")
        if _bare(self.walk, block) & exposed(rest, self.mechanism):
            return None  # a private value would be released as it is
        if not any(map(acts, block)):
            return None
        drawn = {each.target for each in block if isinstance(each, ir.Sample) and each.kind in ADDED}
        waiting = {name for name in drawn if _waits(self.mechanism, name, rest)}
        if waiting and not any(name in walk.read(block) for name in waiting):
            return None
        outlined = again.step(block, rest)
        if _size(outlined[self.mechanism.name]) >= _size(self.mechanism):
            return None  # no smaller question than this one
        part = Stretch(len(block), "step", self._proved(outlined))
        self.walk.part(part, block, rest)
        return part

    def _proved(self, outlined: ir.Module) -> Certificate:
        """A certificate of a part that the kernel accepts, in the measure of the whole."""
        found = self._found(outlined)
        simpler = _without_logarithm(found)
        self.amplified = self.amplified or simpler is not None
        if self.simple and simpler and isinstance(check_certificate(simpler, outlined), Proved):
            return simpler
        return found

    def _found(self, outlined: ir.Module) -> Certificate:
        key = fingerprint(outlined, self.mechanism.name)
        last = Failed("no proof was found of a step", self.mechanism.span)
        for attempt in () if key in self.proved else self.attempts(outlined):
            if isinstance(attempt, Failed):
                last = attempt
            elif attempt.measure in ("epsilon" if self.measure == "approximate" else "", self.measure) and isinstance(
                check_certificate(attempt, outlined), Proved
            ):
                self.proved[key] = attempt
                if not (self.whole and isinstance(attempt.proof, Composed)):
                    break  # of those by steps, the last has the largest steps
        found = self.proved.get(key) or by_a_share(outlined, self.mechanism, self.walk, self.attempts)
        if found is None:
            raise Unproved(last.reason, last.span)
        self.proved[key] = found
        return found


def _ways(
    passage: Composition, loop: ir.For | ir.While, rest: tuple[ir.Statement, ...], parts: tuple[Stretch, ...], name: str
) -> list[Quotient]:
    """What the ways through a round cost, over what the account holds when it begins."""
    account = Account(name, ir.Name(name))
    inside = passage.inside(loop, rest, account)
    ways = inside.ways(parts, loop.body, (loop, *rest), [Way(ir.Name(name))], account)
    return [sum((each.price.cost for each in way.paid), Quotient.of(0)) for way in ways]


def _waits(mechanism: ir.Mechanism, name: str, rest: tuple[ir.Statement, ...]) -> bool:
    """Whether noise is read next by a statement that does not draw it anew."""
    for statement in rest:
        if name in exposed((statement,), mechanism):
            return name not in targets((statement,))
        if name in targets((statement,)):
            return False
    return False


def _without_logarithm(certificate: Certificate) -> Certificate | None:
    """The certificate of 2pe in place of ln(1 + p(exp(e) - 1)), which is less where e is at most 1."""
    match formula(certificate.bound):
        case ir.Builtin("ln", (ir.Arithmetic("+", _, ir.Arithmetic("*", chance, ir.Arithmetic("-", power, _))),)):
            if isinstance(power, ir.Builtin) and power.function == "exp":
                twice = ir.Arithmetic("*", ir.Number(Fraction(2)), chance)
                return replaced_with(certificate, bound=show(ir.Arithmetic("*", twice, power.arguments[0])))
    return None


def _size(mechanism: ir.Mechanism) -> int:
    return sum(1 for _ in walk.statements(mechanism.body))


def _records(mechanism: ir.Mechanism) -> str | None:
    """The one private parameter, if there is one only."""
    private = [each.name for each in mechanism.parameters if each.private]
    return private[0] if len(private) == 1 else None


def _fills_with_sample(records: str | None, statement: ir.Statement, rest: Sequence[ir.Statement]) -> bool:
    """Whether an empty list is one into which a sample is put."""
    if records is None or not (isinstance(statement, ir.Assign) and statement.value == ir.ListOf(())):
        return False
    loops = (each for each in rest if samples(each, records or ""))
    return any(statement.target in targets((each,)) for each in loops)


def _price(mechanism: ir.Mechanism, inner: Certificate, rounds: Quotient, slack: str) -> str | None:
    """A number that a round costs at most, where the number of rounds, the slack and it are numbers."""
    facts = (part for each in mechanism.preconditions for part in walk.nodes(each))
    least: dict[ir.Expression, ir.Expression] = {
        each.left: each.right
        for each in facts
        if isinstance(each, ir.Compare) and each.operator == ">=" and isinstance(each.left, ir.Name)
    }
    bound = formula(inner.bound)
    for _ in least:  # one may be about another
        bound = replaced(bound, least)
    texts = [formula(slack), *([] if inner.delta is None else [formula(inner.delta)])]
    if not rounds.number or any(walk.names(each) for each in (bound, *texts)):
        return None
    # a little more, for numbers that a run rounds
    most = Fraction(ceil(enclosed(bound, {}).upper * (1 + TINY) * 10**DIGITS), 10**DIGITS)
    return show(ir.Number(most))


def _bare(passage: Composition, block: Sequence[ir.Statement]) -> frozenset[str]:
    """Variables that the block computes from private values without noise, as far as one sees at a glance."""
    hidden = {each.name for each in passage.mechanism.parameters if each.private}
    hidden |= {name for each in passage.derived for name in each.sets}
    before, noise = frozenset(hidden), set[str]()
    for statement in block:
        used = exposed((statement,), passage.mechanism)
        if isinstance(statement, ir.Sample | ir.Call):
            noise.add(statement.target)
        elif acts(statement) or used & noise:
            hidden -= targets((statement,))
        elif used & hidden:
            hidden |= targets((statement,))
    return frozenset(hidden) - before
