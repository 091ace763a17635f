"""The parts of a coupling proof: one for each draw and each loop of the mechanism, each in one total, and no more."""

from __future__ import annotations

from lapwing.check.couplings.doubt import Unproved
from lapwing.evidence.certificate import Coupling, Site
from lapwing.program import ir, walk

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
    return [each for each in draws if each.kind in ("laplace", "exponential")]


def sites_of(proof: Coupling, mechanism: ir.Mechanism) -> dict[int, Site]:
    """The sites by number: one for each shifted draw, no others."""
    drawn = [each.site for each in shifted_draws(mechanism)]
    found = {site.site: site for site in proof.sites}
    if len(found) != len(proof.sites) or sorted(found) != sorted(drawn):
        raise Unproved("the sites of the certificate are not the mechanism's draws")
    return found


def loops_of(proof: Coupling, mechanism: ir.Mechanism) -> dict[int, tuple[int, str]]:
    """Number and invariant of each loop, by identity of its statement."""
    loops = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
    found = {each.loop: each.formula for each in proof.invariants}
    if len(found) != len(proof.invariants) or sorted(found) != list(range(1, len(loops) + 1)):
        raise Unproved("the invariants of the certificate are not for the mechanism's loops")
    return {id(loop): (number, found[number]) for number, loop in enumerate(loops, 1)}
