"""A coupling proof as people read it: the program line by line, each with the rule that carries both runs past it.

The rules are those of approximate probabilistic relational Hoare logic ([BGGHS16]): sequence, conditional, while, the
three Laplace rules (null: equal noise; equalise: different values look equal; shift: equal values look different), and
pointwise equality, which considers one answer at a time. ``x⟨1⟩`` and ``x⟨2⟩`` are a variable in the two runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lapwing.evidence.certificate import Alignment, Branch, Certificate, Coupling, Site
from lapwing.program import ir, walk
from lapwing.program.printer import show, show_head
from lapwing.prove.blocked import Blocked
from lapwing.prove.bounds import price, read
from lapwing.prove.linear import number, times
from lapwing.prove.lines import below, drawn, line
from lapwing.prove.product import may_part
from lapwing.prove.totals import scales

#: What the words of a proof mean.
WORDS = {
    "hat(": "hat(x) is x⟨2⟩ - x⟨1⟩",
    "other(": "other(x) is x⟨2⟩",
    "cost(": "cost(k) is how far draw k has been moved so far, in all",
    "round(": "round(k) counts the rounds of loop k that are done",
    "where(": "where(q) is the place at which the two lists differ",
    "rising(": "rising(q) says whether the second list is the higher one",
    "output()": "output() is s",
}


@dataclass(frozen=True, slots=True)
class CouplingStory:
    """The lines of one coupling proof."""

    proof: Coupling
    mechanism: ir.Mechanism
    bound: str
    sites: Mapping[int, Site] = field(init=False)
    loops: Mapping[int, int] = field(init=False)

    def __post_init__(self) -> None:
        loops = (each for each in walk.statements(self.mechanism.body) if isinstance(each, ir.For | ir.While))
        object.__setattr__(self, "sites", {each.site: each for each in self.proof.sites})
        object.__setattr__(self, "loops", {id(loop): number for number, loop in enumerate(loops, 1)})

    def lines(self) -> Iterator[str]:
        """The judgement, the program with its rules, the words used, and the price."""
        yield self._judgement()
        if self.proof.ghost == "output":
            yield "pointwise equality: for every answer s, if run 1 gives s then so does run 2"
        body = list(self._block(self.mechanism.body, 1))
        yield from body
        meanings = [meaning for word, meaning in WORDS.items() if any(word in each for each in body)]
        yield "where " + ";\n      ".join(["x alone is x⟨1⟩", *meanings])
        yield from self._price()

    def _judgement(self) -> str:
        before = ", ".join(f"{each.name} ~ {each.relation}" for each in self.mechanism.parameters if each.private)
        name = self.mechanism.name
        return f"⊨ {{{before}}} {name} ∼ {name} {{answer⟨1⟩ = answer⟨2⟩}} at ε = {self.bound}"

    def _block(self, block: tuple[ir.Statement, ...], depth: int) -> Iterator[str]:
        for statement in block:
            yield from self._statement(statement, depth)

    def _statement(self, statement: ir.Statement, depth: int) -> Iterator[str]:
        match statement:
            case ir.Assign(target, value):
                yield line(statement, depth, f"{target} = {show(value)}")
            case ir.Append(target, value):
                yield line(statement, depth, f"{target}.append({show(value)})", "equal in both runs")
            case ir.Sample():
                first, *more = self._draw(statement)
                yield line(statement, depth, drawn(statement), first)
                yield from map(below, more)
            case ir.If(condition, then, otherwise):
                apart = may_part(statement)
                rule = "conditional: each run goes its own way" if apart else "conditional: both runs go the same way"
                yield line(statement, depth, f"if {show(condition)}:", rule)
                yield from self._block(then, depth + 1)
                if otherwise:
                    yield line(None, depth, "else:")
                    yield from self._block(otherwise, depth + 1)
            case ir.For(_, body) | ir.While(_, body):
                yield line(statement, depth, show_head(statement), "while, with the invariant")
                formulas = [each.formula for each in self.proof.invariants if each.loop == self.loops[id(statement)]]
                yield from (below(f"  {part}") for each in formulas for part in _conjuncts(each))
                yield from self._block(body, depth + 1)
            case ir.Return(value):
                rule = "equal in both runs" if self.proof.ghost == "none" else "s in run 2 if it is s in run 1"
                yield line(statement, depth, f"return {show(value)}", rule)
            case ir.Break() | ir.Continue():
                yield line(statement, depth, type(statement).__name__.lower(), "in both runs")

    def _draw(self, statement: ir.Sample) -> Iterator[str]:
        site = self.sites.get(statement.site)
        if site is None:
            yield "the same draw in both runs, free"
            return
        yield from _rules(site.alignment, statement.target, statement.kind.capitalize())

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
        yield f"sequence: ε = {self.bound}"


def _cost(total: str, scale: ir.Expression) -> str:
    try:
        return price([(read(total), scale)])
    except Blocked:  # a person may write a total in other words
        return f"({total}) / ({show(scale)})"


def _conjuncts(formula: str) -> list[str]:
    tree = ast.parse(formula, mode="eval").body
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [ast.unparse(part) for part in tree.values]
    return [formula]


def _rules(alignment: Alignment, target: str, noise: str) -> Iterator[str]:
    """The Laplace rule of an alignment; one line per case."""
    match alignment:
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
    return CouplingStory(proof, mechanism, certificate.bound).lines()
