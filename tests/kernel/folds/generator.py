"""Small random programs on private data, and what Python computes with them when the noise is fixed."""

from __future__ import annotations

import random
from dataclasses import dataclass

HEAD = "from lapwing import added, clip, each, laplace, mechanism, one, replaced, within\n\n\n"
#: Private parameters: relation, type.
PRIVATE = [
    ("xs", "added()", "list[float]"), ("xs", "replaced()", "list[float]"), ("xs", "replaced()", "list[int]"),
    ("xs", "added()", "list[int]"), ("xs", "each(1)", "list[float]"), ("xs", "one(1)", "list[float]"),
    ("v", "within(1)", "float"), ("v", "replaced()", "int"), ("v", "replaced()", "bool"),
]  # fmt: skip


@dataclass(frozen=True)
class Program:
    """A program, with its private parameter."""

    text: str
    name: str
    relation: str
    type: str


class Writer:
    """Writes one program: numbers, lists and noise under few names, so that names are set anew and shared."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.private, self.relation, self.type = self.chance.choice(PRIVATE)
        self.numbers = ["c", "k"]
        self.lists = ["ws"]
        self.lines: list[str] = []
        self.walks = 0
        self.sliced = "xs" if self.type.startswith("list") and self.relation != "added()" else "ws"
        if self.type.startswith("list"):
            self.lists += ["xs"] * 3
        elif self.type != "bool":
            self.numbers += ["v"] * 3

    def pick(self, *options: str) -> str:
        """One of the options."""
        return self.chance.choice(options)

    # --- expressions ----------------------------------------------------------------------------------------

    def number(self, depth: int = 2, *names: str) -> str:
        """A number; ``names`` are those of a loop."""
        known = [*self.numbers, *names * 3]
        if depth == 0 or self.chance.random() < 0.3:
            return self.pick("0", "1", "2", *known, *known)
        a, b = self.number(depth - 1, *names), self.number(depth - 1, *names)
        options = [
            f"({a} + {b})", f"({a} - {b})", f"({a} * {self.pick('0', '2', 'k', 'c')})", f"({a} / 2)",
            f"clip({a}, 0, {self.pick('1', '2', b)})", f"abs({a})", f"max({a}, {b})", f"min({a}, {self.pick('1', b)})",
            f"({a} if {self.truth(depth - 1, *names)} else {b})",
        ]  # fmt: skip
        if self.chance.random() < 0.5:
            options = [self.total(depth - 1, *names), f"len({self.pick(*self.lists)})", self.element(*names)]
        return self.pick(*options)

    def element(self, *names: str) -> str:
        """An element of a list."""
        known = [each for each in self.lists if each != "xs" or "i" in names]
        return f"{self.pick(*known)}[{self.pick('0', '1', '-1', 'k', *[n for n in names if n in 'ij'] * 3)}]"

    def truth(self, depth: int, *names: str) -> str:
        """A truth value."""
        if self.type == "bool" and self.chance.random() < 0.6:
            return self.pick("v", "not v")
        return f"{self.number(depth, *names)} {self.pick('<', '>', '>=')} {self.number(0, *names)}"

    def total(self, depth: int, *names: str) -> str:
        """A sum."""
        bounded = f"clip(x, 0, {self.pick('1', '2')}) for x in {self.pick(*self.lists)}"
        if self.chance.random() < 0.4:
            return f"sum({bounded})"
        return f"sum({self.pick(self.listed(depth, *names), self.pick(*self.lists))})"

    def walk(self) -> tuple[str, list[str]]:
        """What is walked over, and the names that this sets."""
        self.walks += 1
        x = "x" if self.chance.random() < 0.3 else f"x{self.walks}"
        source, names = self._walk()
        return source.replace("x in", f"{x} in").replace("x, y", f"{x}, y"), [x if n == "x" else n for n in names]

    def _walk(self) -> tuple[str, list[str]]:
        first, second = self.pick(*self.lists), self.pick(*self.lists)
        return self.chance.choice(
            [
                (f"x in {first}", ["x"]),
                (f"x in {first}", ["x"]),
                (f"i, x in enumerate({first})", ["i", "x"]),
                (f"x, y in zip({first}, {second})", ["x", "y"]),
                (f"i in range({self.pick('k', '2', '3', f'len({first})')})", ["i"]),
                (f"j in range({self.pick('1, k', '-1, 2')})", ["j"]),
                (
                    f"x in {self.pick(self.sliced, self.sliced, first)}[{self.pick('1:', ':2', ':-1', ':k', '0:1')}]",
                    ["x"],
                ),
            ]
        )

    def listed(self, depth: int, *names: str) -> str:
        """A list."""
        source, own = self.walk()
        kept = f" if {self.truth(0, *names, *own)}" if self.chance.random() < 0.3 else ""
        comprehension = f"[{self.number(depth, *names, *own)} for {source}{kept}]"
        copied = f"{self.pick(*self.lists)}[:]"
        literal = f"[{self.number(depth, *names)}, {self.number(depth, *names)}]"
        return self.pick(comprehension, comprehension, comprehension, copied, literal, f"[{self.number(0)}] * 2")

    # --- statements -----------------------------------------------------------------------------------------

    def say(self, level: int, line: str) -> None:
        """One more line."""
        self.lines.append("    " * level + line)

    def statement(self, level: int, *names: str) -> None:
        """A statement, or a few."""
        kind = self.chance.random()
        if kind < 0.25:
            target = self.pick("t", "t", "a", "c" if level > 1 else "b")
            if target not in self.numbers and level > 1:
                target = "t"
            self.say(level, f"{target} {self.pick('=', '+=', '+=') if target in self.numbers else '='} "
                     f"{self.number(2, *names)}")  # fmt: skip
            if target not in self.numbers:
                self.numbers.append(target)
        elif kind < 0.4:
            target = self.pick("ys", "ys", "zs") if level == 1 else "ys"
            options = [f"{target} = {self.listed(1, *names)}", f"{target} = []"]
            if target in self.lists:
                options += [f"{target}.append({self.number(1, *names)})"] * (1 if level == 1 else 5)
                options += [f"{target}[{self.pick('0', '1', *[n for n in names if n in 'ij'])}] {self.pick('=', '+=')} "
                            f"{self.number(1, *names)}"]  # fmt: skip
            self.say(level, self.pick(*options))
            if target not in self.lists:
                self.lists += [target] * 2
        elif kind < 0.5:
            self.say(level, f"n = laplace({self.scale()})")
            if level == 1:
                self.numbers += ["n"] if "n" not in self.numbers else []
        elif kind < 0.8 and level < 3:
            source, own = self.walk()
            self.say(level, f"for {source}:")
            before = list(self.numbers), list(self.lists)
            for _ in range(self.chance.randint(1, 3)):
                self.statement(level + 1, *names, *own)
            self.numbers, self.lists = before
        elif kind < 0.95 and level < 4:
            self.say(level, f"if {self.truth(1, *names)}:")
            before = list(self.numbers), list(self.lists)
            last = self.pick("continue", "continue", "break") if level > 1 and self.chance.random() < 0.3 else ""
            self.statement(level + 1, *names)
            if last:
                self.say(level + 1, last)
            elif self.chance.random() < 0.4:
                self.say(level, "else:")
                self.statement(level + 1, *names)
            self.numbers, self.lists = before
        else:
            self.say(level, f"t = {self.number(1, *names)} + laplace({self.scale()})")

    def scale(self) -> str:
        """A scale, seldom a private one."""
        return self.pick("1", "1", "2", "1 / 2", "t" if self.chance.random() < 0.05 else "4")

    def about(self) -> str:
        """A number that private data have a part in, mostly not without bounds."""
        if self.type == "bool":
            return self.pick("(1 if v else 0)", "(t if v else 1)")
        if self.private == "v":
            return self.pick("v", "clip(v, 0, 1)", "(1 if v > 0 else 0)", "(v * c)", "min(v, t)")
        return self.pick("sum(clip(x, 0, 1) for x in xs)", "sum(xs)", "len(xs)", "sum(1 if x > c else 0 for x in xs)",
                         "len([x for x in xs if x > 0])", "abs(sum(clip(x, 0, 1) for x in xs))", "sum(ys)")  # fmt: skip

    def program(self) -> Program:
        """A whole program, that releases a number or a list."""
        self.say(1, "t = 0.0")
        self.say(1, "ys = []")
        self.numbers += ["t", "t"]
        self.lists += ["ys"]
        if self.private == "xs" and self.chance.random() < 0.6:
            return self.misread()
        for _ in range(self.chance.randint(1, 4)):
            self.statement(1)
        noise = self.pick("", "", f" + laplace({self.scale()})", f" + laplace({self.scale()})")
        what = self.chance.random()
        if self.chance.random() < 0.5:
            self.say(1, f"t {self.pick('=', '+=', '-=')} {self.about()}")
        result = "float"
        if what < 0.3:
            self.say(1, f"return t{noise}")
        elif what < 0.6:
            self.say(1, f"return {self.about()} {self.pick('+', '-')} {self.number(2)}{noise}")
        elif what < 0.8:
            result = "list[float]"
            self.say(1, f"return {self.pick('ys', f'[{self.number(1)}{noise}, t]', f'[t, t{noise}]')}")
        else:
            self.say(1, f"return {self.total(1)} - {self.total(1)}{noise}")
        return self.finished(result)

    def misread(self) -> Program:
        """A program that takes one total from another: whoever reads one of them wrongly finds nothing left."""
        totals = ["sum(xs)", "t", "sum(ys)", "2 * sum(xs)", "abs(sum(xs))", "sum(zs)", "max(t, 0)"]
        self.say(1, f"zs = {self.pick('xs[:]', '[x for x in xs if x > 0]', '[t * i for i in range(3)]', '[t, t]')}")
        for _ in range(self.chance.choice([1, 1, 1, 2])):
            self.say(1, f"t = {self.pick('0.0', *totals)}")
            self.say(1, f"ys = {self.pick('[]', '[]', '[]', 'zs[:]', '[t]')}")
            self.say(1, f"for {self.pick('x in xs', 'x in xs', 'i, x in enumerate(xs)', 'x in range(3)', 'x in ws')}:")
            for _ in range(self.chance.choice([1, 1, 2])):
                level = 2
                if self.chance.random() < 0.3:
                    self.say(2, f"if {self.pick('x > 0', 'x > c', 't > x', 'k > 1')}:")
                    level = 3
                self.say(level, self.small())
        noise = self.pick("1", "2", "1 / 2")
        self.say(1, f"return {self.pick(*totals)} {self.pick('-', '-', '+')} {self.pick(*totals)} + laplace({noise})")
        return self.finished("float")

    def small(self) -> str:
        """What a round of a loop does."""
        return self.pick(
            "t += x", "t += x", "t -= x", "t = x", "t = abs(t)", "t += 1", "t += sum(y for y in xs if y > x)",
            "t += sum(y - x for y in xs)", "ys.append(x)", "ys.append(x)", "ys.append(t)", "ys.append(sum(xs))",
            "ys = []", "ys = [x]", "t += len([y for y in zs if y > x])", "t += clip(x, 0, 1)", "t += sum(zs[:2])",
            "t += min(x, c)", "t += sum(zs[j] for j in range(4))", "zs = ys[:]", "continue", "t += ws[0] * x",
        )  # fmt: skip

    def computed(self) -> Program:
        """A program without noise, of what records, shared lists and places are read as."""
        rows = self.type.startswith("list")
        one = "x" if rows else "v" if self.type != "bool" else "(1 if v else 0)"
        source = self.pick("x in xs", "x in xs", "x, w in zip(xs, ws)", "i, x in enumerate(xs)", "x in xs[1:k]",
                           "x in ys", "i in range(len(xs))") if rows else "w in ws"  # fmt: skip
        if "i in range" in source:
            one = "xs[i]"
        own = [w for w in ("w", "i") if w in source.split(" in ")[0].replace(",", " ").split()]
        place = self.pick("0", "1", "-1", "k", "k + 1", *own) if "i" in own else self.pick("0", "2", "-2", "k")
        element = f"{self.pick('ws', 'vs', 'us')}[{place}]"
        term = self.pick(one, f"min({one}, c)", f"{one} * {self.pick('2', 'c', element, *own)}", element,
                         f"({element} if {one} > {self.pick('c', element)} else {one})", f"abs({one} - {element})",
                         f"clip({one}, {element}, 2)", f"max([{one}, {element}])", f"sum([u * {one} for u in us])",
                         f"len([u for u in us if u > k]) * {one}", f"(us if k > 1 else us)[{place}] - 1")  # fmt: skip
        keep = self.pick(f"{one} > c", f"{one} > {element}", f"c < {one} and not {one} > 2", "k > 1", f"{term} > 0")
        self.say(1, f"vs = {self.pick('[w + 1 for w in ws]', '[1, 5, 7]', '[j * 2 for j in range(k)]', 'ws[:]')}")
        self.say(1, f"us = {self.pick('[c, 3]', '[2, 3, k]', '[j + c for j in range(3)]', '[k] * 2')}")
        self.say(1, "t = 0")
        if rows:
            self.say(1, f"ys = [{self.pick('x', 'x + 1', 'x - c')} for x in xs{self.pick('', '', ' if x > c')}]")
            self.say(1, "zs = []")
        if rows and self.chance.random() < 0.5:
            self.say(1, f"for {source}:")
            self.say(2, f"if {keep}:")
            self.say(3, self.pick("continue", f"t += {term}", f"zs.append({term})", "t = t + 1"))
            self.say(2, self.pick(f"t -= {term}", f"t = {term} + t", "t += 1", f"zs.append({one})"))
            total = self.pick("sum(zs)", "len(zs)", "t")
        elif rows:
            total = self.pick(f"sum({term} for {source})", f"sum({term} for {source} if {keep})",
                              f"len([{one} for {source} if {keep}])", "sum(ys) - len(ys)")  # fmt: skip
        else:
            total = self.pick(term, f"({term}, {one})[{self.pick('0', '1')}]").replace("* w", "* c")
            self.say(1, f"if {keep}:".replace("* w", "* c"))
            self.say(2, f"t = {one} + 1")
        totals = f"[{total}, {self.pick('t', '1', 'len(ws)')}, {self.pick('k', total)}]"
        self.say(1, f"ts = {self.pick(totals, totals, f'[{total} for j in range(k)]', f'[{total} + w for w in ws]')}")
        self.say(1, f"ts = {self.pick('ts', '[ts[j] for j in range(4)]')}[:]")
        self.say(1, f"return ts[{self.pick('0', '1', '-1', 'k')}] + {self.pick('t', '0', total, 'sum(ts)')}")
        return self.finished("float")

    def finished(self, result: str) -> Program:
        """The program with its head."""
        parameters = f"{self.private}: {self.type}, ws: list[float], k: int, c: float"
        head = f"@mechanism({self.private}={self.relation})\ndef f({parameters}) -> {result}:"
        return Program("\n".join([head, *self.lines, ""]), self.private, self.relation, self.type)


def generated(seed: int) -> Program:
    """The program of a seed."""
    return Writer(seed).program()
