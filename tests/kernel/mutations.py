"""Every way of changing one thing in a certificate: each number, comparison, word, branch and entry of it."""

import ast
import copy

#: Fields that are formulas, and are changed from the inside.
FORMULAS = {"bound", "claim", "total", "formula", "if", "distance", "price", "alignment", "then", "else"}
FLIPPED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
#: Those of the younger kinds: what is unlikely, moved onto an interval, put off, or paid round by round.
YOUNGER = FORMULAS | {
    "given", "from", "least", "count", "extra", "width", "uses", "inside", "onto", "at", "become", "first", "value",
    "rounds", "slack", "account", "limit",
}  # fmt: skip
CALLS = {"hat": "other", "other": "hat"}


def mutants(data, formulas=FORMULAS):
    """Copies of a certificate's JSON with one thing changed, each with a word for what.

    Where the source is found does not matter to a proof, so ``file`` is left alone.
    """
    for path, value in _places(data):
        for what, changed in _changes(path, value, formulas):
            if path[-1] == "file" and changed is not _GONE:
                continue
            other = copy.deepcopy(data)
            place = other
            for step in path[:-1]:
                place = place[step]
            if changed is _GONE:
                del place[path[-1]]
            else:
                place[path[-1]] = changed
            yield f"{'.'.join(map(str, path))}: {what}", other


_GONE = object()


def _places(data, path=()):
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*path, key), value
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def _changes(path, value, formulas):
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    yield "removed", _GONE
    if isinstance(value, bool):
        yield "negated", not value
    elif isinstance(value, int):
        yield "one more", value + 1
        yield "one less", value - 1
    elif isinstance(value, list):
        if value:
            yield "emptied", []
            yield "repeated", [*value, value[0]]
    elif isinstance(value, dict) and "if" in value:
        yield "swapped", {"if": value["if"], "then": value["else"], "else": value["then"]}
        yield "without the decision", value["then"]
        yield "without the decision", value["else"]
    elif value is None:
        yield "given", "epsilon"
    elif isinstance(value, str) and name in formulas:
        for text in _formulas(value):
            yield text, text
    elif isinstance(value, str):
        yield "longer", value + "0"
        yield "shorter", value[:-1]
        yield "first letter", ("1" if value[0] != "1" else "2") + value[1:]


def _formulas(text):
    """Formulas that differ from ``text`` in one place and in meaning."""
    tree = ast.parse(text, mode="eval").body
    seen = {ast.unparse(tree)}
    for target in range(sum(1 for _ in ast.walk(tree))):
        for edit in (_numbers, _compare, _junction, _calls, _signs, _names):
            yield from _edited(text, target, edit, seen)
    if _is_truth(tree):
        yield from (f"not ({text})", "False")
    else:
        yield f"({text}) + 1"
        if text != "0":
            yield f"2 * ({text})"


def _edited(formula, target, edit, seen):
    for choice in range(4):
        wrapper = ast.parse(formula, mode="eval")  # read again, which is much quicker than a deep copy
        nodes = list(ast.walk(wrapper.body))
        found = edit(nodes[target], choice)
        if found is None:
            return
        if found is not nodes[target]:
            wrapper = _Put(nodes[target], found).visit(wrapper)
        text = ast.unparse(wrapper)
        if text not in seen:
            seen.add(text)
            yield text


class _Put(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else super().visit(node)


def _is_truth(tree):
    return isinstance(tree, ast.Compare | ast.BoolOp)


def _numbers(node, choice):
    if isinstance(node, ast.Constant) and type(node.value) is int and choice < 2:
        return ast.Constant(node.value + (1 if choice == 0 else -1))
    return None


def _compare(node, choice):
    if isinstance(node, ast.Compare) and choice == 0:
        node.ops = [FLIPPED[type(op)]() for op in node.ops]
        return node
    return None


def _junction(node, choice):
    """Without one of the operands of ``and`` or ``or``; or with the other word."""
    if not isinstance(node, ast.BoolOp) or choice > len(node.values):
        return None
    if choice == len(node.values):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    else:
        del node.values[choice]
        if len(node.values) == 1:
            return node.values[0]
    return node


def _calls(node, choice):
    if isinstance(node, ast.Call) and node.func.id in CALLS and choice == 0:
        node.func.id = CALLS[node.func.id]
        return node
    return None


def _signs(node, choice):
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and choice == 0:
        return node.operand
    if isinstance(node, ast.BinOp) and choice == 0:
        swaps = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult}
        node.op = swaps[type(node.op)]()
        return node
    return None


def _names(node, choice):
    if isinstance(node, ast.Name) and choice == 0:
        node.id += "_"
        return node
    return None
