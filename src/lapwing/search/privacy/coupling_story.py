"""A coupling proof as people read it: the program line by line, each with the rule that carries both runs past it.

The rules are those of approximate probabilistic relational Hoare logic ([BGGHS16]): sequence, conditional, while, the
three Laplace rules (null: equal noise; equalise: different values look equal; shift: equal values look different), and
pointwise equality, which considers one answer at a time. With a δ also ([BFGGHS16]): up-to-bad, which leaves out tails
of noise at the price of their probability, and the optimal subset coupling. ``x⟨1⟩`` and ``x⟨2⟩`` are a variable in
the two runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lapwing.kernel.evidence.approximate import Subset, Tail
from lapwing.kernel.evidence.certificate import Branch, Certificate, Coupling, Site
from lapwing.kernel.formulas.reading import formula, shown
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show, show_head
from lapwing.kernel.relational.told_by_place import as_walked
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.bounds import price, read
from lapwing.search.privacy.linear import number, times
from lapwing.search.privacy.lines import below, drawn, line
from lapwing.search.privacy.product import may_part
from lapwing.search.privacy.totals import scales

#: What the words of a proof mean.
WORDS = {
    "hat(": "hat(x) is x⟨2⟩ - x⟨1⟩",
    "other(": "other(x) is x⟨2⟩",
    "cost(": "cost(k) is how far draw k has been moved so far, in all",
    "round(": "round(k) counts the rounds of loop k that are done",
    "where(": "where(q) is the place at which the two lists differ",
    "width(": "width(k) is the least width of an interval that draw k is moved onto",
    "tries(": "tries(n) counts the draws so far that might have been bad in the n-th way",
    "uses(": "uses(k) counts how often draw k was moved onto an interval",
    "rising(": "rising(q) says whether the second list is the higher one",
    "output()": "output() is s",
    "place()": "place() is the place of an element in its list",
}


@dataclass(frozen=True, slots=True)
class CouplingStory:
    """The lines of one coupling proof."""

    proof: Coupling
    mechanism: ir.Mechanism
    bound: str
    delta: str | None = None
    sites: Mapping[int, Site] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sites", {each.site: each for each in self.proof.sites})

    def lines(self) -> Iterator[str]:
        """The judgement, the program with its rules, the words used, and the price."""
        yield self._judgement()
        if self.proof.ghost == "output":
            yield "pointwise equality: for every answer s, if run 1 gives s then so does run 2"
        yield from self._deferred()
        body = list(self._block(self.mechanism.body, 1))
        yield from body
        meanings = [meaning for word, meaning in WORDS.items() if any(word in each for each in body)]
        yield "where " + ";\n      ".join(["x alone is x⟨1⟩", *meanings])
        yield from self._price()

    def _deferred(self) -> Iterator[str]:
        """What is thought to be drawn last, what the others come to, and what noise never is."""
        deferral = self.proof.deferral
        for later in () if deferral is None else deferral.sites:
            yield f"deferred: draw {later.site} where {later.at} == s, thought to be made last; after the others"
            yield below(f"{deferral.kept} becomes {later.become}")  # type: ignore[union-attr]  # it has sites
        if deferral is not None:
            yield f"  {deferral.kept} begins as {deferral.first}; {deferral.foreseen} is what it is at last"
        for each in self.proof.apart:
            yield f"no tie: draw {each.site} is never {each.value} (that has probability 0)"

    def _judgement(self) -> str:
        before = ", ".join(f"{each.name} ~ {each.relation}" for each in self.mechanism.parameters if each.private)
        name = self.mechanism.name
        at = f"ε = {self.bound}" if self.delta is None else f"ε = {self.bound}, δ = {self.delta}"
        return f"⊨ {{{before}}} {name} ∼ {name} {{answer⟨1⟩ = answer⟨2⟩}} at {at}"

    def _block(self, block: tuple[ir.Statement, ...], depth: int) -> Iterator[str]:
        for statement in block:
            yield from self._statement(statement, depth)

    def _statement(self, statement: ir.Statement, depth: int) -> Iterator[str]:
        match statement:
            case ir.Assign(target, value):
                yield line(statement, depth, f"{target} = {show(value)}")
            case ir.Append(target, value):
                said = [each.formula for each in self.proof.elements if each.name == target]
                rule = "of every element:" if said else "equal in both runs"
                yield line(statement, depth, f"{target}.append({show(value)})", rule)
                yield from (below(f"  {part}") for each in said for part in _conjuncts(each))
            case ir.Sample():
                first, *more = self._draw(statement)
                yield line(statement, depth, drawn(statement), first)
                yield from map(below, more)
            case ir.Asking(target, (function, *told)):
                rule = "asked the same in both runs; answers as far apart as their neighbours say"
                shown = f"{target} = {show(function)}({', '.join(map(show, told))})"
                yield line(statement, depth, shown, rule)
            case ir.If(condition, then, otherwise):
                apart = may_part(statement) or self._parts(statement)
                rule = "conditional: each run goes its own way" if apart else "conditional: both runs go the same way"
                yield line(statement, depth, f"if {show(condition)}:", rule)
                yield from self._block(then, depth + 1)
                if otherwise:
                    yield line(None, depth, "else:")
                    yield from self._block(otherwise, depth + 1)
            case ir.For(_, body) | ir.While(_, body):
                yield line(statement, depth, show_head(statement), "while, with the invariant")
                formulas = [each.formula for each in self.proof.invariants if each.loop == statement.number]
                yield from (below(f"  {part}") for each in formulas for part in _conjuncts(each))
                yield from self._block(body, depth + 1)
            case ir.Return(value):
                rule = "equal in both runs" if self.proof.ghost == "none" else "s in run 2 if it is s in run 1"
                yield line(statement, depth, f"return {show(value)}", rule)
            case ir.Break() | ir.Continue():
                yield line(statement, depth, type(statement).__name__.lower(), "in both runs")

    def _parts(self, statement: ir.If) -> bool:
        """Whether the proof says of a draw inside what happens if one run makes it and the other does not."""
        alone = {each.site for each in self.proof.bad if each.run > 1} | {each.first for each in self.proof.pairs}
        inside = walk.statements((*statement.then, *statement.otherwise))
        return any(isinstance(each, ir.Sample) and each.site in alone for each in inside)

    def _draw(self, statement: ir.Sample) -> Iterator[str]:
        site = self.sites.get(statement.site)
        if site is None:
            yield "the same draw in both runs, free"
            return
        yield from _rules(site.alignment, statement.target, statement.kind.capitalize())
        for entry, tail in enumerate(self.proof.bad, 1):
            if tail.site == statement.site:
                yield f"up to bad {entry}: {_tail(tail, statement.target)}"
        for pair in self.proof.pairs:
            if pair.first == statement.site:
                yield f"if run 2 makes draw {pair.second} instead:"
                yield from (
                    f"  {each}" for each in _rules(pair.alignment, statement.target, statement.kind.capitalize())
                )

    def _price(self) -> Iterator[str]:
        """What every draw costs, and all of them."""
        scale = scales(self.mechanism)
        together = {site for each in self.proof.joint for site, _ in each.weights}
        for site in self.proof.sites:
            if site.site not in together:
                per = scale[site.site]
                moved = f"draw {site.site} moves by at most {site.total} in all, at scale {show(per)}"
                yield f"{moved}: {_cost(site.total, per)}"
        for each in self.proof.joint:
            (first, weight), *_ = each.weights
            named = " + ".join(f"{by} · draw {site}" if by != 1 else f"draw {site}" for site, by in each.weights)
            per = times(number(weight), scale[first])
            yield f"{named} move by at most {each.total} in all, at scale {show(per)}: {_cost(each.total, per)}"
        for spread in self.proof.intervals:
            yield (
                f"draw {spread.site} is moved onto an interval at most {spread.uses} times; it loses at most"
                f" {spread.extra} of its length, and {spread.width} are left: {spread.price} each time"
            )
        yield f"sequence: ε = {self.bound}"
        for entry, tail in enumerate(self.proof.bad, 1):
            beside = "" if tail.beside is None else f" together with bad {tail.beside}"
            yield f"bad {entry}: at most {tail.count} draws{beside}, each from {tail.least} on"
        if self.proof.bad:
            yield f"union bound: δ = {self.delta}"


def _cost(total: str, scale: ir.Expression) -> str:
    try:
        return price([(read(total), scale)])
    except Blocked:  # a person may write a total in other words
        return f"({total}) / ({show(scale)})"


def _conjuncts(text: str) -> list[str]:
    found = formula(text)
    return [shown(part) for part in found.operands] if isinstance(found, ir.And) else [shown(found)]


def _tail(tail: Tail, target: str) -> str:
    """What is assumed not to happen."""
    drawn = f"{target}⟨{tail.run}⟩"
    beyond = {"above": f"{drawn} < {tail.start}", "below": f"{drawn} > -({tail.start})"}
    said = beyond.get(tail.side, f"|{drawn}| < {tail.start}")
    given = "" if tail.given == "True" else f", given {tail.given}"
    return said + given + ("" if tail.run == 1 else ", where only run 2 draws")


def _rules(alignment: object, target: str, noise: str) -> Iterator[str]:
    """The Laplace rule of an alignment; one line per case."""
    match alignment:
        case Subset((low, high), (bottom, top)):
            yield f"{noise}, optimal subset: {target}⟨1⟩ in [{low}, {high}],"
            yield f"  {target}⟨2⟩ anything in [{bottom}, {top}]"
        case Branch(guard, then, otherwise):
            yield f"if {guard.replace('draw()', target)}:"
            yield from (f"  {each}" for each in _rules(then, target, noise))
            yield "otherwise:"
            yield from (f"  {each}" for each in _rules(otherwise, target, noise))
        case "0":
            yield f"{noise}, null: {target}⟨2⟩ = {target}⟨1⟩, free"
        case str() if alignment.startswith("-hat("):
            yield f"{noise}, equalise: {target}⟨2⟩ = {target}⟨1⟩ - {alignment[1:]}"
        case str() if alignment.startswith("-"):
            yield f"{noise}, shift: {target}⟨2⟩ = {target}⟨1⟩ - {alignment[1:]}"
        case str():
            yield f"{noise}, shift: {target}⟨2⟩ = {target}⟨1⟩ + {alignment}"


def coupling_lines(proof: Coupling, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    """The proof, one line per step."""
    return CouplingStory(proof, as_walked(mechanism), certificate.bound, certificate.delta).lines()
