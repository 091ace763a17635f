"""Whether the noise decides which rows of answers are shown: of such rows a ± says less.

The one idea: the largest of many noisy numbers is likely one whose noise is large, so its ± misses more often than it
says. Keys have no noise, and rows that are kept, ordered or cut by them alone are any rows; where none can be left,
whatever the table holds, nobody should pay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product
from math import prod

import numpy as np

from lapwing.query.answered import Answered, Told
from lapwing.query.answers.answer_expressions import truth
from lapwing.query.answers.cells import Cells
from lapwing.query.expressions import Expression, Kind, columns_of
from lapwing.query.plan import Statistic
from lapwing.query.rules.keys import groups_of
from lapwing.query.sheets import Base, Gather, Meet, Sheet, Stack, View, Windowed, sheets_in

#: Kinds of keys that answers hold as text.
_TEXTS = frozenset({Kind.TEXT, Kind.DATE, Kind.TIMESTAMP})
#: Of more groups it is not looked whether a condition on keys keeps one.
_MANY = 10_000


def keeps_nothing(found: Answered) -> bool:
    """Whether the answer has no rows, whatever the table holds: LIMIT 0, OFFSET 9 of three groups, HAVING FALSE."""
    sheet = found.on_sheet().sheet
    while isinstance(sheet, View):
        told = found.parts[sheet.source.part] if isinstance(sheet.source, Base) else None
        groups = groups_of(told.aggregate.keys) if told is not None else None
        if sheet.limit == 0 or (groups is not None and sheet.offset >= groups) or _never(sheet.kept, told):
            return True
        sheet = sheet.source
    return False


def _never(condition: Expression | None, told: Told | None) -> bool:
    """Whether a condition is true of no known key, or of nothing at all."""
    if condition is None:
        return False
    names = set(columns_of(condition))
    keys = [key for key in told.aggregate.keys if key.name in names] if told is not None else []
    values = [key.values for key in keys if key.values is not None]
    if names != {key.name for key in keys} or len(values) < len(keys) or prod(map(len, values)) > _MANY:
        return False
    groups = list(product(*values))
    columns = {}
    for at, key in enumerate(keys):
        listed = [group[at] for group in groups]
        columns[key.name] = Cells.known(listed if key.type.kind in _TEXTS else np.array(listed))
    return not truth(condition, columns, len(groups)).any()


def kept_by_noise(found: Answered) -> bool:
    """Whether HAVING, WHERE, QUALIFY or a LIMIT looks at a number with noise."""
    sheet = found.on_sheet().sheet
    assert sheet is not None  # noqa: S101  # it is on one now
    return any(_chooses(each, found.parts) for each in sheets_in(sheet) if isinstance(each, View))


def _chooses(view: View, parts: tuple[Told, ...]) -> bool:
    """Whether a SELECT over answers leaves out rows by what has noise."""
    noisy = _noisy(view.source, parts)
    if _among(view.kept, noisy):
        return True
    inside = {*noisy, *(each.name for each in view.windows if _moves(each, noisy))}
    inside |= {name for name, value in view.outputs if _among(value, inside)}
    ordered = any(_among(each.expression, inside) for each in view.order)
    return _among(view.qualify, inside) or (ordered and _cuts(view, parts))


def _cuts(view: View, parts: tuple[Told, ...]) -> bool:
    """Whether there may be more rows than a LIMIT shows."""
    groups = groups_of(parts[view.source.part].aggregate.keys) if isinstance(view.source, Base) else None
    return view.offset > 0 or (view.limit is not None and (groups is None or view.limit < groups))


def _noisy(sheet: Sheet, parts: tuple[Told, ...]) -> set[str]:
    """The columns of a sheet that have noise in them."""
    match sheet:
        case Base(part):
            return {each.name for each in parts[part].answers if each.statistic is not Statistic.KEY}
        case View():
            below = _noisy(sheet.source, parts)
            below |= {each.name for each in sheet.windows if _moves(each, below)}
            return {name for name, value in sheet.outputs if _among(value, below)}
        case Gather():
            below = _noisy(sheet.source, parts)
            return {
                *(name for name, value in sheet.keys if _among(value, below)),
                *(each.name for each in sheet.columns if _among(each.argument, below)),
            }
        case Meet():
            second = _noisy(sheet.second, parts)
            return _noisy(sheet.first, parts) | {name for name, there in sheet.columns if there in second}
        case Stack():
            found = zip(sheet.sheets, sheet.columns, strict=True)
            places = {columns.index(name) for each, columns in found for name in _noisy(each, parts) if name in columns}
            return {sheet.columns[0][place] for place in places}


def _moves(window: Windowed, noisy: Collection[str]) -> bool:
    looked: Iterable[Expression | None] = (window.argument, *window.partition, *(o.expression for o in window.order))
    return any(_among(each, noisy) for each in looked)


def _among(expression: Expression | None, noisy: Collection[str]) -> bool:
    return expression is not None and any(name in noisy for name in columns_of(expression))
