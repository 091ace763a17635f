"""Whether the noise decides which rows of answers are shown: of such rows a ± says less.

The one idea: the largest of many noisy numbers is likely one whose noise is large, so its ± misses more often than it
says. Keys have no noise, and rows that are kept, ordered or cut by them alone are any rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lapwing.query.answered import Answered, Told
from lapwing.query.expressions import Expression, columns_of
from lapwing.query.plan import Statistic
from lapwing.query.rules.keys import groups_of
from lapwing.query.sheets import Base, Gather, Meet, Sheet, Stack, View, Windowed, sheets_in


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
