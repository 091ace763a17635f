"""Mechanisms that ask a function: an adversary's next query, chosen from what was released."""

HEAD = """from collections.abc import Callable

from lapwing import answers, exp, gaussian, laplace, ln, mechanism, sqrt, zcdp


"""
SPARSE = """
assert limit >= 1
bar = threshold + laplace(2 / epsilon)
out = []
count = 0
for _ in range(rounds):
    if count < limit:
        if ask(out) + laplace(4 * limit / epsilon) >= bar:
            out.append(True)
            count += 1
        else:
            out.append(False)
return out
"""
STOPPED = """
assert limit >= 1
bar = threshold + laplace(2 / epsilon)
out = []
left = limit
while left > 0 and len(out) < rounds:
    x = ask(out)
    above = x + laplace(4 * limit / epsilon) >= bar
    out.append(above)
    if above:
        left -= 1
return out
"""
FIRST = """
bar = threshold + laplace(2 / epsilon)
out = []
for i in range(rounds):
    if ask(out) + laplace(4 / epsilon) >= bar:
        return i
    out.append(i)
return rounds
"""
NUMERIC = """
assert limit >= 1
bar = threshold + laplace(3 / epsilon)
out = []
count = 0
for _ in range(rounds):
    if count < limit:
        x = ask(out)
        if x + laplace(6 * limit / epsilon) >= bar:
            out.append(x + laplace(3 * limit / epsilon))
            count += 1
        else:
            out.append(0.0)
return out
"""
ONLINE = """
assert limit >= 1
bar = threshold + laplace(4 / epsilon)
out = []
count = 0
for _ in range(rounds):
    if count < limit:
        x = ask(out)
        public = guess(out)
        if abs(x - public) + laplace(8 * limit / epsilon) >= bar:
            out.append(x + laplace(4 * limit / epsilon))
            count += 1
        else:
            out.append(public)
return out
"""
LABELS = """
u = laplace(2 / epsilon)
out = []
for _ in range(rounds):
    noisy = ask(out) + laplace(6 / epsilon)
    if low - u <= noisy <= high + u:
        out.append(0)
        return out
    out.append(-1 if noisy < low - u else 1)
return out
"""
EACH = """
out = []
for _ in range(k):
    out.append(ask(out) + {noise})
return out
"""
NEXT = """@mechanism(ask=answers(1), claim="epsilon")
def next_above(
    ask: Callable[[list[int]], float], before: list[int], threshold: float, rounds: int, epsilon: float
) -> int:
    bar = threshold + laplace(2 / epsilon)
    for i in range(rounds):
        if ask(before) + laplace(4 / epsilon) >= bar:
            return i
    return rounds


"""
MANY = """
assert c >= 1 and 0 < epsilon <= 1 and 0 < delta < 1 / 2
out = []
for _ in range(c):
    out.append(next_above(ask, out, threshold, rounds, epsilon / (2 * sqrt(2 * c * ln(1 / delta)))))
return out
"""
HELPER = "def query(ask, out, scale):\n    return ask(out) + laplace(scale)\n\n\n"
HELPED = SPARSE.replace("ask(out) + laplace(4 * limit / epsilon)", "query(ask, out, 4 * limit / epsilon)")
ONE = "x = ask([0.0])\nreturn x + laplace(1 / epsilon)"
#: what is asked depends on a private value: the answer may be a thousand times that value
PRIVATE = "x = ask([0.0])\ny = ask([x])\nreturn y + laplace(1 / epsilon)"
#: whether something is asked does
ALONE = "x = ask([0.0])\ny = 0.0\nif x > 0:\n    y = ask([1.0])\nreturn y + laplace(1 / epsilon)"
_BOUNDED = "threshold: float, limit: int, epsilon: float"


def program(body, told="list[float]", more="epsilon: float", returns="float", claim='"epsilon"', before="", d="1"):
    """A mechanism that asks a function, as a file."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    head = f"def m(ask: Callable[[{told}], float], {more}) -> {returns}:"
    return f"{HEAD}{before}@mechanism(ask=answers({d}), claim={claim})\n{head}\n{lines}\n"


def sparse(body, told="list[bool]", returns="list[bool]", **more):
    """A sparse vector of ``rounds`` questions."""
    return program(body, told, f"rounds: int, {_BOUNDED}", returns, **more)


_GUESS = f"guess: Callable[[list[float]], float], rounds: int, {_BOUNDED}"
_BETWEEN = '("epsilon", "2.6 * exp(epsilon - epsilon * (high - low) / 4)")'
RIGHT = {
    "sparse": sparse(SPARSE),
    "stopped": sparse(STOPPED),
    "helped": sparse(HELPED, before=HELPER),
    "twice_as_far": sparse(SPARSE, d="2", claim='"2 * epsilon"'),
    "first": program(FIRST, "list[int]", "rounds: int, threshold: float, epsilon: float", "int"),
    "numeric": sparse(NUMERIC, "list[float]", "list[float]"),
    "online": program(ONLINE, more=_GUESS, returns="list[float]"),
    "labels": program(LABELS, "list[int]", "rounds: int, low: float, high: float, epsilon: float", "list[int]",
                      _BETWEEN),
    "laplace_each": program(EACH.format(noise="laplace(k / epsilon)"), more="k: int, epsilon: float",
                            returns="list[float]"),
    "gaussian_each": program(EACH.format(noise="gaussian(sigma)"), more="k: int, sigma: float", returns="list[float]",
                             claim='zcdp("k / (2 * sigma * sigma)")'),
    "many": program(MANY, "list[int]", "c: int, threshold: float, rounds: int, epsilon: float, delta: float",
                    "list[int]", '("epsilon", "delta")', NEXT),
    "one": program(ONE),
}  # fmt: skip
WRONG = {
    "little": sparse(SPARSE.replace("4 * limit", "2 * limit")),
    "silent": sparse(SPARSE.replace("ask(out) + laplace(4 * limit / epsilon)", "ask(out)")),
    "bare": sparse(SPARSE.replace("threshold + laplace(2 / epsilon)", "threshold")),
    "endless": sparse(SPARSE.replace("if count < limit:", "if count >= 0:")),
    "told_the_threshold": sparse(SPARSE.replace("ask(out)", "ask([bar])"), "list[float]"),
    "farther": sparse(SPARSE, d="2"),
    "exact": sparse(NUMERIC.replace("x + laplace(3 * limit / epsilon)", "x"), "list[float]", "list[float]"),
    "private": program(PRIVATE),
    "alone": program(ALONE),
    "guessed": program("x = ask([0.0])\nreturn guess([x]) + laplace(1 / epsilon)",
                       more="guess: Callable[[list[float]], float], epsilon: float"),
    "two": program("x = ask([0.0])\nreturn x + ask([1.0]) + laplace(1 / epsilon)"),
    "counted": program("n = 0\nwhile ask([0.0]) > n:\n    n += 1\nreturn n", returns="int"),
    "answered": program("return ask([0.0])"),
    "less_noise": program(EACH.format(noise="laplace((k - 1) / epsilon)"), more="k: int, epsilon: float",
                          returns="list[float]"),
}  # fmt: skip
