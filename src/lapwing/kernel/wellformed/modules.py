"""A whole module looked at again, whoever has read it: its shape, its types, and what is public in it."""

from __future__ import annotations

from lapwing.kernel.program import ir
from lapwing.kernel.wellformed import noisy, secrecy, structure


def looked_at(module: ir.Module) -> ir.Module:
    """The module, if every mechanism is well formed, with its variables marked public or not as they are."""
    found: dict[str, ir.Mechanism] = {}
    for each in module:
        structure.check(each)
        found[each.name] = secrecy.with_variables(each, found)
    return ir.Module(tuple(found.values()))


def remade(module: ir.Module, mechanism: ir.Mechanism) -> ir.Module:
    """The module with what was made of one of its mechanisms in the place of that one, and looked at as if written."""
    structure.check(mechanism)
    callees = {each.name: each for each in module if each.name != mechanism.name}
    noisy.check(mechanism, callees)
    return ir.Module((*callees.values(), secrecy.with_variables(mechanism, callees)))
