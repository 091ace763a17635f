"""The parts of a coupling proof: one for each draw and each loop of the mechanism, each in one total, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.approximate import Pairing
from lapwing.kernel.evidence.certificate import Branch, Coupling, Site
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk

#: Noise that a coupling may move at a price.
SHIFTED = ("laplace", "exponential", "discrete_laplace")
#: Sites and the weights with which their shifts are added up.
Weights = tuple[tuple[int, int], ...]


def totals(proof: Coupling) -> list[tuple[Weights, str]]:
    """Which weighted sums of sites are bounded, and by what; every site is in exactly one."""
    alone = [(((site.site, 1),), site.total) for site in proof.sites if site.total != "joint"]
    joint = [(each.weights, each.total) for each in proof.joint]
    if not all(weights and all(weight >= 1 for _, weight in weights) for weights, _ in joint):
        raise Unproved("a joint total counts no draw, or one less than once")
    bounded = sorted(site for weights, _ in (*alone, *joint) for site, _ in weights)
    if bounded != sorted(site.site for site in proof.sites):
        raise Unproved("not every draw of the certificate is bounded once")
    return [*alone, *joint]


def shifted_draws(mechanism: ir.Mechanism) -> list[ir.Sample]:
    """The draws that a coupling shifts; others are coupled to be equal."""
    draws = (each for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample))
    return [each for each in draws if each.kind in SHIFTED]


def sites_of(proof: Coupling, mechanism: ir.Mechanism) -> dict[int, Site]:
    """The sites by number: one for each shifted draw, no others."""
    drawn = [each.site for each in shifted_draws(mechanism)]
    found = {site.site: site for site in proof.sites}
    if len(found) != len(proof.sites) or sorted(found) != sorted(drawn):
        raise Unproved("the sites of the certificate are not the mechanism's draws")
    return found


def confirm_pairs(pairs: Iterable[Pairing], drawn: Mapping[int, ir.Sample]) -> None:
    """Refuse pairs of draws that are not of one kind, or of which one is in two pairs of the same run."""
    pairs = list(pairs)
    for sites in ([each.first for each in pairs], [each.second for each in pairs]):
        if len(set(sites)) < len(sites) or not set(sites) <= set(drawn):
            raise Unproved("the pairs of the certificate are not of the mechanism's draws, each in one at most")
    for each in pairs:
        if _forgets(each.alignment):
            raise Unproved("paired draws are moved by amounts, not onto intervals")
        if drawn[each.first].kind != drawn[each.second].kind:
            raise Unproved(f"the draws at sites {each.first} and {each.second} are of different kinds")


def _forgets(alignment: object) -> bool:
    if isinstance(alignment, Branch):
        return _forgets(alignment.then) or _forgets(alignment.otherwise)
    return not isinstance(alignment, str)


def loops_of(proof: Coupling, mechanism: ir.Mechanism) -> dict[int, ir.Expression]:
    """The invariant of each loop, by its number."""
    loops = [each.number for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
    found = {each.loop: formula(each.formula) for each in proof.invariants}
    if len(found) != len(proof.invariants) or sorted(found) != sorted(loops) or len(set(loops)) != len(loops):
        raise Unproved("the invariants of the certificate are not for the mechanism's loops")
    return found


def only_grows(mechanism: ir.Mechanism, name: str) -> bool:
    """Whether a list begins with nothing, once and before all else that happens to it, and then is appended to."""
    changes = [each for each in walk.statements(mechanism.body) if name in walk.targets(each)]
    if not changes or not any(changes[0] is each for each in mechanism.body):
        return False
    starts = isinstance(changes[0], ir.Assign) and changes[0].value == ir.ListOf(())
    return starts and all(isinstance(each, ir.Append) for each in changes[1:])


def elements_of(proof: Coupling, mechanism: ir.Mechanism) -> dict[str, tuple[ir.Type, ir.Expression]]:
    """The lists of which something is said about each element: the type of the elements, and what."""
    types = {variable.name: variable.type for variable in mechanism.variables}
    found: dict[str, tuple[ir.Type, ir.Expression]] = {}
    for each in proof.elements:
        match types.get(each.name):
            case ir.List(ir.Real() | ir.Integer() | ir.Boolean() as kind) if only_grows(mechanism, each.name):
                found[each.name] = kind, formula(each.formula)
            case _:
                raise Unproved(f"'{each.name[:60]}' is not a list that only grows")
    if found and (proof.bad or proof.intervals or proof.pairs):
        raise Unproved("lists whose elements differ are for proofs of ε by shifts alone")
    if len(found) != len(proof.elements):
        raise Unproved("the elements of a list are spoken of twice")
    return found


def answered_lists(mechanism: ir.Mechanism) -> dict[str, ir.Type]:
    """The lists of whole numbers and truth values that are part of every answer, and only grow from nothing.

    Of such a list the answer considered says what comes next: its element at the place that the list has reached.
    Real elements are left out: each has probability 0.
    """
    every = list(walk.statements(mechanism.body))
    answers = [each.value for each in every if isinstance(each, ir.Return)]
    found: dict[str, ir.Type] = {}
    for variable in mechanism.variables:
        match variable.type:
            case ir.List(ir.Integer() | ir.Boolean() as kind):
                if only_grows(mechanism, variable.name):
                    name = ir.Name(variable.name)
                    parts = [each.elements if isinstance(each, ir.TupleOf) else (each,) for each in answers]
                    if all(name in each for each in parts):
                        found[variable.name] = kind
    if not found:
        raise Unproved("no list of whole numbers or truth values grows to be answered")
    return found
