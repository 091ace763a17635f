"""``@mechanism``: a function that can be called, and whose source can be proved.

Calling it runs the program that was read from its source, on exact numbers with exact noise; Python never runs the
function's own body. So what is proved and what runs are one thing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from lapwing.algebra.exact import Number
from lapwing.errors import InvalidInput
from lapwing.program import draws, inputs, interpret, parse, walk
from lapwing.program.evaluate import Environment, Meter, evaluate
from lapwing.program.ir import Claim, Integer, List, Mechanism, Module, Parameter
from lapwing.program.neighbours import Relation
from lapwing.program.spans import Source

#: A claim as a decorator states it: ε, (ε, δ), or zcdp(ρ).
ClaimText = str | int | float | Fraction


@dataclass(frozen=True, slots=True)
class Zcdp:
    """The claim of ρ-zero-concentrated differential privacy."""

    rho: str | Number


def zcdp(rho: str | Number) -> Zcdp:
    """Claim ρ-zero-concentrated differential privacy: ``claim=zcdp("rho")``."""
    return Zcdp(rho)


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
        """Run on these inputs, with the default lattice and step limit."""
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

    def run(self, arguments: Mapping[str, object], *, bits: int = draws.BITS, steps: int = interpret.STEPS) -> object:
        """Run on these inputs for at most ``steps`` statements, on the lattice of multiples of 2^-bits."""
        env = self._public(arguments, bits)
        for parameter in self.ir.parameters:
            if parameter.private or self._secret(parameter.name):
                env[parameter.name] = inputs.private(arguments[parameter.name], parameter.type, parameter.name, bits)
        return inputs.answer(self._program(env, Meter(steps, bits)), self.ir.returns)

    def _public(self, arguments: Mapping[str, object], bits: int) -> Environment:
        """The public inputs; refuses distances that the lattice would stretch."""
        env: Environment = {}
        for parameter in self.ir.parameters:
            if not parameter.private and not self._secret(parameter.name):
                env[parameter.name] = inputs.public(arguments[parameter.name], parameter.type, parameter.name)
        lengths = {
            each.name: arguments[each.name]
            for each in self.ir.parameters
            if isinstance(each.type, List) and each.relation is not None and each.relation.keeps_length
        }
        for parameter in self.ir.parameters:
            if parameter.distance is not None:
                self._check_distance(parameter, {**env, **lengths}, bits)
        return env

    def _check_distance(self, parameter: Parameter, env: Environment, bits: int) -> None:
        assert parameter.distance is not None  # noqa: S101  # the caller asked
        secret = sorted(name for name in walk.names(parameter.distance) if self._secret(name))
        if secret:
            raise InvalidInput(
                "P212",
                f"how far neighbours in '{parameter.name}' are apart depends on '{secret[0]}', which is a secret",
                "Use a distance of public parameters and numbers",
            )
        distance = Fraction(evaluate(parameter.distance, env))
        element = parameter.type.element if isinstance(parameter.type, List) else parameter.type
        step = Fraction(1) if isinstance(element, Integer) else Fraction(1, 2**bits)
        # floor moves two numbers that are d apart to at most d apart exactly when d is a multiple of the step
        if distance < 0 or distance % step != 0:
            raise InvalidInput(
                "P212",
                f"neighbours in '{parameter.name}' are {distance} apart, not a multiple of the lattice step {step}",
                "Use a distance such as 1 or 0.5, and scale the data to it",
            )

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


def mechanism(
    *, claim: ClaimText | tuple[ClaimText, ClaimText] | Zcdp | None = None, **private: Relation
) -> Callable[[Callable[..., object] | Runnable], Runnable]:
    """Make a function a mechanism: each keyword names a private parameter and how neighbours differ in it.

    The decorator's arguments are read from the source, like everything else; here they are only checked for sense.
    """
    del claim  # read from the source, where it has a place to point at
    for name, relation in private.items():
        if not isinstance(relation, Relation):
            raise InvalidInput("P165", f"'{name}' is given no neighbour relation", "Write something like q=each(1)")
    return _runnable


def accurate(condition: str, *, beta: str | Number) -> Callable[[Callable[..., object] | Runnable], Runnable]:
    """State that ``condition`` on the parameters and ``result`` fails with probability at most ``beta``."""
    del condition, beta  # read from the source
    return _runnable


def flow(*, lattice: str = "", **labels: str) -> Callable[[Callable[..., object] | Runnable], Runnable]:
    """Label parameters and ``result`` as secret or public, or with the labels of ``lattice="low < mid < high"``."""
    del lattice, labels  # read from the source
    return _runnable


def _runnable(function: Callable[..., object] | Runnable) -> Runnable:
    if isinstance(function, Runnable):
        return function  # several of the decorators on one function
    if not inspect.isfunction(function):
        raise InvalidInput("P213", "a decorator of Lapwing stands on something that is no function", "Put it on a def")
    source, line = parse.source_of(function)
    runnable = Runnable(function.__name__, source, line)
    # what functools.update_wrapper would set, on an object that is frozen from here on
    names: dict[str, object] = {name: getattr(function, name) for name in functools.WRAPPER_ASSIGNMENTS}
    vars(runnable).update(names, __wrapped__=function)
    return runnable
