"""A proof as people read it: a coupling in apRHL's rules, distances as typing judgements, or a list of all runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lapwing.kernel.composition.confirm import Composition
from lapwing.kernel.evidence.certificate import Certificate, Composed, Coupling, Enumeration, Fold, Lift, Sensitivity
from lapwing.kernel.folds.lifting import lift
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.folds.ways import Released, Rounds
from lapwing.kernel.prices.named_functions import meanings, named
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.solver import Terms
from lapwing.search.privacy.composition_story import Telling
from lapwing.search.privacy.coupling_story import coupling_lines
from lapwing.search.privacy.enumeration import two_runs
from lapwing.search.privacy.lines import drawn, line
from lapwing.search.privacy.sensitivity import judgements

LETTERS = {"epsilon": "ε", "approximate": "(ε, δ)", "rho": "ρ"}


def story(certificate: Certificate, module: ir.Module) -> str:
    """The proof that a certificate states, one line per step."""
    words = {show(name): show(real) for name, real in meanings(module[certificate.function]).items()}
    module = named(module, certificate.function)
    mechanism = module[certificate.function]
    match certificate.proof:
        case Coupling() as proof:
            lines = coupling_lines(proof, mechanism, certificate)
        case Sensitivity() as proof:
            lines = _sensitivity(proof, module, certificate)
        case Enumeration(rows):
            lines = _enumeration(rows, mechanism, certificate)
        case Fold():
            lines = _fold(mechanism, certificate)
        case Lift() as proof:
            lines = _lift(proof, mechanism, certificate)
        case Composed() as proof:
            lines = _composed(proof, module, certificate)
    text = "\n".join(lines)
    for name, real in words.items():
        text = re.sub(rf"\b{name}\b", real, text)
    return text


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
            case ir.Asking(target, (function, *told)):
                asked = f"{target} = {show(function)}({', '.join(map(show, told))})"
                yield line(statement, 1, asked, f"⊢ asked the same, {target} : {distance}")
            case ir.Append(target, value):
                yield line(statement, 1, f"{target}.append({show(value)})", f"⊢ {target} : 0")
            case ir.Assign(target, value):
                yield line(statement, 1, f"{target} = {show(value)}", f"⊢ {target} : {distance}")
            case ir.Return(value):
                yield line(statement, 1, f"return {show(value)}", "⊢ answer : 0, by post-processing")
    yield "where e : d says that e moves by at most d between neighbours"
    prices = [cost.price for cost in proof.costs if cost.price != "0"]
    whole = f"{' + '.join(prices)} = {certificate.bound}" if len(prices) > 1 else certificate.bound
    yield f"sequential composition: {letter} = {whole}"
    for other in proof.callees:
        yield f"{other.function} has its own certificate, by {other.method}: {other.bound}"


def _fold(mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    """What one record adds to each total that is released, and the price of all of them together."""
    yield _judgement(mechanism, certificate)
    folds = Folds(Terms(), mechanism, certificate.measure)
    (records,) = (each for each in mechanism.parameters if each.private)
    yield f"every total is a public number and a sum over the records of {records.name}; one record r adds"
    seen: dict[str, None] = {}
    for way in folds.extraction.run():
        for released in way.released:
            seen.update(dict.fromkeys(_adding(released, "")))
    yield from seen
    yield f"the sum of these over their scales is at most {certificate.bound} for every pair of neighbouring records"


def _lift(proof: Lift, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    """What the records are used for, how far one moves that, and the proof of the mechanism on it."""
    yield _judgement(mechanism, certificate)
    lifted = lift(Folds(Terms(), mechanism, certificate.measure))
    yield "the records are used for totals only; one record r adds"
    for total, (distance, one_way) in zip(lifted.totals, proof.distances, strict=True):
        way = ", all one way" if one_way else ""
        yield f"       {total.name}: {_in_words(total.each)}, so it moves by at most {distance}{way}"
    yield "and the mechanism on these totals is private for neighbours so far apart:"
    yield story(proof.mechanism, lifted.with_distances(proof.distances))


def _composed(proof: Composed, module: ir.Module, certificate: Certificate) -> Iterator[str]:
    """The parts in order; what each step releases is public to those behind it."""
    mechanism = module[certificate.function]
    yield _judgement(mechanism, certificate)
    walk = Composition(Terms(), module, mechanism, certificate.measure, lambda *_: None)
    telling = Telling(walk, LETTERS[certificate.measure], story)
    yield from telling.parts(proof.parts, mechanism.body)
    yield f"together: {' + '.join(telling.prices)}, so {telling.letter} = {certificate.stated}"


def _adding(part: Released | Rounds, where: str) -> Iterator[str]:
    if isinstance(part, Rounds):
        for way in part.ways:
            for inner in way.released:
                yield from _adding(inner, ", in each round")
        return
    adds = _in_words(part.each)
    yield line(part.draw, 1, drawn(part.draw), f"⊢ protects a total to which r adds {adds}{where}")


def _in_words(term: ir.Expression) -> str:
    """The term with r for the record, i for its place, j for the round, and words for what is released or unknown."""
    text = re.sub(r"%record\.(\d+)", r"r[\1]", show(_readable(term)))
    text = text.replace("%record", "r").replace("%position", "i")
    return re.sub(r"%~\d+\.(\w+)\.?", r"\1", re.sub(r"%#\d+", "j", text))


def _readable(term: ir.Expression) -> ir.Expression:
    """The term with choices between two numbers written as people do: min, max, clip and abs."""
    match term:
        case ir.Conditional(ir.Compare("<=" | ">=" as symbol, a, b), then, otherwise) if (a, b) == (then, otherwise):
            low, high = _readable(a), _readable(b)
            if symbol == "<=":
                return ir.Builtin("min", (low, high))
            if isinstance(high, ir.Builtin) and high.function == "min" and len(high.arguments) == 2:
                return ir.Builtin("clip", (high.arguments[0], low, high.arguments[1]))
            return ir.Builtin("max", (low, high))
        case ir.Conditional(ir.Compare(">=", a, ir.Number(zero)), then, ir.Arithmetic("-", ir.Number(), b)) if (
            zero == 0 and a == then == b
        ):
            return ir.Builtin("abs", (_readable(a),))
        case ir.Conditional(condition, then, otherwise):
            return ir.Conditional(_readable(condition), _readable(then), _readable(otherwise))
        case ir.Compare(symbol, left, right):
            return ir.Compare(symbol, _readable(left), _readable(right))
        case ir.Arithmetic(symbol, left, right):
            return ir.Arithmetic(symbol, _readable(left), _readable(right))
        case ir.Negate(operand):
            return ir.Negate(_readable(operand))
        case ir.And(operands):
            return ir.And(tuple(map(_readable, operands)))
    return term


def _enumeration(rows: bool, mechanism: ir.Mechanism, certificate: Certificate) -> Iterator[str]:
    yield _judgement(mechanism, certificate)
    if rows:
        yield "parallel composition: each row is answered by itself, and neighbours differ in one row"
    yield "every run is listed; the probability of each answer is"
    yield from (f"  {left}   in one run,   {right}   in the other" for left, right in two_runs(mechanism))
    yield f"no two in a line differ by more than a factor of e^ε, for ε = {certificate.bound}"
