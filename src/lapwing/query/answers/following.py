"""How a column of a sheet follows from noisy numbers: what decides whether its ± can be found by replays.

The one idea: each column is taken for an answer of a statistic with the same shape (a key, a sum, a quotient, something
that turns), made of the same noisy numbers; what is known of expressions over answers then holds for sheets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lapwing.query.answers.replay import Shape, shape
from lapwing.query.expressions import Column, Expression, columns_of
from lapwing.query.plan import Answer, Statistic
from lapwing.query.sheets import OF_ORDER, OF_ROWS, Base, Gather, Meet, Reduction, Sheet, Stack, View, Windowed

#: A statistic that stands for each shape.
_LIKE = {Shape.CERTAIN: Statistic.KEY, Shape.LINEAR: Statistic.SUM, Shape.RATIONAL: Statistic.MEAN}


def kinds_of(sheet: Sheet, answers: Sequence[tuple[Answer, ...]]) -> dict[str, Answer]:
    """Each column as an answer of a statistic with the same shape, and the noisy numbers that it is made of."""
    match sheet:
        case Base(part):
            return {
                each.name: Answer(each.name, each.statistic, tuple(f"{part}:{name}" for name in each.parts))
                for each in answers[part]
            }
        case View(source):
            known = kinds_of(source, answers)
            for each in sheet.windows:
                known = known | {each.name: _of_window(each, known)}
            return {name: _of(name, expression, known) for name, expression in sheet.outputs}
        case Gather(source):
            known = kinds_of(source, answers)
            keys = {name: _of(name, expression, known) for name, expression in sheet.keys}
            settled = all(each.statistic is Statistic.KEY for each in keys.values())
            columns = {
                each.name: _reduced(each.name, each.function, each.argument, known, settled=settled)
                for each in sheet.columns
            }
            return keys | columns
        case Meet(first, second):
            mine, theirs = kinds_of(first, answers), kinds_of(second, answers)
            settled = all(mine[a].statistic is theirs[b].statistic is Statistic.KEY for a, b in sheet.on)
            both = mine | {name: _named(name, theirs[inner]) for name, inner in sheet.columns}
            return both if settled else {name: _turning(each) for name, each in both.items()}
        case Stack(sheets):
            kinds = [kinds_of(each, answers) for each in sheets]
            return {
                name: _worst(name, [known[names[at]] for known, names in zip(kinds, sheet.columns, strict=True)])
                for at, name in enumerate(sheet.columns[0])
            }


def shapes_of(sheet: Sheet, answers: Sequence[tuple[Answer, ...]]) -> dict[str, Shape]:
    """The shape of each column; of the outermost SELECT's it is that of its expression, which may be a rounding."""
    if not isinstance(sheet, View):
        return {name: shape(Column(name), {name: kind}) for name, kind in kinds_of(sheet, answers).items()}
    known = kinds_of(sheet.source, answers)
    for each in sheet.windows:
        known = known | {each.name: _of_window(each, known)}
    return {name: shape(expression, known) for name, expression in sheet.outputs}


def _named(name: str, kind: Answer) -> Answer:
    return Answer(name, kind.statistic, kind.parts)


def _turning(kind: Answer) -> Answer:
    return kind if kind.statistic is Statistic.KEY else Answer(kind.name, Statistic.QUANTILE, kind.parts)


def _of(name: str, expression: Expression, known: Mapping[str, Answer]) -> Answer:
    if expression == Column(next(columns_of(expression), "")):
        return _named(name, known[next(columns_of(expression))])
    parts = tuple(sorted({part for column in columns_of(expression) for part in known[column].parts}))
    return Answer(name, _LIKE.get(shape(expression, known), Statistic.QUANTILE), parts)


def _of_window(wanted: Windowed, known: Mapping[str, Answer]) -> Answer:
    by = [*wanted.partition, *(each.expression for each in wanted.order)]
    settled = all(shape(each, known) is Shape.CERTAIN for each in by)
    if wanted.function in OF_ORDER:
        return Answer(wanted.name, Statistic.KEY if settled else Statistic.QUANTILE, ())
    found = _reduced(wanted.name, wanted.function, wanted.argument, known, settled=settled)
    if wanted.otherwise is None:
        return found
    return _worst(wanted.name, [found, _of("", wanted.otherwise, known)])


def _reduced(
    name: str, function: Reduction, argument: Expression | None, known: Mapping[str, Answer], *, settled: bool
) -> Answer:
    if argument is None:
        return Answer(name, Statistic.KEY, ())
    inner = _of(name, argument, known)
    if inner.statistic is Statistic.KEY or function is Reduction.COUNT:
        return Answer(name, Statistic.KEY if settled else Statistic.QUANTILE, inner.parts)
    if not settled or function not in (*OF_ROWS, Reduction.SUM, Reduction.MEAN):
        return _turning(inner)
    return inner


def _worst(name: str, kinds: Sequence[Answer]) -> Answer:
    found = {shape(Column(each.name or name), {each.name or name: each}) for each in kinds}
    parts = tuple(sorted({part for each in kinds for part in each.parts}))
    same = {each.statistic for each in kinds}
    if len(same) == 1:
        return Answer(name, same.pop(), parts)
    return Answer(name, _LIKE.get(max(found), Statistic.QUANTILE), parts)
