"""The state of reading one mechanism: its variables and their types, fresh names, numbered sites.

Reading is repeated until the types stand still (``total = 0`` becomes a Real once a Real is added to it); every round
starts from the same names and sites, so the result does not depend on how many rounds it took.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from lapwing.kernel.program import types
from lapwing.kernel.program.ir import Assign, Expression, Parameter, Statement, Type, Unknown
from lapwing.source.acting import acts
from lapwing.source.scope import Scope

#: An expression and its type.
Lowered = tuple[Expression, Type]
#: Where the statements go that must run before an expression; ``None`` where there can be none.
Out = list[Statement] | None


@dataclass(frozen=True, slots=True)
class Signature:
    """What a caller needs to know of a mechanism."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type


@dataclass(slots=True)
class Frame:
    """One mechanism being read."""

    scope: Scope
    signature: Signature
    callees: Mapping[str, Signature]
    #: whether claims are being read, which may use ``ln``, ``exp`` and ``sqrt``
    claims: bool = False
    #: every identifier in the mechanism: fresh names avoid them
    words: frozenset[str] = frozenset()
    #: names that are variables of the whole mechanism (assigned, or the target of a loop)
    locals: frozenset[str] = frozenset()
    types: dict[str, Type] = field(default_factory=dict)
    changed: bool = False
    #: whether the types stand still: from then on an unknown type is an error
    settled: bool = False
    #: what a name in the source is called in the program: reassigned parameters, variables of comprehensions
    renamed: dict[str, str] = field(default_factory=dict)
    #: types of the variables of the comprehensions being read
    bound: dict[str, Type] = field(default_factory=dict)
    fresh_names: set[str] = field(default_factory=set)
    #: what a name stands for where it is no variable of the program: arguments of helpers, computed counters
    values: dict[str, Lowered] = field(default_factory=dict)
    #: counters of the loops being read that are never below 0
    naturals: frozenset[str] = frozenset()
    #: the helpers being inlined, outermost first, and how often any was
    helpers: tuple[str, ...] = ()
    inlined: int = 0
    #: the assignments that stand for ``xs[i] = v``: in Python the list changes, whoever holds it
    updates: list[Assign] = field(default_factory=list)
    #: those that stand for ``xs[i][j] = v``: a list changes that is in another
    cells: list[Assign] = field(default_factory=list)
    sites: int = 0
    loops: int = 0

    def restart(self) -> None:
        """Begin another round with the types found so far."""
        self.changed = False
        self.renamed.clear()
        self.bound.clear()
        self.fresh_names.clear()
        self.values.clear()
        self.updates.clear()
        self.cells.clear()
        self.inlined = 0
        self.sites = 0
        self.loops = 0

    def fresh(self, stem: str) -> str:
        """A name that is used nowhere in the mechanism."""
        number = 1
        while (name := f"{stem}_{number}") in self.words or name in self.fresh_names or self.signature_has(name):
            number += 1
        self.fresh_names.add(name)
        return name

    def site(self) -> int:
        """The number of the next draw or call."""
        self.sites += 1
        return self.sites

    def loop(self) -> int:
        """The number of the next loop."""
        self.loops += 1
        return self.loops

    def assign(self, name: str, kind: Type, where: ast.AST) -> None:
        """Note that variable ``name`` holds a value of type ``kind`` here."""
        known = self.types.get(name, Unknown())
        joined = types.join(known, kind)
        if joined is None:
            raise self.scope.refused(
                "P131",
                where,
                f"'{name}' is {types.show(known)} elsewhere and {types.show(kind)} here",
                "Use two variables",
            )
        if name not in self.types or joined != known:
            self.types[name] = joined
            self.changed = True

    def signature_has(self, name: str) -> bool:
        """Whether ``name`` is a parameter."""
        return any(parameter.name == name for parameter in self.signature.parameters)

    def noisy(self, node: ast.AST | None) -> bool:
        """Whether evaluating ``node`` takes statements: it draws noise, calls a mechanism, or needs a loop."""
        return node is not None and acts(self.scope, node)

    def word(self, node: ast.expr) -> str | None:
        """What a called expression is in the language; refuses a call of one of the mechanism's own values."""
        if isinstance(node, ast.Name):
            name = self.renamed.get(node.id, node.id)
            values = (self.locals, self.bound, self.fresh_names, self.values)
            if self.signature_has(node.id) or node.id in self.values or any(name in each for each in values):
                raise self.scope.refused(
                    "P156",
                    node,
                    f"'{node.id}' is a value here and cannot be called",
                    "Rename the value",
                )
        return self.scope.word(node)

    def callee(self, node: ast.Call) -> str | None:
        """The mechanism that a call calls."""
        if isinstance(node.func, ast.Name) and node.func.id in self.scope.mechanisms:
            return node.func.id
        return None
