"""What a request asks to be paid for, read from its JSON; refuses what means nothing, before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from lapwing.server.purchases import AdvicePurchase, AnswerPurchase, MechanismPurchase, PlanPurchase
from lapwing.server.request_bodies import numbers, text
from lapwing.server.statuses import malformed
from lapwing.session.wishing import read_questions

_MOST_QUERIES = 1000
#: A plan is searched for while others wait: so many questions at most.
_MOST_QUESTIONS = 50


def answer_purchase(fields: Mapping[str, Any]) -> AnswerPurchase:
    """A query and its price."""
    rows, anyway = fields.get("rows"), fields.get("anyway", False)
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int)):
        raise malformed("the field 'rows' is no whole number", 'Send "rows": 400, say')
    if not isinstance(anyway, bool):
        raise malformed("the field 'anyway' is neither true nor false", 'Send "anyway": true')
    price = numbers(fields, "epsilon", "rho", "delta", "confidence", "cut")
    return AnswerPurchase(text(fields, "sql"), **price, rows=rows, anyway=anyway)


def plan_purchase(fields: Mapping[str, Any]) -> PlanPurchase:
    """The questions of a plan, and its price."""
    questions = fields.get("questions")
    if not isinstance(questions, list) or not all(isinstance(each, dict) for each in questions):
        raise malformed("the field 'questions' is no list of objects", 'Send [{"sql": "...", "within": 20}], say')
    if len(questions) > _MOST_QUESTIONS:
        raise malformed(f"the plan has more than {_MOST_QUESTIONS} questions", "Divide it into several plans")
    for each in questions:
        text(each, "sql")
    return PlanPurchase(read_questions(questions), numbers(fields, "epsilon", "rho", "delta", "confidence"))


def advice_purchase(fields: Mapping[str, Any]) -> AdvicePurchase:
    """What advice is wanted, and its price."""
    columns = fields.get("columns")
    if columns is not None and not (isinstance(columns, list) and all(isinstance(each, str) for each in columns)):
        raise malformed("the field 'columns' is no list of names", 'Send ["cost"], say')
    table = text(fields, "table") if "table" in fields else None
    return AdvicePurchase(
        **numbers(fields, "epsilon", "rho"), table=table, columns=None if columns is None else tuple(columns)
    )


def mechanism_purchase(fields: Mapping[str, Any]) -> MechanismPurchase:
    """A mechanism of the library, the queries it is to be run on, and its public parameters."""
    queries, public = fields.get("queries"), fields.get("public", {})
    if isinstance(queries, str):
        queries = [queries]
    if not isinstance(queries, list) or not 1 <= len(queries) <= _MOST_QUERIES:
        raise malformed("the field 'queries' is no list of queries", 'Send ["SELECT COUNT(*) FROM people"], say')
    if not isinstance(public, dict):
        raise malformed("the field 'public' is no object", 'Send {"epsilon": "0.5"}, say')
    asked = tuple(text({"queries": each}, "queries") for each in queries)
    values = {str(name): _value(value, str(name)) for name, value in public.items()}
    return MechanismPurchase(text(fields, "mechanism"), asked, values)


def _value(value: object, name: str) -> object:
    """A public parameter: a number, exactly; truth; or a list of these."""
    if isinstance(value, list):
        return [_value(each, name) for each in value]
    if isinstance(value, bool | int | Decimal | str):
        return value
    raise malformed(f"the parameter {name[:60]!r} is neither a number nor a list of them", "Send numbers")
