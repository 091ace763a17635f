"""A proof by composition as people read it: the parts of a body in order, with what each costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.composition.confirm import Composition
from lapwing.kernel.composition.spending import Account
from lapwing.kernel.composition.thinning import thinned
from lapwing.kernel.composition.unlikely import coin_of, without_coin
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.search.privacy.outcome import claiming

Block = tuple[ir.Statement, ...]


@dataclass(slots=True)
class Telling:
    """One walk over the parts; ``tell`` gives the proof of a part."""

    walk: Composition
    letter: str
    tell: Callable[[Certificate, ir.Module], str]
    prices: list[str] = field(default_factory=list)

    def parts(self, parts: Sequence[Stretch], body: Block, behind: Block = ()) -> Iterator[str]:
        """A line for each part, and below it the proof of that part."""
        position = 0
        for part in parts:
            block = body[position : position + part.statements]
            position += part.statements
            rest = (*body[position:], *behind)
            yield from self._part(part, block, rest)
            self.walk.part(part, block, rest)

    def _part(self, part: Stretch, block: Block, rest: Block) -> Iterator[str]:
        first, last = block[0].span.line, block[-1].span.end_line
        where = f"line {first}" if first == last else f"lines {first} to {last}"
        if part.kind == "public":
            yield f"{where}: post-processing of what is released"
        elif part.kind == "private":
            yield f"{where}: private values, which later steps may use"
        elif part.kind == "spending" and isinstance(block[0], ir.For | ir.While):
            what = "squares of what is paid" if part.slack else "what is paid"
            yield f"{where}: {part.account} adds up {what} in each round, and stays at most {part.limit}"
            account = Account.read(part.account or "", self.walk.mechanism)
            way = replace(self, walk=self.walk.inside(block[0], rest, account), prices=[])
            yield from (f"    {each}" for each in way.parts(part.then, block[0].body, (*block, *rest)))
            self.prices.append(f"what {part.account} may come to")
        elif part.kind == "branch" and isinstance(block[0], ir.If):
            yield f"{where}: what is released decides whether {show(block[0].condition)}"
            for word, parts, side in (
                ("if so", part.then, block[0].then),
                ("else", part.otherwise, block[0].otherwise),
            ):
                way = replace(self, walk=self.walk.again(), prices=[])
                lines = list(way.parts(parts, side, rest))
                yield f"    {word}: {' + '.join(way.prices) or 'nothing is paid'}"
                yield from (f"        {each}" for each in lines)
            self.prices.append("the dearer side of the branch")
        elif isinstance(part.inner, Certificate):
            yield from self._proved(part, part.inner, block, rest, where)

    def _proved(self, part: Stretch, inner: Certificate, block: Block, rest: Block, where: str) -> Iterator[str]:
        again, once = self.walk.again(), f"{self.letter} = {inner.stated}"
        mechanism = self.walk.mechanism
        if part.kind in ("concentrated", "gaussian"):
            exactly = part.kind == "gaussian"
            how = "the loss is normal, with mean ρ and variance 2ρ" if exactly else "zero-concentrated to approximate"
            price = part.price if exactly else f"ρ + 2 * sqrt(ρ * ln(1 / ({part.slack})))"
            self.prices.append(f"{price} with ρ = {inner.bound}")
            yield f"{where}: ρ = {inner.bound}, by {inner.method}; {how}, slack {part.slack}"
            outlined = claiming(self.walk.module, mechanism.name, None)
        elif part.kind == "unlikely":
            coin, outlined = coin_of(mechanism), without_coin(self.walk.module, mechanism)
            self.prices.append(inner.bound)
            chance = show(coin.arguments[0])
            yield f"line {coin.span.line}: up to bad: that {coin.target} is True costs its probability {chance} in δ"
            yield f"    where it is False, {once}, by {inner.method}"
        elif part.kind == "sampled":
            outlined = again.sampled(block, rest)
            chance = show(thinned(mechanism, block).chance)
            self.prices.append(f"ln(1 + {chance} * (exp({inner.bound}) - 1))")
            yield f"{where}: a sample, which a record is in with probability {chance}; amplification of"
            yield f"    a step on the sample with {once}, by {inner.method}"
        elif part.kind == "call":
            self.prices.append(inner.bound)
            outlined = self.walk.module
            yield f"{where}: a call of {inner.function} with {once}, by {inner.method}"
        elif part.kind == "parallel":
            outlined = again.apart(block, rest)
            self.prices.append(inner.bound)
            yield f"{where}: rounds that look at different places, all together {once}, by {inner.method}"
        elif part.kind == "step":
            outlined = again.step(block, rest)
            self.prices.append(inner.bound)
            yield f"{where}: a step with {once}, by {inner.method}"
        else:
            outlined = again.loop(block, rest)[0]
            how = "sequential composition" if part.slack is None else f"advanced composition, slack {part.slack}"
            how = how if part.price is None else f"optimal composition with δ = {part.slack}"
            self.prices.append(f"{part.rounds} * ({inner.bound})")
            yield f"{where}: {part.rounds} rounds with {once} each, by {inner.method}; {how}"
        yield from (f"    {each}" for each in self.tell(inner, outlined).splitlines()[1:])
