"""Random mechanisms full of lists with two names: through tuples, items, conditionals, comprehensions, calls, swaps.

Half of them grow a list that Python would share, and must be refused; the others must do what Python does. Like
``tests.source.generate``: ``seeded(n)`` is the n-th of a fixed sequence, ``programs()`` a Hypothesis strategy.
"""

import random
from dataclasses import dataclass, field

from hypothesis import strategies as st

NAME = "program"
#: The annotation of every type that is written here.
TYPES = {
    "int": "int",
    "bool": "bool",
    "row": "list[int]",
    "rows": "list[list[int]]",
    "pair": "tuple[list[int], int]",
    "two": "tuple[list[int], list[int]]",
}
HELPERS = {
    "same": "return xs",
    "copy": "return xs[:]",
    "some": "return xs if n > 1 else [n]",
    "grown": "out = xs[:]\n    out.append(n)\n    return out",
    "item": "return (xs, n)[0]",
    "drawn": "return [x + uniform(2) for x in xs]",
}
PAIRS = {"paired": "return (xs, n)", "counted": "out = [n]\n    out.append(1)\n    return (out, len(xs))"}
#: Plain functions: calls of them are read as what they do.
PLAIN = {
    "p_same": "return xs",
    "p_copy": "ys = xs[:]\n    return ys",
    "p_some": "if n > 1:\n        return xs\n    return [n]",
    "p_mixed": "ys = xs\n    if n > 1:\n        ys = [n]\n    elif n > 0:\n        n = n + 1\n    return (ys, n)[0]",
    "p_grown": "out = []\n    for x in xs:\n        out.append(x + n)\n    out[0] = n\n    return out",
    "p_drawn": "if n in xs:\n        return [uniform(2)] * n\n    n += 1\n    return [x * n for x in xs]",
    "p_deep": "ys = p_grown(p_some(xs, n), n)\n    ys.append(p_sum(xs, n))\n    return ys",
}
PLAIN_NUMBERS = {
    "p_sum": "total = 0\n    for i, x in enumerate(reversed_of(xs, 1), 2):\n        total += i * x\n    return total",
    "p_power": "m = n ** 2 // 3\n    if m in xs:\n        return m % 2\n    return sum(x * y for x in xs for y in xs)",
}
BESIDE = (
    "def reversed_of(xs, n):\n    out = []\n    for x in reversed(xs):\n        out.append(x * n)\n    return out\n"
)


@dataclass
class _Writer:
    pick: object
    names: int = 0
    lines: list = field(default_factory=list)

    def chance(self, one_in):
        return self.pick(range(one_in)) == 0

    def new(self):
        self.names += 1
        return f"v{self.names}"

    def named(self, scope, kind):
        found = [name for name, its in scope.items() if its == kind]
        return self.pick(found) if found else None

    # --- expressions --------------------------------------------------------------------------------------

    def int(self, scope, depth=1):
        name = self.named(scope, "int")
        if depth == 0 or self.chance(2):
            return name if name is not None and self.chance(2) else str(self.pick(range(4)))
        row, rows, pair = (self.named(scope, kind) for kind in ("row", "rows", "pair"))
        options = [
            f"({self.int(scope, 0)} {self.pick(['//', '%'])} {self.pick([2, 3, -2])})",
            f"{self.int(scope, 0)} ** {self.pick([0, 1, 2, 3])}",
            f"{self.pick(list(PLAIN_NUMBERS))}({row or 'q'}, {self.int(scope, 0)})",
        ]
        options += [f"({self.int(scope, 0)} + {self.int(scope, 0)})", f"({self.int(scope, 0)} - {self.int(scope, 0)})"]
        if row is not None:
            options += [f"len({row})", f"sum({row})", f"({row} if len({row}) > 0 else [7])[-1]", f"sum({row}[1:])"]
        if rows is not None:
            options += [f"len({rows})", f"sum([sum(r) for r in {rows}])", f"sum([len(r) for r in {rows}])"]
        if pair is not None:
            options += [f"{pair}[1]", f"len({pair}[0])", f"sum({pair}[0])"]
        return self.pick(options)

    def bool(self, scope, depth=1):
        row, other = self.named(scope, "row"), self.named(scope, "row")
        if self.chance(5):
            place = self.pick([row or "q", f"[{self.int(scope, 0)}, 2]", "(1, 2)"])
            return f"({self.int(scope, 0)} {self.pick(['in', 'not in'])} {place})"
        if row is not None and self.chance(4):
            return self.pick([f"match({row}, {other})", f"match(({row}, 1), ({self.row(scope, 0)}, 1))"])
        return f"({self.int(scope, depth)} {self.pick(['<', '<=', '==', '!='])} {self.int(scope, depth)})"

    def row(self, scope, depth=2):
        name = self.named(scope, "row") or "q"
        if depth == 0 or self.chance(3):
            return name
        rows, pair, two = (self.named(scope, kind) for kind in ("rows", "pair", "two"))
        options = [
            "[]",
            f"[{self.int(scope)}]",
            f"{name}[:]",
            f"{name}[1:]",
            f"[x for x in {name}]",
            f"[x + 1 for x in {name} if x > 0]",
            f"({self.row(scope, depth - 1)} if {self.bool(scope)} else {self.row(scope, depth - 1)})",
            f"({self.row(scope, depth - 1)}, {self.int(scope)})[0]",
            f"[{self.row(scope, depth - 1)}, {self.row(scope, 0)}][{self.pick([0, 1])}]",
            f"{self.pick(list(HELPERS))}({self.row(scope, 0)}, {self.int(scope)})",
            f"{self.pick(list(PAIRS))}({self.row(scope, 0)}, {self.int(scope)})[0]",
            f"[x + uniform(3) for x in {name}]",
            f"[{self.int(scope)}] * {self.int(scope, 0)}",
            f"[x + i for i, x in enumerate({name}, {self.pick([1, 2])})]",
            f"[x - y for x in {name} for y in range(x, 5, 2) if x > 0 if y != 3]",
            f"[i for i in range({self.int(scope, 0)}, {self.pick([4, 7])}, {self.pick([2, 3])})]",
            f"{self.pick(list(PLAIN))}({self.row(scope, 0)}, {self.int(scope)})",
        ]
        if rows is not None:
            options += [f"({rows} if len({rows}) > 0 else [[1]])[0]", f"[r for r in {rows}[:1]][0]", f"{rows}[-1]"]
        if pair is not None:
            options += [f"{pair}[0]"]
        if two is not None:
            options += [f"{two}[{self.pick([0, 1])}]"]
        return self.pick(options)

    def rows(self, scope):
        name = self.named(scope, "rows")
        options = [
            "[]",
            f"[{self.row(scope)}]",
            f"[{self.row(scope, 1)}, {self.row(scope, 1)}]",
            f"[[i] for i in range({self.pick([1, 2])})]",
            f"[{self.row(scope, 0)} for i in range(2)]",
            f"[[i + uniform(2) for i in range(2)], {self.row(scope, 0)}]",
        ]
        if name is not None:
            options += [name, f"{name}[:]", f"[r[:] for r in {name}]", f"[r for r in {name}]"]
        return self.pick(options)

    def pair(self, scope):
        options = [
            f"({self.row(scope)}, {self.int(scope)})",
            f"{self.pick(list(PAIRS))}({self.row(scope, 0)}, {self.int(scope)})",
        ]
        name = self.named(scope, "pair")
        return self.pick(options if name is None else [*options, name])

    def two(self, scope):
        a, b = self.row(scope, 1), self.row(scope, 1)
        return self.pick([f"({a}, {b})", f"(({a}, {b}) if {self.bool(scope)} else ({b}, {a}))"])

    def value(self, kind, scope):
        if kind == "int" and self.chance(4):
            return self.pick(["uniform(3)", "discrete_laplace(1)"])
        return getattr(self, kind)(scope)

    # --- statements ---------------------------------------------------------------------------------------

    def write(self, depth, text):
        self.lines.append("    " * depth + text)

    def block(self, scope, depth, size, loop=False):
        for _ in range(size):
            self.statement(scope, depth, loop)

    def statement(self, scope, depth, loop):
        ways = ["new", "new", "set", "fresh", "grow", "put", "chain", "swap", "unpack"] + [
            "if",
            "for",
            "each",
            "while",
        ] * (depth < 3)
        way = self.pick(ways)
        row, other, rows = self.named(scope, "row"), self.named(scope, "row"), self.named(scope, "rows")
        if way == "set" and scope:
            name = self.pick(list(scope))
            if not name.startswith("i"):
                self.write(depth, f"{name} = {self.value(scope[name], scope)}")
                return
        if way == "fresh":  # a list of its own: growing it is fine until something holds it too
            self.names += 1
            name, of = f"g{self.names}", row or "q"
            self.write(depth, f"{name} = {self.pick(['[]', '[1]', f'{of}[:]', f'[x for x in {of}]', 'drawn(q, 1)'])}")
            scope[name] = "row"
            row = name
            way = "grow"
        if way == "put":
            own = [name for name, kind in scope.items() if kind == "row" and name.startswith("g")]
            name = self.pick(own) if own and not self.chance(5) else row
            if name is not None:
                place, sign = self.pick([0, 1, -1, f"len({name}) - 1"]), self.pick(["=", "+="])
                self.write(depth, f"if len({name}) > 1:")
                self.write(depth + 1, f"{name}[{place}] {sign} {self.int(scope)}")
                return
        if way == "chain":
            a, b, kind = self.new(), self.new(), self.pick(["int", "row"])
            self.write(depth, f"{a} = {b} = {self.value(kind, scope)}")
            scope |= {a: kind, b: kind}
            return
        if way == "grow":
            if rows is not None and self.chance(4):
                self.write(depth, f"{rows}.append({self.row(scope)})")
                return
            own = [name for name, kind in scope.items() if kind == "row" and name.startswith("g")]
            if own and not self.chance(4):
                row = self.pick(own)
            if row is not None:
                self.write(depth, f"{row}.append({self.int(scope)})")
                return
        if way == "swap" and row is not None and row != other:
            a, b = self.pick([(row, other), (other, row)])
            right = [f"{b}, {a}", f"({b}, {a}) if {self.bool(scope)} else ({a}, {b})", f"{a}[:], {b}"]
            self.write(depth, f"{a}, {b} = {self.pick(right)}")
            return
        if way == "unpack":
            a, n = self.new(), self.new()
            self.write(depth, f"{a}, {n} = {self.pair(scope)}")
            scope |= {a: "row", n: "int"}
            return
        if way == "if":
            self.write(depth, f"if {self.pick([self.bool(scope), 'flip(1 / 2)'])}:")
            self.block(dict(scope), depth + 1, self.pick([1, 2]), loop)
            if loop and self.chance(3):
                self.write(depth + 1, self.pick(["break", "continue"]))
            if self.chance(2):
                self.write(depth, "else:")
                self.block(dict(scope), depth + 1, 1, loop)
            return
        if way in ("for", "each", "while"):
            self.loop(scope, depth, way)
            return
        kind = self.pick(list(TYPES))
        name = self.new()
        self.write(depth, f"{name} = {self.value(kind, scope)}")
        scope[name] = kind

    def loop(self, scope, depth, way):
        inner = dict(scope)
        self.names += 1
        name = f"i{self.names}"
        if way == "each":
            self.write(depth, f"for {name} in {self.rows(scope)}:")
            inner[name] = "row"
        elif way == "for":
            over = [f"range({self.pick([2, 3])})", self.row(scope, 1), "range(1, 8, 3)", "reversed(range(3))"]
            over += [f"reversed({self.named(scope, 'row')})"] if self.named(scope, "row") else []
            self.write(depth, f"for {name} in {self.pick(over)}:")
            inner[name] = "int"
        else:
            self.write(depth, f"{name} = 0")
            self.write(depth, f"while {name} < 2:")
            self.write(depth + 1, f"{name} += 1")
            inner[name] = "int"
        self.block(inner, depth + 1, self.pick([1, 2, 3]), loop=True)


def generate(pick):
    """A program made of the choices that ``pick`` makes, and inputs for it."""
    writer = _Writer(pick)
    scope = {}
    for kind in ("row", "int"):
        name = writer.new()
        writer.write(1, f"{name} = {writer.value(kind, scope)}")
        scope[name] = kind
    writer.block(scope, 1, pick([3, 4, 5, 6, 7]))
    shown = [name for name in scope if not name.startswith("i")]
    writer.write(1, f"return ({', '.join(shown)})")
    returns = f"tuple[{', '.join(TYPES[scope[name]] for name in shown)}]"
    words = "added, discrete_laplace, each, flip, match, mechanism, uniform, within"
    parts = [f"from lapwing import {words}\n"]
    body = "\n".join(writer.lines)
    for helpers, kind in ((HELPERS, "row"), (PAIRS, "pair")):
        for name, text in helpers.items():
            if f"{name}(" in body:
                parts.append(
                    f"\n\n@mechanism(xs=added())\ndef {name}(xs: list[int], n: int) -> {TYPES[kind]}:\n    {text}\n"
                )
    parts.append(f"\n\n{BESIDE}")
    for name, text in {**PLAIN, **PLAIN_NUMBERS}.items():
        parts.append(f"\n\ndef {name}(xs, n):\n    {text}\n")
    parts.append(f"\n\n@mechanism(q=each(1))\ndef {NAME}(q: list[int]) -> {returns}:\n{body}\n")
    return "".join(parts), [pick(range(3)) for _ in range(pick([1, 2, 3]))]


@st.composite
def programs(draw):
    """Random programs, as a strategy."""
    return generate(lambda options: draw(st.sampled_from(list(options))))


def seeded(seed):
    """The ``seed``-th program of a fixed sequence."""
    chance = random.Random(seed)
    return generate(lambda options: chance.choice(list(options)))
