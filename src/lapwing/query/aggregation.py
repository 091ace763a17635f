"""A SELECT that aggregates private rows: keys, measurements, and answers made of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from lapwing.query import clauses
from lapwing.query.afterwards import Beside, Inner, one_number
from lapwing.query.answered import Answered, Told
from lapwing.query.expressions import Column, Expression, Kind
from lapwing.query.items import Item, items
from lapwing.query.measuring import filtered, measured
from lapwing.query.names import Scope, fresh
from lapwing.query.notes import notes
from lapwing.query.parsing.aggregates import aggregates_in, is_aggregate, looks_aside, wanted
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.people import aliased
from lapwing.query.plan import Aggregate, Answer, Key, Measurement, Statistic
from lapwing.query.refusals import InvalidQuery, Text, quoted
from lapwing.query.requests import Grouping, Requests
from lapwing.query.rowsets import Rows
from lapwing.query.rules.bounding import people_in_groups
from lapwing.query.rules.count import COUNTED, rows_with
from lapwing.query.rules.histogram import histogram
from lapwing.query.rules.keys import check_size, groups_of, keys
from lapwing.query.rules.post_processing import post_processing
from lapwing.query.rules.where import held_to
from lapwing.query.scalars import Scalars
from lapwing.query.sheets import Base, View
from lapwing.query.subqueries import Inside, Marks
from lapwing.query.typed import Typed, condition
from lapwing.query.types import ColumnType
from lapwing.query.windowing import Windows


@dataclass(slots=True)
class Aggregation:
    """Reads one aggregated SELECT over private rows."""

    text: Text
    select: exp.Select
    rows: Rows
    inner: Inner
    inside: Inside
    keys: list[Key] = field(default_factory=list)
    #: what each key was written as, to know it again in the SELECT list
    written: dict[Expression, Key] = field(default_factory=dict)
    outputs: list[tuple[str, Typed]] = field(default_factory=list)
    edges: dict[str, tuple[Key, Expression, Expression]] = field(default_factory=dict)
    requests: Requests = field(default_factory=lambda: Requests(set()))
    grouping: Grouping = field(init=False)
    windows: Windows = field(init=False)
    marks: Marks = field(init=False)
    #: sub-queries that stand inside expressions: one number each
    asides: list[tuple[str, Answered]] = field(default_factory=list)

    def read(self) -> Answered:
        """The typed aggregate with its answers."""
        listed = self._expanded()
        self.windows = Windows.of(self.text, self.select, self.requests.taken)
        self.marks = Marks(self.text, self.rows, self.inside)
        self._group(listed)
        self._histogram(listed)
        place = Spot(self.text, self.select)
        check_size(tuple(self.keys), place)
        self.requests.taken.update(key.name for key in self.keys)
        known, of = groups_of(tuple(self.keys)), self.rows
        self.grouping = Grouping(of.relation, bool(self.keys), of.limit, place, of.groups, known)
        answers = Scalars(self.text, Scope((), {}), self._aliased_answer)
        for item in listed:
            self._output(item, answers)
        having = self._having(answers)
        order = clauses.order(
            self.text, self.select, self.outputs, Scalars(self.text, Scope((), {}), self._named_answer).read
        )
        qualify = self._qualified(answers)
        aggregate, found = self._settled(place)
        limit, offset = (clauses.whole(self.text, self.select, name) for name in ("limit", "offset"))
        made = Answered(
            (Told(aggregate, found, notes(aggregate, found)),), tuple(self.outputs), having, order, limit, offset or 0
        )
        return made if not self.windows.columns and not self.asides and qualify is None else self._sheet(made, qualify)

    def _sheet(self, made: Answered, qualify: Expression | None) -> Answered:
        """The answers on a sheet, with windows over them and the numbers of sub-queries beside."""
        types = {each.name: ColumnType(Kind.REAL) for each in made.parts[0].answers}
        beside = Beside(self.text, self.inner, made, Base(0), types)
        for name, inner in self.asides:
            beside.put(name, inner)
        outputs = tuple((name, value.expression) for name, value in made.outputs)
        sheet = View(
            beside.sheet, made.having, self.windows.columns, outputs, qualify, made.order, made.limit, made.offset
        )
        return Answered(
            beside.source.parts,
            tuple((name, Typed(Column(name), value.type)) for name, value in made.outputs),
            sheet=sheet,
        )

    def _qualified(self, answers: Scalars) -> Expression | None:
        clause = self.select.args.get("qualify")
        if clause is None:
            return None
        only(self.text, clause, "this")
        place = Spot(self.text, clause)
        reader = replace(answers, before=self._named_answer)
        return post_processing(condition(reader.read(clause.this), place).expression, place)

    def _aside(self, node: exp.Expr) -> Typed:
        """The number that a sub-query over answers stands for."""
        found = one_number(self.text, node, self.inner)
        name = fresh("beside 1", (*self.requests.taken, *(each for each, _ in self.asides)))
        self.asides.append((name, found))
        return Typed(Column(name), replace(found.outputs[0][1].type, nullable=True))

    # --- keys --------------------------------------------------------------------------------------------

    def _expanded(self) -> list[Item]:
        listed = items(self.text, self.select)
        star = next((item for item in listed if item.star), None)
        if star is not None:
            raise Spot(self.text, star.node).invalid(
                "Q118", "* is neither a key nor inside an aggregate", "Name the columns"
            )
        return listed

    def _group(self, listed: list[Item]) -> None:
        clause = self.select.args.get("group")
        if clause is None:
            return
        only(self.text, clause, "expressions", "all")
        grouped = list(clause.expressions)
        if clause.args.get("all"):
            inside = (item.node for item in listed)
            grouped += [node for node in inside if not any(aggregates_in(node)) and not looks_aside(node)]
        for node in grouped:
            self._key(node, listed)

    def _key(self, node: exp.Expr, listed: list[Item]) -> None:
        while isinstance(node, exp.Paren):
            node = node.this
        number = clauses.ordinal(self.text, node, len(listed))
        item = listed[number] if number is not None else aliased(node, listed, self.rows)
        inner = item.node if item is not None else node
        value = held_to(self._scalars.read(inner), self.rows.relation)
        if value.expression in self.written:
            return
        same = (each for each in listed if each.node == inner)
        name = item.name if item is not None else next((each.name for each in same), _key_name(inner))
        key = keys(fresh(name, (each.name for each in self.keys)), value, self.rows.relation, Spot(self.text, node))
        self.keys.append(key)
        self.written[value.expression] = key

    def _histogram(self, listed: list[Item]) -> None:
        found = [item for item in listed if self._is_histogram(item.node)]
        if not found:
            return
        others = [each for item in listed if item not in found for each in aggregates_in(item.node)]
        clause = self.select.args.get("having")
        others += [] if clause is None else list(aggregates_in(clause))
        if len(found) > 1 or others:
            raise Spot(self.text, found[0].node).invalid(
                "Q129", "HISTOGRAM stands beside another aggregate", "Ask for it alone, with keys beside it"
            )
        asked = wanted(self.text, found[0].node)
        place = Spot(self.text, found[0].node)
        bins = self._scalars.read(asked.setting).number if asked.setting is not None else None
        if asked.argument is None or bins is None or bins.denominator != 1:
            raise place.invalid("Q124", "the number of buckets is not a constant", "Write HISTOGRAM(x, 20)")
        name = fresh("bucket", (key.name for key in self.keys))
        self.edges[found[0].name] = histogram(
            name, filtered(self._scalars, asked, self._scalars.read(asked.argument)), int(bins), place
        )
        self.keys.append(self.edges[found[0].name][0])

    def _is_histogram(self, node: exp.Expr) -> bool:
        inner = node.this if isinstance(node, exp.Filter) else node
        return isinstance(inner, exp.Anonymous) and str(inner.this).upper() == "HISTOGRAM"

    # --- answers -----------------------------------------------------------------------------------------

    @property
    def _scalars(self) -> Scalars:
        return self.marks.scalars()

    def _output(self, item: Item, answers: Scalars) -> None:
        place = Spot(self.text, item.node)
        if item.name in self.edges:
            prefix = item.alias or "histogram"
            _, low, high = self.edges[item.name]
            edge = ColumnType(Kind.REAL, nullable=False)
            counted = self.requests.ask(Statistic.HISTOGRAM, None, (rows_with(self.grouping, None),), COUNTED)
            self.outputs.append((f"{prefix}_low", Typed(low, edge)))
            self.outputs.append((f"{prefix}_high", Typed(high, edge)))
            self.outputs.append((f"{prefix}_count", Typed(Column(counted.answer), counted.type)))
            return
        value = answers.read(item.node)
        post_processing(value.expression, place)
        self.outputs.append((item.name, value))

    def _having(self, answers: Scalars) -> Expression | None:
        clause = self.select.args.get("having")
        if clause is None:
            return None
        only(self.text, clause, "this")
        place = Spot(self.text, clause)
        return post_processing(condition(answers.read(clause.this), place).expression, place)

    def _named_answer(self, node: exp.Expr) -> Typed | None:
        """In ORDER BY the name of an output comes before the name of a key."""
        if isinstance(node, exp.Column) and not node.table:
            for name, value in self.outputs:
                if name.lower() == node.name.lower():
                    return value
        return self._answer(node)

    def _aliased_answer(self, node: exp.Expr) -> Typed | None:
        """An output that was named before, unless a column of the rows has the name."""
        if isinstance(node, exp.Column) and not node.table:
            known = any(binding.find(node.name) is not None for binding in self.rows.bindings)
            named = next((value for name, value in self.outputs if name.lower() == node.name.lower()), None)
            if named is not None and not known:
                # names of names could double what is computed again and again
                Scalars(self.text, Scope((), {})).few(named, 2, node)
                return named
        return self._answer(node)

    def _answer(self, node: exp.Expr) -> Typed | None:
        """An aggregate or a key; None for what is computed from them."""
        if isinstance(node, exp.Paren | exp.Literal | exp.Boolean | exp.Null):
            return None
        if isinstance(node, exp.Window):
            return self.windows.read(node, Scalars(self.text, Scope((), {}), self._aliased_answer).read)
        if isinstance(node, exp.Subquery | exp.Select):
            return self._aside(node)
        if is_aggregate(node):
            return measured(self.requests, self.grouping, self._scalars, node).value
        if any(aggregates_in(node)) or looks_aside(node):
            return None
        key = self._matching(node)
        if key is not None:
            return Typed(Column(key.name), replace(key.type, nullable=False))
        if isinstance(node, exp.Column):
            self._scalars.read(node)  # refuses a name that nothing has
            raise Spot(self.text, node).invalid(
                "Q127",
                f"{quoted(node.name)} is neither a key nor inside an aggregate",
                "Add it to GROUP BY, or aggregate it",
            )
        return None

    def _matching(self, node: exp.Expr) -> Key | None:
        try:
            return self.written.get(self._scalars.read(node).expression)
        except InvalidQuery:  # not an expression over rows; its parts will be read, and refused where they are wrong
            return None

    def _settled(self, place: Spot) -> tuple[Aggregate, tuple[Answer, ...]]:
        measurements, answers = self.requests.settle()
        unknown = any(key.values is None for key in self.keys)
        if not measurements and not unknown:
            raise place.invalid(
                "Q135", "this asks nothing of the table: its keys are public", "Add an aggregate, such as COUNT(*)"
            )
        selection = None
        if unknown:
            selection = replace(people_in_groups(self.grouping), name=fresh("people", self.requests.taken))
            measurements, answers = _told_by(selection, measurements, answers)
        shown = tuple(Answer(key.name, Statistic.KEY, (key.name,)) for key in self.keys)
        return Aggregate(self.marks.rows.relation, tuple(self.keys), measurements, selection), (*shown, *answers)


def _told_by(
    selection: Measurement, measurements: tuple[Measurement, ...], answers: tuple[Answer, ...]
) -> tuple[tuple[Measurement, ...], tuple[Answer, ...]]:
    """Where people are asked for, the noisy number of them that chooses a group is the answer, and paid for once."""
    told = {each.name for each in measurements if each.function is selection.function and each.argument is None}
    kept = tuple(each for each in measurements if each.name not in told)
    parts = (tuple(selection.name if part in told else part for part in each.parts) for each in answers)
    return kept, tuple(replace(each, parts=part) for each, part in zip(answers, parts, strict=True))


def _key_name(node: exp.Expr) -> str:
    return node.name if isinstance(node, exp.Column) else "key"
