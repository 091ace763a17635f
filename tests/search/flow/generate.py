"""Small random programs, many of them near the edge: secrets that are used and overwritten, branches that agree."""

import random

HEAD = "from lapwing import flip, flow, match\n\n\n@flow(s='secret', t='secret', p='public', result='public')\n"
NUMBERS = ("s", "p", "x", "y", "z")


class Writer:
    """Writes one program; the same seed gives the same program."""

    def __init__(self, seed, *, loops, noise, match):
        self.random = random.Random(seed)
        self.loops, self.noise, self.match = loops, noise, match
        self.loop_depth = 0
        self.counter = 0

    def program(self):
        body = ["x = 0", "y = p", "z = 1", "b = False", "xs = [0]", *self.block(3, 0)]
        lines = [f"    {line}" for line in [*body, f"return {self.answer()}"]]
        return f"{HEAD}def f(s: int, t: bool, p: int) -> int:\n" + "\n".join(lines) + "\n"

    def answer(self):
        options = ["x", "y", "x + y", "z * 0 + x", "x if b else y", "x if t else x", "y - x"]
        return self.random.choice(options * 2 + ["len(xs)", "xs[0]", "xs[p]", "xs[-1]"])

    def number(self, depth=0):
        pick = self.random.random()
        if depth > 1 or pick < 0.5:
            return self.random.choice([*NUMBERS * 2, "0", "1", "2", "len(xs)", "xs[1]", "xs[x]"])
        if pick < 0.6:
            return f"{self.random.choice(NUMBERS)} * 0"
        if pick < 0.7:
            name = self.random.choice(NUMBERS)
            return f"({name} - {name})"
        if pick < 0.8:
            return f"({self.number(depth + 1)} if {self.truth(depth + 1)} else {self.number(depth + 1)})"
        if pick < 0.9:
            return f"{self.random.choice(['min', 'max'])}({self.number(depth + 1)}, {self.number(depth + 1)})"
        return f"({self.number(depth + 1)} {self.random.choice('+-')} {self.number(depth + 1)})"

    def truth(self, depth=0):
        if self.match and self.random.random() < 0.5:
            return self.random.choice(["match(s, p)", "match(s, y)", "match(p, s)", "match(s, x + 1)", "match(t, b)"])
        options = ["t", "b", "not t", "b and t", "b or t"]
        options += [f"{self.number(depth + 1)} {op} {self.number(depth + 1)}" for op in ("<", ">=", "==")]
        return self.random.choice(options)

    def block(self, size, depth):
        lines = []
        for _ in range(self.random.randint(1, size)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth):
        pick = self.random.random()
        if depth < 2 and pick < 0.3:
            return self.branch(depth)
        if self.loops and depth < 2 and pick < 0.55:
            return self.loop(depth)
        if self.noise and pick < 0.65:
            return [f"b = flip({self.random.choice(['1 / 2', '1 / 3'])})"]
        if self.loop_depth and pick < 0.68:
            return [f"if {self.truth()}:", f"    {self.random.choice(['break', 'continue'])}"]
        if pick < 0.72:
            return [f"if {self.truth()}:", f"    return {self.answer()}"]
        if pick < 0.78:
            return [f"b = {self.truth()}"]
        if pick < 0.84:
            return [f"xs.append({self.number()})"]
        return [f"{self.random.choice('xyz')} = {self.number()}"]

    def branch(self, depth):
        then = self.block(2, depth + 1)
        otherwise = then if self.random.random() < 0.6 else self.block(2, depth + 1)
        return [f"if {self.truth()}:", *indented(then), "else:", *indented(otherwise)]

    def loop(self, depth):
        self.loop_depth += 1
        body = self.block(2, depth + 1)
        self.loop_depth -= 1
        pick = self.random.random()
        if pick < 0.6:
            return [f"for i{depth} in range({self.random.choice(['2', '3', 'p', 's', 'x'])}):", *indented(body)]
        self.counter += 1
        name = f"n{self.counter}"
        start = self.random.choice(["0", "p", "s"])
        step = [f"{name} += 1"] if self.random.random() < 0.8 else []
        return [f"{name} = {start}", f"while {name} < 3:", *indented([*step, *body])]


def indented(lines):
    return [f"    {line}" for line in lines]


def programs(count, **kinds):
    """The first ``count`` programs of these kinds."""
    return [Writer(seed, **kinds).program() for seed in range(count)]
