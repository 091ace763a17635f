"""A program of the language run by Python itself, every draw of finite randomness branched on in turn.

Numbers stay exact: decimals and quotients become fractions before the text is run.
"""

import ast
import math
from collections.abc import Callable
from fractions import Fraction


class _Beyond(Exception):
    """The run asked for a draw beyond the script."""


class _Exact(ast.NodeTransformer):
    def visit_Constant(self, node):  # the name that ast gives it
        if isinstance(node.value, float):
            return ast.copy_location(ast.parse(f"_exact({str(node.value)!r})", mode="eval").body, node)
        return node

    def visit_BinOp(self, node):  # the name that ast gives it
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            made = ast.Call(ast.Name("_quotient", ast.Load()), [node.left, node.right], [])
            return ast.copy_location(made, node)
        return node


def _plain(number):
    return int(number) if number.denominator == 1 else number


def enumerated(text, name, inputs):
    """Every answer of the program with its probability."""
    tree = ast.parse(text)
    tree.body = [each for each in tree.body if not isinstance(each, ast.ImportFrom)]
    for each in tree.body:
        if isinstance(each, ast.FunctionDef):
            each.decorator_list = []
            each.returns = None
            for argument in each.args.args:
                argument.annotation = None
    code = compile(ast.fix_missing_locations(_Exact().visit(tree)), "<text>", "exec")
    answers, pending = {}, [((), 1.0)]
    while pending:
        script, weight = pending.pop()
        queue = list(script)

        def draw(options, queue=queue, script=script, weight=weight):
            if queue:
                return queue.pop(0)
            pending.extend(((*script, value), weight * part) for value, part in options if part > 0)
            raise _Beyond

        scope = {
            "_exact": lambda digits: _plain(Fraction(digits)),
            "_quotient": lambda a, b: _plain(Fraction(a) / Fraction(b)),
            "flip": lambda p: draw([(True, float(p)), (False, 1 - float(p))]),
            "uniform": lambda n: draw([(i, 1 / n) for i in range(int(n))]),
            "choose": lambda scores, scale: draw(_chosen(scores, scale)),
            "clip": lambda x, low, high: max(low, min(x, high)),
            "Callable": Callable,
        }
        scope["sample"] = lambda xs, p, flip=scope["flip"]: [x for x in xs if flip(p)]
        exec(code, scope)  # noqa: S102  # a program that the tests wrote
        try:
            answer = _frozen(scope[name](**{key: _frozen_input(value) for key, value in inputs.items()}))
        except _Beyond:
            continue
        answers[answer] = answers.get(answer, 0.0) + weight
    return answers


def _chosen(scores, scale):
    weights = [math.exp(float(Fraction(score) / Fraction(scale))) for score in scores]
    return [(i, each / sum(weights)) for i, each in enumerate(weights)]


def _frozen_input(value):
    if isinstance(value, list | tuple):
        return [_frozen_input(each) for each in value]
    return value if callable(value) or isinstance(value, bool | int) else _plain(Fraction(value))


def _frozen(value):
    if isinstance(value, list | tuple):
        return tuple(_frozen(each) for each in value)
    return value if isinstance(value, bool) else Fraction(value)
