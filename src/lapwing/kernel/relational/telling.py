"""What a path tells: the values that outlive it, or the parts of them that are followed.

What is told may be more than what is answered: of an expression that is not followed as a whole its parts are told, and
how they are put together. The answer is computed from that, so it is no less private.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.branching import Branching
from lapwing.kernel.relational.wholes import Later, Path, Value


@dataclass(slots=True)
class ToldPaths(Branching):
    """``state`` are the variables of a loop's rounds that outlive them: what they are set to is told."""

    state: frozenset[str] = frozenset()
    #: variables of a round that do not outlive it
    own: frozenset[str] = frozenset()

    def telling(self, what: str, value: ir.Expression, path: Path) -> Iterator[Path]:
        """The paths on which the value was told, or else the parts of it that are followed."""
        parts = value.elements if isinstance(value, ir.TupleOf) and not what else (value,)
        if all(self._is_followed(each, path) for each in parts):
            for facts, values in self._each(parts, path):
                yield replace(self._after(path, facts, {}), told=(*path.told, what, *values))
            return
        parts = tuple(self._written_out(each, path) for each in parts)
        found: dict[ir.Expression, None] = {}
        for each in parts:
            self._parts(each, path, frozenset(), found)
        names: dict[ir.Expression, ir.Expression] = {each: ir.Name(f"%{i}") for i, each in enumerate(found)}
        skeleton = f"{what} {_plainly([replaced(each, names) for each in parts])}"
        for facts, values in self._each(tuple(found), path):
            yield replace(self._after(path, facts, {}), told=(*path.told, skeleton, *values))

    def _written_out(self, node: ir.Expression, path: Path) -> ir.Expression:
        """The expression without names of what is not told as a number or truth value: paths may differ in those."""
        meanings: dict[ir.Expression, ir.Expression] = {}
        for part in walk.nodes(node):
            if not isinstance(part, ir.Name) or part in meanings:
                continue
            found = path.state.get(part.name)
            if not isinstance(found, Later):
                continue
            if self._is_private(part.name, path.state, node) and self._is_followed(part, path):
                continue
            for name in walk.names(found.expression):
                if name in self.state or found.state.get(name) is not path.state.get(name):
                    raise at(node, f"'{name}' may have changed since '{part.name}' was computed from it")
            meanings[part] = self._written_out(found.expression, path)
        return replaced(node, meanings)

    def _is_followed(self, node: ir.Expression, path: Path) -> bool:
        try:
            list(self.values(node, path))
        except Unproved:
            return False
        return True

    def _parts(self, node: ir.Expression, path: Path, bound: frozenset[str], found: dict[ir.Expression, None]) -> None:
        """The largest parts of an expression that are followed and not public."""
        private = {name for name in walk.names(node) - bound if self._is_private(name, path.state, node)}
        if not private:
            return
        if not walk.names(node) & bound and self._is_followed(node, path):
            found[node] = None
            return
        if isinstance(node, ir.Name):
            raise at(node, "this is outside what proofs by enumeration cover")
        if isinstance(node, ir.Comprehension):
            bound = bound | frozenset(node.source.targets)
        for child in walk.children(node):
            self._parts(child, path, bound, found)  # type: ignore[arg-type]  # children of expressions

    def _is_private(self, name: str, state: Mapping[str, Value | Later], node: ir.Node) -> bool:
        """Whether a variable may differ between the runs although the same was told."""
        found = state.get(name)
        if isinstance(found, Later):
            return any(self._is_private(each, found.state, node) for each in walk.names(found.expression))
        if found is not None:
            return name not in self.public
        if name in self.own or self.mechanism.is_private(name):
            raise at(node, f"'{name}' is read here, and was not told")
        return False


def _plainly(parts: Sequence[ir.Expression]) -> str:
    """Expressions as text, with the variables of comprehensions named by their order: they are no matter."""
    shown = ", ".join(map(show, parts))
    inner = [each.source.targets for part in parts for each in walk.nodes(part) if isinstance(each, ir.Comprehension)]
    for number, name in enumerate(dict.fromkeys(name for names in inner for name in names)):
        shown = re.sub(rf"\b{name}\b", f"%each{number}", shown)
    return shown
