"""Programs that sum over records, with a bound that holds, one that does not, and the measure they are in."""

from dataclasses import dataclass

HEAD = (
    "from lapwing import added, choose, clip, discrete_laplace, each, gaussian, laplace, mechanism, one, replaced, "
    "rises, within, zcdp\n\n"
)


@dataclass(frozen=True)
class Program:
    name: str
    relation: str
    head: str
    body: str
    good: str | None
    bad: str | None
    measure: str = "epsilon"

    @property
    def text(self):
        lines = "\n".join(f"    {line}" for line in self.body.strip("\n").split("\n"))
        return f"{HEAD}@mechanism({self.relation})\ndef {self.name}({self.head}:\n{lines}\n"


def _program(name, relation, head, body, good, bad=None, measure="epsilon"):
    return Program(name, relation, head, body, good, bad, measure)


XS = "xs: list[float], epsilon: float) -> float"
PAIR = "xs: list[float], epsilon: float) -> tuple[float, float]"

#: Each can be run by Python with noise 0: it returns what it releases, in order, so that what moves can be measured.
PLAIN = [
    _program("mean", "xs=replaced()", XS, """
c = [clip(x, 0, 1) for x in xs]
return sum(c) / len(xs) + laplace(1 / (len(xs) * epsilon))""", "epsilon", "0.99 * epsilon"),
    _program("tenths", "xs=added()", XS, """
return sum(clip(x, 0, 0.1) for x in xs) + laplace(0.1 / epsilon)""", "epsilon", "0.99 * epsilon"),
    _program("ranged", "xs=replaced()", "xs: list[float], low: float, high: float, epsilon: float) -> float", """
return sum([clip(x, low, high) for x in xs]) + laplace((high - low) / epsilon)""", "epsilon", "0.99 * epsilon"),
    _program("counted", "xs=added()", "xs: list[float], top: float, epsilon: float) -> tuple[float, float]", """
total = 0.0
n = 0
for x in xs:
    if x > 0:
        total += min(x, top)
        n += 1
a = total + laplace(2 * top / epsilon)
b = n + laplace(2 / epsilon)
return (a, b)""", "epsilon", "0.99 * epsilon"),
    _program("skipped", "xs=replaced()", XS, """
total = 0.0
for x in xs:
    if x < 0:
        continue
    total = total + min(x, 3)
return total + laplace(3 / epsilon)""", "epsilon", "0.99 * epsilon"),
    _program("both_parts", "xs=added()", PAIR, """
c = [clip(x, 0, 1) for x in xs]
a = sum(c) + laplace(1 / epsilon)
b = sum(1 - x for x in c) + laplace(1 / epsilon)
return (a, b)""", "epsilon", "0.99 * epsilon"),
    _program("three_bins", "xs=replaced()", "xs: list[float], epsilon: float) -> list[float]", """
a = 0
b = 0
c = 0
for x in xs:
    if x < 10:
        a += 1
    elif x < 20:
        b += 1
    else:
        c += 1
return [a + laplace(2 / epsilon), b + laplace(2 / epsilon), c + laplace(2 / epsilon)]""", "epsilon", "0.99 * epsilon"),
    _program("moments", "xs=added()", "xs: list[float], top: float, epsilon: float) -> tuple[float, float]", """
assert top > 0
c = [clip(x, 0, top) for x in xs]
s = sum(c) + laplace(2 * top / epsilon)
q = sum(x * x for x in c) + laplace(2 * top * top / epsilon)
return (s, q)""", "epsilon", "0.99 * epsilon"),
    _program("spread", "xs=added()", XS, """
return sum(clip(x, 0, 1) * (1 - clip(x, 0, 1)) for x in xs) + laplace(0.25 / epsilon)""", "epsilon", "0.99 * epsilon"),
    _program("deviation", "xs=replaced()", "xs: list[float], c: float, epsilon: float) -> float", """
return sum(abs(clip(x, 0, 1) - c) for x in xs) / len(xs) + laplace(1 / (len(xs) * epsilon))""", "epsilon",
             "0.98 * epsilon"),
    _program("picked", "xs=replaced()", XS, """
above = [x for x in xs if x > 0]
small = [min(x, 5) for x in above]
return sum(small) + laplace(5 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("kept", "xs=replaced()", XS, """
small = []
for x in xs:
    if x > 1:
        small.append(min(x, 4))
return sum(small) + laplace(4 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("head_only", "xs=replaced()", XS, """
return sum(clip(x, -1, 1) for x in xs[2:7]) + laplace(2 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("by_index", "xs=replaced()", XS, """
total = 0.0
for i in range(len(xs)):
    total += clip(xs[i], 0, 2)
return total + laplace(2 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("one_apart", "xs=one(1)", XS, """
return 3 * sum(x for x in xs) - 1 + laplace(3 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("clipped_total", "xs=added()", XS, """
return clip(sum(clip(x, 0, 1) for x in xs), 0, 50) + laplace(1 / epsilon)""", "epsilon", "0.98 * epsilon"),
]  # fmt: skip

OTHERS = [
    _program("third", "v=within(1)", "v: float, epsilon: float) -> float", """
return v / 3 + laplace(1 / (3 * epsilon))""", "epsilon", "0.99 * epsilon"),
    _program("rescaled", "xs=added()", "xs: list[float], n: int, epsilon: float) -> float", """
assert n >= 1
return (sum(clip(x, 0, 1) for x in xs) + laplace(1 / epsilon)) / n""", "epsilon", "0.99 * epsilon"),
    _program("bins", "xs=replaced()", "xs: list[int], k: int, epsilon: float) -> list[float]", """
return [sum(1 for x in xs if x == j) + laplace(2 / epsilon) for j in range(k)]""", "epsilon", "0.99 * epsilon"),
    _program("widths", "xs=added()", "xs: list[float], k: int, width: float, epsilon: float) -> list[float]", """
assert width > 0
counts = []
for j in range(k):
    c = 0
    for x in xs:
        if j * width <= x and x < (j + 1) * width:
            c += 1
    counts.append(c)
return [c + laplace(1 / epsilon) for c in counts]""", "epsilon", "0.99 * epsilon"),
    _program("overlapping", "xs=added()", "xs: list[float], k: int, epsilon: float) -> list[float]", """
return [sum(1 for x in xs if x <= j) + laplace(1 / epsilon) for j in range(k)]""", "k * epsilon", "epsilon"),
    _program("weighted", "xs=replaced()", "xs: list[float], ws: list[float], epsilon: float) -> float", """
return sum(clip(x, 0, 1) * clip(w, 0, 2) for x, w in zip(xs, ws)) + laplace(2 / epsilon)""", "epsilon",
             "0.98 * epsilon"),
    _program("everyone", "q=each(1)", "q: list[float], epsilon: float) -> float", """
return sum(q) + laplace(1 / epsilon)""", "len(q) * epsilon", "0.98 * len(q) * epsilon"),
    _program("normal", "xs=added()", "xs: list[float], sigma: float) -> tuple[float, float]", """
a = sum(clip(x, 0, 1) for x in xs) + gaussian(sigma)
b = len(xs) + gaussian(sigma)
return (a, b)""", "1 / (sigma * sigma)", "0.98 / (sigma * sigma)", "rho"),
    _program("median", "xs=replaced()", "xs: list[int], k: int, epsilon: float) -> int", """
assert k >= 1
scores = [-abs(sum(1 if x < j else -1 for x in xs)) for j in range(k)]
return choose(scores, 4 / epsilon)""", "epsilon", "0.9 * epsilon"),
    _program("mode", "xs=added()", "xs: list[int], k: int, epsilon: float) -> int", """
assert k >= 1
return choose([sum(1 for x in xs if x == j) for j in range(k)], 1 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("adaptive", "xs=added()", XS, """
n = len(xs) + laplace(2 / epsilon)
m = sum(clip(x, 0, 1) for x in xs if x < n) + laplace(2 / epsilon)
return m / 2""", "epsilon", "0.98 * epsilon"),
    _program("either_way", "xs=added()", XS, """
n = len(xs) + laplace(2 / epsilon)
if n > 10:
    return sum(clip(x, 0, 1) for x in xs) + laplace(2 / epsilon)
return n""", "epsilon", "0.98 * epsilon"),
    _program("whole_noise", "xs=added()", "xs: list[int], epsilon: float) -> int", """
return sum(1 for x in xs if x > 3) + discrete_laplace(1 / epsilon)""", "epsilon", "0.98 * epsilon"),
    _program("records", "rows=replaced()", "rows: list[tuple[float, bool]], epsilon: float) -> float", """
return sum(clip(r[0], 0, 1) for r in rows if r[1]) + laplace(1 / epsilon)""", "epsilon", "0.98 * epsilon"),
]  # fmt: skip

#: What must never be proved at the bound given: unclipped, noise shared, hidden dependence, leaks.
WRONG = [
    _program("unclipped", "xs=replaced()", XS, "return sum(xs) + laplace(1 / epsilon)", None, "epsilon"),
    _program("half_clipped", "xs=replaced()", XS, "return sum(min(x, 1) for x in xs) + laplace(1 / epsilon)", None,
             "epsilon"),
    _program("shared_noise", "xs=added()", PAIR, """
n = laplace(1 / epsilon)
return (len(xs) + n, sum(clip(x, 0, 1) for x in xs) + n)""", None, "2 * epsilon"),
    _program("hidden_maximum", "xs=added()", XS, "return sum(max([x, 1]) for x in xs) + laplace(1 / epsilon)", None,
             "epsilon"),
    _program("one_draw_many_rounds", "xs=added()", "xs: list[float], k: int, epsilon: float) -> list[float]", """
n = laplace(1 / epsilon)
out = []
for j in range(k):
    out.append(sum(1 for x in xs if x == j) + n)
return out""", None, "epsilon"),
    _program("total_for_each", "xs=replaced()", XS, """
return sum(sum(clip(y, 0, 1) for y in xs) for x in xs) + laplace(1 / epsilon)""", None, "epsilon"),
    _program("doubling", "xs=added()", XS, """
n = 0
for x in xs:
    n = 2 * n + 1
return n + laplace(1 / epsilon)""", None, "epsilon"),
    _program("fractions_with_whole_noise", "xs=added()", XS, """
return sum(clip(x, 0, 1) for x in xs) + discrete_laplace(1 / epsilon)""", None, "epsilon"),
    _program("shifted_pairs", "xs=added()", "xs: list[float], ws: list[float], epsilon: float) -> float", """
return sum(clip(x, 0, 1) * clip(w, 0, 1) for x, w in zip(xs, ws)) + laplace(1 / epsilon)""", None, "epsilon"),
    _program("table", "xs=replaced()", "xs: list[int], ws: list[float], epsilon: float) -> float", """
return sum(ws[x] for x in xs) + laplace(1 / epsilon)""", None, "epsilon"),
    _program("told", "xs=added()", XS, """
n = len(xs)
m = sum(clip(x, 0, 1) for x in xs) + laplace(1 / epsilon)
return m if n > 5 else 0.0""", None, "100 * epsilon"),
    _program("last_of_two", "xs=added()", XS, """
totals = [sum(clip(x, 0, 100) for x in xs), sum(clip(x, 0, 1) for x in xs)]
return totals[-2] + laplace(1 / epsilon)""", None, "epsilon"),
    _program("noise_told_first", "xs=added()", "xs: list[float], epsilon: float) -> tuple[float, float]", """
n = laplace(1 / epsilon)
return (n, sum(clip(x, 0, 1) for x in xs) + n)""", None, "100 * epsilon"),
    _program("prefilled", "xs=added()", "xs: list[float], k: int, epsilon: float) -> list[float]", """
counts = []
counts.append(sum(clip(x, 0, 100) for x in xs))
for j in range(k):
    counts.append(sum(1 for x in xs if x == j))
return [c + laplace(1 / epsilon) for c in counts]""", None, "epsilon"),
]  # fmt: skip
