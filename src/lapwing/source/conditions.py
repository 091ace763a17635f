"""Accuracy claims: a condition on the parameters and ``result``, and the probability ``beta`` with which it may fail.

The one idea: a condition may mention ``gamma`` and ``beta`` without the mechanism having such parameters. ``gamma`` is
then the margin to be found, ``beta`` any probability in (0, 1). ``all(... for ...)`` says something of every element.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.formulas.margins import OPEN
from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.program.spans import NOWHERE
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.wellformed.nesting import MAX_DEPTH
from lapwing.source import expressions
from lapwing.source.frame import Frame, Signature
from lapwing.source.original import Source
from lapwing.source.scope import Scope
from lapwing.source.syntax_depth import too_deep

#: Longer conditions than any person writes.
MAX_LENGTH = 4000


def read_accuracy(frame: Frame, condition: ast.expr, beta: ast.expr) -> ir.Accuracy:
    """The claim that ``condition`` fails with probability at most ``beta``; both are syntax trees."""
    if frame.signature_has("result"):
        problem = "'result' means the answer in a condition, and is a parameter of the function"
        raise frame.scope.refused("P170", condition, problem, "Rename the parameter")
    words = {part.id for tree in (condition, beta) for part in ast.walk(tree) if isinstance(part, ast.Name)}
    taken = words | {each.name for each in frame.signature.parameters}
    frame = replace(frame, words=frame.words | taken)  # variables that are renamed stand for nothing else
    free: dict[str, ir.Type] = {name: ir.Real() for name in OPEN if not frame.signature_has(name)}
    wanted, kind = _lowered(frame, condition, {**free, "result": frame.signature.returns})
    if not isinstance(kind, ir.Boolean):
        raise frame.scope.refused(
            "U103",
            condition,
            f"the condition is {types.show(kind)}, not a truth value",
            "Compare something: abs(result - x) <= gamma",
        )
    chance, kind = _lowered(frame, beta, free)
    if not types.is_number(kind):
        raise frame.scope.refused("U102", beta, f"beta is {types.show(kind)}", "Give a number between 0 and 1")
    _check_public(frame, chance, beta)
    if not walk.names(chance):
        value = enclosed(chance, {})
        if not (value.lower > 0 and value.upper < 1):
            raise frame.scope.refused("U102", beta, "beta is not between 0 and 1", "Give a probability such as 0.05")
    return ir.Accuracy(wanted, chance, span=frame.scope.span(condition))


def read_condition(mechanism: ir.Mechanism, condition: str, beta: str) -> ir.Accuracy:
    """The claim that two texts state about a mechanism."""
    trees = [_tree(condition, "condition"), _tree(beta, "beta")]
    lines = [" ".join(text.split()) for text in (condition, beta)]
    ast.increment_lineno(trees[1], 1)
    frame = Frame(
        Scope(Source("\n".join(lines), "<condition>")),
        Signature(mechanism.name, mechanism.parameters, mechanism.returns),
        {},
        settled=True,
    )
    return replace(read_accuracy(frame, *trees), span=NOWHERE)


def _lowered(frame: Frame, tree: ast.expr, bound: dict[str, ir.Type]) -> tuple[ir.Expression, ir.Type]:
    try:
        # names of its own: what a comprehension of the condition binds means nothing in beta, nor the other way round
        return expressions.lower(replace(frame, bound=bound, renamed={}, claims=True), tree, None)
    except InvalidProgram as refusal:
        if refusal.code != "P120":
            raise
        name = refusal.problem.split("'")[1]
        known = ", ".join((*(each.name for each in frame.signature.parameters), *bound))
        raise InvalidProgram(
            "U101", f"'{name}' is not known in an accuracy claim", f"Use {known}", refusal.place
        ) from None


def _check_public(frame: Frame, node: ir.Node, place: ast.expr) -> None:
    """Refuse a probability that depends on private values; lengths of lists are fine."""
    if isinstance(node, ir.Builtin) and node.function == "len":
        return
    private = {each.name for each in frame.signature.parameters if each.private}
    if isinstance(node, ir.Name) and node.name in private:
        raise frame.scope.refused(
            "U102", place, f"beta mentions '{node.name}', which is private", "Use public parameters only"
        )
    for child in walk.children(node):
        _check_public(frame, child, place)


def _tree(text: str, what: str) -> ast.expr:
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval").body if len(text) <= MAX_LENGTH else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or too_deep(tree) is not None:
        raise InvalidInput(
            "U104",
            f"the {what} is not a Python expression of fewer than {MAX_DEPTH} levels",
            "Write something like abs(result - x) <= gamma",
        )
    return tree
