"""Windows as SQL writes them, over answers: the function, its rows, and their order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from lapwing.query.expressions import Column, Expression, Kind, Literal
from lapwing.query.names import fresh
from lapwing.query.parsing.aggregates import Name, wanted
from lapwing.query.parsing.constants import NULL
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.parsing.words import refuse_function
from lapwing.query.plan import Order
from lapwing.query.refusals import Text
from lapwing.query.rules.case import case
from lapwing.query.rules.post_processing import post_processing
from lapwing.query.sheets import OF_ORDER, Around, Reduction, Windowed
from lapwing.query.typed import Typed, condition, literal, numeric
from lapwing.query.types import ColumnType

_AGGREGATES = {
    Name.COUNT: Reduction.COUNT,
    Name.COUNT_IF: Reduction.COUNT,
    Name.COUNT_DISTINCT: Reduction.DIFFERENT,
    Name.SUM: Reduction.SUM,
    Name.MEAN: Reduction.MEAN,
    Name.MIN: Reduction.MIN,
    Name.MAX: Reduction.MAX,
    Name.VARIANCE: Reduction.SAMPLE_VARIANCE,
    Name.STDDEV: Reduction.SAMPLE_DEVIATION,
}
#: Answers are few, and all are there: over them each spread divides as its name says.
_OF_ALL: dict[type[exp.Expr], Reduction] = {
    exp.VariancePop: Reduction.VARIANCE,
    exp.StddevPop: Reduction.DEVIATION,
}
_FUNCTIONS: dict[type[exp.Expr], Reduction] = {
    exp.RowNumber: Reduction.ROW_NUMBER,
    exp.Rank: Reduction.RANK,
    exp.DenseRank: Reduction.DENSE_RANK,
    exp.PercentRank: Reduction.PERCENT_RANK,
    exp.CumeDist: Reduction.CUME_DIST,
    exp.Ntile: Reduction.NTILE,
    exp.Lag: Reduction.LAG,
    exp.Lead: Reduction.LEAD,
    exp.FirstValue: Reduction.FIRST_VALUE,
    exp.LastValue: Reduction.LAST_VALUE,
}
_ONE = literal(Literal(1, Kind.INTEGER))
_NOTHING = literal(NULL)
_COUNTED = ColumnType(Kind.INTEGER, nullable=False)
#: Rows of a frame, and places of LAG, at most.
_FARTHEST = 1_000_000
Read = Callable[[exp.Expr], Typed]


def gathered(text: Text, node: exp.Expr, read: Read) -> tuple[Reduction, Typed | None, ColumnType]:
    """What an aggregate over answers computes, of what (None for COUNT(*)), and the kind of the result."""
    asked, place = wanted(text, node), Spot(text, node)
    inside = node.this if isinstance(node, exp.Filter) else node
    function = _OF_ALL.get(type(inside), _AGGREGATES.get(asked.name))
    if asked.name is Name.QUANTILE and asked.setting is None:
        function = Reduction.MEDIAN
    if function is None:
        raise refuse_function(place, f"{asked.name.value.upper()} of answers")
    value = None if asked.argument is None else read(asked.argument)
    if asked.name is Name.COUNT_IF and value is not None:
        value = case((condition(value, place), _ONE, _NOTHING), place)
    if asked.filter is not None:
        test = condition(read(asked.filter), place)
        value = case((test, _ONE if value is None else value, _NOTHING), place)
    if value is not None:
        post_processing(value.expression, place)
    if value is None or function in (Reduction.COUNT, Reduction.DIFFERENT):
        return function, value, _COUNTED
    if function in (Reduction.MIN, Reduction.MAX):
        return function, value, ColumnType(value.kind, nullable=True)
    kind = value.kind if function is Reduction.SUM and value.kind is Kind.INTEGER else Kind.REAL
    return function, numeric(value, place), ColumnType(kind, nullable=True)


@dataclass(slots=True)
class Windows:
    """Collects the windows of one SELECT; equal ones are computed once. ``named`` are those of WINDOW."""

    text: Text
    named: Mapping[str, exp.Window]
    #: names of the columns that windows stand beside
    taken: Collection[str]
    found: list[tuple[Windowed, ColumnType]] = field(default_factory=list)

    @classmethod
    def of(cls, text: Text, select: exp.Select, taken: Collection[str]) -> Windows:
        """Ready to read the windows of a SELECT."""
        listed = select.args.get("windows") or []
        named = {each.this.name.lower(): each for each in listed if isinstance(each.this, exp.Identifier)}
        return cls(text, named, taken)

    @property
    def columns(self) -> tuple[Windowed, ...]:
        """The windows, in the order in which they were met."""
        return tuple(each for each, _ in self.found)

    def read(self, node: exp.Window, read: Read) -> Typed:
        """The column that a window stands for; ``read`` reads what is inside it."""
        only(self.text, node, "this", "partition_by", "order", "spec", "alias", "over")
        place, spread = Spot(self.text, node), self._whole(node)
        function, argument, known, many, otherwise = self._function(node.this, read)
        order = self._order(spread.get("order"), read)
        frame = self._frame(spread.get("spec"), ordered=bool(order))
        if function in (*OF_ORDER, Reduction.LAG, Reduction.LEAD) and not order:
            raise place.invalid("Q118", "this window has no order", "Write OVER (ORDER BY ...)")
        partition = tuple(post_processing(read(each).expression, place) for each in spread.get("partition_by") or [])
        expression = None if argument is None else post_processing(argument.expression, place)
        for each, kind in self.found:
            same = Windowed(each.name, function, expression, partition, order, frame, many, otherwise)
            if each == same:
                return Typed(Column(each.name), kind)
        name = fresh(f"window {len(self.found) + 1}", (*self.taken, *(each.name for each in self.columns)))
        self.found.append((Windowed(name, function, expression, partition, order, frame, many, otherwise), known))
        return Typed(Column(name), known)

    def _whole(self, node: exp.Window) -> dict[str, Any]:
        """The parts of a window, with those of the one it names."""
        parts = {name: node.args.get(name) for name in ("partition_by", "order", "spec")}
        alias = node.args.get("alias")
        if alias is None:
            return parts
        base = self.named.get(alias.name.lower())
        if base is None:
            raise Spot(self.text, node).invalid("Q114", "no window has this name", "Write WINDOW name AS (...)")
        only(self.text, base, "this", "partition_by", "order", "spec")
        return {name: value or base.args.get(name) for name, value in parts.items()}

    def _function(
        self, node: exp.Expr, read: Read
    ) -> tuple[Reduction, Typed | None, ColumnType, int, Expression | None]:
        function = _FUNCTIONS.get(type(node))
        if function is None:
            over, argument, known = gathered(self.text, node, read)
            return over, argument, known, 1, None
        only(self.text, node, "this", "offset", "default", "expressions")
        place = Spot(self.text, node)
        if function in OF_ORDER:
            many = self._number(node.this, read, place) if function is Reduction.NTILE else 1
            real = function in (Reduction.PERCENT_RANK, Reduction.CUME_DIST)
            return function, None, ColumnType(Kind.REAL if real else Kind.INTEGER, nullable=False), many, None
        if node.this is None:
            raise place.invalid("Q137", "this window has too few arguments", "Name the answer it is of")
        argument = read(node.this)
        given = node.args.get("offset")
        many = 1 if given is None else self._number(given, read, place, least=0)
        default = node.args.get("default")
        otherwise = None if default is None else post_processing(read(default).expression, place)
        return function, argument, ColumnType(argument.kind, nullable=True), many, otherwise

    def _number(self, node: exp.Expr | None, read: Read, place: Spot, least: int = 1) -> int:
        number = None if node is None else read(node).number
        if number is None or number.denominator != 1 or not least <= number <= _FARTHEST:
            raise place.invalid("Q122", "this takes a constant whole number", "Write LAG(x, 1) or NTILE(4)")
        return int(number)

    def _order(self, clause: object, read: Read) -> tuple[Order, ...]:
        if not isinstance(clause, exp.Order):
            return ()
        found = []
        for item in clause.expressions:
            only(self.text, item, "this", "desc", "nulls_first")
            place = Spot(self.text, item)
            value = post_processing(read(item.this).expression, place)
            found.append(Order(value, bool(item.args.get("desc")), bool(item.args.get("nulls_first"))))
        return tuple(found)

    def _frame(self, spec: object, *, ordered: bool) -> Around:
        if not isinstance(spec, exp.WindowSpec):
            return Around(None, 0 if ordered else None, peers=True)
        only(self.text, spec, "kind", "start", "start_side", "end", "end_side")
        place, rows = Spot(self.text, spec), str(spec.args.get("kind")).upper() == "ROWS"
        ends: list[int | None] = []
        for name, sign in (("start", -1), ("end", 1)):
            at, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "").upper()
            if at is None or at == "CURRENT ROW":
                ends.append(0)
            elif at == "UNBOUNDED":
                ends.append(None)
            elif isinstance(at, exp.Literal) and rows and at.this.isdigit() and int(at.this) <= _FARTHEST:
                ends.append(int(at.this) * (1 if (side == "PRECEDING") == (sign == -1) else -1))
            else:
                raise place.invalid(
                    "Q118", "this frame is not understood", "Write ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"
                )
        if not rows and ends not in ([None, 0], [None, None], [0, None], [0, 0]):
            raise place.invalid("Q118", "this frame is not understood", "Write ROWS instead")
        return Around(ends[0], ends[1], peers=not rows)
