"""Programs that look at a sample of the records: what is proved of them, and neighbours of which nothing may be."""

from tests.kernel.composition.programs import BITS, ROWS, program

AMPLIFIED = "'ln(1 + p * (exp(epsilon) - 1))'"
PUBLIC = "p: float, epsilon: float"
ADDED = "rows=added()"


def sampled(body, claim=AMPLIFIED, parameters=f"{BITS}{PUBLIC}", returns="float", relation=ADDED):
    return program(relation, parameters, claim, body, returns)


def of_numbers(body, claim=AMPLIFIED, **others):
    return sampled(body, claim, f"{ROWS}{PUBLIC}", **others)


#: One kind in the words of several people, each proved by amplification.
PROVED = {
    "a call on a sample": sampled("s = sample(rows, p)\nreturn noisy_count(s, epsilon)"),
    "a call, in one line": sampled("return noisy_count(sample(rows, p), epsilon)"),
    "a comprehension with a coin": sampled("kept = [r for r in rows if flip(p)]\nreturn noisy_count(kept, epsilon)"),
    "a loop with a coin": sampled(
        "kept = []\nfor r in rows:\n    if flip(p):\n        kept.append(r)\nreturn noisy_count(kept, epsilon)"
    ),
    "a sum written out": of_numbers("s = sample(rows, p)\nreturn sum(clip(x, 0, 1) for x in s) + laplace(1 / epsilon)"),
    "a total in a loop over the sample": of_numbers(
        "total = 0.0\nfor x in sample(rows, p):\n    total += clip(x, 0, 1)\nreturn total + laplace(1 / epsilon)"
    ),
    "a total of those that a coin keeps": of_numbers(
        "total = 0.0\nfor x in rows:\n    if flip(p):\n        total += clip(x, 0, 1)\n"
        "return total + laplace(1 / epsilon)"
    ),
    "a coin that passes over": of_numbers(
        "scale = 1 / epsilon\ntotal = 0.0\nfor x in rows:\n    coin = flip(p)\n    if not coin:\n        continue\n"
        "    if x > 0:\n        total += min(x, 1)\nreturn total + laplace(scale)"
    ),
    "the claim spelt otherwise": sampled(
        "s = sample(rows, p)\nreturn noisy_count(s, epsilon)", "'log(1 - p + p * exp(epsilon))'"
    ),
    "a simpler claim": sampled(
        "assert 0 < epsilon <= 1\ns = sample(rows, p)\nreturn noisy_count(s, epsilon)", "'2 * p * epsilon'"
    ),
    "without amplification": sampled("s = sample(rows, p)\nreturn noisy_count(s, epsilon)", "'epsilon'"),
    "numbers": program(
        ADDED,
        "rows: list[float]",
        "'0.16'",
        "s = sample(rows, 0.1)\nreturn sum(clip(x, 0, 1) for x in s) + laplace(1)",
        "float",
    ),
    "two looks at one sample": sampled(
        "s = sample(rows, p)\na = noisy_count(s, epsilon)\nb = noisy_count(s, epsilon)\nreturn a + b",
        "'ln(1 + p * (exp(2 * epsilon) - 1))'",
    ),
    "two samples": sampled(
        "s = sample(rows, p)\na = noisy_count(s, epsilon)\nt = sample(rows, p)\nb = noisy_count(t, epsilon)\n"
        "return a + b",
        "'2 * ln(1 + p * (exp(epsilon) - 1))'",
    ),
    "a sample of a sample": sampled(
        "s = sample(rows, p)\nt = sample(s, p)\nreturn noisy_count(t, epsilon)",
        "'ln(1 + p * p * (exp(epsilon) - 1))'",
    ),
    "all of them, and a sample": sampled(
        "a = noisy_count(rows, epsilon)\nreturn a + noisy_count(sample(rows, p), epsilon)",
        "'epsilon + ln(1 + p * (exp(epsilon) - 1))'",
    ),
    "a fresh sample in every round": sampled(
        "out = []\nfor _ in range(k):\n    out.append(noisy_count(sample(rows, p), epsilon))\nreturn out",
        "'k * ln(1 + p * (exp(epsilon) - 1))'",
        f"{BITS}k: int, {PUBLIC}",
        "list[float]",
    ),
    "fresh samples, advanced composition": sampled(
        "assert k >= 1 and 0 < epsilon <= 1 and 0 < delta < 1 / 2\nout = []\nfor _ in range(k):\n"
        "    batch = sample(rows, p)\n    out.append(noisy_count(batch, epsilon))\nreturn out",
        "('2 * p * epsilon * sqrt(2 * k * ln(1 / delta)) + 2 * k * p * p * epsilon * epsilon', 'delta')",
        f"{BITS}k: int, p: float, epsilon: float, delta: float",
        "list[float]",
    ),
    "fresh samples, advanced composition as it is in books": sampled(
        "assert k >= 1 and 0 < p < 1 and epsilon > 0 and 0 < delta < 1 / 2\nout = []\nfor _ in range(k):\n"
        "    batch = sample(rows, p)\n    out.append(noisy_count(batch, epsilon))\nreturn out",
        "('sqrt(2 * k * ln(1 / delta)) * ln(1 + p * (exp(epsilon) - 1))"
        " + k * ln(1 + p * (exp(epsilon) - 1)) * p * (exp(epsilon) - 1)', 'delta')",
        f"{BITS}k: int, p: float, epsilon: float, delta: float",
        "list[float]",
    ),
}

#: Never proved: each breaks one condition of the rule, and what dropping that condition would show is false.
WRONG = {
    "the size of the sample": sampled(
        "s = sample(rows, p)\nreturn (noisy_count(s, epsilon), len(s))", "'epsilon'", returns="tuple[float, int]"
    ),
    "two looks at the price of two samples": sampled(
        "s = sample(rows, p)\na = noisy_count(s, epsilon)\nb = noisy_count(s, epsilon)\nreturn (a, b)",
        "'2 * ln(1 + p * (exp(epsilon) - 1))'",
        returns="tuple[float, float]",
    ),
    "the records beside their sample": of_numbers(
        "s = sample(rows, p)\nn = len([x for x in rows if x > 3])\n"
        "return sum(clip(x, 0, 1) for x in s) + n + laplace(1 / epsilon)",
        "'ln(1 + p * (exp(2 * epsilon) - 1))'",
    ),
    "a private number beside the sample": of_numbers(
        "n = len([x for x in rows if x > 3])\ns = sample(rows, p)\n"
        "return sum(clip(x, 0, 1) for x in s) + n + laplace(1 / epsilon)"
    ),
    "one row changed": of_numbers(
        "s = sample(rows, p)\nreturn (len(s), sum(clip(x, 0, 1) for x in s) + laplace(1 / epsilon))",
        relation="rows=replaced()",
        returns="tuple[int, float]",
    ),
    "a second private list": program(
        "rows=added(), more=added()",
        f"rows: list[float], more: list[float], {PUBLIC}",
        AMPLIFIED,
        "s = sample(rows, p)\nn = sum(clip(x, 0, 1) for x in more)\n"
        "return sum(clip(x, 0, 1) for x in s) + n + laplace(1 / epsilon)",
        "float",
    ),
    "one coin for all": of_numbers(
        "coin = flip(p)\ntotal = 0.0\nfor x in rows:\n    if coin:\n        total += clip(x, 0, 1)\n"
        "return (coin, total + laplace(1 / epsilon))",
        returns="tuple[bool, float]",
    ),
    "the coins": of_numbers(
        "coins = 0\ntotal = 0.0\nfor x in rows:\n    coin = flip(p)\n    if coin:\n        total += clip(x, 0, 1)\n"
        "    coins += 1\nreturn (coins, total + laplace(1 / epsilon))",
        returns="tuple[int, float]",
    ),
    "the last coin": of_numbers(
        "coin = False\ntotal = 0.0\nfor x in rows:\n    coin = flip(p)\n    if coin:\n        total += clip(x, 0, 1)\n"
        "return (coin, total + laplace(1 / epsilon))",
        returns="tuple[bool, float]",
    ),
    "the last record": of_numbers(
        "last = 0.0\ntotal = 0.0\nfor last in rows:\n    if flip(p):\n        total += clip(last, 0, 1)\n"
        "return (last, total + laplace(1 / epsilon))",
        returns="tuple[float, float]",
    ),
    "what is left out as well": of_numbers(
        "a = 0.0\nb = 0.0\nfor x in rows:\n    if flip(p):\n        a += clip(x, 0, 1)\n    else:\n"
        "        b += clip(x, 0, 1)\nreturn (a + laplace(1 / epsilon), b + laplace(1 / epsilon))",
        returns="tuple[float, float]",
    ),
    "too little noise": sampled("s = sample(rows, p)\nreturn noisy_count(s, 2 * epsilon)"),
    "the other chance": sampled(
        "s = sample(rows, 1 - p)\nreturn noisy_count(s, epsilon)",
    ),
    "as if a sample of a sample were of the first": sampled(
        "s = sample(rows, p)\nt = sample(rows, p)\nreturn (noisy_count(s, epsilon), noisy_count(t, epsilon))",
        "'ln(1 + p * p * (exp(2 * epsilon) - 1))'",
        returns="tuple[float, float]",
    ),
    "concentrated": of_numbers(
        "s = sample(rows, p)\nreturn sum(clip(x, 0, 1) for x in s) + gaussian(epsilon)",
        "zcdp('p / (2 * epsilon * epsilon)')",
    ),
    "a loop that reuses one sample": sampled(
        "s = sample(rows, p)\nout = []\nfor _ in range(k):\n    out.append(noisy_count(s, epsilon))\nreturn out",
        "'k * ln(1 + p * (exp(epsilon) - 1))'",
        f"{BITS}k: int, {PUBLIC}",
        "list[float]",
    ),
}
