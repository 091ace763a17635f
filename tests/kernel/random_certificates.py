"""Random small programs with random certificates, held against exact probabilities.

``python -m tests.kernel.random_certificates [COUNT [SEED]]`` runs a campaign. What the checker accepts has a bound; a
loss above it, on any of a few neighbours, would be a wrong proof.
"""

import random
import sys
from fractions import Fraction

from lapwing.decide.texts import check_certificate
from lapwing.errors import LapwingError
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Branch, Cost, Coupling, Sensitivity, Site
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.sensitivities import Derivation
from lapwing.kernel.solver import Terms
from lapwing.search.violation.landscape import Side
from lapwing.search.violation.loss import Table
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify

WORDS = (
    "added, choose, clip, each, exponential, falls, flip, laplace, mechanism, monotone, one, replaced, rises, uniform,"
    " within"
)
#: relation of x, and how far x may move; relation of q, and how its two elements may move (None: its length changes)
SCALARS = {"within(1)": [1, -1, 0], "within(2)": [2, -2]}
LISTS = {
    "each(1)": [(1, -1), (1, 1), (-1, -1)], "one(1)": [(1, 0), (0, -1)], "rises(1)": [(1, 1), (0, 1)],
    "falls(1)": [(-1, -1)], "monotone(1)": [(1, 1), (-1, -1)], "replaced()": [(7, 0), (0, -5)], "added()": None,
}  # fmt: skip
BASES = [(0, (0, 0)), (1, (1, 0)), (-1, (0, 1)), (0, (2, -1))]


class Writer:
    """Writes one program of x, q and t, with few draws."""

    def __init__(self, seed, control):
        self.random = random.Random(seed)
        self.control = control  # branches and loops: for couplings
        self.names, self.draws, self.loops = 0, 0, 0
        self.scalar = self.pick(*SCALARS)
        self.list = self.pick(*(name for name in LISTS if not control or name not in ("replaced()", "added()")))

    def pick(self, *options):
        return self.random.choice(options)

    def number(self, scope, depth=1):
        leaves = ["x", "q[0]", "q[1]", "t", str(self.random.randint(0, 2)), *scope * 2]
        if not self.control:
            leaves += ["len(q)", "sum(q)", "sum([clip(y, -1, 2) for y in q if y > 0])", "len([y for y in q if y > t])"]
        if depth == 0 or self.random.random() < 0.45:
            return self.pick(*leaves)
        a, b = self.number(scope, depth - 1), self.number(scope, depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"-{a}", f"abs({a})", f"2 * {a}", f"max({a}, {b})", f"clip({a}, 0, 2)",
            f"({a} if {self.truth(scope)} else {b})", f"(1 if {self.truth(scope)} else 0)", f"{a} / 2", f"{a} * {b}",
        )  # fmt: skip

    def truth(self, scope):
        return f"{self.number(scope, 0)} {self.pick('>', '>=', '<', '==')} {self.number(scope, 0)}"

    def drawn(self, scope):
        self.draws += 1
        noise = self.pick("laplace(1)", "laplace(2)", "exponential(1)" if self.control else "laplace(1)")
        return self.pick(noise, f"{self.number(scope, 1)} + {noise}", f"{self.number(scope, 0)} - {noise}")

    def block(self, scope, indent, depth, loop=False):
        lines, scope, pad = [], list(scope), "    " * indent
        for _ in range(self.random.randint(1, 3)):
            self.names += 1
            name, choice = f"v{self.names}", self.random.random()
            if choice < 0.45 and self.draws < 2:
                lines.append(f"{pad}{name} = {self.drawn(scope)}")
            elif choice < 0.7 or not self.control or depth == 0 or not scope:
                old = self.control and scope and self.pick(True, False)
                name = self.pick(*scope) if old else name
                lines.append(f"{pad}{name} = {self.pick(self.number(scope), *scope)}")
            elif choice < 0.9 or self.loops:
                lines.append(f"{pad}if {self.truth(scope)}:")
                way = self.pick("break", "continue") if loop else f"return {self.answer(scope)}"
                lines += self.pick(
                    [f"{pad}    {self.pick(*scope)} = {self.number(scope)}"],
                    [f"{pad}    {way}"],
                    self.block(scope, indent + 1, depth - 1, loop)[0],
                )
                continue
            else:
                self.loops += 1
                lines.append(f"{pad}for y{self.names} in q:")
                lines += self.block([*scope, f"y{self.names}"], indent + 1, depth - 1, loop=True)[0]
                continue
            scope = scope if name in scope else [*scope, name]
        return lines, scope

    def answer(self, scope):
        one = self.pick(*scope, f"{self.number(scope, 0)} + {self.pick('t', *scope)}")
        return one if self.returns == "float" else f"({one}, {self.pick(*scope, self.number(scope, 0))})"

    def text(self):
        self.returns = self.pick("float", "float", "tuple[float, float]")
        lines, scope = self.block([], 1, 2)
        head = f"@mechanism(x={self.scalar}, q={self.list})\ndef f(x: int, q: list[int], t: int) -> {self.returns}:"
        return "\n".join(
            [f"from lapwing import {WORDS}", head, *lines, f"    return {self.answer(scope or ['t'])}", ""]
        )

    def neighbours(self):
        for x, q in BASES:
            for step in SCALARS[self.scalar]:
                if LISTS[self.list] is None:
                    others = [(*q, 3), q[:1], (-2, *q)]
                else:
                    others = [tuple(a + b for a, b in zip(q, move, strict=True)) for move in LISTS[self.list]]
                yield from (((x, q), (x + step, other)) for other in others)


def derived(text, _chance):
    """The one sensitivity proof there can be, from the checker's own distances."""
    module = parse_text(text, "p.py", only="f")
    derivation = Derivation(Terms(), module, module["f"], "epsilon", lambda _name: None)
    try:
        for statement in module["f"].body:
            derivation.statement(statement)
    except Unproved:
        return
    costs = [(site, distance, price.cost) for site, (distance, price) in sorted(derivation.priced.items())]
    bound = " + ".join(written(cost) for _, _, cost in costs) or "0"
    yield Sensitivity(tuple(Cost(site, written(distance), written(cost)) for site, distance, cost in costs)), bound


def written(quotient):
    def polynomial(part):
        factors = []
        for monomial, factor in part.terms.items():
            powers = [name for name, power in monomial for _ in range(power)]
            factors.append([f"({factor.numerator} / {factor.denominator})", *powers])
        return " + ".join(" * ".join(each) for each in factors) or "0"

    return f"({polynomial(quotient.above)}) / ({polynomial(quotient.below)})"


def guessed(text, chance, tries=12):
    """Couplings at random, each with the least totals that the checker accepts."""
    mechanism = parse_text(text, "p.py", only="f")["f"]
    found = list(walk.statements(mechanism.body))
    draws = [each for each in found if isinstance(each, ir.Sample)]
    loops = [each for each in found if isinstance(each, ir.For)]
    names = ["x", "q[0]", *(each.name for each in mechanism.variables)]

    def leaf():
        hat = f"hat({chance.choice(names)})"
        return chance.choice(["0", "0", "1", "-1", "2", f"-{hat}", f"-{hat}", hat, f"1 - {hat}", f"-{hat} - hat(x)"])

    def tree():
        if chance.random() < 0.5:
            return leaf()
        left = chance.choice(["draw()", "hat(x)", *(f"draw() + {name}" for name in names), *names])
        guard = f"{left} {chance.choice(['>', '>=', '<', '=='])} {chance.choice(['0', '1', 't', *names])}"
        return Branch(guard, leaf(), leaf())

    for _ in range(tries):
        facts = ["cost(1) <= 2 * round(1)", "cost(1) == 0", *(f"hat({name}) == 0" for name in names[2:] * 2)]
        kept = [" and ".join(chance.sample(facts, min(len(facts), chance.randint(0, 3)))) or "True" for _ in loops]
        trees = [tree() for _ in draws]
        totals, least = ["12"] * len(draws), None
        for place in range(-1, len(draws)):  # first whether it is a proof at all, then each total as small as can be
            for total in ("0", "1", "2", "3", "4", "6", "12") if place >= 0 else ("12",):
                tried = [total if k == place else each for k, each in enumerate(totals)]
                sites = tuple(Site(draw.site, *each) for draw, *each in zip(draws, trees, tried, strict=True))
                proof = Coupling("none", sites, tuple(Invariant(k, each) for k, each in enumerate(kept, 1)))
                prices = (f"{each} / {draw.arguments[0].value}" for draw, each in zip(draws, tried, strict=True))
                bound = " + ".join(prices) or "0"
                if accepted(text, proof, bound):
                    totals, least = tried, (proof, bound)
                    break
            else:
                break
        if least is not None:
            yield least


def accepted(text, proof, bound):
    return isinstance(check_certificate(certify("p.py", text, proof, bound), text, 1000), Proved)


def above(text, writer, bound, limit=8):
    """Neighbours (and an answer) with a loss above the bound; None if none of a few has."""
    module = parse_text(text, "p.py", only="f")
    subject = Subject(module, module["f"])
    pairs = list(writer.neighbours())
    for left, right in random.Random(0).sample(pairs, min(limit, len(pairs))):
        allowed = eval(bound, {"q": left[1], "t": 1})  # noqa: S307  # a formula that this module wrote
        for one, two in ((left, right), (right, left)):
            sides = [subject.inputs({"x": x, "q": list(q), "t": 1}) for x, q in (one, two)]
            try:
                loss = Table.of(*(Side(subject, side) for side in sides)).worst
            except LapwingError:
                return None  # too large to be worth it
            if loss is not None and (
                loss.ratio.lower is None or loss.ratio.lower > Fraction(allowed) + Fraction(1, 10**9)
            ):
                return one, two, loss.event
    return None


def campaign(seeds, control):
    """How many programs had a proof, and those that exact probabilities contradict."""
    proved, wrong = 0, []
    for seed in seeds:
        writer = Writer(seed, control)
        text = writer.text()
        try:
            parse_text(text, "p.py", only="f")
        except LapwingError:
            continue
        proofs = (guessed if control else derived)(text, random.Random(seed))
        bounds = [bound for proof, bound in proofs if control or accepted(text, proof, bound)]
        proved += bool(bounds)
        wrong += [(seed, text, bound, found) for bound in bounds if (found := above(text, writer, bound)) is not None]
    return proved, wrong


if __name__ == "__main__":
    count, start = (int(each) for each in [*sys.argv[1:], "1000", "0"][:2])
    for control in (False, True):
        print(control, campaign(range(start, start + count), control))
