"""A proof of accuracy as people read it: the program line by line, each with the rule of union bound logic.

The rules are those of [BGGHS16b]: sequence (the β of both parts add up), conditional (both branches, the same β), a
rule for each noise, loop (an invariant, and β for each round that draws), consequence (a weaker condition).
"""

from __future__ import annotations

from collections.abc import Iterator

from lapwing.kernel.evidence.accuracy import AccuracyCertificate, Site
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show, show_head
from lapwing.source.conditions import read_condition

_WIDTH = 52


def story(certificate: AccuracyCertificate, mechanism: ir.Mechanism) -> str:
    """The proof that a certificate states, one line per step."""
    return "\n".join(_Story(certificate, mechanism).lines())


def proved_condition(certificate: AccuracyCertificate, mechanism: ir.Mechanism) -> str:
    """The condition that a certificate shows, printed from what is read of it."""
    return show(read_condition(mechanism, certificate.condition, certificate.beta).condition)


class _Story:
    def __init__(self, certificate: AccuracyCertificate, mechanism: ir.Mechanism) -> None:
        self.certificate = certificate
        self.mechanism = mechanism
        self.sites = {site.site: site for site in certificate.sites}
        loops = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
        self.loops = {id(loop): number for number, loop in enumerate(loops, 1)}

    def lines(self) -> Iterator[str]:
        """Every line."""
        certificate = self.certificate
        given = " and ".join(show(each) for each in self.mechanism.preconditions) or "True"
        proved = proved_condition(certificate, self.mechanism)
        yield f"⊨β {{{given}}} {self.mechanism.name} {{{proved}}}   with β = {certificate.total}"
        yield from self._block(self.mechanism.body, 1)
        paid = [each for each in certificate.sites if each.assumed != "nothing"]
        spent = " + ".join(each.failure if each.count == "1" else f"{each.count} * ({each.failure})" for each in paid)
        yield f"sequence: the β of all draws add up to {spent or '0'} <= {certificate.total}"
        for bound in certificate.bounds:
            meant = f"gamma = {bound.value}" if bound.part == "gamma" else bound.value
            yield f"consequence: {meant} is at least {bound.need}"

    def _block(self, block: tuple[ir.Statement, ...], depth: int) -> Iterator[str]:
        for statement in block:
            yield from self._statement(statement, depth)

    def _statement(self, statement: ir.Statement, depth: int) -> Iterator[str]:
        match statement:
            case ir.Assign(target, value):
                yield _line(statement, depth, f"{target} = {show(value)}", "assignment")
            case ir.Append(target, value):
                yield _line(statement, depth, f"{target}.append({show(value)})", "assignment")
            case ir.Sample(target, kind, arguments, site):
                text = f"{target} = {kind}({', '.join(map(show, arguments))})"
                yield _line(statement, depth, text, _rule(self.sites[site], target, kind))
            case ir.If(condition, then, otherwise):
                yield _line(statement, depth, f"if {show(condition)}:", "conditional: β of either branch")
                yield from self._block(then, depth + 1)
                if otherwise:
                    yield _line(statement, depth, "else:", "")
                    yield from self._block(otherwise, depth + 1)
            case ir.For(_, body) | ir.While(_, body):
                number = self.loops[id(statement)]
                formulas = [each.formula for each in self.certificate.invariants if each.loop == number]
                yield _line(statement, depth, show_head(statement), "loop, with the invariant")
                for part in formulas[0][1:-1].split(") and (") if formulas[0] != "True" else ("True",):
                    yield " " * (_WIDTH + 8) + part
                yield from self._block(body, depth + 1)
            case ir.Return(value):
                yield _line(statement, depth, f"return {show(value)}", "consequence: the condition follows")
            case ir.Break() | ir.Continue():
                yield _line(statement, depth, type(statement).__name__.lower(), "")


def _rule(site: Site, target: str, kind: str) -> str:
    if site.assumed == "nothing":
        return f"{kind}: nothing is assumed, β = 0"
    times = "" if site.count == "1" else f", at most {site.count} times"
    if site.assumed in ("true", "false"):
        return f"flip: shows {site.assumed.capitalize()}, β = {site.failure}{times}"
    margin = f"gamma({site.site})"
    stays = {
        "exponential": f"0 <= {target} <= {margin}",
        "choose": f"no score is higher by more than {margin}",
    }.get(kind, f"|{target}| <= {margin}")
    return f"{kind.capitalize()} rule: {stays}, β = {site.failure}{times}"


def _line(node: ir.Node, depth: int, text: str, rule: str) -> str:
    return f"{node.span.line:4}  {'  ' * depth + text:{_WIDTH}}  {rule}".rstrip()
