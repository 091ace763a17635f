"""Random programs that fill tables from records: places and values by //, %, other lists, and what rounds left."""

import random

from tests.kernel.folds.generator import Program

PLACES = (
    "x", "x", "x % 3", "x // 2", "clip(x, 0, k - 1)", "x % 2", "0", "-1", "k", "n", "i", "x - 1", "-x", "abs(x)",
    "(1 if x > c else 0)", "x % -2", "min(x // 2, 1)", "len(cells) - 1", "y % 3",
)  # fmt: skip
VALUES = (
    "1", "1", "1", "clip(x, 0, 1)", "clip(x, -1, 1)", "x % 2", "x // 2", "x", "ws[x]", "clip(ws[x], 0, 1)", "cells[0]",
    "n", "x - x % 2", "clip(y, 0, 1)", "(1 if x > c else 0)", "x // -2", "us[x % 2]", "clip(vs[0], 0, 1)", "vs[x]",
    "(0 if y > 0 else 1)", "abs(clip(x, -1, 1) % 3)",
)  # fmt: skip
TESTS = ("x > 0", "x % 2 == 0", "y >= c", "x // 2 == 1", "cells[0] > 1", "k > 1", "n < 2", "0 <= x < k", "ws[x] > 0")
WALKS = (
    "x in xs",
    "x in xs",
    "i, x in enumerate(xs)",
    "x, y in pairs",
    "i, (x, y) in enumerate(pairs)",
    "y, x in pairs",
)
TABLES = ("[0] * 3", "[0] * k", "[0.0 for j in range(2)]", "[0, 1]", "ws[:]", "[w * 2 for w in ws]", "vs[:]", "[0] * 1")


def table(seed: int, *, noise: bool = True) -> Program:
    """The program of a seed."""
    chance = random.Random(seed)
    pick = chance.choice
    relation = pick(["added()", "replaced()", "replaced()", "one(1)"])
    lines = ["pairs = [(x, x % 2) for x in xs]" if chance.random() < 0.5 else "pairs = [(x, x // 2 + k) for x in xs]"]
    lines += ["vs = [w + 1 for w in ws]" if chance.random() < 0.7 else "vs = [w for w in ws if w > 0]"]
    lines += ["us = [2, 0]", f"cells = {pick(TABLES)}", "n = 0", "y = 0", "i = 0"]
    for _ in range(pick([1, 1, 2])):
        walk = pick(WALKS)
        lines.append(f"for {walk}:")
        for _ in range(pick([1, 1, 2])):
            deep = "    "
            if chance.random() < 0.3:
                lines.append(f"    if {pick(TESTS)}:")
                deep = "        "
            update = f"cells[{pick(PLACES)}] {pick(['+=', '+=', '+=', '-=', '='])} {pick(VALUES)}"
            again = "cells = [c + (x if j == x else 0) for j, c in enumerate(cells)]"
            lines.append(deep + pick([update] * 8 + ["n += 1", again, "cells[0] = cells[0] + cells[x % 2]"]))
    scale = pick(["1", "1", "2", "1 / 2"])
    answers = [
        f"[a + laplace({scale}) for a in cells]", f"[a + laplace({scale}) for a in cells]",
        f"[cells[0] + laplace({scale}), cells[1] + laplace({scale})]", f"[cells[0] - cells[1] + laplace({scale})]",
        f"[cells[k] + laplace({scale})]", f"[cells[0] + cells[-1] + n + laplace({scale})]", "cells",
        f"[a * 2 - b + laplace({scale}) for a, b in zip(cells, vs)]", f"[choose(cells, {scale}) * 1.0]",
    ]  # fmt: skip
    plain = ["cells", "[cells[0] - cells[k], n]", "[cells[1] + n, cells[-1]]"]
    lines.append(f"return {pick(answers) if noise else pick(plain)}")
    head = f"@mechanism(xs={relation})\ndef f(xs: list[int], ws: list[float], k: int, c: float) -> list[float]:"
    return Program("\n".join([head, *("    " + line for line in lines), ""]), "xs", relation, "list[int]")
