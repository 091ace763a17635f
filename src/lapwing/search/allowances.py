"""The margins of an accuracy condition: which of its parts allow for noise."""

from __future__ import annotations

from collections.abc import Iterator

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS


def margins_in(mechanism: ir.Mechanism, condition: ir.Expression) -> list[ir.Expression]:
    """The parts of a condition that allow for noise: ``gamma``, formulas with logarithms, public numbers of its own."""
    gamma = ir.Name("gamma")
    if mechanism.parameter("gamma") is None and gamma in walk.nodes(condition):
        return [gamma]
    public = {p.name for p in mechanism.parameters if not p.private and p.type in (ir.Real(), ir.Integer())}
    found = list(dict.fromkeys(_marginal(condition, public - walk.read(mechanism.body))))
    if found:
        return found
    return list(
        dict.fromkeys(
            side
            for part in walk.nodes(condition)
            if isinstance(part, ir.Compare)
            for side in (part.left, part.right)
            if isinstance(side, ir.Number) and side.value > 0
        )
    )


def _marginal(node: ir.Expression, own: set[str]) -> Iterator[ir.Expression]:
    """The largest numbers with logarithms, roots or names of the claim's ``own`` in every summand."""
    if not _is_marginal(node, own):
        return
    match node:
        case ir.Arithmetic("+" | "-", left, right) if not (_is_marginal(left, own) and _is_marginal(right, own)):
            yield from _marginal(left if _is_marginal(left, own) else right, own)
        case ir.Arithmetic() | ir.Name():
            yield node
        case ir.Builtin(function) if function in CLAIM_FUNCTIONS:
            yield node
        case _:
            for child in walk.children(node):
                yield from _marginal(child, own)  # type: ignore[arg-type]  # children of expressions are expressions


def _is_marginal(node: ir.Node, own: set[str]) -> bool:
    def allows(part: ir.Node) -> bool:
        word = isinstance(part, ir.Builtin) and part.function in CLAIM_FUNCTIONS
        return word or (isinstance(part, ir.Name) and part.name in own)

    return any(map(allows, walk.nodes(node)))
