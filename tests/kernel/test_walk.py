"""Statements with other expressions, blocks and statements in them: every one, in order, and nothing else."""

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.source.parse import parse_text
from tests.strangers import HEAD

PROGRAM = """
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], n: int, epsilon: float) -> list[float]:
    out: list[float] = []
    for a, b in zip(q, [x + 1 for x in q]):
        if a > b:
            noise = laplace(1 / epsilon)
            out.append(noise)
        else:
            i = 0
            while i < n:
                i = i + 1
    for j in range(n, n + 2):
        out.append(j)
    return out
"""


def test_every_expression_is_changed_in_the_order_of_the_program():
    [mechanism] = parse_text(HEAD + PROGRAM)
    seen = []

    def noted(expression):
        seen.append(show(expression))
        return ir.Name("new") if isinstance(expression, ir.Name) else expression

    made = walk.rewritten(mechanism.body, noted)
    assert seen == [show(part) for each in walk.statements(mechanism.body) for part in walk.expressions(each)]
    assert [type(each) for each in walk.statements(made)] == [type(each) for each in walk.statements(mechanism.body)]
    assert "new" in walk.names(made[-1].value)
    assert walk.rewritten(mechanism.body, lambda each: each) == mechanism.body


def test_statements_are_exchanged_wherever_they_stand():
    [mechanism] = parse_text(HEAD + PROGRAM)

    def twice(statement):
        match statement:
            case ir.Append():
                return (statement, replace(statement, target="other"))
            case ir.While():
                return ()
        return None

    made = walk.exchanged(mechanism.body, twice)
    kinds = [type(each).__name__ for each in walk.statements(made)]
    assert kinds == ["Assign", "For", "If", "Sample", "Append", "Append", "Assign", "For", "Append", "Append", "Return"]
    assert walk.assigned(made).count("other") == 2
    assert walk.exchanged(mechanism.body, lambda _: None) == mechanism.body


def test_the_blocks_of_a_statement_are_its_own():
    [mechanism] = parse_text(HEAD + PROGRAM)
    loop = mechanism.body[1]
    assert walk.blocks(loop) == (loop.body,)
    assert walk.blocks(loop.body[0]) == (loop.body[0].then, loop.body[0].otherwise)
    assert walk.blocks(mechanism.body[0]) == ()
    assert walk.with_blocks(loop.body[0], lambda block: block[:1]).otherwise == loop.body[0].otherwise[:1]


def test_what_a_block_reads_is_what_its_expressions_name():
    [mechanism] = parse_text(HEAD + PROGRAM)
    assert [show(each) for each in walk.evaluated(mechanism.body)][:4] == ["[]", "q", "[x + 1 for x in q]", "a > b"]
    assert walk.read(mechanism.body) == {"q", "a", "b", "epsilon", "noise", "i", "n", "j", "out"}
    named = {part.name for part in walk.parts(mechanism.body) if isinstance(part, ir.Name)}
    assert named == walk.read(mechanism.body) | {"x"}


def test_a_new_name_is_none_that_means_something():
    [mechanism] = parse_text(HEAD + PROGRAM)
    taken = walk.taken(mechanism)
    assert {"q", "n", "epsilon", "out", "x", "i", "j", "noise"} <= taken
    assert [walk.fresh(stem, taken) for stem in ("new", "x", "x", "new")] == ["new", "x_1", "x_2", "new_1"]
    assert mechanism.is_private("q")
    assert not mechanism.is_private("epsilon")
    assert not mechanism.is_private("out")


def test_a_jump_belongs_to_the_innermost_loop():
    leave, go_on = ir.Break(), ir.Continue()
    test = ir.If(ir.Name("a"), (go_on,), (ir.If(ir.Name("b"), (leave,), ()),))
    inner = ir.While(ir.Name("c"), (test, leave), 1)
    assert list(walk.jumps((test, inner))) == [go_on, leave]
    assert walk.breaks((test,))
    assert walk.continues((test,))
    assert not walk.breaks((inner,))
    assert not walk.continues((inner, leave))
