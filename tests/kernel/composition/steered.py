"""Branches and loops that released values steer, and loops over different places: proved, and never proved."""

from tests.kernel.composition.programs import BITS, ROWS, SCORES, program

EACH = "epsilon: float"
PRICES = "small: float, big: float, budget: float"
ASSERTED = "assert 0 < small and small < big and budget >= 0\n"


def counting(body, claim="'budget'", parameters=f"{BITS}{PRICES}", returns="float", before=ASSERTED):
    return program("rows=added()", parameters, claim, before + body, returns)


SPENDING = (
    "spent = 0.0\nlast = 0.0\nwhile spent + big <= budget:\n    if last > 10:\n        last = noisy_count(rows, big)\n"
    "        spent += big\n    else:\n        last = noisy_count(rows, small)\n        spent += small\nreturn last"
)
SQUARES = (
    "assert 0 < delta < 1\nused = 0.0\nlast = 0.0\nwhile used + big * big <= budget:\n    if last > 10:\n"
    "        last = noisy_count(rows, big)\n        used += big * big\n    else:\n"
    "        last = noisy_count(rows, small)\n        used += small * small\nreturn last"
)
OF_SQUARES = "('sqrt(2 * budget * ln(1 / delta)) + budget / 2', 'delta')"
CONCENTRATED = (
    "spent = 0.0\nlast = 0.0\nwhile spent + 1 / (2 * small * small) <= budget:\n    if last > 10:\n"
    "        last = shown(rows, small)\n        spent += 1 / (2 * small * small)\n    else:\n"
    "        last = shown(rows, big)\n        spent += 1 / (2 * big * big)\nreturn last"
)
SHOWN = """@mechanism(rows=added(), claim=zcdp("1 / (2 * sigma * sigma)"))
def shown(rows: list[float], sigma: float) -> float:
    return sum(clip(x, 0, 1) for x in rows) + gaussian(sigma)


@mechanism(rows=added(), claim=zcdp('budget'))
def f("""

BRANCH = {
    "a second look": counting(
        "c = noisy_count(rows, epsilon / 2)\nif c > 10:\n    d = noisy_count(rows, epsilon / 2)\nelse:\n    d = 0.0\n"
        "return c + d",
        "'epsilon'",
        BITS + EACH,
        before="assert epsilon > 0\n",
    ),
    "the dearer side": counting(
        "c = noisy_count(rows, small)\nif c > 10:\n    d = noisy_count(rows, small)\nelse:\n"
        "    d = noisy_count(rows, big)\nreturn c + d",
        "'small + big'",
    ),
    "branches in a loop": counting(
        "c = 0.0\nfor i in range(k):\n    if c < i:\n        c = noisy_count(rows, epsilon)\n"
        "    elif c > 100:\n        break\nreturn c",
        "'k * epsilon'",
        f"{BITS}k: int, {EACH}",
        before="assert k >= 1 and epsilon > 0\n",
    ),
}

SPENT = {
    "a while that adds up": counting(SPENDING),
    "a budget that is lowered": counting(
        "left = budget\nlast = 0.0\nwhile left >= big:\n    if last > 10:\n        left -= big\n"
        "        last = noisy_count(rows, big)\n    else:\n        left = left - small\n"
        "        last = noisy_count(rows, small)\nreturn last"
    ),
    "a break before it is too much": counting(
        "spent = 0.0\nlast = 0.0\nfor _ in range(k):\n    if spent + big > budget:\n        break\n    if last > 10:\n"
        "        last = noisy_count(rows, big)\n        spent = big + spent\n    else:\n"
        "        last = noisy_count(rows, small)\n        spent = spent + small\nreturn last",
        parameters=f"{BITS}k: int, {PRICES}",
    ),
    "as long as there is enough": counting(
        "spent = 0.0\nout = []\nlast = 0.0\nfor i in range(k):\n    if last > 10 and spent + big <= budget:\n"
        "        last = noisy_count(rows, big)\n        spent += big\n    elif spent + small <= budget:\n"
        "        spent += small\n        last = noisy_count(rows, small)\n    out.append(last)\nreturn out",
        parameters=f"{BITS}k: int, {PRICES}",
        returns="list[float]",
    ),
    "one step too far": counting(SPENDING.replace("spent + big <= budget", "spent < budget"), "'budget + big'"),
    "one price": counting(
        "spent = 0.0\nlast = 0.0\nwhile spent + small <= budget:\n    last = noisy_count(rows, small)\n"
        "    spent += small\nreturn last"
    ),
    "squares": counting(SQUARES, OF_SQUARES, f"{BITS}{PRICES}, delta: float"),
    "concentrated": counting(CONCENTRATED, "zcdp('budget')", f"{ROWS}{PRICES}").replace(
        "@mechanism(rows=added(), claim=zcdp('budget'))\ndef f(", SHOWN
    ),
}

TREE = (
    "assert levels >= 1 and epsilon > 0\nout = []\nwidth = 1\nfor _ in range(levels):\n    start = 0\n"
    "    while start < len(q):\n        out.append(sum(q[start:start + width]) + laplace(levels / epsilon))\n"
    "        start += width\n    width *= 2\nreturn out"
)


def places(body, claim="'epsilon'", parameters=f"{SCORES}epsilon: float", relation="q=one(1)"):
    return program(relation, parameters, claim, body)


LEVELS = f"{SCORES}levels: int, epsilon: float"
APART = {
    "a vector in which one number differs": places(
        "return [x + gaussian(epsilon) for x in q]", "zcdp('1 / (2 * epsilon * epsilon)')"
    ),
    "the same by place": places(
        "out = []\nfor i in range(len(q)):\n    out.append(q[i] + gaussian(epsilon))\nreturn out",
        "zcdp('1 / (2 * epsilon * epsilon)')",
    ),
    "a tree": places(TREE, parameters=LEVELS),
    "a tree by number": places(
        TREE.replace("    start = 0\n    while start < len(q):", "    for j in range(len(q) // width + 1):")
        .replace("q[start:start + width]", "q[j * width:(j + 1) * width]")
        .replace("        start += width\n", ""),
        parameters=LEVELS,
    ),
    "a tree, concentrated": places(
        TREE.replace("laplace(levels / epsilon)", "gaussian(epsilon)"),
        "zcdp('levels / (2 * epsilon * epsilon)')",
        LEVELS,
    ),
}
ODOMETER = (
    "assert e > 0 and budget > 0\nspent = 0.0\nout = []\nfor x in q:\n    if spent + e > budget:\n        break\n"
    "    out.append(x + laplace(1 / e))\n    spent += e\nreturn out"
)
PRICED = (
    "assert budget > 0 and len(costs) == len(q)\nspent = 0.0\nout = []\nfor x, e in zip(q, costs):\n"
    "    if e > 0 and spent + e <= budget:\n        out.append(x + laplace(1 / e))\n        spent += e\nreturn out"
)
COINS = ODOMETER.replace("e > 0", "b > 0").replace("spent + e >", "spent + 1 / b >").replace("+= e", "+= 1 / b")


def odometer(body=ODOMETER, more="e: float", relation="q=each(1)"):
    return places(body, "'budget'", f"{SCORES}{more}, budget: float", relation)


COSTS = "costs: list[float]"
#: rounds that look at one element each, of a list in which all may differ, and pay for it from one account
ELEMENTS = {
    "an element a round": odometer(),
    "an element a round, at its own price": odometer(PRICED, COSTS),
    "equal coins": odometer(COINS.replace("laplace(1 / e)", "laplace(b)"), "b: float"),
}
PROVED = {**BRANCH, **SPENT, **APART, **ELEMENTS}

WRONG = {
    "an element that ends the loop": odometer(ODOMETER.replace("budget:\n", "budget or x > 3:\n")),
    "an element that is booked": odometer(ODOMETER.replace("spent += e", "spent += max(e, x)")),
    "an element that is answered": odometer(
        "x = 0.0\n"
        + ODOMETER.replace("return out", "out.append(x)\nreturn out").replace("assert e > 0 and budget > 0\n", "")
    ),
    "an element of the round before": odometer(
        ODOMETER.replace("out = []", "out = []\ny = 0.0")
        .replace("(x + lap", "(x + y + lap")
        .replace("+= e", "+= e\n    y = x")
    ),
    "an element twice as far": odometer(relation="q=each(2)"),
    "an element whose price is not looked at": odometer(
        PRICED.replace("spent + e <= budget", "spent <= budget"), COSTS
    ),
    "an element at the price of another": odometer(PRICED.replace("spent += e", "spent += costs[0]"), COSTS),
    "coins worth more than is said": odometer(COINS.replace("laplace(1 / e)", "laplace(b / 2)"), "b: float"),
    "a branch on private data": BRANCH["a second look"].replace("if c > 10", "if len(rows) > 10"),
    "both sides at the price of the cheaper": BRANCH["the dearer side"].replace("small + big", "2 * small"),
    "a price that is not booked": counting(SPENDING.replace("        spent += small\n", "")),
    "a price that is booked too low": counting(SPENDING.replace("spent += big", "spent += small")),
    "an account that begins again": counting(SPENDING.replace("spent += big", "spent = 0.0")),
    "an account that begins below": counting(SPENDING.replace("spent = 0.0", "spent = -1.0")),
    "an account that begins above": counting(SPENDING.replace("spent = 0.0", "spent = 2 * budget"), "'-budget'"),
    "half the budget": counting(SPENDING, "'budget / 2'"),
    "the smaller price is looked at": counting(SPENDING.replace("spent + big <= budget", "spent + small <= budget")),
    "one step too far": counting(SPENDING.replace("spent + big <= budget", "spent < budget")),
    "a private account": counting(SPENDING.replace("spent += small", "spent += len(rows)")),
    "private data choose the price": counting(SPENDING.replace("last > 10", "len(rows) > 10")),
    "two looks for one": counting(
        SPENDING.replace("noisy_count(rows, small)", "noisy_count(rows, small) + noisy_count(rows, small)")
    ),
    "a round that ends before it is booked": counting(
        SPENDING.replace("(rows, small)\n", "(rows, small)\n        if last > 3:\n            continue\n")
    ),
    "an account of answers": counting(SPENDING.replace("spent += small", "spent += last")),
    "squares booked too low": counting(
        SQUARES.replace("used += small * small", "used += small * small / 2"),
        OF_SQUARES,
        f"{BITS}{PRICES}, delta: float",
    ),
    "squares as if they were prices": counting(SQUARES, "('budget', 'delta')", f"{BITS}{PRICES}, delta: float"),
    "a private number that is read again": counting(
        "n = 0\nspent = 0.0\nlast = 0.0\nwhile spent + small <= budget:\n    last = n + laplace(1 / small)\n"
        "    n = len([r for r in rows if r])\n    last += n + laplace(1 / small)\n    spent += small\n"
        "    if last > 5:\n        continue\n    n = 0\nreturn last"
    ),
    "a tree with less noise": places(TREE.replace("(levels / epsilon)", "((levels - 1) / epsilon)"), parameters=LEVELS),
    "stretches that overlap": places(TREE.replace("start + width]", "start + width + 1]"), parameters=LEVELS),
    "stretches that come again": places(TREE.replace("start += width", "start += 1"), parameters=LEVELS),
    "all numbers differ": places(TREE, parameters=LEVELS, relation="q=each(1)"),
    "a sum beside the place": places(
        "out = []\nfor i in range(len(q)):\n    out.append(q[i] + q[0] + gaussian(epsilon))\nreturn out",
        "zcdp('2 / (epsilon * epsilon)')",
    ),
    "places from both ends": places(
        "assert n >= 1\nout = []\nfor i in range(-n, n):\n    out.append(q[i] + gaussian(epsilon))\nreturn out",
        "zcdp('1 / (2 * epsilon * epsilon)')",
        f"{SCORES}n: int, epsilon: float",
    ),
    "the element that came last": places(
        "out = []\nx = 0.0\nfor x in q:\n    out.append(x + laplace(1 / epsilon))\nout.append(x)\nreturn out"
    ),
    "the element that came last, of all that differ": places(
        "out = []\nx = 0.0\nfor x in q:\n    out.append(x + laplace(1 / epsilon))\nout.append(x)\nreturn out",
        "'len(q) * epsilon'",
        relation="q=each(1)",
    ),
    "a private sum in every round": places(
        "t = sum(q)\nout = []\nfor x in q:\n    out.append(x + t + gaussian(epsilon))\nreturn out",
        "zcdp('2 / (epsilon * epsilon)')",
    ),
}
