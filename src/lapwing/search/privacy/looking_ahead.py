"""Proofs that defer a draw: an index and how far it leads, answered together.

The one idea: the answer considered is the index, and its own draw moves as far as the best of the others does. What the
others come to is the same fold as the mechanism's, which skips one round; invariants are found as for any coupling.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations, product
from typing import Literal

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Branch, Coupling, Site
from lapwing.kernel.evidence.deferred import Apart, Deferral, Postponed
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.deferring import deferred
from lapwing.kernel.relational.told_by_place import as_walked
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.bounds import price
from lapwing.search.privacy.coupling import coupling_of
from lapwing.search.privacy.invariants import Stuck, prove_every_size
from lapwing.search.privacy.linear import DRAW, OUTPUT, linear, number, plus, scaled, times, word, written
from lapwing.search.privacy.outcome import Failed, Found
from lapwing.search.privacy.synthesis import Choice
from lapwing.search.privacy.templates import Flowing, every_draw
from lapwing.search.privacy.totals import Meter, scales, spent

#: How long one way to keep what the others come to may be looked at.
EACH = 6.0
_STRICT: tuple[Literal[">"], Literal["<"]] = (">", "<")
_LOOSE: tuple[Literal[">="], Literal["<="]] = (">=", "<=")


def by_deferring(mechanism: ir.Mechanism, deadline: float) -> Iterator[Found | Failed]:
    """Couplings of a mechanism that answers one whole number, and with it real numbers."""
    mechanism = as_walked(mechanism)
    if not _fits(mechanism):
        return
    told = "no deferred draw that was tried levels the answers"
    distances = list(dict.fromkeys(each.distance for each in mechanism.parameters if each.distance is not None))
    scale = scales(mechanism)
    ties = {each.sample.site: tuple(dict.fromkeys(_ties(each))) for each in every_draw(mechanism)}
    for deferral, leaves in _deferrals(mechanism):
        for distance, factor in product(distances, (1, 2)):
            if time.process_time() > deadline:
                yield Failed("the time limit passed while looking for a deferred draw", mechanism.span)
                return
            total = times(number(factor), distance)
            choices = {
                later.site: Choice(ir.Compare("==", _read(later.at), OUTPUT), leaf, number(0))
                for later, leaf in zip(deferral.sites, leaves, strict=True)
            }
            meter = tuple((later.site, 1) for later in deferral.sites)
            sites = tuple(Site(site, _branch(choices[site]), "0") for site, _ in meter)
            try:
                made = deferred(mechanism, Coupling("output", sites, (), deferral=deferral))
                limit = min(deadline, time.process_time() + EACH)
                more = partial(_likely, mechanism, deferral, distance, meter)
                found = prove_every_size(made, "output", choices, {meter: total}, limit, ties, more)
            except (Unproved, Blocked, z3.Z3Exception) as doubt:
                told = f"no deferred draw that was tried levels the answers: {doubt}"
                continue
            if isinstance(found, Stuck):
                told = f"no deferred draw that was tried levels the answers: {found.reason}"
                continue
            apart = tuple(Apart(site, show(each)) for site, values in ties.items() for each in values)
            proof = replace(coupling_of("output", choices, {meter: total}, found), deferral=deferral, apart=apart)
            yield Found("epsilon", price([(total, scale[meter[0][0]])]), proof)
            return
    yield Failed(told, mechanism.span)


def _likely(
    mechanism: ir.Mechanism, deferral: Deferral, distance: ir.Expression, meter: Meter, loop: int
) -> Iterator[ir.Expression]:
    """Facts about the others and the leader: who leads before the deferred round, and who does behind it.

    Behind it the first run answers k only as long as it leads; then the second run's leader is as far above the last
    rival, or has met one by now that the last is not.
    """
    rival, last, here = ir.Name(deferral.kept), ir.Name(deferral.foreseen), word("round", loop)
    start, before = _counts(mechanism, deferral, loop)
    reached, here = _plus(here, start), _plus(here, before)
    passed = ir.Compare(">", reached, OUTPUT)
    real = [ir.Name(each.name) for each in mechanism.variables if isinstance(each.type, ir.Real)]
    whole = [ir.Name(each.name) for each in mechanism.variables if isinstance(each.type, ir.Integer)]
    moved = word("hat", last.name)
    yield from (ir.Or((ir.Compare(">", here, number(0)), _equal(name, rival))) for name in real)
    for index in whole:
        yield ir.Or((ir.Compare("==", here, number(0)), ir.Compare(">=", _other(index), number(0))))
        yield ir.Or((ir.Compare("==", here, number(0)), ir.Compare(">=", index, number(0))))
    for one, two in permutations(real, 2):
        early = ir.Compare("<", here, number(2))
        yield ir.Or((early, ir.Compare("<=", one, two)))
        yield ir.Or((early, ir.Compare("<=", _other(one), _other(two))))
    for place in (0, 1, 2):
        early = ir.Compare("<=", here, number(place))
        for name in real:
            yield ir.Or((passed, early, _equal(name, rival)))
        for index in whole:
            yield ir.Or((passed, early, ir.Compare("!=", index, OUTPUT)))
            yield ir.Or((passed, early, ir.Compare("!=", _other(index), OUTPUT)))
            gone: tuple[ir.Expression, ...] = (
                ir.Compare("!=", index, OUTPUT),
                ir.Compare("<=", reached, OUTPUT),
                ir.Compare("<", here, number(place)),
            )
            for name in real:
                yield ir.Or((*gone, ir.Compare("==", name, rival)))
                for symbol in _STRICT:  # never equal: that has probability 0
                    yield ir.Or((*gone, ir.Compare(symbol, name, rival)))
                for other, loose in product(real, _LOOSE):
                    leads = ir.And((ir.Compare("==", _other(index), OUTPUT),
                                    ir.Compare("==", word("hat", name.name), moved), _same(other, rival)))  # fmt: skip
                    past = ir.Compare(loose, _other(rival), ir.Arithmetic("+", name, moved))  # type: ignore[arg-type]  # one of two
                    yield ir.Or((*gone, leads, past))
                    yield ir.Or((*gone, ir.Compare(">", here, number(place)), leads))
    yield ir.Compare("<=", spent(meter), ir.Arithmetic("+", distance, ir.Builtin("abs", (moved,))))


def _counts(mechanism: ir.Mechanism, deferral: Deferral, number_of_loop: int) -> tuple[int, int]:
    """Where a loop begins to count, and how many draws come before it."""
    loop = next(each for each in mechanism.body if isinstance(each, ir.For) and each.number == number_of_loop)
    start = loop.source.start if isinstance(loop.source, ir.Range) else number(0)
    inside = {each.site for each in walk.statements(loop.body) if isinstance(each, ir.Sample)}
    before = sum(later.site not in inside for later in deferral.sites)
    return int(start.value) if isinstance(start, ir.Number) else 0, before


def _plus(count: ir.Expression, step: int) -> ir.Expression:
    return count if step == 0 else ir.Arithmetic("+", count, number(step))


def _other(name: ir.Expression) -> ir.Expression:
    return ir.Builtin("other", (name,))


def _same(name: ir.Name, rival: ir.Name) -> ir.Expression:
    return ir.Compare("==", _other(name), _other(rival))


def _equal(name: ir.Name, rival: ir.Name) -> ir.Expression:
    return ir.And((ir.Compare("==", name, rival), _same(name, rival)))


def _ties(drawn: Flowing) -> Iterator[ir.Expression]:
    """What noise would have to be for a test to be of two equal numbers."""
    for test in drawn.tests:
        for part in walk.nodes(test):
            form = linear(ir.Arithmetic("-", part.left, part.right)) if isinstance(part, ir.Compare) else None
            if form is not None and form.get(DRAW):
                yield written({atom: -by / form[DRAW] for atom, by in form.items() if atom != DRAW})


def _fits(mechanism: ir.Mechanism) -> bool:
    """Whether the answer is one whole number and real numbers, and all noise is Laplace's."""
    if not isinstance(mechanism.returns, ir.Tuple):
        return False
    kinds = [type(each) for each in mechanism.returns.elements]
    draws = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample)]
    whole = kinds.count(ir.Integer) == 1 and kinds.count(ir.Real) == len(kinds) - 1 > 0
    return whole and bool(draws) and all(each.kind == "laplace" for each in draws)


def _deferrals(mechanism: ir.Mechanism) -> Iterator[tuple[Deferral, list[ir.Expression]]]:
    """Ways to keep what the others come to, with the shift of each site's own draw."""
    draws = list(every_draw(mechanism))
    loops = {
        each.site: statement
        for statement in mechanism.body
        if isinstance(statement, ir.For)
        for each in statement.body
        if isinstance(each, ir.Sample)
    }
    noisy = [_value(each) for each in draws]
    if not 1 <= len(draws) <= 2 or None in noisy:
        return
    names = _names(mechanism)
    kept, foreseen = ir.Name(names[0]), ir.Name(names[1])
    for symbol, begins in product(_STRICT, (True, False)):
        for first in _firsts(mechanism):
            sites, leaves = [], []
            for drawn, value in zip(draws, noisy, strict=True):
                loop = loops.get(drawn.sample.site)
                place = number(0) if loop is None else _place(loop)
                assert value is not None  # noqa: S101  # asked above
                better: ir.Expression = ir.Compare(symbol, value, kept)  # type: ignore[arg-type]  # one of two
                if begins:
                    better = ir.Or((*_begins(place, loop, alone=len(draws) == 1), better))
                become = value if loop is None and begins else ir.Conditional(better, value, kept)
                sites.append(Postponed(drawn.sample.site, show(place), show(become)))
                leaves.append(_leaf(value, foreseen.name))
            if None not in leaves:
                yield (
                    Deferral(kept.name, foreseen.name, show(first), tuple(sites)),
                    [each for each in leaves if each is not None],
                )


def _begins(place: ir.Expression, loop: ir.For | None, *, alone: bool) -> list[ir.Expression]:
    """The first round that counts: round 0, and round 1 where round 0 does not."""
    if loop is None:
        return []
    start = loop.source.start if isinstance(loop.source, ir.Range) else number(0)
    if alone:
        second = ir.And((ir.Compare("==", place, _after(start)), ir.Compare("==", OUTPUT, start)))
        return [ir.Compare("==", place, start), second]
    return [ir.And((ir.Compare("==", place, start), ir.Compare("==", OUTPUT, number(0))))]


def _after(start: ir.Expression) -> ir.Expression:
    return number(start.value + 1) if isinstance(start, ir.Number) else ir.Arithmetic("+", start, number(1))


def _place(loop: ir.For) -> ir.Expression:
    """What counts the rounds of a loop, as answers do."""
    if isinstance(loop.source, ir.Range):
        return ir.Name(loop.source.target)
    return word("round", loop.number) if loop.source.index is None else ir.Name(loop.source.index)


def _value(drawn: Flowing) -> ir.Expression | None:
    """What a draw is added to, with the draw."""
    for each in (*drawn.equal, *(side for test in drawn.tests for side in _sides(test))):
        form = linear(each)
        if form is not None and form.get(DRAW) == 1:
            own = {atom: by for atom, by in form.items() if atom is None or atom == DRAW or _is_input(atom)}
            return written(own)
    return None


def _sides(test: ir.Expression) -> Iterator[ir.Expression]:
    for part in walk.nodes(test):
        if isinstance(part, ir.Compare):
            yield part.left
            yield part.right


def _is_input(atom: ir.Expression) -> bool:
    return isinstance(atom, ir.Name | ir.Index)


def _leaf(value: ir.Expression, foreseen: str) -> ir.Expression | None:
    """The shift that moves a value as far as what is foreseen."""
    form = linear(value)
    if form is None:
        return None
    moved = {ir.Builtin("hat", (atom,)): by for atom, by in form.items() if atom is not None and atom != DRAW}
    total = plus({word("hat", foreseen): 1}, scaled(moved, -1))  # type: ignore[dict-item, arg-type]  # whole numbers
    return None if total is None else written(total)


def _firsts(mechanism: ir.Mechanism) -> list[ir.Expression]:
    """Numbers that real variables begin with."""
    real = {each.name for each in mechanism.variables if isinstance(each.type, ir.Real)}
    found: dict[ir.Expression, None] = {}
    for each in mechanism.body:
        if isinstance(each, ir.Assign) and each.target in real:
            value = each.value.operand if isinstance(each.value, ir.Negate) else each.value
            if isinstance(value, ir.Number):
                found[each.value] = None
    return list(found) or [number(0)]


def _names(mechanism: ir.Mechanism) -> list[str]:
    taken = set(mechanism.names)
    return [walk.fresh(stem, taken) for stem in ("rival", "last_rival")]


def _read(text: str) -> ir.Expression:
    """A count as the search writes it."""
    if text.startswith("round("):
        return word("round", int(text[6:-1]))
    return number(int(text)) if text.isdigit() else ir.Name(text)


def _branch(choice: Choice) -> Branch:
    assert choice.guard is not None  # noqa: S101  # these have one
    return Branch(show(choice.guard), show(choice.then), show(choice.otherwise))
