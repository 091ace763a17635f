"""Programs that call (ε, δ) mechanisms, and loops of numbers: what is proved, and what never is."""

from tests.kernel.composition.programs import BITS, HEAD, ROWS, program

SHIFTED = """@mechanism(rows=added(), claim=("epsilon", "delta"))
def shifted(rows: list[float], shift: float, epsilon: float, delta: float) -> float:
    assert 0 < epsilon <= 1 and 0 < delta < 1 / 2
    return sum(clip(x, 0, 1) for x in rows) + shift + gaussian(2 * sqrt(ln(1 / delta)) / epsilon)


"""
PUBLIC = "epsilon: float, delta: float"
ASSERTED = "assert 0 < epsilon <= 1 and 0 < delta < 1 / 2"
K = "assert k >= 1 and 0 < epsilon <= 1 and 0 < delta < 1 / 2"


def calling(body, claim, parameters=f"{ROWS}{PUBLIC}", returns="list[float]", relation="rows=added()"):
    return program(relation, parameters, claim, body, returns).replace(HEAD, HEAD + SHIFTED)


def numbers(claim, rounds="100", price="0.025", before=""):
    body = f"{before}out = []\nfor _ in range({rounds}):\n    out.append(noisy_count(rows, {price}))\nreturn out"
    return program("rows=added()", BITS.rstrip(", "), claim, body)


PROVED = {
    "two calls": calling(
        f"{ASSERTED}\na = shifted(rows, 0, epsilon, delta)\nb = shifted(rows, a, epsilon / 2, delta)\nreturn [a, b]",
        "('3 * epsilon / 2', '2 * delta')",
    ),
    "a call and a count": calling(
        f"{ASSERTED}\na = shifted(rows, 0, epsilon, delta)\n"
        "return [a, len([x for x in rows if x > a]) + laplace(1 / epsilon)]",
        "('2 * epsilon', 'delta')",
    ),
    "calls in a loop": calling(
        f"{K}\nlast = 0.0\nfor _ in range(k):\n    last = shifted(rows, last, epsilon, delta)\nreturn [last]",
        "('k * epsilon', 'k * delta')",
        f"{ROWS}k: int, {PUBLIC}",
    ),
    "a call on a sample": calling(
        f"{ASSERTED}\nreturn [shifted(sample(rows, p), 0, epsilon, delta)]",
        "('ln(1 + p * (exp(epsilon) - 1))', 'p * delta')",
        f"{ROWS}p: float, {PUBLIC}",
    ),
    "optimal composition": numbers("('0.917', '0.00001')"),
    "optimal composition, with a root": numbers(
        "('0.95', '0.00001')", price="each", before="each = 1 / sqrt(800 * ln(100000)) * 2.4\n"
    ),
    "two loops of numbers": numbers("('1', '0.00001')", rounds="10").replace(
        "    return out",
        "    for _ in range(100):\n        out.append(noisy_count(rows, 0.01))\n    return out",
    ),
}

WRONG = {
    "less than optimal": numbers("('0.916', '0.00001')"),
    "a smaller delta": numbers("('0.917', '0.000009')"),
    "one round more": numbers("('0.9161', '0.00001')", rounds="101"),
    "one delta for two calls": calling(
        f"{ASSERTED}\na = shifted(rows, 0, epsilon, delta)\nb = shifted(rows, a, epsilon, delta)\nreturn [a, b]",
        "('2 * epsilon', 'delta')",
    ),
    "a private argument": calling(
        f"{ASSERTED}\nreturn [shifted(rows, len(rows), epsilon, delta)]", "('epsilon', 'delta')"
    ),
    "other neighbours": calling(
        f"{ASSERTED}\nreturn [shifted(rows, 0, epsilon, delta)]", "('epsilon', 'delta')", relation="rows=replaced()"
    ),
    "other records": calling(
        f"{ASSERTED}\nall_of_them = [2 * x for x in rows]\nreturn [shifted(all_of_them, 0, epsilon, delta)]",
        "('epsilon / 2', 'delta')",
    ),
    "the sample of another chance": calling(
        f"{ASSERTED}\nreturn [shifted(sample(rows, p), 0, epsilon, delta)]",
        "('ln(1 + p * (exp(epsilon) - 1))', 'p * p * delta')",
        f"{ROWS}p: float, {PUBLIC}",
    ),
}
