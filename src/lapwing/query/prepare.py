"""From the text of a question to its typed plan, or a refusal; the policy is all it looks at."""

from __future__ import annotations

from lapwing.errors import InvalidInput
from lapwing.policy import Policy
from lapwing.query.parsing.statement import statement
from lapwing.query.plan import Query
from lapwing.query.refusals import InvalidQuery, Text
from lapwing.query.selects import Selects


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
    return Query(
        text=text,
        aggregate=found.aggregate,
        answers=found.answers,
        outputs=tuple((name, value.expression) for name, value in found.outputs),
        having=found.having,
        order=found.order,
        limit=found.limit,
        offset=found.offset,
        notes=found.notes,
    )
