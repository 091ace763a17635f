"""Numbers at which a program may change what it does: those that it compares something with, as far as they are public.

The one idea: a public variable has few values (the edges of bins, the candidates of a choice, 0 to k - 1), so a
comparison with a formula of such variables names a number for each. Nothing here is believed: it says where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise, product
from typing import TypeVar, cast

from lapwing.errors import LapwingError
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir, walk
from lapwing.kernel.run.evaluate import evaluate, walker

#: Noise that lies around 0: what is compared with a noisy threshold is compared with the threshold.
CENTRED = frozenset({"laplace", "gaussian", "discrete_laplace", "discrete_gaussian"})
#: Values of one variable, and of one formula.
VALUES, FORMULAS = 12, 24

_T = TypeVar("_T")


def landmarks(mechanism: ir.Mechanism, public: Mapping[str, Value], *, noisy: bool = False) -> list[Fraction]:
    """Numbers that the program compares something with, for these public parameters, and those between them.

    With ``noisy`` those count, too, to which it adds noise first.
    """
    reader = _Reader({name: [value] for name, value in public.items()}, CENTRED if noisy else frozenset())
    reader.block(mechanism.body)
    ends = sorted({*reader.compared, *reader.bounds})
    shares = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)) if reader.curved else (Fraction(1, 2),)
    between = [low + share * (high - low) for share in shares for low, high in pairwise(ends)]  # what rises and falls
    if reader.looked_up:
        between += [each for low, high in pairwise(ends) if high - low > 1 for each in (high - 1, low + 1)]
    return list(dict.fromkeys((*reader.compared, *between, *reader.bounds)))


class _Reader:
    """Reads a body once: ``known`` has values of public variables, as far as they are seen."""

    def __init__(self, known: dict[str, list[Value]], noises: frozenset[str]) -> None:
        self.known, self.noises = known, noises
        self.compared: list[Fraction] = []
        self.bounds: list[Fraction] = []
        #: whether two numbers of which none is public are multiplied
        self.curved = False
        #: whether a number that is not public says which element of a list is read
        self.looked_up = False

    def block(self, block: Sequence[ir.Statement]) -> None:
        for statement in block:
            for expression in walk.expressions(statement):
                self.expression(expression)
            match statement:
                case ir.Sample(target, kind) if kind in self.noises:
                    self._seen(target, [Fraction(0)])
                case ir.Assign(target, value):
                    self._seen(target, self._values(value))
                case ir.For(source, body):
                    self._bound(source)
                    self.block(body)
                case ir.While(_, body):
                    self.block(body)
                case ir.If(_, then, otherwise):
                    self.block(then)
                    self.block(otherwise)

    def expression(self, node: ir.Node) -> None:
        match node:
            case ir.Comprehension(source=source):
                self._bound(source)
            case ir.Compare(_, left, right):
                self.compared += [number for side in (left, right) for number in self._numbers(side)]
            case ir.Arithmetic("*", left, right):
                self.curved |= all(any(not self.known.get(name) for name in walk.names(side)) for side in (left, right))
            case ir.Index(_, place):
                self.looked_up |= any(not self.known.get(name) for name in walk.names(place))
            case ir.Builtin("clip" | "min" | "max", arguments):
                self.bounds += [number for each in arguments for number in self._numbers(each)]
        for child in walk.children(node):
            self.expression(child)

    def _bound(self, source: ir.Over | ir.Range) -> None:
        """The variables of a loop have the values that it goes through."""
        for steps in self._results(source, partial(_steps, source)):
            for step in steps:
                for name, value in zip(source.targets, step, strict=True):
                    self._seen(name, [value])

    def _seen(self, name: str, values: Iterable[Value]) -> None:
        known = self.known.setdefault(name, [])
        known += islice((each for each in values if each not in known), VALUES - len(known))

    def _numbers(self, node: ir.Expression) -> list[Fraction]:
        """The numbers that an expression may be."""
        found = (each for each in self._values(node) if isinstance(each, int | Fraction) and not isinstance(each, bool))
        return [Fraction(each) for each in found]

    def _values(self, node: ir.Expression) -> list[Value]:
        return list(self._results(node, partial(evaluate, node)))

    def _results(self, node: ir.Node, result: Callable[[dict[str, object]], _T]) -> Iterator[_T]:
        """What comes of a node for the values of its variables; nothing where one of them is not known."""
        names = sorted(walk.names(node))
        if not all(self.known.get(name) for name in names):
            return
        for values in islice(product(*(self.known[name] for name in names)), FORMULAS):
            try:
                yield result(dict(zip(names, values, strict=True)))
            except (LapwingError, TypeError, ZeroDivisionError, KeyError, IndexError):
                continue


def _steps(source: ir.Over | ir.Range, scope: dict[str, object]) -> list[tuple[Value, ...]]:
    return cast("list[tuple[Value, ...]]", list(islice(walker(source)(scope), VALUES)))
