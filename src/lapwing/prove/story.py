"""A proof as people read it: the program line by line, each with the rule that carries both runs past it.

The rules are those of approximate probabilistic relational Hoare logic ([BGGHS16]): sequence, conditional, while,
the three Laplace rules (null: equal noise; equalise: different values look equal; shift: equal values look different),
and pointwise equality, which considers one answer at a time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from lapwing.evidence.certificate import Alignment, Branch, Certificate, Coupling, Enumeration, Sensitivity
from lapwing.program import ir, walk
from lapwing.program.printer import show
from lapwing.prove.product import may_part


def story(certificate: Certificate, module: ir.Module) -> str:
    """The proof that a certificate states, one line per step."""
    mechanism = module[certificate.function]
    match certificate.proof:
        case Coupling() as proof:
            lines = _coupling(proof, mechanism, certificate)
        case Sensitivity() as proof:
            lines = _sensitivity(proof, mechanism, certificate)
        case Enumeration(rows):
            lines = _enumeration(rows, mechanism, certificate)
    return "\n".join(lines)


def _judgement(mechanism: ir.Mechanism, certificate: Certificate) -> str:
    private = ", ".join(f"{each.name} ~ {each.relation}" for each in mechanism.parameters if each.private)
    letter = {"epsilon": "ε", "rho": "ρ"}[certificate.measure]
    return f"{private}  ⊢  {mechanism.name} : {letter} = {certificate.bound}"


# --- couplings -------------------------------------------------------------------------------------------


def _coupling(proof: Coupling, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    yield _judgement(mechanism, certificate)
    if proof.ghost == "output":
        yield "pointwise equality: for every s, if the first run answers s then so does the second"
    loops = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
    numbers = {id(loop): number for number, loop in enumerate(loops, 1)}
    yield from _block(mechanism.body, proof, numbers, mechanism, 1)
    together = {site: each for each in proof.joint for site, _ in each.weights}
    for site in proof.sites:
        if site.site not in together:
            yield f"cost of site {site.site}: at most {site.total} in all"
    for each in proof.joint:
        spent = " + ".join(f"{weight}·site {site}" if weight != 1 else f"site {site}" for site, weight in each.weights)
        yield f"cost of {spent}: at most {each.total} in all"
    yield f"sequence: the sum of cost / scale is {certificate.bound}"


def _block(
    block: tuple[ir.Statement, ...], proof: Coupling, loops: Mapping[int, int], mechanism: ir.Mechanism, depth: int
) -> Iterator[str]:
    for statement in block:
        yield from _statement(statement, proof, loops, mechanism, depth)


def _statement(
    statement: ir.Statement, proof: Coupling, loops: Mapping[int, int], mechanism: ir.Mechanism, depth: int
) -> Iterator[str]:
    match statement:
        case ir.Assign(target, value):
            yield _line(statement, depth, f"{target} = {show(value)}", "")
        case ir.Append(target, value):
            yield _line(statement, depth, f"{target}.append({show(value)})", "equal in both runs")
        case ir.Sample(target, kind, arguments, site):
            text = f"{target} = {kind}({', '.join(map(show, arguments))})"
            rules = [_rule(each.alignment, target, kind.capitalize()) for each in proof.sites if each.site == site]
            yield _line(statement, depth, text, rules[0] if rules else "the same draw in both runs")
        case ir.If(condition, then, otherwise):
            rule = "each run goes its own way" if may_part(statement) else "conditional: both runs go the same way"
            yield _line(statement, depth, f"if {show(condition)}:", rule)
            yield from _block(then, proof, loops, mechanism, depth + 1)
            if otherwise:
                yield _line(statement, depth, "else:", "")
                yield from _block(otherwise, proof, loops, mechanism, depth + 1)
        case ir.For(_, body) | ir.While(_, body):
            formulas = [each.formula for each in proof.invariants if each.loop == loops[id(statement)]]
            yield _line(statement, depth, f"{_head(statement)}:", "while, with the invariant")
            yield from (f"{'':61}{part}" for part in _parts(formulas[0]))
            yield from _block(body, proof, loops, mechanism, depth + 1)
        case ir.Return(value):
            yield _line(statement, depth, f"return {show(value)}", "equal in both runs")
        case ir.Break() | ir.Continue():
            yield _line(statement, depth, type(statement).__name__.lower(), "in both runs")


def _head(statement: ir.For | ir.While) -> str:
    if isinstance(statement, ir.While):
        return f"while {show(statement.condition)}"
    source = statement.source
    if isinstance(source, ir.Range):
        return f"for {source.target} in range({show(source.start)}, {show(source.stop)})"
    return f"for {', '.join(source.targets)} in {', '.join(show(value) for _, value in source.items)}"


def _parts(formula: str) -> list[str]:
    """The conjuncts of a formula, one by one."""
    tree = ast.parse(formula, mode="eval").body
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [ast.unparse(part) for part in tree.values]
    return [formula]


def _line(statement: ir.Node, depth: int, text: str, rule: str) -> str:
    place = str(statement.span.line) if statement.span.line else ""
    left = f"{place:>5}  {'  ' * depth}{text}"
    return f"{left:<58} {rule}".rstrip()


def _rule(alignment: Alignment, target: str, noise: str) -> str:
    if isinstance(alignment, Branch):
        guard = alignment.guard.replace("draw()", target)
        then, otherwise = (_rule(each, target, noise) for each in (alignment.then, alignment.otherwise))
        return f"[{guard}] {then}; otherwise {otherwise}"
    if alignment == "0":
        return f"{noise}, null"
    if alignment.startswith("-hat("):
        return f"{noise}, equalise: {alignment}"
    return f"{noise}, shift: {alignment}"


# --- the other methods -----------------------------------------------------------------------------------


def _sensitivity(proof: Sensitivity, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    yield _judgement(mechanism, certificate)
    letter = {"epsilon": "ε", "rho": "ρ"}[certificate.measure]
    costs = {cost.site: cost for cost in proof.costs}
    for statement in walk.statements(mechanism.body):
        match statement:
            case ir.Sample(target, kind, arguments, site):
                text = f"{target} = {kind}({', '.join(map(show, arguments))})"
                yield _line(
                    statement,
                    1,
                    text,
                    f"on a value of sensitivity {costs[site].distance}: {letter} = {costs[site].price}",
                )
            case ir.Call(target, callee, arguments, site):
                text = f"{target} = {callee}({', '.join(map(show, arguments))})"
                yield _line(statement, 1, text, f"by its own proof: {letter} = {costs[site].price}")
            case ir.Assign(target, value):
                yield _line(statement, 1, f"{target} = {show(value)}", "")
            case ir.Return(value):
                yield _line(statement, 1, f"return {show(value)}", "post-processing")
    yield f"sequence: the prices add up to {certificate.bound}"
    for other in proof.callees:
        yield f"{other.function} has its own certificate, by {other.method}: {other.bound}"


def _enumeration(rows: bool, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    yield _judgement(mechanism, certificate)
    if rows:
        yield "parallel composition: each row is answered by itself, and neighbours differ in one row"
    yield "all runs are listed, with their probabilities as formulas in the public parameters;"
    yield f"no answer is more than e^({certificate.bound}) times likelier on one input than on the other"
