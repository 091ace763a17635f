"""The largest element looked for first, and its place afterwards: both are found at once.

``top = max(vs)`` and then the last ``i`` with ``vs[i] >= top`` is the last place of a largest element, which a loop
that keeps the largest so far has in the end; where the search stops at the first, it is the first. A loop that keeps
the place alone, and looks there again (``vs[i] > vs[best]``), keeps the element as well.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, types, walk
from lapwing.source.built_lists import ONE, ZERO, Block, Variables, changed, forgotten, length, mentioned, settled

#: How an element that is no worse than the best so far compares with it, and how a better one does.
_EXTREMES = {"max": (">=", ">"), "min": ("<=", "<")}


def found_at_once(body: Block, names: Variables) -> Block:
    """The body of a mechanism in which such places are kept as the loop goes."""
    for start, statement in enumerate(body):
        match statement:
            case ir.Assign(top, ir.Builtin("max" | "min" as function, (ir.Name(listed),))):
                uses = [at for at in range(len(body)) if at != start and top in mentioned(body[at : at + 1])]
            case _:
                continue
        if len(uses) != 1 or uses[0] < start or listed in changed(body[start + 1 : uses[0] + 1]):
            continue
        found = _searching(body, uses[0], top, listed, function, names)
        if found is not None:
            begun = replace(statement, value=ZERO)
            return found_at_once((*body[:start], *body[start + 1 : uses[0]], begun, *found), names)
    return body


def kept_with_its_place(body: Block, names: Variables) -> Block:
    """The body of a mechanism in which the best so far is kept beside its place, and not looked up again."""
    for position, loop in enumerate(body):
        found = _kept(body, position, loop, names) if isinstance(loop, ir.For) else None
        if found is not None:
            return kept_with_its_place((*body[:position], *found, *body[position + 1 :]), names)
    return body


def _kept(body: Block, position: int, loop: ir.For, names: Variables) -> Block | None:
    """A loop over all places of a list that begins with the first for the best, with the best kept as it goes."""
    match loop.body:
        case (ir.If(ir.Compare("<" | "<=" | ">" | ">=") as test, (ir.Assign(where, ir.Name(counter)),), ()) as choice,):
            pass
        case _:
            return None
    match test.left, test.right:
        case (_, ir.Index(ir.Name(listed), ir.Name(place)) as best) if place == where:
            element = test.left
        case (ir.Index(ir.Name(listed), ir.Name(place)) as best, _) if place == where:
            element = test.right
        case _:
            return None
    match loop.source:
        case ir.Range(walked, start, stop) if start in (ZERO, ONE) and settled(body, stop) in _lengths(body, listed):
            source: ir.Range | ir.Over = replace(loop.source, start=ZERO)
            own: ir.Expression = ir.Index(ir.Name(listed), ir.Name(walked), best.element)
        case ir.Over(((name, ir.Name(over)),), str() as walked) if over == listed and name != where:
            source, own = loop.source, ir.Name(name)
        case _:
            return None
    settings = [each for each in body[:position] if where in mentioned((each,))]
    if walked != counter or element != own or where in (counter, listed) or settings[-1:] != [ir.Assign(where, ZERO)]:
        return None
    if not all(forgotten(body[position + 1 :], each) for each in loop.source.targets):
        return None  # a round more, of the first place, would be seen there
    # the name of an element may stand for other numbers elsewhere, and be no whole number there
    top = ir.Name(names.fresh("top", types.type_of(element, names.types)))
    at, span = ir.Name(counter), choice.span
    further = ir.Or((ir.Compare("==", at, ZERO), replaced(test, {best: top})), span=span)
    kept = (ir.Assign(top.name, element, span=span), ir.Assign(where, at, span=span))
    return (
        ir.Assign(top.name, ZERO, span=span),
        replace(loop, source=source, body=(replace(choice, condition=further, then=kept),)),
    )


def _searching(body: Block, position: int, top: str, listed: str, function: str, names: Variables) -> Block | None:
    """The loop that looks for the place, and what follows it, where the place is kept as the loop goes."""
    loop, rest, kind = body[position], body[position + 1 :], names.types[listed]
    if not isinstance(loop, ir.For) or len(loop.body) != 1 or not isinstance(kind, ir.List):
        return None
    if not all(forgotten(rest, each) for each in loop.source.targets):
        return None  # where a search stops tells what it found
    match loop.source:
        case ir.Range(counter, start, stop) if start == ZERO and settled(body, stop) in _lengths(body, listed):
            element: ir.Expression = ir.Index(ir.Name(listed), ir.Name(counter), kind.element)
        case ir.Over(((name, ir.Name(walked)),), str() as counter) if walked == listed:
            element = ir.Name(name)
        case _:
            return None
    no_worse, better = _EXTREMES[function]
    before: Block = ()
    first = False
    match loop.body[0]:
        case ir.If(ir.And((one, other)), (ir.Assign(where, _),) as then, ()) if _is_unset(body[:position], where, one):
            test, first = other, True
        case ir.If(ir.And((other, one)), (ir.Assign(where, _),) as then, ()) if _is_unset(body[:position], where, one):
            test, first = other, True
        case ir.If(test, then, ()):
            pass
        case _:
            return None
    if not _reaches(test, element, ir.Name(top), no_worse):
        return None
    at, span = ir.Name(counter), loop.body[0].span
    match then:
        case (ir.Assign(where, place),) if place == at:
            symbol = better if first else no_worse
        case (ir.Assign(where, place), ir.Break()) if place == at:
            symbol = better
        case (ir.Return(place),) if place == at and len(rest) == 1 and isinstance(rest[0], ir.Return):
            answer = types.join(ir.Integer(), types.type_of(rest[0].value, names.types))
            if answer is None:
                return None
            where, symbol = names.fresh("where", answer), better
            before, rest = (ir.Assign(where, rest[0].value, span=span),), (ir.Return(ir.Name(where), span=span),)
        case _:
            return None
    held = types.join(names.types[top], types.type_of(element, names.types))
    if where in (top, counter, listed) or held is None:
        return None
    names.types[top] = held
    further = ir.Or((ir.Compare("==", at, ZERO), ir.Compare(symbol, element, ir.Name(top))), span=span)  # type: ignore[arg-type]  # a comparison
    kept = (ir.Assign(top, element, span=span), ir.Assign(where, at, span=span))
    return (*before, replace(loop, body=(ir.If(further, kept, (), span=span),)), *rest)


def _is_unset(before: Block, where: str, test: ir.Expression) -> bool:
    """Whether a test says that a place, which is -1 at first, was not set yet."""
    nowhere = ir.Negate(ONE)
    settings = [each for each in before if where in changed((each,))]
    tests = (ir.Compare("<", ir.Name(where), ZERO), ir.Compare("==", ir.Name(where), nowhere))
    return test in tests and settings[-1:] == [ir.Assign(where, nowhere)]


def _reaches(test: ir.Expression, element: ir.Expression, top: ir.Expression, no_worse: str) -> bool:
    """Whether a test says that an element is no worse than the best of all: that it is one of the best."""
    turned = {">=": "<=", "<=": ">="}[no_worse]
    worse = {">=": "<", "<=": ">"}[no_worse]
    better = {">=": ">", "<=": "<"}[no_worse]
    return test in (
        ir.Compare(no_worse, element, top),  # type: ignore[arg-type]  # comparisons
        ir.Compare(turned, top, element),  # type: ignore[arg-type]  # comparisons
        ir.Compare("==", element, top),
        ir.Compare("==", top, element),
        ir.Not(ir.Compare(worse, element, top)),  # type: ignore[arg-type]  # comparisons
        ir.Not(ir.Compare(better, top, element)),  # type: ignore[arg-type]  # comparisons
    )


def _lengths(body: Block, listed: str) -> set[ir.Expression]:
    """How long a list is, in every way that is known: one element for each of another list, or of a range."""
    found: set[ir.Expression] = set()
    for first, second in pairwise(body):
        match first, second:
            case ir.Assign(name, ir.ListOf(())), ir.For(source, inside) if name == listed:
                puts = [each for each in walk.statements(inside) if name in walk.targets(each)]
                once = len(puts) == 1 and any(each is puts[0] for each in inside) and isinstance(puts[0], ir.Append)
                settings = [each for each in walk.statements(body) if name in walk.targets(each)]
                straight = all(isinstance(each, ir.Sample | ir.Assign | ir.Append) for each in inside)
                if not once or not straight or len(settings) != 2:
                    continue
                match source:
                    case ir.Over(((_, ir.Name(walked)),)):
                        found.add(length(walked))
                    case ir.Range(_, start, stop) if start == ZERO:
                        found.add(settled(body, stop))
    return {length(listed)} | {each for each in found if not walk.names(each) & changed(body)}
