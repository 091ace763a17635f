"""Where a node of the syntax tree stands in the text."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from lapwing.query.refusals import InvalidQuery, Place, Text, UnboundedQuery


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of the syntax tree that may have to be refused; its place is only looked for when it is."""

    text: Text
    node: exp.Expr

    def invalid(self, code: str, problem: str, remedy: str) -> InvalidQuery:
        """A refusal of something that has no meaning here."""
        return place(self.text, self.node).invalid(code, problem, remedy)

    def unbounded(self, code: str, problem: str, remedy: str) -> UnboundedQuery:
        """A refusal of something whose influence nothing bounds."""
        return place(self.text, self.node).unbounded(code, problem, remedy)


def written(spot: Spot) -> str:
    """What stands there, as the analyst wrote it."""
    found = place(spot.text, spot.node)
    return spot.text.sql[found.start : found.end]


def place(text: Text, node: exp.Expr) -> Place:
    """From the first to the last character that the parser remembers of the node or of what is inside it."""
    found = _ends(node)
    above = node.parent
    while not found and above is not None:  # a node without a place is shown at the nearest one around it
        found, above = _ends(above), above.parent
    if not found:
        return text.whole
    return text.place(min(start for start, _ in found), max(end for _, end in found) + 1)


def _ends(node: exp.Expr) -> list[tuple[int, int]]:
    return [
        (each.meta["start"], each.meta["end"])
        for each in node.walk()
        if isinstance(each.meta.get("start"), int) and isinstance(each.meta.get("end"), int)
    ]
