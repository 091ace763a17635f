"""A whole source printed from its mechanisms: what is read again is the same program."""

from __future__ import annotations

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import relation_words, show_mechanism


def show_module(module: ir.Module) -> str:
    """A whole source: one import line, then every mechanism."""
    body = "\n\n".join(show_mechanism(mechanism) for mechanism in module)
    parameters = (parameter for mechanism in module for parameter in mechanism.parameters)
    functions = any(isinstance(parameter.type, ir.Oracle) for parameter in parameters)
    first = "from collections.abc import Callable\n\n" if functions else ""
    return f"{first}from lapwing import {', '.join(_imports(module))}\n\n\n{body}"


def _imports(module: ir.Module) -> list[str]:
    words: set[str] = set()
    for mechanism in module:
        words |= {relation_words(each).partition("(")[0] for each in mechanism.parameters if each.relation is not None}
        words |= {"mechanism"} if any(parameter.private for parameter in mechanism.parameters) else set()
        words |= {"accurate"} if mechanism.accuracy else set()
        words |= {"flow"} if mechanism.flow is not None else set()
        words |= {"zcdp"} if isinstance(mechanism.claim, ir.ZcdpClaim) else set()
        for node in walk.nodes(mechanism):
            match node:
                case ir.Sample(kind=kind):
                    words.add(kind)
                case ir.Builtin(function="clip" | "match" | "~ln" | "~exp" | "~sqrt" as function):
                    words.add(function.removeprefix("~"))
    return sorted(words)
