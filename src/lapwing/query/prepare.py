"""From the text of a question to its typed plan, or a refusal; the policy is all it looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lapwing.errors import InvalidInput
from lapwing.policy import Policy
from lapwing.query.answered import Answered, Told
from lapwing.query.answers.sheeting import tried
from lapwing.query.described import described
from lapwing.query.expressions import Column, Expression
from lapwing.query.keeping import keeps_nothing, kept_by_noise
from lapwing.query.names import fresh
from lapwing.query.parsing.statement import statement
from lapwing.query.plan import Answer, Measurement, Query, Statistic
from lapwing.query.refusals import InvalidQuery, Text
from lapwing.query.selects import Selects
from lapwing.query.sheets import OF_ORDER, View, sheets_in

#: Each is paid for, and looks at the data by itself.
MOST_AGGREGATES = 64
_KEPT = (
    "Which rows are kept (by HAVING, WHERE, QUALIFY or LIMIT) depends on the noise too: of rows that are kept because "
    "they look large, a ± says less."
)
_RANKED = "Ranks are those of the answers with their noise: of answers that are close, either may come first."


def prepare(text: str, policy: Policy) -> Query:
    """The typed plan of one SELECT statement.

    Whatever the text, this returns a plan whose every measurement has a finite sensitivity, or raises a coded refusal;
    no data is read, so neither can depend on any.
    """
    if not isinstance(text, str):
        raise InvalidInput("Q101", f"the query is a {type(text).__name__}", "Give SQL as a string")
    source = Text(text)
    try:
        found = Selects(source, policy).outermost(statement(source))
    except RecursionError:
        raise InvalidQuery("Q105", "the query nests too deeply", "Ask it in simpler steps") from None
    asked = _query(text, found)
    if keeps_nothing(found):
        raise InvalidQuery(
            "Q135",
            "the answer has no rows, whatever the table holds",
            "Correct LIMIT, OFFSET or the condition on its keys",
        )
    return asked


def _query(text: str, found: Answered) -> Query:
    first = found.parts[0]
    if found.sheet is None:
        return Query(
            text=text,
            aggregate=first.aggregate,
            answers=first.answers,
            outputs=tuple((name, value.expression) for name, value in found.outputs),
            having=found.having,
            order=found.order,
            limit=found.limit,
            offset=found.offset,
            notes=(*first.notes, *_kept(found)),
        )
    parts = [(part.answers, {key.name: key.type.kind for key in part.aggregate.keys}) for part in found.parts]
    if not tried(found.sheet, parts):
        raise InvalidQuery("Q128", "this cannot be computed from answers", "Compare and add answers of one kind")
    made = _answers_of(text, first)
    ranked = any(
        each.function in OF_ORDER for node in sheets_in(found.sheet) if isinstance(node, View) for each in node.windows
    )
    beside = tuple(_answers_of(text, part) for part in found.parts[1:])
    if len(beside) >= MOST_AGGREGATES:
        raise InvalidQuery("Q105", f"the question has {len(found.parts)} aggregates", f"Ask at most {MOST_AGGREGATES}")
    return replace(
        made, sheet=found.sheet, beside=beside, notes=(*made.notes, *_kept(found), *([_RANKED] if ranked else []))
    )


def _kept(found: Answered) -> tuple[str, ...]:
    return (_KEPT,) if kept_by_noise(found) else ()


def _answers_of(text: str, part: Told) -> Query:
    """The answers that a sheet reads, as they are: this is what can be quoted."""
    measured = {each.name: each for each in part.aggregate.measurements}
    outputs: list[tuple[str, Expression]] = []
    for each in part.answers:
        name = each.name if each.statistic is Statistic.KEY else _called(each, measured)
        outputs.append((fresh(name, (name for name, _ in outputs)), Column(each.name)))
    return Query(text, part.aggregate, part.answers, tuple(outputs), None, (), None, 0, part.notes)


def _called(answer: Answer, measured: Mapping[str, Measurement]) -> str:
    """An answer as it would be written."""
    part = measured.get(answer.parts[0])
    argument = "*" if part is None or part.argument is None else described(part.argument)
    return f"{answer.statistic.value}({argument})"
