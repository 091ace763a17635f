"""A draw thought to be made last: the mechanism with two variables more, of which shifts may speak.

The one idea: for one answer k, the draw of round k may be moved by what all *other* draws come to. They are independent
of it, so they may be drawn first, and then that is a number like any other: the move keeps the measure, at the price
|move| / scale ([DWZK19], *free gap*). ``kept`` follows the other draws, ``foreseen`` is what it is behind the loop.

Claim: what is shown of the mechanism that is made here holds of the one it is made from. Fix k. Let η be the draw of
round k and ξ all others (those before the loop among them). By names, and without a solver:

* which draw is η depends on the round alone, and on one round at most; each is made in every run, whatever is drawn;
* ``kept`` becomes something made of its own value, the round's inputs and the round's draw, and never in round k: so at
  last it is a function of ξ, in each run;
* other draws move by what their round's inputs say, and those before the loop by what came before: by functions of ξ;
* η moves by a function of ξ and of inputs, for ``foreseen`` is one. So (ξ, η) ↦ (ξ + a(ξ), η + b(ξ)) is one-to-one.

Everything that the walk asks is asked for *any* value of ``foreseen`` in both runs, until the loop is over and it is
``kept``: so it holds of what it really is. What comes behind the loop is drawn when all of this is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Branch, Coupling
from lapwing.kernel.evidence.deferred import Deferral, Postponed
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.wellformed.secrecy import with_variables

_OUTPUT, _DRAW = ir.Builtin("%output", ()), ir.Builtin("%draw", ())
#: Words that a formula about one round may use: of inputs, of the round, and of the answer considered.
_PLAIN = frozenset({"abs", "min", "max", "clip", "len", "%output", "%round", "%rising", "%where"})


@dataclass(frozen=True, slots=True)
class AtLast(ir.Node):
    """A statement of the walk alone: from here on a variable is what was foreseen of it, in each run."""

    kept: str
    foreseen: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a deferred draw is made: the loop around it, if there is one, and the draw."""

    loop: ir.For | None
    draw: ir.Sample


def deferred(mechanism: ir.Mechanism, proof: Coupling) -> ir.Mechanism:
    """The mechanism with what the proof keeps and foresees; itself, if the proof defers nothing."""
    deferral = proof.deferral
    if deferral is None:
        return mechanism
    if proof.ghost != "output" or proof.bad or proof.intervals or proof.pairs:
        raise Unproved("a draw is deferred for one answer at a time, in proofs by shifts alone")
    _confirm_names(mechanism, deferral)
    places = _places(mechanism, deferral)
    alignments = {site.site: site.alignment for site in proof.sites}
    for later, place in zip(deferral.sites, places, strict=True):
        _confirm_count(mechanism, later, place)
        _confirm_shift(mechanism, deferral, later, place, alignments.get(later.site))
    for site in proof.sites:
        if site.site not in {later.site for later in deferral.sites} and _speaks_of(site.alignment, deferral):
            raise Unproved(f"the shift of site {site.site} speaks of what is foreseen")
    _confirm_apart(deferral, places)
    return _written(mechanism, deferral, places)


# --- where draws are made ------------------------------------------------------------------------------------


def _confirm_names(mechanism: ir.Mechanism, deferral: Deferral) -> None:
    """Two names that mean nothing else, and a public number to begin with."""
    taken = set(mechanism.names)
    for name in (deferral.kept, deferral.foreseen):
        if name in taken or not name.isidentifier():
            raise Unproved(f"'{name[:40]}' cannot be the name of what is deferred")
        taken.add(name)
    public = {each.name for each in mechanism.parameters if not each.private}
    first = formula(deferral.first)
    if walk.names(first) - public or any(isinstance(part, ir.Builtin) for part in walk.nodes(first)):
        raise Unproved("what is kept begins with something other than a public number")


def _places(mechanism: ir.Mechanism, deferral: Deferral) -> list[_Place]:
    """Where the deferred draws are made: once, or once in each round of one loop, in every run."""
    sites = [each.site for each in deferral.sites]
    found: dict[int, _Place] = {}
    last = -1
    for position, statement in enumerate(mechanism.body):
        inside = statement.body if isinstance(statement, ir.For) else (statement,)
        loop = statement if isinstance(statement, ir.For) else None
        for each in inside:
            if isinstance(each, ir.Sample) and each.site in sites:
                found[each.site] = _Place(loop, each)
                last = position
    if sorted(found) != sorted(sites) or not sites:
        raise Unproved("a deferred draw is not made once in every run, or once in each round of a loop")
    first = True
    for statement in mechanism.body[: last + 1]:
        every = list(walk.statements((statement,)))
        first = first and not any(isinstance(each, ir.Sample) and each.site in sites for each in every)
        for each in every:
            if isinstance(each, ir.Return | ir.Break | ir.Continue | ir.While | ir.Call | ir.Asking):
                raise at(each, "a deferred draw may not be made, or not in every run")
            if isinstance(each, ir.Sample) and each.site not in sites and not first:
                raise at(each, "this is drawn while a draw is deferred")
    return [found[site] for site in sites]


def _confirm_count(mechanism: ir.Mechanism, later: Postponed, place: _Place) -> None:
    """``at`` is a number, or the round, or the loop's counter, plus or minus a number: another in every round."""
    count = formula(later.at)
    if isinstance(count, ir.Arithmetic) and count.operator in ("+", "-") and isinstance(count.right, ir.Number):
        count = count.left
    if place.loop is None:
        if not isinstance(count, ir.Number):
            raise at(place.draw, "what is drawn once is deferred for one answer")
        return
    source = place.loop.source
    public = {each.name for each in mechanism.parameters if not each.private or isinstance(each.type, ir.List)}
    ends = walk.expressions(place.loop) if isinstance(source, ir.Range) else ()
    if any(walk.names(end) - public or any(isinstance(part, ir.Index) for part in walk.nodes(end)) for end in ends):
        raise at(place.loop, "how often a deferred draw is made may depend on noise")
    counter = source.target if isinstance(source, ir.Range) else source.index
    match count:
        case ir.Name(name) if name == counter and name not in walk.assigned(place.loop.body):
            return
        case ir.Builtin("%round", (ir.Number(number),)) if number == place.loop.number:
            return
    raise at(place.draw, "which draw is deferred depends on more than the round")


def _confirm_apart(deferral: Deferral, places: Sequence[_Place]) -> None:
    """No answer defers two draws: a number is below every count of a loop, or another number."""
    if sum(place.loop is not None for place in places) > 1:
        raise Unproved("draws of two loops are deferred")
    numbers = [formula(later.at) for later, place in zip(deferral.sites, places, strict=True) if place.loop is None]
    if len(set(numbers)) < len(numbers):
        raise Unproved("two draws are deferred for one answer")
    for later, place in zip(deferral.sites, places, strict=True):
        least = None if place.loop is None else _least(place.loop, formula(later.at))
        for number in numbers if place.loop is not None else ():
            if least is None or not isinstance(number, ir.Number) or number.value >= least:
                raise Unproved("two draws may be deferred for one answer")


def _least(loop: ir.For, count: ir.Expression) -> Fraction | None:
    """The least count of a loop, where that is a number; None elsewhere."""
    step = Fraction(0)
    if isinstance(count, ir.Arithmetic) and isinstance(count.right, ir.Number):
        step = count.right.value if count.operator == "+" else -count.right.value
        count = count.left
    start: ir.Expression = ir.ZERO
    if isinstance(count, ir.Name) and isinstance(loop.source, ir.Range):
        start = loop.source.start
    return start.value + step if isinstance(start, ir.Number) else None


# --- what may be said ----------------------------------------------------------------------------------------


def _confirm_shift(
    mechanism: ir.Mechanism, deferral: Deferral, later: Postponed, place: _Place, alignment: object
) -> None:
    """Every draw of the site moves by an amount that inputs say; the deferred one also by what is foreseen."""
    guard = ir.Compare("==", formula(later.at), _OUTPUT)
    match alignment:
        case Branch(test, str(mine), str(others)) if formula(test) == guard:
            _confirm_round(mechanism, place, others, frozenset(), _PLAIN | {"%hat", "%other"})
            _confirm_round(mechanism, place, mine, frozenset({deferral.foreseen}), _PLAIN | {"%hat", "%other"})
        case _:
            raise Unproved(f"site {later.site} is not moved in one way where it is deferred, and in one way elsewhere")
    _confirm_round(mechanism, place, later.become, frozenset({deferral.kept}), _PLAIN | {"%draw"})


def _confirm_round(
    mechanism: ir.Mechanism, place: _Place, text: str, names: frozenset[str], words: frozenset[str]
) -> None:
    """A formula speaks of parameters, of what the loop's head sets, and of ``names``: nothing that noise can change."""
    said = formula(text)
    own = set() if place.loop is None else set(place.loop.source.targets).difference(walk.assigned(place.loop.body))
    known = {each.name for each in mechanism.parameters} | own | names
    used = {part.function for part in walk.nodes(said) if isinstance(part, ir.Builtin)}
    if walk.names(said) - known or used - words:
        raise Unproved(f"the formula {text[:60]!r} speaks of more than one round's inputs")
    if place.loop is not None and isinstance(place.loop.source, ir.Over):
        private = {each.name for each in mechanism.parameters}
        if any(not isinstance(items, ir.Name) or items.name not in private for _, items in place.loop.source.items):
            raise at(place.loop, "a draw is deferred in a loop over lists that are no inputs")


def _speaks_of(alignment: object, deferral: Deferral) -> bool:
    return any(walk.names(formula(text)) & {deferral.kept, deferral.foreseen} for text in _texts(alignment))


def _texts(alignment: object) -> Iterator[str]:
    match alignment:
        case str():
            yield alignment
        case Branch(guard, then, otherwise):
            yield guard
            yield from _texts(then)
            yield from _texts(otherwise)
        case _:
            raise Unproved("where a draw is deferred, draws are moved by amounts")


# --- the mechanism with both variables -----------------------------------------------------------------------


def _written(mechanism: ir.Mechanism, deferral: Deferral, places: Sequence[_Place]) -> ir.Mechanism:
    follows = {
        place.draw.site: _following(deferral, later, place) for later, place in zip(deferral.sites, places, strict=True)
    }
    last = max(
        number
        for number, each in enumerate(mechanism.body)
        if any(isinstance(inner, ir.Sample) and inner.site in follows for inner in walk.statements((each,)))
    )
    body: list[ir.Statement] = [ir.Assign(deferral.kept, formula(deferral.first))]
    for number, statement in enumerate(mechanism.body):
        if isinstance(statement, ir.For):
            inner = tuple(_with(statement.body, follows))
            body.append(replace(statement, body=inner))
        else:
            body += _with((statement,), follows)
        if number == last:
            body.append(AtLast(deferral.kept, deferral.foreseen))  # type: ignore[arg-type]  # of the walk alone
    parameter = ir.Parameter(deferral.foreseen, ir.Real(), Relation("replaced"))
    kept = ir.Variable(deferral.kept, ir.Real(), False, False)
    made = replace(
        mechanism,
        parameters=(*mechanism.parameters, parameter),
        variables=(*mechanism.variables, kept),
        body=tuple(body),
    )
    return with_variables(made, {})


def _following(deferral: Deferral, later: Postponed, place: _Place) -> ir.Statement:
    """What is kept after a draw of the site."""
    value = replaced(formula(later.become), {_DRAW: ir.Name(place.draw.target)})
    elsewhere = ir.Compare("!=", formula(later.at), _OUTPUT)
    return ir.If(elsewhere, (ir.Assign(deferral.kept, value),), ())


def _with(block: Sequence[ir.Statement], follows: dict[int, ir.Statement]) -> Iterator[ir.Statement]:
    for each in block:
        yield each
        if isinstance(each, ir.Sample) and each.site in follows:
            yield follows[each.site]
