"""Programs that are nearly provable: a provable one with a few of its parts changed, left out, doubled or swapped."""

from __future__ import annotations

import ast
import copy
import random

HEAD = (
    "from lapwing import added, choose, clip, discrete_laplace, each, flip, laplace, mechanism, one, replaced, within\n"
    "\n\n"
)
#: Every one of these has a bound above 0; ``REL`` is a relation, chosen by chance.
SKETCHES = """
def f(xs: list[float], ws: list[float], c: float, k: int) -> tuple[float, float]:
    total = 0
    n = 0
    for x in xs:
        if x > c:
            total += clip(x, 0, 2)
            n += 1
    return (total + laplace(2), n + laplace(1))


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    ys = [clip(x, 0, 1) for x in xs if x > c]
    m = len(ys) + laplace(2)
    zs = [y for y in ys if y < m]
    return sum(zs) / 2 + laplace(1)


def f(xs: list[int], ws: list[float], c: float, k: int) -> list[float]:
    counts = [sum(1 for x in xs if x == j) for j in range(k)]
    return [n + laplace(1) for n in counts]


def f(xs: list[int], ws: list[float], c: float, k: int) -> list[float]:
    counts = []
    for j in range(k):
        n = 0
        for x in xs:
            if x == j:
                n += 1
        counts.append(n)
    out = []
    for j in range(k):
        out.append(counts[j] + laplace(2))
    return out


def f(xs: list[float], ws: list[float], c: float, k: int) -> list[float]:
    out = []
    for i, w in enumerate(ws):
        s = sum(clip(x, 0, 1) for x in xs if x < w)
        out.append(s + i + laplace(2))
    return out


def f(xs: list[float], ws: list[float], c: float, k: int) -> int:
    scores = [sum(1 for x in xs if x < w) for w in ws]
    scores2 = [s + w for s, w in zip(scores, ws)]
    return choose([s for s in scores2], 2)


def f(xs: list[float], ws: list[float], c: float, k: int) -> int:
    assert k >= 1
    return choose([-abs(sum(1 if x < j else -1 for x in xs)) for j in range(k)], 4)


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    total = 0
    for i, x in enumerate(xs):
        if i < k:
            total += clip(x, 0, 1) * ws[i] if ws[i] < 2 and ws[i] > 0 else 0
    return total + laplace(2)


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    total = 0
    for x, w in zip(xs, ws):
        total += clip(x, 0, 1) * clip(w, 0, 2)
    t = total + laplace(2)
    if t > c:
        return t
    return len(xs[1:k]) + laplace(1)


def f(xs: list[float], ws: list[float], c: float, k: int) -> int:
    best = -1
    top = 0.0
    for j in range(k):
        n = sum(1 for x in xs if x < j) + laplace(2)
        if best < 0 or n > top:
            top = n
            best = j
    return best


def f(xs: list[float], ws: list[float], c: float, k: int) -> int:
    best = -1
    top = 0.0
    for j in range(k):
        n = 0
        for x in xs:
            if x == j:
                n += 1
        v = n + laplace(2)
        if best < 0 or v > top:
            top = v
            best = j
    return best


def f(xs: list[float], ws: list[float], c: float, k: int) -> int:
    counts = [sum(clip(x, 0, 1) for x in xs if x < w) for w in ws]
    best = -1
    top = 0.0
    for i, n in enumerate(counts):
        v = n + laplace(2)
        if best < 0 or v > top:
            top = v
            best = i
    return best


def f(xs: list[float], ws: list[float], c: float, k: int) -> int:
    t = c + laplace(2)
    last = 0.0
    for i, w in enumerate(ws):
        n = sum(clip(x, 0, 1) for x in xs if x < w)
        if n + laplace(4) >= t:
            return i
        last = w
    return -1


def f(xs: list[float], ws: list[float], c: float, k: int) -> bool:
    a = sum(clip(x, 0, 1) for x in xs)
    b = len(xs) if c > 0 else sum(1 for x in xs if x > c)
    d = a - b
    v = d + laplace(2)
    return v > c and k > 0


def f(v: float, ws: list[float], c: float, k: int) -> list[float]:
    t = 0.0
    if v > c:
        t = clip(v, 0, 1)
    else:
        t = 0.5
    out = []
    for w in ws:
        out.append(clip(w, 0, 1) * t + laplace(1))
    return out


def f(v: float, ws: list[float], c: float, k: int) -> float:
    t = [clip(v, 0, 1), clip(v, 0, 2) / 2]
    s = t[0] + t[k] if c > 0 else max(t[0], 1)
    n = laplace(1)
    return s + n


def f(xs: list[int], ws: list[float], c: float, k: int) -> int:
    n = len([x for x in xs if x > k])
    m = n + discrete_laplace(2)
    d = sum(clip(x, 0, k) for x in xs if x < m) if k < 3 else 0
    return m + d + discrete_laplace(2)


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    n = 0
    for x in xs:
        if x > c and n < k:
            n += 1
    return n + laplace(1)


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    best = 0.0
    first = True
    for x in xs:
        y = clip(x, 0, 2)
        if first or y > best:
            best = y
            first = False
    return best + laplace(2)


def f(xs: list[float], ws: list[float], c: float, k: int) -> tuple[float, float]:
    low = 0.0
    high = 0.0
    for x in xs:
        if x > c:
            high = max(high, clip(x, 0, 1))
        else:
            low = clip(low + x, -1, 0)
    return (low + laplace(1), high + laplace(1))


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    s = 0.0
    t = 0.0
    for x in xs:
        if s < 2:
            s += clip(x, 0, 1)
        t = t / 2 + clip(x, 0, 1)
    return s - t + laplace(2)


def f(xs: list[float], ws: list[float], c: float, k: int) -> list[float]:
    ys = [clip(x, 0, 1) for x in xs if x > c]
    return [max([y for y in ys if y < w]) - min(ys) + laplace(2) for w in ws]


def f(xs: list[float], ws: list[float], c: float, k: int) -> float:
    found = False
    s = 0.0
    for x in xs:
        if s > k:
            break
        s += clip(x, 0, 1)
        if x > c:
            found = True
    many = sum(1 for x in xs if x > 1) > k
    v = 2 if found and many else 0
    return v + s + laplace(2)


def f(xs: list[float], ws: list[float], c: float, k: int) -> tuple[float, float]:
    n = 0
    for x in xs:
        if x > c:
            n = 1
            break
    t = 1.0
    if len(xs) > k:
        t = 0.0
    return (n + laplace(1), t + laplace(1))
""".strip().split("\n\n\n")
RELATIONS = ["added()", "added()", "replaced()", "replaced()", "one(1)", "each(1)"]
NUMBERS = [0, 1, 2, 3, 0.5]


class _Names(ast.NodeVisitor):
    def __init__(self):
        self.names = {"xs", "ws", "c", "k", "v"}

    def visit_Name(self, node):
        if node.id not in ("laplace", "discrete_laplace", "choose", "sum", "len", "clip", "abs", "max", "min", "range",
                           "enumerate", "zip", "list", "float", "int", "tuple", "bool"):  # fmt: skip
            self.names.add(node.id)


def blocks(tree):
    """Every list of statements in the function."""
    for node in ast.walk(tree.body[0]):
        for name in ("body", "orelse"):
            found = getattr(node, name, None)
            if isinstance(found, list) and found and isinstance(found[0], ast.stmt):
                yield found


def _expressions(tree):
    """Every place of an expression: its owner, and the field (and place in it)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments | ast.arg) or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        for field, value in ast.iter_fields(node):
            if field in ("returns", "annotation", "decorator_list", "func", "target", "targets", "ctx"):
                continue
            if isinstance(value, ast.expr):
                yield node, field, None
            elif isinstance(value, list):
                for place, each in enumerate(value):
                    if isinstance(each, ast.expr):
                        yield node, field, place


def _get(owner, field, place):
    found = getattr(owner, field)
    return found if place is None else found[place]


def _put(owner, field, place, value):
    if place is None:
        setattr(owner, field, value)
    else:
        getattr(owner, field)[place] = value


def _changed(chance, node, names, parts):
    """Another expression in the place of one."""
    kind = chance.random()
    match node:
        case ast.Constant(value=bool()):
            return ast.Constant(not node.value)
        case ast.Constant() if kind < 0.7:
            return ast.Constant(chance.choice(NUMBERS))
        case ast.Name() if kind < 0.6:
            return ast.Name(chance.choice(sorted(names)), ast.Load())
        case ast.Compare() if kind < 0.5:
            return ast.Compare(node.left, [chance.choice([ast.Lt(), ast.Gt(), ast.GtE(), ast.Eq()])], node.comparators)
        case ast.BinOp() if kind < 0.6:
            operator = chance.choice([ast.Sub(), ast.Add(), ast.Mult()])
            swapped, other = ast.BinOp(node.right, node.op, node.left), ast.BinOp(node.left, operator, node.right)
            return chance.choice([node.left, node.right, swapped, other])
        case ast.Call() if node.args and kind < 0.3:
            return chance.choice(node.args)
        case ast.IfExp() if kind < 0.5:
            return chance.choice([node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body)])
    if kind < 0.75:
        return copy.deepcopy(chance.choice(parts))
    one = ast.Constant(1)
    return chance.choice([
        ast.BinOp(node, ast.Add(), copy.deepcopy(chance.choice(parts))),
        ast.BinOp(node, ast.Sub(), copy.deepcopy(chance.choice(parts))),
        ast.Call(ast.Name("abs", ast.Load()), [node], []),
        ast.Call(ast.Name("min", ast.Load()), [node, one], []),
        ast.IfExp(ast.Compare(copy.deepcopy(chance.choice(parts)), [ast.Gt()], [one]), node, ast.Constant(0)),
        ast.Subscript(node, chance.choice([ast.Name("k", ast.Load()), ast.Constant(0), ast.Slice(one)]), ast.Load()),
    ])  # fmt: skip


def _once(chance, tree):
    names = _Names()
    names.visit(tree)
    kind = chance.random()
    if kind < 0.3:
        block = chance.choice(list(blocks(tree)))
        place = chance.randrange(len(block))
        match chance.randrange(5):
            case 0 if len(block) > 1:
                del block[place]
            case 1:
                block.insert(place, copy.deepcopy(block[place]))
            case 2 if len(block) > 1:
                other = chance.randrange(len(block))
                block[place], block[other] = block[other], block[place]
            case 3:
                other = chance.choice(list(blocks(tree)))
                block.insert(place, copy.deepcopy(chance.choice(other)))
            case _:
                test = ast.Compare(
                    ast.Name(chance.choice(sorted(names.names)), ast.Load()), [ast.Gt()], [ast.Constant(1)]
                )
                block[place] = ast.If(test, [block[place]], [])
        return
    if kind < 0.4:
        comprehensions = [each for each in ast.walk(tree) if isinstance(each, ast.comprehension)]
        if comprehensions:
            chance.choice(comprehensions).ifs = []
            return
    every = list(_expressions(tree))
    owner, field, place = chance.choice(every)
    parts = [_get(*each) for each in every if not isinstance(_get(*each), ast.Slice)]
    _put(owner, field, place, _changed(chance, _get(owner, field, place), names.names, parts))


def mutant(seed):
    """A program, the relation of its neighbours, and its private parameter."""
    chance = random.Random(seed)
    text = chance.choice(SKETCHES)
    private = "v" if "def f(v" in text else "xs"
    relation = chance.choice(["within(1)", "replaced()"] if private == "v" else RELATIONS)
    tree = ast.parse(text)
    for _ in range(chance.choice([1, 1, 2, 2, 3, 4])):
        _once(chance, tree)
    ast.fix_missing_locations(tree)
    return f"@mechanism({private}={relation})\n{ast.unparse(tree)}\n", relation, private
