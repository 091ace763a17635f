"""Programs that look right: a condition that is false of them is never proved, and its true neighbour is."""

import pytest

from tests.search.accuracy.deriving import HEADER, derived

EACH = "all(abs(result[i] - q[i]) <= gamma for i in range(len(result)))"
BEST = "all(q[result] >= x - gamma for x in q)"
SUM = "abs(result - sum(q)) <= gamma"

FALSE = {
    "skips elements": (
        "list[float]",
        "    out = []\n    for x in q:\n        if x > 0:\n            out.append(x + laplace(1))\n    return out",
        EACH,
    ),
    "appends twice": (
        "list[float]",
        "    out = []\n    for x in q:\n        out.append(x + laplace(1))\n        out.append(0)\n    return out",
        EACH,
    ),
    "begins again": (
        "list[float]",
        "    out = []\n    for x in q:\n        if x > 5:\n            out = []\n        out.append(x + laplace(1))\n"
        "    return out",
        EACH,
    ),
    "is one off": (
        "list[float]",
        "    out = []\n    for i in range(1, len(q)):\n        out.append(q[i] + laplace(1))\n    return out",
        EACH,
    ),
    "starts the maximum at zero": (
        "int",
        "    best = 0\n    largest = 0\n    for i, x in enumerate(q):\n        noisy = x + laplace(1)\n"
        "        if noisy > largest:\n            best = i\n            largest = noisy\n    return best",
        BEST,
    ),
    "forgets to keep the largest": (
        "int",
        "    best = 0\n    largest = 0\n    for i, x in enumerate(q):\n        noisy = x + laplace(1)\n"
        "        if i == 0 or noisy > largest:\n            best = i\n            largest = 0\n    return best",
        BEST,
    ),
    "stops early": (
        "float",
        "    s = laplace(1)\n    for x in q:\n        s = s + x\n        if s > 10:\n            break\n    return s",
        SUM,
    ),
    "clips": ("float", "    return sum(clip(x, 0, 1) for x in q) + laplace(1)", SUM),
    "uses one draw many times": (
        "float",
        "    noise = laplace(1)\n    s = 0\n    for x in q:\n        s = s + x + noise\n    return s",
        "abs(result - sum(q)) <= 2 * ln(1 / beta)",
    ),
    "doubles the noise": (
        "float",
        "    return sum(q) + 2 * laplace(1)",
        "abs(result - sum(q)) <= ln(1 / beta)",
    ),
    "one margin for two draws": (
        "float",
        "    return sum(q) + laplace(1) + laplace(1)",
        "abs(result - sum(q)) <= ln(2 / beta)",
    ),
    "one draw's probability for n draws": (
        "list[float]",
        "    return [x + laplace(1) for x in q]",
        "all(abs(result[i] - q[i]) <= ln(1 / beta) for i in range(len(result)))",
    ),
    "draws again until it fits": (
        "float",
        "    noise = laplace(1)\n    while noise < 3:\n        noise = laplace(1)\n    return sum(q) + noise",
        SUM,
    ),
    "lowers with one-sided noise": ("float", "    return sum(q) - exponential(1)", "result >= sum(q)"),
    "scales with the round": (
        "list[float]",
        "    out = []\n    for i, x in enumerate(q):\n        out.append(x + laplace(i + 1))\n    return out",
        EACH,
    ),
    "tests the other way": (
        "list[bool]",
        "    out = []\n    for x in q:\n        out.append(x + laplace(1) < 0)\n    return out",
        "all(q[i] >= -gamma if result[i] else q[i] <= gamma for i in range(len(result)))",
    ),
    "reads its own list": (
        "float",
        "    out = [0.0]\n    for x in q:\n        out.append(x + laplace(1))\n    return out[1]",
        "abs(result - q[0]) <= gamma",
    ),
    "takes the largest of all for each": (
        "float",
        "    return sum([max(q) for x in q]) + laplace(1)",
        "abs(result - sum([max([x for y in q]) for x in q])) <= gamma",
    ),
    "has a variable called like what the condition leaves open": (
        "float",
        "    noise = laplace(1)\n    beta = abs(noise)\n    return q[0] + noise",
        "abs(result - q[0]) <= 100 * beta",
    ),
    "has a scale called like the probability": (
        "float",
        "    beta = 1\n    for i in range(len(q)):\n        beta = beta + 1\n    return sum(q) + laplace(beta)",
        SUM,
    ),
    "has a coin called like the probability": (
        "bool",
        "    beta = 1 / 2\n    if len(q) > 3:\n        beta = 3 / 4\n    return flip(beta)",
        "not result",
    ),
}


def program(returns, body):
    return f"{HEADER}@mechanism(q=each(1))\ndef f(q: list[float]) -> {returns}:\n{body}\n"


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not_proved(name):
    returns, body, condition = FALSE[name]
    certificate, _ = derived(program(returns, body), condition)
    assert certificate is None, certificate


@pytest.mark.parametrize(
    ("returns", "body", "condition"),
    [
        (
            "float",
            "    return sum(clip(x, 0, 1) for x in q) + laplace(1)",
            "abs(result - sum(clip(x, 0, 1) for x in q)) <= gamma",
        ),
        (
            "float",
            "    noise = laplace(1)\n    s = 0\n    for x in q:\n        s += x\n    return s + noise + noise",
            SUM,
        ),
        (
            "list[bool]",
            "    out = []\n    for x in q:\n        out.append(x + laplace(1) >= 0)\n    return out",
            "all(q[i] >= -gamma if result[i] else q[i] <= gamma for i in range(len(result)))",
        ),
        (
            "list[float]",
            "    out = []\n    for i in range(len(q)):\n        out.append(q[i] + laplace(1))\n    return out",
            EACH,
        ),
        (
            "int",
            "    assert len(q) >= 1\n    return choose([-x for x in q], 2)",
            "all(q[result] <= x + gamma for x in q)",
        ),
        (
            "float",
            "    return max([sum([x - y for y in q]) for x in q]) + laplace(1)",
            "abs(result - max([sum([z - y for y in q]) for z in q])) <= gamma",
        ),
        ("float", "    gamma = laplace(1)\n    return q[0] + gamma", "abs(result - q[0]) <= gamma"),
        ("float", "    if len(q) > 3:\n        return sum(q) + laplace(1)\n    return sum(q) + laplace(2)", SUM),
    ],
)
def test_what_is_true_is_proved(returns, body, condition):
    certificate, reason = derived(program(returns, body), condition)
    assert certificate is not None, reason
