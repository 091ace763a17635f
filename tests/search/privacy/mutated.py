"""Programs with one thing changed, and the two tools held against each other.

Each mutant's best bound is derived and checked, then handed to the exact search for violations as a claim; a mutant of
a program with a δ keeps its claim. A violation would be a wrong proof (or a wrong refutation). The tests look at a few
small pairs of inputs per mutant of the corpus; ``python -m tests.search.privacy.mutated [COUNT [SEED]]`` runs a
campaign over many shelves with the whole search.
"""

import ast
import copy
import random
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import chain, islice

import lapwing
from lapwing.decide.texts import check_witness
from lapwing.decide.time_limits import OutOfTime, time_limit
from lapwing.errors import LapwingError
from lapwing.kernel.distribution.witness import Accepted
from lapwing.kernel.program import ir
from lapwing.search.privacy.bounds import read
from lapwing.search.violation.claimed_numbers import claim_value
from lapwing.search.violation.explore import Search
from lapwing.search.violation.findings import to_witness
from lapwing.search.violation.neighbouring import Neighbourhood
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import mechanism_names, parse_text
from lapwing.source.printed_modules import show_module
from tests.corpus import programs
from tests.kernel.composition import approximate_calls, sampled, steered
from tests.kernel.composition import programs as composed
from tests.search.privacy import adaptive, approximate_programs
from tests.search.privacy.proving import proved
from tests.strangers import strangers

WORDS = tuple(name for name in lapwing.__all__ if name.islower())
RELATIONS = ("each", "one", "rises", "falls", "monotone")
RECORDS = ("added", "replaced")
TYPES = ("bool", "float", "int", "len", "list", "range", "enumerate", "sum", "tuple")
#: Noise whose last argument says how much; the kinds that may stand for each other.
REAL, WHOLE = ("laplace", "exponential", "gaussian"), ("discrete_laplace", "discrete_gaussian")
NOISE = (*REAL, *WHOLE, "choose", "flip")
#: Seconds of computing to look for a violation of what was proved.
LOOKING = 6


def corpus():
    """(label, text) of every program of the corpus."""
    known = [*programs("proved"), *programs("refuted")]
    return [(each.label, each.path.read_text()) for each in known if each.needs is None]


def shelves():
    """(label, text) of programs of many kinds: records, responses, parts, adversaries, lists of noise, with a δ."""
    found = [(f"strangers/{each.shelf}/{each.name}", each.text) for each in strangers() if each.truth != "outside"]
    for shelf in (adaptive, approximate_programs):
        known = {**shelf.RIGHT, **shelf.WRONG}
        found += [(f"{shelf.__name__.rpartition('.')[2]}/{name}", text) for name, text in known.items()]
    for shelf in (approximate_calls, composed, sampled, steered):
        known = {**shelf.PROVED, **shelf.WRONG}
        texts = ((name, text if isinstance(text, str) else text[0]) for name, text in known.items())
        found += [(f"{shelf.__name__.rpartition('.')[2]}/{name}", text) for name, text in texts]
    return found


def mutants(seed, sources=None):
    """Mutants without end: (what was changed, text without a claim unless it has a δ, mechanism).

    Each shelf is as likely, however long it is.
    """
    chance = random.Random(seed)
    shelved = {}
    for label, text in sources or corpus():
        shelved.setdefault(label.rpartition("/")[0], []).append((label, text))
    known = list(shelved.values())
    seen = set()
    while True:
        label, text = chance.choice(chance.choice(known))
        tree = ast.parse(text)
        kind = _change(tree, chance)
        if kind is None:
            continue
        body = [each for each in tree.body if not _is_ours(each)]
        changed = f"from lapwing import {', '.join(WORDS)}\n" + ast.unparse(ast.Module(body, []))
        try:
            name = mechanism_names(changed)[-1]
            module = parse_text(changed, only=name)
            claim = module[name].claim
            bare = show_module(_claiming(module, name, claim if isinstance(claim, ir.ApproximateClaim) else None))
            parse_text(bare)
        except LapwingError:
            continue
        if bare not in seen:
            seen.add(bare)
            yield f"{label}, {kind}", bare, name


def _is_ours(statement):
    return isinstance(statement, ast.ImportFrom) and statement.module == "lapwing"


def _change(tree, chance):
    """Change one thing inside some function; its kind, or None if nothing came of it. Each kind is as likely."""
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    used = {each.id for function in functions for each in ast.walk(function) if isinstance(each, ast.Name)}
    names = sorted(used - {*WORDS, *TYPES})
    options = {}
    for function in functions:
        for node in ast.walk(function):
            for kind in _kinds(node, names):
                options.setdefault(kind, []).append(node)
    kind = chance.choice(sorted(options))
    node = chance.choice(options[kind])
    match kind:
        case "comparison":
            node.ops = [chance.choice([ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq])()]
        case "operator" if chance.random() < 0.3:
            node.right = ast.Constant(0)
        case "operator":
            node.op = chance.choice([ast.Add, ast.Sub, ast.Mult])()
        case "constant":
            node.value = max(0, node.value + chance.choice([-2, -1, 1, 2]))
        case "scale":
            by = ast.Constant(chance.choice([2, 3, 4]))
            node.args[-1] = ast.BinOp(node.args[-1], chance.choice([ast.Mult, ast.Div])(), by)
        case "noise":
            kinds = REAL if node.func.id in REAL else WHOLE
            node.func.id = chance.choice([each for each in kinds if each != node.func.id])
        case "shift":
            _Replacing(node, ast.BinOp(node, ast.Add(), ast.Name(chance.choice(names), ast.Load()))).visit(tree)
        case "neighbours":
            node.func.id = chance.choice(RELATIONS)
        case "records":
            node.func.id = RECORDS[node.func.id == "added"]
        case "no bounds":
            _Replacing(node, node.args[0]).visit(tree)
        case "name":
            node.id = chance.choice(names)
        case "reused noise":
            return _reuse(node, chance)
        case "missing stop":
            return _unstop(node)
        case "missing statement":
            del node.body[chance.randrange(len(node.body) - 1)]
        case "order":
            place = chance.randrange(len(node.body) - 1)
            node.body[place], node.body[place + 1] = node.body[place + 1], copy.deepcopy(node.body[place])
    return kind


def _kinds(node, names):
    """The changes that can be made to a node."""
    match node:
        case ast.Compare():
            return ["comparison"]
        case ast.BinOp():
            return ["operator"]
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return ["constant"]
        case ast.Call(func=ast.Name(id=noise), args=[_, *_]) if noise in (*REAL, *WHOLE):
            return ["scale", "noise", "shift"]
        case ast.Call(func=ast.Name(id=noise), args=[_, *_]) if noise in NOISE:
            return ["scale"]
        case ast.Call(func=ast.Name(id=relation)) if relation in RELATIONS:
            return ["neighbours"]
        case ast.Call(func=ast.Name(id=relation)) if relation in RECORDS:
            return ["records"]
        case ast.Call(func=ast.Name(id="clip" | "min" | "max" | "abs"), args=[_, *_]):
            return ["no bounds"]
        case ast.Name(id=name, ctx=ast.Load()) if name in names:
            return ["name"]
        case ast.FunctionDef():
            return ["reused noise", "missing statement", "order"] if len(node.body) > 1 else ["reused noise"]
        case ast.For() | ast.While():
            return ["missing stop", "missing statement", "order"] if len(node.body) > 1 else ["missing stop"]
        case ast.If() if len(node.body) > 1:
            return ["missing statement", "order"]
    return []


def _reuse(function, chance):
    """Draw one noise before everything else and use it for every round."""
    calls = [each for each in ast.walk(function) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
    draws = [each for each in calls if each.func.id in NOISE]
    if not draws:
        return None
    draw = chance.choice(draws)
    _Replacing(draw, ast.Name("shared", ast.Load())).visit(function)
    place = next(i for i, each in enumerate(function.body) if not isinstance(each, ast.Assert | ast.Expr))
    function.body.insert(place, ast.Assign([ast.Name("shared", ast.Store())], draw, lineno=0))
    return "reused noise"


class _Replacing(ast.NodeTransformer):
    """Puts one node where another was."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else self.generic_visit(node)


def _unstop(loop):
    """Take away the test that stops a loop's rounds from doing anything."""
    for place, each in enumerate(loop.body):
        if isinstance(each, ast.If) and not each.orelse and not isinstance(each.body[0], ast.Break):
            loop.body[place : place + 1] = each.body
            return "missing stop"
        if isinstance(each, ast.If) and isinstance(each.body[0], ast.Break):
            del loop.body[place]
            return "missing stop"
    return None


def _claiming(module, name, claim):
    return ir.Module(tuple(replace(each, claim=claim) if each.name == name else each for each in module))


def claimed(text, name, certificate):
    """The text with the certificate's bound as its claim."""
    bound, delta = (None if each is None else read(each) for each in (certificate.bound, certificate.delta))
    kind = ir.ZcdpClaim if certificate.measure == "rho" else ir.PureClaim
    claim = kind(bound) if delta is None else ir.ApproximateClaim(bound, delta)
    return show_module(_claiming(parse_text(text, only=name), name, claim))


def contradiction(text, name, certificate, sizes=3):
    """A violation of the certificate's bound that the whole search finds and the checker confirms, or None."""
    source = claimed(text, name, certificate)
    module = parse_text(source, "mutant.py", only=name)
    subject = Subject(module, module[name])
    outcome = refute(subject, max_n=sizes)
    if outcome.violation is None:
        return None
    witness = outcome.witness(subject, "mutant.py")
    return witness if isinstance(check_witness(witness, source), Accepted) else None


def glimpse(text, name, certificate):
    """Like :func:`contradiction`, but only a few pairs of each size are looked at, with ordinary public parameters."""
    source = claimed(text, name, certificate)
    module = parse_text(source, "mutant.py", only=name)
    subject = Subject(module, module[name])
    public = next(assignments(subject, {}))
    search = Search(Neighbourhood(subject, public))
    sizes, few, apart = (2, 24, 8) if search._numeric else (3, 40, 3)
    for n in search.sizes(sizes):
        starts = islice(search.neighbourhood.starts(n), 0, few, apart)
        for pair in chain(starts, islice(search.neighbourhood.edges(n), 0, few, apart)):
            for finding in search.explore(pair):
                if search.refutes(finding):
                    witness = to_witness(subject, "mutant.py", finding, claim_value(module[name], finding.pair.left))
                    if isinstance(check_witness(witness, source), Accepted):
                        return witness
    return None


@cache
def first_mutants(count, seed):
    """The first so many mutants, made once."""
    return tuple(islice(mutants(seed), count))


def campaign(some, look=contradiction, seconds=20):
    """Hold prover and refuter against each other on mutants; how often what came out."""
    found = Counter()
    for label, text, name in some:
        certificate = proved(text, name, seconds=seconds)
        if certificate is None:
            found["unknown"] += 1
            continue
        try:
            with time_limit(LOOKING):
                witness = look(text, name, certificate)
        except OutOfTime:
            found["proved, nothing found against it in time"] += 1
            continue
        except LapwingError:  # more than the exact search can do
            found["proved, not searched"] += 1
            continue
        found[f"of: {certificate.measure}, {certificate.method}"] += 1
        found["proved, nothing found against it" if witness is None else "CONTRADICTION"] += 1
        if witness is not None:
            print(f"{label}: {certificate.stated}\n{text}", flush=True)
    return found


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    outcome = campaign(
        islice(mutants(words[1] if len(words) > 1 else 0, [*corpus(), *shelves()]), words[0] if words else 500)
    )
    print(dict(outcome))
    sys.exit("CONTRADICTION" in outcome)
