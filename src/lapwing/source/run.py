"""Mechanisms that can be called: what runs is the program that was read from the source, and that is proved.

Python never runs the function's own body, so what is proved and what runs are one thing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from lapwing.algebra import parameters
from lapwing.algebra.exact import shown
from lapwing.errors import InvalidInput
from lapwing.kernel.program import walk
from lapwing.kernel.program.ir import Claim, Expression, Integer, List, Mechanism, Module, Oracle, Parameter
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.run import inputs, interpret
from lapwing.kernel.run.asking import asked
from lapwing.kernel.run.evaluate import Environment, Meter, evaluate
from lapwing.kernel.run.extent import BITS
from lapwing.source import parse
from lapwing.source.original import Source

#: The floor of an answer is at most so fine: floats are multiples of 2^-1074.
FINEST = 1074


@dataclass(frozen=True, eq=False)
class Runnable:
    """A mechanism: call it, or read its program as ``.ir``."""

    name: str
    source: Source = field(repr=False)
    #: the first line of a function found by its place; ``None`` for the one of this name in the whole source
    line: int | None = field(default=None, repr=False)

    @functools.cached_property
    def module(self) -> Module:
        """The program of this mechanism and of those it calls, read from the source at first use."""
        if self.line is None:
            return parse.parse_text(self.source.text, self.source.name, self.name)
        return parse.parse_at(self.source, self.name, self.line)

    @property
    def ir(self) -> Mechanism:
        """The program of this mechanism."""
        return self.module[self.name]

    @property
    def neighbours(self) -> dict[str, Relation]:
        """How neighbours differ, by private parameter."""
        return {each.name: each.relation for each in self.ir.parameters if each.relation is not None}

    @property
    def claim(self) -> Claim | None:
        """What is claimed, if anything."""
        return self.ir.claim

    def __call__(self, *arguments: object, **keywords: object) -> object:
        """Run on these inputs, with the default fineness and step limit."""
        names = [parameter.name for parameter in self.ir.parameters]
        given = dict(zip(names, arguments, strict=False))
        missing = [name for name in names if name not in given and name not in keywords]
        if len(arguments) > len(names) or missing or any(word in given or word not in names for word in keywords):
            raise InvalidInput(
                "P211",
                f"{self.ir.name} was given {len(arguments) + len(keywords)} arguments",
                f"Give {', '.join(names)}",
            )
        return self.run({**given, **keywords})

    def run(self, arguments: Mapping[str, object], *, bits: int = BITS, steps: int = interpret.STEPS) -> object:
        """Run on these inputs for at most ``steps`` statements; real answers are floors on multiples of 2^-bits."""
        if parameters.whole(bits, "bits", 0) > FINEST:
            raise InvalidInput("P215", f"bits is above {FINEST}, and no float is finer", "Give 20, or up to 1074")
        env = self._public(arguments)
        for parameter in self.ir.parameters:
            if isinstance(parameter.type, Oracle):
                env[parameter.name] = asked(arguments[parameter.name], parameter, parameter.type, bits)
            elif parameter.private or self._secret(parameter.name):
                env[parameter.name] = inputs.private(arguments[parameter.name], parameter.type, parameter.name)
        return inputs.answer(self._program(env, Meter(steps)), self.ir.returns, bits)

    def _public(self, arguments: Mapping[str, object]) -> Environment:
        """The public inputs; refuses distances that are none."""
        env: Environment = {}
        for parameter in self.ir.parameters:
            if not (parameter.private or self._secret(parameter.name) or isinstance(parameter.type, Oracle)):
                env[parameter.name] = inputs.public(arguments[parameter.name], parameter.type, parameter.name)
        lengths = {
            each.name: arguments[each.name]
            for each in self.ir.parameters
            if isinstance(each.type, List) and each.relation is not None and each.relation.keeps_length
        }
        for parameter in self.ir.parameters:
            apart = parameter.distance or parameter.nearby
            if apart is not None:
                self._check_distance(parameter, apart, {**env, **lengths})
        return env

    def _check_distance(self, parameter: Parameter, apart: Expression, env: Environment) -> None:
        secret = sorted(name for name in walk.names(apart) if self._secret(name))
        if secret:
            raise InvalidInput(
                "P212",
                f"how far neighbours in '{parameter.name}' are apart depends on '{secret[0]}', which is a secret",
                "Use a distance of public parameters and numbers",
            )
        distance = Fraction(evaluate(apart, env))
        element = parameter.type.element if isinstance(parameter.type, List) else parameter.type
        element = element.result if isinstance(element, Oracle) else element
        if distance < 0:
            problem = f"neighbours in '{parameter.name}' are {shown(distance)} apart, which is below 0"
            raise InvalidInput("P212", problem, "Give public parameters that make it 0 or more")
        # whole numbers are given by floor, which moves two numbers d apart to at most d apart exactly when d is whole
        if isinstance(element, Integer) and distance.denominator != 1:
            problem = f"neighbours in '{parameter.name}' are whole numbers, and {shown(distance)} apart"
            raise InvalidInput("P212", problem, "Use a whole distance, or annotate the parameter with float")

    def _secret(self, name: str) -> bool:
        return self.ir.flow is not None and name in self.ir.flow.secrets

    @functools.cached_property
    def _program(self) -> interpret.Program:
        return interpret.program(self.module, self.name)


def load(path: str | Path, name: str) -> Runnable:
    """The mechanism ``name`` of a file, without running anything in the file."""
    source = parse.read_source(path)
    runnable = Runnable(name, source)
    vars(runnable).update(__name__=name, __qualname__=name, __doc__=runnable.ir.documentation or None)
    return runnable
