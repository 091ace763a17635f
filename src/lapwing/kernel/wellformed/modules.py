"""A whole module looked at again, whoever has read it: its shape, where noise is, and what is public in it."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.kernel.program import ir
from lapwing.kernel.wellformed import noisy, secrecy, structure


def looked_at(module: ir.Module) -> ir.Module:
    """The module, if every mechanism is well formed, with its variables marked public or not as they are."""
    found: dict[str, ir.Mechanism] = {}
    for each in module:
        found[each.name] = _looked_at(each, found)
    return ir.Module(tuple(found.values()))


def remade(module: ir.Module, mechanism: ir.Mechanism) -> ir.Module:
    """The module with what was made of one of its mechanisms in the place of that one, and looked at as if written."""
    callees = {each.name: each for each in module if each.name != mechanism.name}
    return ir.Module((*callees.values(), _looked_at(mechanism, callees)))


def _looked_at(mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism]) -> ir.Mechanism:
    structure.check(mechanism)
    noisy.check(mechanism, callees)
    return secrecy.with_variables(mechanism, callees)
