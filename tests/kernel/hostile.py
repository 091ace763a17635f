"""Certificates and programs written to keep a checker busy: deep, wide, long, huge, and hard for the solver.

Each is a text and a certificate that fits it; none of them proves what it says.
"""

import random

from lapwing.kernel.evidence.certificate import Branch, Cost, Enumeration, Fold, Lift, Sensitivity
from tests.kernel.certificates import certify, coupling

WORDS = "added, choose, clip, each, flip, gaussian, laplace, mechanism, one, replaced, uniform, within"
PLAIN = "y: float, epsilon: float"


def program(body, head="y=within(1)", parameters=PLAIN, conditions=(), returns="float"):
    lines = [*(f"assert {each}" for each in conditions), *body.splitlines()]
    inner = "\n".join(f"    {line}" for line in lines)
    return f"from lapwing import {WORDS}\n\n\n@mechanism({head})\ndef f({parameters}) -> {returns}:\n{inner}\n"


def polynomial(seed, unknowns, degree, terms, bits):
    """A random polynomial as a formula."""
    chance, parts = random.Random(seed), []
    for _ in range(terms):
        factors = [str(chance.randint(1, 2**bits))]
        factors += [f"x{chance.randrange(unknowns)}" for _ in range(chance.randint(0, degree))]
        parts.append(f"{chance.choice('+-')} {' * '.join(factors)}")
    return f"0 {' '.join(parts)}"


def _polynomials(unknowns, degree, terms, bits):
    """A bound that is the price, under conditions and a claim that a solver has to see through."""
    given = [f"{polynomial(seed, unknowns, degree, terms, bits)} >= 0" for seed in (1, 2, 3)]
    names = "".join(f", x{number}: float" for number in range(unknowns))
    scale, claim = polynomial(7, unknowns, degree, terms, bits), polynomial(8, unknowns, degree, terms, bits)
    head = f'y=within(1), claim="{claim}"'
    text = program(f"return y + laplace({scale})", head, PLAIN + names, conditions=given)
    return text, coupling([("-hat(y)", "1")]), f"1 / ({scale})"


def _scaled(scale, bound):
    return program(f"return y + laplace({scale})", conditions=["epsilon > 0"]), coupling([("-hat(y)", "1")]), bound


def _nested(depth, guard="draw() > 0"):
    tree = "-hat(y)"
    for _ in range(depth):
        tree = Branch(guard, tree, "0")
    return tree


def _branches(count):
    """2^count paths."""
    body = "z = 0\n" + "\n".join(f"if y > {each}:\n    z = z + {each}" for each in range(count))
    return program(f"{body}\nreturn z + laplace(1 / epsilon)"), coupling([("-hat(z)", "1")]), "epsilon"


def _loops(depth, rounds):
    lines = ["z = 0.0"]
    lines += [f"{'    ' * level}for i{level} in range({rounds}):" for level in range(depth)]
    lines += [f"{'    ' * depth}z = z + y", "return z + laplace(1 / epsilon)"]
    return program("\n".join(lines)), coupling([("-hat(z)", "1")], ["True"] * depth), "epsilon"


def _sites(count):
    body = "\n".join(f"z{each} = y + laplace(1 / epsilon)" for each in range(count))
    return program(f"{body}\nreturn z0"), coupling([("-hat(y)", "1")] * count), "epsilon"


def _coins(count):
    body = "\n".join(f"c{each} = flip(1 / 2)" for each in range(count))
    text = program(f"{body}\nreturn b and c0", "b=replaced()", "b: bool", returns="bool")
    return text, Enumeration(rows=False), "ln(1)"


def _throws(sides, count):
    body = "\n".join(f"c{each} = uniform({sides})" for each in range(count))
    total = " + ".join(f"c{each}" for each in range(count))
    text = program(f"{body}\nreturn {total} + (1 if b else 0)", "b=replaced()", "b: bool", returns="int")
    return text, Enumeration(rows=False), "ln(2)"


def _fold(depth):
    term = "x"
    for each in range(depth):
        term = f"({term} if x > {each} else -({term}))"
    body = f"return sum({term} for x in q) + laplace(1 / epsilon)"
    text = program(body, "q=added()", "q: list[float], epsilon: float")
    return text, Fold(), "epsilon"


def _conditions(count):
    wide = " or ".join(f"(hat(y) > {each} and y * y * hat(y) < {each} * epsilon * y)" for each in range(count))
    return (*_scaled("1 / epsilon", "epsilon")[:1], coupling([(Branch(wide, "-hat(y)", "0"), "1")]), "epsilon")


def _inside(depth):
    """A mechanism on totals inside a composition inside a mechanism on totals …"""
    text = program("return sum(q) + laplace(1 / epsilon)", "q=one(1)", "q: list[float], epsilon: float")
    proof, bound = Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon"
    for _ in range(depth):
        proof = Lift((("1", True),), certify("p.py", text, proof, bound))
    return text, proof, bound


HUGE = "9" * 300
HOSTILE = {
    "polynomials that defeat coverings": _polynomials(3, 6, 8, 8),
    "polynomials of a high degree": _polynomials(2, 40, 10, 8),
    "polynomials of huge numbers": _polynomials(3, 10, 30, 1000),
    "polynomials of many unknowns": _polynomials(12, 4, 12, 8),
    "polynomials of many terms": _polynomials(3, 5, 60, 8),
    "huge numbers": _scaled(" * ".join([HUGE] * 4), f"1 / (2 * {' * '.join([HUGE] * 4)})"),
    "huge exponents": _scaled("1e300 * 1e300 * 1e300 / epsilon", "epsilon * 1e-300 * 1e-300"),
    "powers of powers": _scaled(" * ".join(["epsilon"] * 90), f"1 / ({' * '.join(['epsilon'] * 80)})"),
    "deep formulas": _scaled("1 / epsilon", "(" * 90 + "epsilon" + ")" * 90 + " / 2"),
    "deep alignments": (*_scaled("1 / epsilon", "epsilon")[:1], coupling([(_nested(12), "1")]), "epsilon"),
    "wide alignments": (
        *_scaled("1 / epsilon", "epsilon")[:1],
        coupling([(_nested(12, " or ".join(f"draw() > {n} * y" for n in range(40))), "1")]),
        "epsilon",
    ),
    "wide guards": _conditions(60),
    "many paths": _branches(24),
    "loops in loops": _loops(8, "100000"),
    "long loops": _loops(1, "1000000000"),
    "many sites": _sites(60),
    "many coins": _coins(60),
    "many throws": _throws(1000, 12),
    "throws of huge dice": _throws("1000000000", 2),
    "cells of a sum over records": _fold(10),
    "proofs inside proofs": _inside(6),
}  # fmt: skip


def hostile(name):
    """The text and the certificate of one."""
    text, proof, bound = HOSTILE[name]
    return text, certify("p.py", text, proof, bound)
