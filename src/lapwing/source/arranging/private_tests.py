"""Which tests of a program private data alone decide: two neighbouring runs may part there, whatever noise is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import Block


@dataclass(frozen=True, slots=True)
class PrivateTests:
    """The names whose values hang on private data, and on noise or answers."""

    private: frozenset[str]
    noisy: frozenset[str]

    @staticmethod
    def of(mechanism: ir.Mechanism, body: Block) -> PrivateTests:
        """Those of a mechanism with this body."""
        noisy = _reached(body, {name for each in walk.statements(body) for name in _drawn(each)})
        return PrivateTests(_reached(body, {each.name for each in mechanism.parameters if each.private}), noisy)

    def decide(self, condition: ir.Expression) -> bool:
        """Whether a condition hangs on private data, and not on noise."""
        names = walk.names(condition)
        return bool(names & self.private) and not names & self.noisy


def _drawn(statement: ir.Statement) -> tuple[str, ...]:
    return walk.targets(statement) if isinstance(statement, ir.Sample | ir.Call | ir.Asking) else ()


def _reached(body: Block, start: set[str]) -> frozenset[str]:
    """The names whose values hang on some of these, by what they are set to."""
    found = set(start)
    while True:
        more = {
            name
            for each in walk.statements(body)
            if not isinstance(each, ir.If | ir.While)
            and any(walk.names(part) & found for part in walk.expressions(each))
            for name in walk.targets(each)
        }
        if more <= found:
            return frozenset(found)
        found |= more
