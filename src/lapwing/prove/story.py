"""A proof as people read it: a coupling in apRHL's rules, distances as typing judgements, or a list of all runs."""

from __future__ import annotations

from collections.abc import Iterator

from lapwing.evidence.certificate import Certificate, Coupling, Enumeration, Sensitivity
from lapwing.program import ir
from lapwing.program.printer import show
from lapwing.prove.bounds import text
from lapwing.prove.coupling_story import coupling_lines
from lapwing.prove.enumeration import chances
from lapwing.prove.lines import drawn, line
from lapwing.prove.sensitivity import Noise, judgements

LETTERS = {"epsilon": "ε", "rho": "ρ"}


def story(certificate: Certificate, module: ir.Module) -> str:
    """The proof that a certificate states, one line per step."""
    mechanism = module[certificate.function]
    match certificate.proof:
        case Coupling() as proof:
            lines = coupling_lines(proof, mechanism, certificate)
        case Sensitivity() as proof:
            lines = _sensitivity(proof, module, certificate)
        case Enumeration(rows):
            lines = _enumeration(rows, mechanism, certificate)
    return "\n".join(lines)


def _judgement(mechanism: ir.Mechanism, certificate: Certificate) -> str:
    private = ", ".join(f"{each.name} : {each.relation}" for each in mechanism.parameters if each.private)
    return f"{private} ⊢ {mechanism.name} : {LETTERS[certificate.measure]} = {certificate.bound}"


def _sensitivity(proof: Sensitivity, module: ir.Module, certificate: Certificate) -> Iterator[str]:
    """Γ ⊢ e : d says that e moves by at most d between neighbours; a released value moves by 0."""
    yield _judgement(module[certificate.function], certificate)
    letter = LETTERS[certificate.measure]
    costs = {cost.site: cost for cost in proof.costs}
    for statement, distance in judgements(module, certificate):
        match statement:
            case ir.Sample(site=site) | ir.Call(site=site) if site not in costs:
                yield line(statement, 1, drawn(statement), "⊢ never used, free")
            case ir.Sample(kind="flip" | "uniform"):
                yield line(statement, 1, drawn(statement), "⊢ the same law for all neighbours, free")
            case ir.Sample(site=site):
                cost = costs[site]
                yield line(
                    statement, 1, drawn(statement), f"⊢ protects a value : {cost.distance}, {letter} = {cost.price}"
                )
            case ir.Call(site=site):
                yield line(statement, 1, drawn(statement), f"⊢ by its own proof, {letter} = {costs[site].price}")
            case ir.Assign(target, value):
                moved = "noise" if isinstance(distance, Noise) else "unbounded" if distance is None else text(distance)
                yield line(statement, 1, f"{target} = {show(value)}", f"⊢ {target} : {moved}")
            case ir.Return(value):
                yield line(statement, 1, f"return {show(value)}", "⊢ answer : 0, by post-processing")
    yield "where e : d says that e moves by at most d between neighbours"
    prices = [cost.price for cost in proof.costs if cost.price != "0"]
    whole = f"{' + '.join(prices)} = {certificate.bound}" if len(prices) > 1 else certificate.bound
    yield f"sequential composition: {letter} = {whole}"
    for other in proof.callees:
        yield f"{other.function} has its own certificate, by {other.method}: {other.bound}"


def _enumeration(rows: bool, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    yield _judgement(mechanism, certificate)
    if rows:
        yield "parallel composition: each row is answered by itself, and neighbours differ in one row"
    yield "every run is listed; the probability of each answer is"
    listed = [("answer", "if the private value is True", "if it is False"), *chances(mechanism)]
    widths = [max(len(row[column]) for row in listed) for column in (0, 1)]
    for answer, if_true, if_false in listed:
        yield f"  {answer:{widths[0]}}   {if_true:{widths[1]}}   {if_false}"
    yield f"no two in a line differ by more than a factor of e^ε, for ε = {certificate.bound}"
