"""Programs with one to three things changed that should cost privacy: a clip dropped, a draw used twice, a statement
moved in or out of a loop, what is private where public was, one place of a list for another."""

import ast
import copy
import random

NOISE = ("laplace", "exponential", "gaussian", "discrete_laplace", "flip", "uniform", "choose")
RELATIONS = ("each", "one", "rises", "falls", "monotone", "added", "replaced")


def perturbed(text, chance):
    """The text with some things changed in its last function, or None where nothing came of it."""
    tree = ast.parse(text)
    function = [each for each in tree.body if isinstance(each, ast.FunctionDef)][-1]
    for _ in range(chance.choice((1, 1, 2, 3))):
        chance.choice(CHANGES)(function, chance)
    try:
        changed = ast.unparse(ast.fix_missing_locations(tree))
    except (AttributeError, TypeError, ValueError):
        return None
    return None if changed == ast.unparse(ast.parse(text)) else changed


def _names(function):
    own = {each.arg for each in function.args.args}
    names = (each for each in ast.walk(function) if isinstance(each, ast.Name))
    return sorted(own | {each.id for each in names if isinstance(each.ctx, ast.Store)})


def _some(function, kind, chance, test=lambda _: True):
    found = [each for part in function.body for each in ast.walk(part) if isinstance(each, kind) and test(each)]
    return chance.choice(found) if found else None


def _put(function, old, new):
    class Put(ast.NodeTransformer):
        def visit(self, node):
            return new if node is old else self.generic_visit(node)

    function.body = [Put().visit(each) for each in function.body]


def _blocks(function):
    """Every block of statements, the function's own first."""
    found = [function.body]
    for each in ast.walk(function):
        if each is not function and isinstance(each, ast.For | ast.While | ast.If):
            found += [block for block in (each.body, each.orelse) if block]
    return found


def _is_load(node):
    return isinstance(node.ctx, ast.Load)


def another_name(function, chance):
    node = _some(function, ast.Name, chance, lambda each: _is_load(each) and each.id in _names(function))
    if node is not None:
        node.id = chance.choice(_names(function))


def another_comparison(function, chance):
    node = _some(function, ast.Compare, chance)
    if node is not None:
        node.ops = [chance.choice((ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq))() for _ in node.ops]


def another_number(function, chance):
    node = _some(function, ast.Constant, chance, lambda each: type(each.value) in (int, float))
    if node is not None:
        node.value = chance.choice((0, 1, 2, node.value + 1, node.value * 2, node.value / 2))


def no_bounds(function, chance):
    node = _some(function, ast.Call, chance, lambda each: getattr(each.func, "id", "") in ("clip", "min", "max", "abs"))
    if node is not None and node.args:
        _put(function, node, chance.choice(node.args))


def other_noise(function, chance):
    node = _some(function, ast.Call, chance, lambda each: getattr(each.func, "id", "") in NOISE)
    if node is not None and node.args:
        by = chance.choice((ast.Constant(2), ast.Name(chance.choice(_names(function)), ast.Load())))
        way = chance.choice((ast.Mult(), ast.Div()))
        node.args[-1] = ast.BinOp(node.args[-1], way, by) if chance.random() < 0.7 else by


def used_twice(function, chance):
    """A draw in place of another one: of its own variable, or of one that is set before everything."""
    node = _some(function, ast.Call, chance, lambda each: getattr(each.func, "id", "") in NOISE)
    if node is not None:
        _put(function, node, ast.Name("shared", ast.Load()))
        block = chance.choice(_blocks(function)) if chance.random() < 0.3 else function.body
        place = sum(isinstance(each, ast.Assert) for each in block)
        block.insert(place, ast.Assign([ast.Name("shared", ast.Store())], node, lineno=0))


def another_expression(function, chance):
    """One expression in the place of another."""
    kinds = (ast.BinOp, ast.Compare, ast.Subscript, ast.Call, ast.Name)
    old = _some(function, kinds, chance, lambda each: getattr(each, "ctx", ast.Load()).__class__ is ast.Load)
    new = _some(function, kinds, chance, lambda each: getattr(each, "ctx", ast.Load()).__class__ is ast.Load)
    if old is not None and new is not None and not any(each is old for each in ast.walk(new)):
        _put(function, old, copy.deepcopy(new))


def a_slice(function, chance):
    node = _some(function, ast.Name, chance, lambda each: _is_load(each) and each.id in _names(function))
    if node is not None:
        ends = [None, ast.Constant(1), ast.Name(chance.choice(_names(function)), ast.Load()), ast.Constant(-1)]
        _put(function, node, ast.Subscript(node, ast.Slice(chance.choice(ends), chance.choice(ends)), ast.Load()))


def another_place(function, chance):
    node = _some(function, ast.Subscript, chance, lambda each: not isinstance(each.slice, ast.Slice))
    if node is not None:
        name = ast.Name(chance.choice(_names(function)), ast.Load())
        node.slice = chance.choice((name, ast.BinOp(node.slice, ast.Add(), ast.Constant(1)), ast.Constant(0),
                                    ast.BinOp(node.slice, ast.Sub(), ast.Constant(1))))  # fmt: skip


def no_statement(function, chance):
    block = chance.choice(_blocks(function))
    if len(block) > 1:
        del block[chance.randrange(len(block))]


def moved_statement(function, chance):
    blocks = _blocks(function)
    source, target = chance.choice(blocks), chance.choice(blocks)
    if len(source) > 1:
        place = chance.randrange(len(source))
        moved = source[place]
        if any(block is target for block in _blocks_in(moved)):
            return
        if chance.random() < 0.7:
            del source[place]
        target.insert(chance.randrange(len(target) + 1), copy.deepcopy(moved))


def _blocks_in(statement):
    return [getattr(each, name) for each in ast.walk(statement) for name in ("body", "orelse") if hasattr(each, name)]


def under_a_condition(function, chance):
    block = chance.choice(_blocks(function))
    place = chance.randrange(len(block))
    tests = [copy.deepcopy(each.test) for each in ast.walk(function) if isinstance(each, ast.If | ast.IfExp)]
    one, two = (ast.Name(chance.choice(_names(function)), ast.Load()) for _ in range(2))
    tests += [ast.Compare(one, [ast.Gt()], [ast.Constant(0)]), ast.Compare(one, [ast.Lt()], [two]), one]
    block[place] = ast.If(chance.choice(tests), [block[place]], [])


def no_condition(function, chance):
    for block in _blocks(function):
        for place, each in enumerate(block):
            if isinstance(each, ast.If) and chance.random() < 0.5:
                block[place : place + 1] = each.body
                return


def a_jump(function, chance):
    node = _some(function, (ast.For, ast.While), chance)
    if node is not None:
        test = ast.Name(chance.choice(_names(function)), ast.Load())
        jump = chance.choice((ast.Break, ast.Continue))()
        leaving = ast.If(ast.Compare(test, [ast.Gt()], [ast.Constant(1)]), [jump], [])
        node.body.insert(chance.randrange(len(node.body) + 1), leaving)


def other_neighbours(function, chance):
    for said in function.decorator_list:
        for each in said.keywords if isinstance(said, ast.Call) else ():
            if isinstance(each.value, ast.Call) and getattr(each.value.func, "id", "") in RELATIONS:
                kind = chance.choice(RELATIONS)
                distance = each.value.args[:1] or [ast.Constant(1)]
                each.value = ast.Call(ast.Name(kind, ast.Load()), [] if kind in ("added", "replaced") else distance, [])


def no_assert(function, chance):
    kept = [each for each in function.body if not isinstance(each, ast.Assert)]
    if chance.random() < 0.5:
        function.body[:] = kept


def another_operator(function, chance):
    node = _some(function, ast.BinOp, chance)
    if node is not None:
        if chance.random() < 0.5:
            node.left, node.right = node.right, node.left
        else:
            node.op = chance.choice((ast.Add, ast.Sub, ast.Mult))()


def set_again(function, chance):
    """A variable that is set to something of itself, or of another one, somewhere."""
    names = _names(function)
    block = chance.choice(_blocks(function))
    value = chance.choice((
        ast.Name(chance.choice(names), ast.Load()), ast.Constant(0),
        ast.BinOp(ast.Name(chance.choice(names), ast.Load()), ast.Add(), ast.Name(chance.choice(names), ast.Load())),
    ))  # fmt: skip
    target = ast.Assign([ast.Name(chance.choice(names), ast.Store())], value, lineno=0)
    block.insert(chance.randrange(len(block) + 1), target)


CHANGES = (
    another_name, another_name, another_name, another_comparison, another_number, no_bounds, other_noise, used_twice,
    another_expression, another_expression, a_slice, another_place, no_statement, moved_statement, moved_statement,
    under_a_condition, no_condition, a_jump, other_neighbours, no_assert, another_operator, set_again, set_again,
)  # fmt: skip


def mutants(text, seed):
    """Changed texts without end."""
    chance = random.Random(seed)
    seen = set()
    while True:
        found = perturbed(text, chance)
        if found is not None and found not in seen:
            seen.add(found)
            yield found
