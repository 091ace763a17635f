"""A mechanism as Python itself runs it, with noise from whoever asks, and neighbours to run it on."""

import ast
import math

#: Rounds and draws of one run.
STEPS = 400
#: Private numbers, public ones, and whole ones.
NUMBERS = (0, 1, -1, 2, 5, 0.5, 3, 60, -60)
PUBLIC = (1, 1, 0.5, 2, 1.5, 0, -1, 3)
COUNTS = (1, 2, 3, 2, 0, -1, 4)


class Unsuited(Exception):
    """A mechanism, or an input, of which this judge says nothing."""


class _Endless(Exception):
    """A run that does not end, as far as anybody waits."""


class Accused:
    """A mechanism as Python runs it: lists are values, loops end, and noise comes from whoever asks."""

    def __init__(self, text, name):
        tree = ast.parse(text)
        tree.body = [each for each in tree.body if not isinstance(each, ast.ImportFrom | ast.Import)]
        function = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name)
        self.types = {each.arg: ast.unparse(each.annotation) for each in function.args.args}
        (said,) = [each for each in function.decorator_list if _called(each) == "mechanism"]
        self.relations = {each.arg: each.value for each in said.keywords if each.arg != "claim"}
        self.claims = [each.value for each in said.keywords if each.arg == "claim"]
        for each in ast.walk(tree):
            if isinstance(each, ast.FunctionDef):
                each.decorator_list, each.returns = [], None
        self.names = {**_words(self), "_tick": self.tick, "_value": _value}
        tree = ast.fix_missing_locations(_AsValues().visit(tree))
        exec(compile(tree, name, "exec"), self.names)  # noqa: S102  # programs of our own
        self.function = self.names[name]
        self.noise, self.steps = None, 0

    def tick(self):
        self.steps += 1
        if self.steps > STEPS:
            raise _Endless

    def draw(self, kind, *arguments):
        self.tick()
        return self.noise(kind, *arguments)

    def run(self, inputs, noise):
        """The answer for these inputs."""
        self.noise, self.steps = noise, 0
        try:
            return _flat(self.function(**{name: _value(each) for name, each in inputs.items()}))
        except _Endless:
            return ["no answer"]  # which is one, too
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError, UnboundLocalError) as error:
            raise Unsuited(str(error)) from None

    def check_claim(self, inputs):
        """No mechanism runs under a claim below 0."""
        for claim in self.claims:
            for each in claim.elts if isinstance(claim, ast.Tuple) else claim.args if _called(claim) else (claim,):
                if self.formula(_text(each), inputs) < 0:
                    raise Unsuited("a claim below 0")

    def formula(self, text, inputs):
        """A bound or distance for these inputs."""
        try:
            found = eval(text, {**self.names, **inputs})  # noqa: S307  # a formula of our own
        except (ArithmeticError, ValueError, NameError) as error:
            raise Unsuited(str(error)) from None
        return float(found)


def neighbours(accused, chance):
    size = chance.choice((1, 2, 2, 3, 4, 0))
    left = {
        name: _any(kind, chance, size, public=name not in accused.relations) for name, kind in accused.types.items()
    }
    right = dict(left)
    turned = chance.random() < 0.5
    for name, relation in accused.relations.items():
        if not isinstance(relation, ast.Call) or relation.keywords:
            raise Unsuited("neighbours of another kind")
        distance = accused.formula(_text(relation.args[0]), left) if relation.args else 0.0
        if distance < 0:
            raise Unsuited("no run takes a distance below 0")
        right[name] = _moved(relation.func.id, distance, left[name], accused.types[name], chance)
    return (right, left) if turned else (left, right)


def _moved(relation, distance, value, kind, chance):
    def near(x, low=-1):
        real = kind in ("float", "list[float]")
        by = distance * chance.choice((1, 1, 1, 0, 0.5)) if real else math.floor(distance) * chance.choice((1, 1, 0))
        return x + (by if low == 0 or chance.random() < 0.5 else -by)

    match relation:
        case "within":
            return near(value)
        case "each":
            return [near(x) for x in value]
        case "rises" | "falls" | "monotone":
            sign = {"rises": 1, "falls": -1}.get(relation, chance.choice((1, -1)))
            return [x + sign * abs(near(x) - x) for x in value]
        case "replaced" if not isinstance(value, list):
            return _any(kind, chance, 1)
        case "added":
            place = chance.randrange(len(value) + 1)
            return [*value[:place], _any(kind[5:-1], chance, 1), *value[place:]]
        case "one" | "replaced" if value:
            place = chance.randrange(len(value))
            new = near(value[place]) if relation == "one" else _any(kind[5:-1], chance, 1)
            return [*value[:place], new, *value[place + 1 :]]
    raise Unsuited(relation)


def _any(kind, chance, size, public=False):
    match kind:
        case "bool":
            return chance.random() < 0.5
        case "int":
            return chance.choice(COUNTS)
        case "float":
            return float(chance.choice(PUBLIC if public else NUMBERS))
    if kind.startswith("list["):
        return [_any(kind[5:-1], chance, size) for _ in range(chance.randint(0, 3) if public else size)]
    if kind.startswith("tuple["):
        return tuple(_any(each.strip(), chance, size) for each in kind[6:-1].split(","))
    raise Unsuited(kind)


class _AsValues(ast.NodeTransformer):
    """Whatever is set is a copy, and every round is counted."""

    def visit_Assign(self, node):
        self.generic_visit(node)
        node.value = ast.Call(ast.Name("_value", ast.Load()), [node.value], [])
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        node.iter = ast.Call(ast.Name("_value", ast.Load()), [node.iter], [])
        return self._counted(node)

    def visit_While(self, node):
        self.generic_visit(node)
        return self._counted(node)

    def _counted(self, node):
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_tick", ast.Load()), [], [])))
        return node


def _value(value):
    return list(map(_value, value)) if isinstance(value, list) else value


def _flat(value):
    """The parts of an answer, with what holds them together."""
    match value:
        case list() | tuple():
            return [part for each in value for part in _flat(each)] + [f"{len(value)}"]
    return [value]


def _called(node):
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def _text(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _words(accused):
    kinds = ("laplace", "exponential", "gaussian", "discrete_laplace", "flip", "uniform", "choose")
    noise = {kind: lambda *given, kind=kind: accused.draw(kind, *given) for kind in kinds}
    return {
        **noise,
        "clip": lambda x, low, high: max(low, min(x, high)),
        "ln": math.log, "log": math.log, "exp": math.exp, "sqrt": math.sqrt,
        "sample": lambda xs, p: [x for x in xs if accused.draw("flip", p)],
    }  # fmt: skip
