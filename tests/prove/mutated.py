"""Programs of the corpus with one thing changed, and the two tools held against each other.

``python -m tests.prove.mutated [COUNT [SEED]]`` runs a campaign: each mutant's best bound is derived and checked, then
handed to the exact search for violations as a claim. A violation would be a wrong proof (or a wrong refutation).
"""

import ast
import copy
import random
import sys
from collections import Counter
from dataclasses import replace

from lapwing.check import Accepted, check_witness
from lapwing.cli.targets import choose_lattice
from lapwing.errors import LapwingError
from lapwing.program import ir, parse_text, show_module
from lapwing.refute.distribution import Subject
from lapwing.refute.search import refute
from tests.corpus import programs
from tests.prove.proving import proved

WORDS = (
    "added", "choose", "each", "exponential", "falls", "flip", "gaussian", "laplace", "mechanism", "monotone", "one",
    "replaced", "rises", "within", "zcdp",
)  # fmt: skip
RELATIONS = ("each", "one", "rises", "falls", "monotone")
TYPES = ("bool", "float", "int", "len", "list", "range", "enumerate", "sum", "tuple")


def mutants(seed):
    """Mutants without end: (what was changed, text without a claim, mechanism)."""
    chance = random.Random(seed)
    sources = [(each.label, each.path.read_text()) for each in programs() if each.needs is None]
    seen = set()
    while True:
        label, text = chance.choice(sources)
        tree = ast.parse(text)
        kind = _change(tree, chance)
        if kind is None:
            continue
        body = [each for each in tree.body if not isinstance(each, ast.ImportFrom)]
        changed = f"from lapwing import {', '.join(WORDS)}\n" + ast.unparse(ast.Module(body, []))
        try:
            name = parse_text(changed).mechanisms[-1].name
            module = parse_text(changed, only=name)
            bare = show_module(_claiming(module, name, None))
            parse_text(bare)
        except LapwingError:
            continue
        if bare not in seen:
            seen.add(bare)
            yield f"{label}, {kind}", bare, name


def _change(tree, chance):
    """Change one thing inside some function; its kind, or None if nothing came of it."""
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    node = chance.choice([each for function in functions for each in ast.walk(function)])
    used = {each.id for function in functions for each in ast.walk(function) if isinstance(each, ast.Name)}
    names = sorted(used - {*WORDS, *TYPES})
    match node:
        case ast.Compare():
            node.ops = [chance.choice([ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq])()]
            return "comparison"
        case ast.BinOp():
            if chance.random() < 0.3:
                node.right = ast.Constant(0)
            else:
                node.op = chance.choice([ast.Add, ast.Sub, ast.Mult])()
            return "operator"
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            node.value = max(0, value + chance.choice([-2, -1, 1, 2]))
            return "constant"
        case ast.Call(func=ast.Name(id="laplace" | "exponential" as noise)):
            if chance.random() < 0.7:
                by = ast.Constant(chance.choice([2, 3, 4]))
                node.args = [ast.BinOp(node.args[0], chance.choice([ast.Mult, ast.Div])(), by)]
                return "scale"
            node.func.id = "exponential" if noise == "laplace" else "laplace"
            return "noise"
        case ast.Call(func=ast.Name(id=relation)) if relation in RELATIONS:
            node.func.id = chance.choice(RELATIONS)
            return "neighbours"
        case ast.Name(id=name, ctx=ast.Load()) if name in names:
            node.id = chance.choice(names)
            return "name"
        case ast.FunctionDef() | ast.For() | ast.If() | ast.While() if len(node.body) > 1:
            place = chance.randrange(len(node.body) - 1)
            if chance.random() < 0.5:
                del node.body[place]
                return "missing statement"
            node.body[place], node.body[place + 1] = node.body[place + 1], copy.deepcopy(node.body[place])
            return "order"
    return None


def _claiming(module, name, claim):
    return ir.Module(tuple(replace(each, claim=claim) if each.name == name else each for each in module))


def contradiction(text, name, certificate, sizes=3):
    """A violation of the certificate's bound that the checker confirms, as a witness; None if there is none."""
    claim = certificate.bound if certificate.measure == "epsilon" else f"zcdp({certificate.bound!r})"
    head = f"claim={claim!r}" if certificate.measure == "epsilon" else f"claim={claim}"
    own = text.index("@mechanism(", text.rindex("\n@", 0, text.index(f"def {name}(")))
    claimed = f"{text[:own]}@mechanism({head}, {text[own + len('@mechanism(') :]}".replace(
        "from lapwing import ", "from lapwing import zcdp, ", 1
    )
    module = parse_text(claimed, "mutant.py", only=name)
    subject = Subject(module, module[name], choose_lattice(None, [], module[name]))
    outcome = refute(subject, max_n=sizes)
    if outcome.violation is None:
        return None
    witness = outcome.witness(subject, "mutant.py")
    return witness if isinstance(check_witness(witness, claimed), Accepted) else None


def campaign(count, seed):
    """Hold prover and refuter against each other on ``count`` mutants; how often what came out."""
    found = Counter()
    for _, (label, text, name) in zip(range(count), mutants(seed), strict=False):
        certificate = proved(text, name)
        if certificate is None:
            found["unknown"] += 1
            continue
        try:
            witness = contradiction(text, name, certificate)
        except LapwingError:  # more than the exact search can do
            found["proved, not searched"] += 1
            continue
        found["proved, nothing found against it" if witness is None else "CONTRADICTION"] += 1
        if witness is not None:
            print(f"{label}: {certificate.bound}\n{text}")
    return found


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    outcome = campaign(words[0] if words else 500, words[1] if len(words) > 1 else 0)
    print(dict(outcome))
    sys.exit("CONTRADICTION" in outcome)
