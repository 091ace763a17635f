"""A whole module looked at again, whoever has read it: its shape, its types, and what is public in it."""

from __future__ import annotations

from lapwing.kernel.program import ir
from lapwing.kernel.wellformed import secrecy, structure


def looked_at(module: ir.Module) -> ir.Module:
    """The module, if every mechanism is well formed, with its variables marked public or not as they are."""
    found: dict[str, ir.Mechanism] = {}
    for each in module:
        structure.check(each)
        found[each.name] = secrecy.with_variables(each, found)
    return ir.Module(tuple(found.values()))
