"""Random mechanisms as in :mod:`generate`, with the younger words too: noise of every kind, lists of noise, quotients
by noisy numbers, samples, functions that are asked, records that are added or replaced, whole quotients and tables."""

from tests.source.generate import Writer, seeded

#: What every function answers, whatever it is told: so a list of answers says the same.
ANSWER = 1


class Wider(Writer):
    """Writes one program."""

    IMPORTS = (
        "from collections.abc import Callable\n\nfrom lapwing import added, answers, choose, clip, discrete_gaussian,"
        " discrete_laplace, each, exponential, flip, gaussian, laplace, mechanism, monotone, one, replaced, sample,"
        " uniform"
    )
    RELATIONS = ("each(1)", "one(1)", "monotone(1)", "replaced()", "added()")
    DIFFERING, PARAMETERS = "ask=answers(1), ", "ask: Callable[[list[int]], int], "

    def integer(self, scope, depth=2):
        if depth > 0 and self.chance(5):
            a = super().integer(scope, depth - 1)
            return self.pick([
                f"{a} // {self.pick([2, 3])}", f"{a} % {self.pick([2, 3])}", f"[{a}, 1, 2][{a} % 3]",
                f"sum([1 for y in q if y > {self.pick([0, 1])}])", f"(2 if {a} in [0, 2] else 1)",
                f"len([{a}] * {self.pick([0, 2])})",
            ])  # fmt: skip
        return super().integer(scope, depth)

    def noise(self, scope):
        if self.chance(2):
            return super().noise(scope)
        self.draws -= 1
        whole = self.pick(["discrete_laplace(1)", "discrete_laplace(2 / epsilon)", "discrete_gaussian(1)"])
        real = self.pick(["exponential(1)", "exponential(1 / epsilon)", "gaussian(1)", "gaussian(2 / epsilon)"])
        scores = self.pick(["[sum([1 for y in q if y > j]) for j in range(3)]", "[-abs(sum(q) - j) for j in [1, 2]]"])
        return self.pick([(whole, "int"), (real, "float"), (f"choose({scores}, 2 / epsilon)", "int")])

    def value(self, scope):
        if self.draws < 1 or not self.chance(3):
            return super().value(scope)
        self.draws -= 2
        a, b, scale = self.integer(scope, 1), self.integer(scope, 1), self.pick(["1", "1 / 2", "2 / epsilon"])
        return self.pick([
            (f"max([y + laplace({scale}) for y in q]) > {b}", "bool"),
            (f"len([v for v in [y + laplace({scale}) for y in q] if v > {b}])", "int"),
            (f"sum([y + exponential({scale}) for y in q]) <= {b}", "bool"),
            (f"len([y for y in q if y + laplace({scale}) > 1])", "int"),
            (f"len(sample(q, {self.pick(['1 / 2', '1 / 3'])}))", "int"),
            (f"sum(sample(q, 1 / 2)) + {b}", "int"),
            (f"sum(y * uniform(2) for y in sample(q, 1 / 3)) + {b}", "int"),
            (f"({a} + laplace({scale})) / ({b} + laplace(1)) > 1 / 2", "bool"),
            (f"({a} + laplace({scale})) / (1 + exponential(1))", "float"),
            (f"ask([{a}]) + discrete_laplace({scale})", "int"),
            (f"ask([k, 1]) + laplace({scale}) > {b}", "bool"),
            (f"sum([ask([y]) for y in q]) + {b}", "int"),
        ])  # fmt: skip

    def statement(self, scope, depth, loop):
        if self.draws < 2 or not self.chance(5):
            super().statement(scope, depth, loop)
            return
        self.draws -= 2
        noise, at, name = self.new("ns"), self.new("i"), self.new("v")
        self.write(depth, f"{noise} = [{self.pick(['laplace(1)', 'exponential(2)', 'gaussian(1)'])} for _ in q]")
        if self.chance(2):
            self.write(depth, f"{name} = 0")
            self.write(depth, f"for {at} in range(len(q)):")
            self.write(depth + 1, f"if q[{at}] + {noise}[{at}] > q[{name}] + {noise}[{name}]:")
            self.write(depth + 2, f"{name} = {at}")
        else:
            self.write(depth, f"{name} = 0")
            self.write(depth, f"for {at}, {at}x in zip(q, {noise}):")
            self.write(depth + 1, f"{name} += 1 if {at} + {at}x > {self.pick(['0', '1'])} else 0")
        scope[name] = "int"


def wider(seed):
    """The ``seed``-th program of another fixed sequence."""
    return seeded(seed, Wider)
