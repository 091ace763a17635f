"""What accuracy usually means, by the types of a mechanism: tried in turn where nobody stated a condition."""

from __future__ import annotations

from collections.abc import Iterator

from lapwing.kernel.program import ir, walk

_TESTED = "all((q[i] >= threshold - gamma) if answers[i] else (q[i] <= threshold + gamma) for i in range(len(answers)))"


def standard_conditions(mechanism: ir.Mechanism) -> Iterator[str]:
    """Conditions with ``gamma`` (or none, for answers that are right or wrong), likely ones first."""
    numbers = [p.name for p in mechanism.parameters if p.private and p.type in (ir.Real(), ir.Integer())]
    lists = [p.name for p in mechanism.parameters if p.private and p.type in _LISTS]
    truths = [p.name for p in mechanism.parameters if p.private and p.type == ir.Boolean()]
    rows = [p.name for p in mechanism.parameters if p.private and p.type == ir.List(ir.Boolean())]
    public = {p.name for p in mechanism.parameters if not p.private}
    match mechanism.returns:
        case ir.Integer() if lists:
            yield f"all({lists[0]}[result] >= x - gamma for x in {lists[0]})"
            if {"low", "high"} <= public:
                inside = f"low - gamma <= {lists[0]}[result] <= high + gamma"
                yield f"result == len({lists[0]}) or {inside}"
            yield f"abs(result - sum({lists[0]})) <= gamma"
        case ir.Real() | ir.Integer():
            yield from (f"abs(result - {name}) <= gamma" for name in numbers)
            for name in lists:
                yield f"abs(result - sum({name})) <= gamma"
                yield f"all(result >= x - gamma for x in {name}) and result <= max({name}) + gamma"
            yield from (f"abs(result - sum(1 for x in {name} if x)) <= gamma" for name in rows)
        case ir.Boolean():
            yield from (f"result == {name}" for name in truths)
        case ir.List(ir.Boolean()):
            if "threshold" in public:
                yield from (_TESTED.replace("q[", f"{name}[").replace("answers", "result") for name in lists)
            yield from (f"all(result[i] == {name}[i] for i in range(len(result)))" for name in rows)
        case ir.List(ir.Real() | ir.Integer()):
            for name in lists:
                own = f"all(abs(result[i] - {name}[i]) <= gamma for i in range(len(result)))"
                running = f"all(abs(result[i] - sum({name}[:i + 1])) <= gamma for i in range(len(result)))"
                yield from (running, own) if _adds_up(mechanism) else (own, running)
        case ir.Tuple(kinds):
            for place, kind in enumerate(kinds):
                if kind == ir.List(ir.Boolean()) and "threshold" in public:
                    for name in lists:
                        yield _TESTED.replace("q[", f"{name}[").replace("answers", f"result[{place}]")
            if all(kind in (ir.Real(), ir.Integer()) for kind in kinds) and len(numbers) == len(kinds):
                yield " and ".join(f"abs(result[{i}] - {name}) <= gamma" for i, name in enumerate(numbers))


def _adds_up(mechanism: ir.Mechanism) -> bool:
    """Whether some number grows from round to round."""
    inner = (loop for loop in walk.statements(mechanism.body) if isinstance(loop, ir.For | ir.While))
    return any(
        isinstance(each, ir.Assign)
        and each.target in walk.names(each.value)
        and (variable := mechanism.variable(each.target)) is not None
        and variable.type == ir.Real()
        for loop in inner
        for each in walk.statements(loop.body)
    )


_LISTS = (ir.List(ir.Real()), ir.List(ir.Integer()))
