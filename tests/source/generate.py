"""Random well-typed mechanisms that end, with inputs to run them on.

Small on purpose: short lists of small whole numbers, few draws, loops of a few rounds; so that an exact distribution
can be computed and compared with samples. Some read outside a list, where Python would raise and the language does
not. ``programs()`` is a Hypothesis strategy (it shrinks); ``seeded(n)`` gives the n-th program of a fixed sequence.
"""

import random
from dataclasses import dataclass, field

from hypothesis import strategies as st

NAME = "program"


@dataclass(frozen=True)
class Generated:
    """The text of a mechanism called ``program``, inputs for it, and neighbouring inputs."""

    text: str
    inputs: dict
    neighbour: dict


@dataclass
class Writer:
    """Writes one program. ``pick(options)`` makes every choice."""

    #: What is imported, how neighbours may differ, and further private parameters.
    IMPORTS = "from lapwing import choose, clip, each, flip, laplace, mechanism, monotone, one, uniform"
    RELATIONS = ("each(1)", "one(1)", "monotone(1)")
    DIFFERING, PARAMETERS = "", ""

    pick: object
    draws: int
    names: int = 0
    lines: list = field(default_factory=list)

    def chance(self, one_in):
        return self.pick(range(one_in)) == 0

    def new(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    # --- expressions, by type; scope maps names to types ---------------------------------------------------

    def named(self, scope, kind):
        found = [name for name, its in scope.items() if its == kind]
        return self.pick(found) if found else None

    def integer(self, scope, depth=2):
        leaf = [str(self.pick(range(4))), self.named(scope, "int") or "k"]
        if depth == 0 or self.chance(2):
            return self.pick(leaf)
        a, b = self.integer(scope, depth - 1), self.integer(scope, depth - 1)
        return self.pick(
            [
                f"({a} + {b})",
                f"({a} - {b})",
                f"{self.pick(range(3))} * {leaf[1]}",
                f"-{leaf[1]}",
                f"abs({a})",
                f"max({a}, {b})",
                f"min({a}, {b}, 2)",
                f"clip({a}, 0, 2)",
                f"({a} if {self.boolean(scope, depth - 1)} else {b})",
                "len(q)",
                "sum(q)",
                "q[0]",
                f"q[clip({leaf[1]}, 0, len(q) - 1)]",
                "sum([y for y in q if y > 1])",
                "len(q[1:])",
                "max([y * 2 for y in q])",
                f"len([] if {self.boolean(scope, depth - 1)} else [{a}])",
                f"sum([{a}, {b}] if {self.boolean(scope, depth - 1)} else [])",
                f"(q if {self.boolean(scope, depth - 1)} else [{a}])[0]",
                f"([] if q[0] > 1 else [{a}])[0]",  # may read outside
            ]
        )

    def number(self, scope, depth=2):
        name = self.named(scope, "float")
        if name is not None and self.chance(2):
            return self.pick([name, f"({name} + {self.integer(scope, 1)})", f"-{name}"])
        return self.pick([self.integer(scope, depth), f"{self.integer(scope, 1)} / {self.pick([1, 2, 4])}"])

    def boolean(self, scope, depth=2):
        name = self.named(scope, "bool")
        if depth == 0 or (name is not None and self.chance(3)):
            return name or self.pick(["True", "False", "k > 0"])
        if self.chance(8):
            return f"([] if q[0] > 1 else [{self.boolean(scope, depth - 1)}])[0]"  # may read outside
        if self.chance(3):
            word = self.pick(["and", "or"])
            return f"({self.boolean(scope, depth - 1)} {word} {self.boolean(scope, depth - 1)})"
        if self.chance(4):
            return f"(not {self.boolean(scope, depth - 1)})"
        operator = self.pick(["<", "<=", ">", ">=", "==", "!="])
        if operator in ("==", "!="):  # not of noisy numbers, which are never equal
            return f"({self.integer(scope, 1)}{self.pick(['', ' / 2'])} {operator} {self.integer(scope, 1)})"
        return f"({self.number(scope, 1)} {operator} {self.integer(scope, 1)})"

    def noise(self, scope):
        """A draw and its type; scales and probabilities are public."""
        self.draws -= 1
        return self.pick(
            [
                (f"flip({self.pick(['1 / 2', '1 / 3', '0.25'])})", "bool"),
                (f"uniform({self.pick([2, 3])})", "int"),
                (f"laplace({self.pick(['1', '1 / 2', '2 / epsilon'])})", "float"),
                (f"choose([{self.integer(scope, 1)}, 1], {self.pick(['1', '2 / epsilon'])})", "int"),
            ]
        )

    def value(self, scope):
        """Any expression with its type, sometimes with noise inside."""
        if self.draws > 0 and self.chance(6):
            self.draws -= 1
            a, b = self.integer(scope, 1), self.boolean(scope, 1)
            return self.pick(
                [
                    (f"len([] if flip(1 / 2) else [{a}])", "int"),
                    (f"sum([{a}, 1] if flip(1 / 3) else [])", "int"),
                    (f"([] if flip(1 / 2) else [{a}])[0]", "int"),
                    (f"([{b}] if flip(1 / 2) else [])[0]", "bool"),
                    (f"([[]] if flip(1 / 2) else [[{b}]])[0][0]", "bool"),
                ]
            )
        if self.draws > 0 and self.chance(2):
            text, kind = self.noise(scope)
            if kind == "bool" and self.chance(3):
                return f"{self.boolean(scope, 1)} {self.pick(['and', 'or'])} {text}", "bool"
            if kind != "bool" and self.chance(2):
                return f"{self.integer(scope, 1)} + {text}", kind
            if kind == "int" and self.chance(3):
                return f"{text} if {self.boolean(scope, 1)} else {self.integer(scope, 1)}", kind
            return text, kind
        return self.pick(
            [
                lambda: (self.integer(scope), "int"),
                lambda: (self.boolean(scope), "bool"),
                lambda: (self.number(scope), "float"),
            ]
        )()

    # --- statements ---------------------------------------------------------------------------------------

    def write(self, depth, text):
        self.lines.append("    " * depth + text)

    def block(self, scope, depth, size, loop=False):
        """Statements; ``scope`` gains what they set for the rest of this block only."""
        for _ in range(size):
            self.statement(scope, depth, loop)

    def statement(self, scope, depth, loop):
        lists = [name for name, kind in scope.items() if kind.startswith("list")]
        ways = ["set", "set", "change", "append"] + ["if", "for", "while", "range"] * (depth < 3)
        way = self.pick(ways)
        if way == "change":
            name = self.named(scope, self.pick(["int", "bool", "float"]))
            if name is not None and not name.startswith("fixed"):
                kind = scope[name]
                text = {"int": self.integer, "bool": self.boolean, "float": self.number}[kind](scope)
                self.write(depth, f"{name} = {text}")
                return
        if way == "append" and lists:
            name = self.pick(lists)
            text = self.boolean(scope) if scope[name] == "list[bool]" else self.integer(scope)
            self.write(depth, f"{name}.append({text})")
            return
        if way == "if":
            self.branch(scope, depth, loop)
            return
        if way in ("for", "range", "while"):
            self.loop(scope, depth, way)
            return
        text, kind = self.value(scope)
        name = self.new("v")
        self.write(depth, f"{name} = {text}")
        scope[name] = kind

    def branch(self, scope, depth, loop):
        self.write(depth, f"if {self.boolean(scope)}:")
        self.block(dict(scope), depth + 1, self.pick([1, 2]), loop)
        if loop and self.chance(3):
            self.write(depth + 1, self.pick(["break", "continue"]))
        if self.chance(2):
            if self.chance(3):
                self.write(depth, f"elif {self.boolean(scope)}:")
                self.block(dict(scope), depth + 1, 1, loop)
            self.write(depth, "else:")
            self.block(dict(scope), depth + 1, 1, loop)

    def loop(self, scope, depth, way):
        inner = dict(scope)
        # what a loop draws is drawn in every round
        kept, self.draws = self.draws, self.draws // 3
        if way == "for":
            i, x = self.new("fixed"), self.new("fixed")
            self.write(
                depth,
                self.pick([f"for {x} in q:", f"for {i}, {x} in enumerate(q):", f"for {i}, {x} in zip(q, q[1:]):"]),
            )
            inner |= {x: "int"} | ({i: "int"} if i in self.lines[-1] else {})
            self.block(inner, depth + 1, self.pick([1, 2]), loop=True)
        elif way == "range":
            i = self.new("fixed")
            self.write(depth, f"for {i} in range({self.pick(['2', 'k', '1, 3'])}):")
            self.block(inner | {i: "int"}, depth + 1, self.pick([1, 2]), loop=True)
        else:
            i = self.new("fixed")
            self.write(depth, f"{i} = 0")
            self.write(depth, f"while {i} < {self.pick(['2', 'k'])}:")
            self.write(depth + 1, f"{i} += 1")
            self.block(inner | {i: "int"}, depth + 1, 1, loop=True)
        self.draws = kept - 3 * (kept // 3 - self.draws)


def generate(pick, writing=Writer):
    """A program made of the choices that ``pick`` makes."""
    writer = writing(pick, draws=pick([1, 2, 3, 4]))
    relation = pick(list(writer.RELATIONS))
    scope = {"k": "int"}
    for name, kind, start in (("a", "int", "0"), ("out", "list[bool]", "[]"), ("seen", "list[int]", "[]")):
        if pick([True, False]):
            writer.write(1, f"{name} = {start}")
            scope[name] = kind
    writer.block(scope, 1, pick([2, 3, 4]))
    if writer.draws > 0 and pick([True, True, False]):
        text, kind = writer.noise(scope)
        writer.write(1, f"last = {text}")
        scope["last"] = kind
    last = pick([name for name in scope if name != "k"] or ["k"])
    result, returns = last, scope[last]
    if pick([True, False, False]):
        result, returns = f"({last}, {writer.boolean(scope, 1)})", f"tuple[{returns}, bool]"
    writer.write(1, f"return {result}")
    head = [
        writer.IMPORTS,
        "",
        "",
        f"@mechanism(q={relation}, {writer.DIFFERING}claim='epsilon')",
        f"def {NAME}(q: list[int], {writer.PARAMETERS}k: int, epsilon: float) -> {returns}:",
        "    assert k >= 0",
    ]
    q = [pick(range(3)) for _ in range(pick([1, 2, 3]))]
    where = pick(range(len(q)))
    moved = [x + 1 if i == where else x for i, x in enumerate(q)]
    public = {"k": 0 if len(q) == 1 else pick([0, 1]), "epsilon": pick([1, 2])}
    return Generated("\n".join([*head, *writer.lines]) + "\n", {"q": q, **public}, {"q": moved, **public})


@st.composite
def programs(draw):
    """Random programs, as a strategy."""
    return generate(lambda options: draw(st.sampled_from(list(options))))


def seeded(seed, writing=Writer):
    """The ``seed``-th program of a fixed sequence."""
    chance = random.Random(seed)
    return generate(lambda options: chance.choice(list(options)), writing)
