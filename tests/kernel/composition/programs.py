"""Programs of several private steps: what is proved of them, and neighbours of which nothing may be."""

HEAD = """from lapwing import *


@mechanism(rows=added(), claim="epsilon")
def noisy_count(rows: list[bool], epsilon: float) -> float:
    return len([r for r in rows if r]) + laplace(1 / epsilon)


@mechanism(q=each(1), claim="epsilon")
def above(q: list[float], threshold: float, epsilon: float) -> int:
    bar = threshold + laplace(2 / epsilon)
    for i, x in enumerate(q):
        if x + laplace(4 / epsilon) >= bar:
            return i
    return -1


"""


def program(relation, parameters, claim, body, returns="list[float]"):
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return f"{HEAD}@mechanism({relation}, claim={claim})\ndef f({parameters}) -> {returns}:\n{lines}\n"


ROWS, BITS, SCORES = "rows: list[float], ", "rows: list[bool], ", "q: list[float], "
LOOP = "out = []\nfor _ in range(k):\n    out.append(noisy_count(rows, {price}))\nreturn out"

#: name → (source, the method that proves it)
PROVED = {
    "basic": (
        program("rows=added()", f"{BITS}k: int, epsilon: float", "'epsilon'", LOOP.format(price="epsilon / k")),
        "composed",
    ),
    "basic, no claim on k": (
        program("rows=added()", f"{BITS}k: int, epsilon: float", "'k * epsilon'", LOOP.format(price="epsilon")),
        "composed",
    ),
    "while with a counter": (
        program(
            "rows=added()",
            f"{BITS}k: int, epsilon: float",
            "'k * epsilon'",
            "assert k >= 1\nout = []\ni = 0\nwhile i < k:\n    out.append(noisy_count(rows, epsilon))\n    i += 1\n"
            "return out",
        ),
        "composed",
    ),
    "a break that depends on answers": (
        program(
            "rows=added()",
            f"{BITS}k: int, epsilon: float",
            "'k * epsilon'",
            "best = 0.0\nfor i in range(k):\n    c = noisy_count(rows, epsilon)\n    if c > 10:\n        break\n"
            "    best = max(best, c)\nreturn best",
            "float",
        ),
        "composed",
    ),
    "two loops and a step": (
        program(
            "rows=added()",
            f"{BITS}k: int, m: int, epsilon: float",
            "'(k + m + 1) * epsilon'",
            "assert k >= 1 and m >= 1\nout = []\nfor _ in range(k):\n    out.append(noisy_count(rows, epsilon))\n"
            "first = noisy_count(rows, epsilon)\nout.append(first)\n"
            "for _ in range(m):\n    out.append(noisy_count(rows, epsilon))\nreturn out",
        ),
        "composed",
    ),
    "a loop in a loop": (
        program(
            "rows=added()",
            f"{BITS}k: int, m: int, epsilon: float",
            "'k * m * epsilon'",
            "assert k >= 1 and m >= 1\nout = []\nfor _ in range(k):\n    for _ in range(m):\n"
            "        out.append(noisy_count(rows, epsilon))\nreturn out",
        ),
        "composed",
    ),
    "private values set before": (
        program(
            "rows=added()",
            f"{ROWS}k: int, epsilon: float",
            "'k * epsilon'",
            "big = [x for x in rows if x > 3]\ncount = len(big)\nout = []\nfor i in range(k):\n"
            "    c = count + laplace(1 / epsilon)\n    if c > 10:\n        out.append(c)\nreturn out",
        ),
        "fold",
    ),
    "private values, and calls": (
        program(
            "rows=added()",
            f"{BITS}k: int, epsilon: float",
            "'(k + 1) * epsilon'",
            "assert k >= 1\nhits = [r for r in rows if r]\ncount = len(hits)\n"
            "c = noisy_count(rows, epsilon)\nfor i in range(k):\n"
            "    c = count + laplace(1 / epsilon) + min(c, 3)\nreturn c",
            "float",
        ),
        "composed",
    ),
    "gaussian vector": (
        program(
            "q=each('d')",
            f"{SCORES}d: float, sigma: float",
            "zcdp('len(q) * d * d / (2 * sigma * sigma)')",
            "return [x + gaussian(sigma) for x in q]",
        ),
        "composed",
    ),
    "advanced": (
        program(
            "rows=added()",
            f"{BITS}k: int, epsilon: float, delta: float",
            "('epsilon', 'delta')",
            "assert k >= 1 and 0 < epsilon <= 1 and 0 < delta < 1 / 2\n"
            + LOOP.format(price="epsilon / (2 * sqrt(2 * k * ln(1 / delta)))"),
        ),
        "composed",
    ),
    "advanced, spelt otherwise": (
        program(
            "rows=added()",
            f"{BITS}k: int, epsilon: float, delta: float",
            "('epsilon', 'delta')",
            "assert k >= 1 and epsilon > 0 and epsilon <= 1 and delta > 0 and delta <= 0.25\n"
            "e0 = epsilon / sqrt(-8 * k * ln(delta))\nout = []\nfor i in range(0, k):\n"
            "    answer = noisy_count(rows, e0)\n    out.append(answer)\nreturn out",
        ),
        "composed",
    ),
    "a threshold redrawn for each answer": (
        program(
            "q=each(1)",
            f"{SCORES}threshold: float, m: int, epsilon: float, delta: float",
            "('epsilon', 'delta')",
            "assert m >= 1 and 0 < epsilon <= 1 and 0 < delta < 1 / 2\nout = []\nfor _ in range(m):\n"
            "    out.append(above(q, threshold, epsilon / sqrt(8 * m * ln(1 / delta))))\nreturn out",
            "list[int]",
        ),
        "composed",
    ),
    "gaussian to epsilon and delta": (
        program(
            "rows=added()",
            f"{ROWS}epsilon: float, delta: float",
            "('epsilon', 'delta')",
            "assert 0 < epsilon <= 1 and 0 < delta < 1 / 2\nsigma = 2 * sqrt(ln(1 / delta)) / epsilon\n"
            "return sum(clip(x, 0, 1) for x in rows) + gaussian(sigma)",
            "float",
        ),
        "composed",
    ),
}

#: Never proved; what is wrong with each.
WRONG = {
    "one round too many": PROVED["basic"][0].replace("range(k)", "range(k + 1)"),
    "private rounds": program(
        "rows=added()", f"{BITS}epsilon: float", "'epsilon'",
        "out = []\nfor r in rows:\n    out.append(laplace(1 / epsilon))\nreturn out",
    ),
    "a while that need not end": program(
        "rows=added()", f"{BITS}k: int, epsilon: float", "'k * epsilon'",
        "assert k >= 1\nc = 0.0\nwhile c < k:\n    c += noisy_count(rows, epsilon)\nreturn c", "float",
    ),
    "a counter that may be skipped": program(
        "rows=added()", f"{BITS}k: int, epsilon: float", "'k * epsilon'",
        "assert k >= 1\nc = 0.0\ni = 0\nwhile i < k:\n    c = noisy_count(rows, epsilon)\n"
        "    if c > 5:\n        continue\n"
        "    i += 1\nreturn c", "float",
    ),
    "a private value handed on": program(
        "rows=added()", f"{ROWS}k: int, epsilon: float", "'k * epsilon'",
        "total = 0.0\nc = 0.0\nfor _ in range(k):\n    total = total + len([x for x in rows if x > c])\n"
        "    c = total + laplace(1 / epsilon)\nreturn c", "float",
    ),
    "a private value answered": program(
        "rows=added()", f"{ROWS}k: int, epsilon: float", "'k * epsilon'",
        "c = 0.0\nn = 0\nfor _ in range(k):\n    n = len([x for x in rows if x > c])\n"
        "    c = n + laplace(1 / epsilon)\nreturn n", "int",
    ),
    "a step that may answer or go on": program(
        "rows=added()", f"{BITS}epsilon: float", "'2 * epsilon'",
        "a = noisy_count(rows, epsilon)\nif len([r for r in rows if r]) > 5:\n    return 0\n"
        "b = noisy_count(rows, epsilon)\nreturn 0", "int",
    ),
    "no slack": PROVED["advanced"][0].replace("('epsilon', 'delta')", "('epsilon', '0')"),
    "half the delta": PROVED["advanced"][0].replace("('epsilon', 'delta')", "('epsilon', 'delta / 100')"),
    "half the noise": PROVED["advanced"][0].replace("(2 * sqrt(2 * k", "(sqrt(2 * k"),
    "too large an epsilon": PROVED["advanced"][0].replace("epsilon <= 1 and", "epsilon <= 100 and"),
    "half the noise, gaussian": PROVED["gaussian to epsilon and delta"][0].replace("= 2 * sqrt", "= sqrt"),
    "rows replaced": PROVED["gaussian to epsilon and delta"][0].replace(
        "rows=added(), claim=('eps", "rows=replaced(), claim=('eps"
    ).replace("clip(x, 0, 1)", "clip(x, -1, 1)"),
    "gaussian noise as if it were pure": program(
        "q=each('d')", f"{SCORES}d: float, sigma: float", "'len(q) * d / sigma'",
        "return [x + gaussian(sigma) for x in q]",
    ),
}  # fmt: skip
