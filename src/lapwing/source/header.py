"""The head of a mechanism, read from its decorators and first line: types, neighbours, claim, accuracy, flow."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir, printer, types, walk
from lapwing.kernel.program.labels import TWO_LABELS, Lattice
from lapwing.kernel.program.neighbours import DISTANCED, KINDS, LISTS_ONLY, Kind, Relation
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run import evaluate
from lapwing.kernel.wellformed.nesting import MAX_DEPTH
from lapwing.source import conditions, expressions, neighbour_words
from lapwing.source.annotations import ANNOTATE, FUNCTION, is_function, may_be_none, read_function, read_type
from lapwing.source.frame import Frame, Signature
from lapwing.source.lattices import read_lattice
from lapwing.source.numerals import REMEDY, rounded
from lapwing.source.scope import Scope
from lapwing.source.syntax_depth import too_deep


@dataclass(frozen=True, slots=True)
class Header:
    """What the decorators and the first line of a mechanism say."""

    signature: Signature
    claim: ir.Claim | None
    accuracy: tuple[ir.Accuracy, ...]
    flow: ir.Flow | None


def read_header(scope: Scope, node: ast.FunctionDef) -> Header:
    """Read the head of ``node``, refusing what is missing or has no meaning."""
    used: dict[str, ast.expr] = {}
    for decorator in node.decorator_list:
        word = scope.decorator(decorator)
        if word is not None and word in used and word != "accurate":
            raise scope.refused("P161", decorator, f"a second @{word} on one function", "Write one")
        used[word or ""] = decorator
        if word is None:
            raise scope.refused("P105", decorator, "a decorator that is not Lapwing's changes what runs", "Remove it")
        if not isinstance(decorator, ast.Call):
            raise scope.refused(
                "P161", decorator, "the decorator says nothing", "Write @mechanism(q=each(1), claim='epsilon')"
            )
    relations, claim_node = _mechanism_keywords(scope, cast(ast.Call | None, used.get("mechanism")))
    returns = read_type(node.returns)
    parameters = tuple(_parameter(scope, each, relations, returns) for each in _plain_arguments(scope, node))
    for name, (place, _) in relations.items():
        if not any(parameter.name == name for parameter in parameters):
            raise scope.refused(
                "P162", place, f"'{name}' is not a parameter of {node.name}", "Name a parameter, or remove it"
            )
    if "mechanism" in used and not relations:
        raise scope.refused(
            "P161", used["mechanism"], "no parameter is private", "Say how neighbours differ: q=each(1)"
        )
    scope.check_type(node.returns)
    if returns is None and may_be_none(node.returns):
        raise scope.refused(
            "P130",
            node.returns or node,
            f"what {node.name} returns may be None, which is not a value of the language",
            "Return a number that means none, such as -1, or a truth value beside the answer: '-> tuple[bool, int]'",
        )
    if node.returns is None:
        problem = f"what {node.name} returns is not annotated"
        raise scope.refused("P130", node, problem, f"{ANNOTATE}: '-> float'")
    if returns is None:
        problem = f"what {node.name} returns is {ast.unparse(node.returns)}, which is not a type of the language"
        raise scope.refused("P130", node.returns, problem, f"{ANNOTATE}; say labels in whole numbers, such as -1, 0, 1")
    frame = Frame(scope, Signature(node.name, parameters, returns), {}, claims=True, settled=True)
    parameters = tuple(_with_distance(frame, parameter, relations) for parameter in parameters)
    frame = replace(frame, signature=Signature(node.name, parameters, returns))
    return Header(
        frame.signature,
        None if claim_node is None else _claim(frame, claim_node),
        tuple(
            _accuracy(frame, each)
            for each in node.decorator_list
            if isinstance(each, ast.Call) and scope.decorator(each) == "accurate"
        ),
        _flow(frame, used["flow"]) if "flow" in used else None,
    )


def _plain_arguments(scope: Scope, node: ast.FunctionDef) -> list[ast.arg]:
    scope.check_letters(node)
    odd = node.args.vararg or node.args.kwarg or next(iter(node.args.kwonlyargs), None)
    if odd is not None or node.args.posonlyargs:
        raise scope.refused(
            "P163", odd or node.args.posonlyargs[0], "only plain parameters are in the language", "Write name: type"
        )
    if node.args.defaults:
        raise scope.refused(
            "P164",
            node.args.defaults[0],
            "a parameter with a default",
            "Leave the default out: callers say what they mean",
        )
    return node.args.args


def _mechanism_keywords(
    scope: Scope, call: ast.Call | None
) -> tuple[dict[str, tuple[ast.expr, Relation | None]], ast.expr | None]:
    relations: dict[str, tuple[ast.expr, Relation | None]] = {}
    claim: ast.expr | None = None
    if call is None:
        return relations, claim
    if call.args:
        raise scope.refused(
            "P161", call.args[0], "@mechanism takes keywords", "Write @mechanism(q=each(1), claim='epsilon')"
        )
    for keyword in call.keywords:
        if keyword.arg is None:
            raise scope.refused("P161", keyword, "@mechanism takes plain keywords", "Write @mechanism(q=each(1))")
        if keyword.arg == "claim":
            claim = keyword.value
        else:
            relations[keyword.arg] = (keyword.value, _relation(scope, keyword.value))
    return relations, None if isinstance(claim, ast.Constant) and claim.value is None else claim


_SCALARS = frozenset({"within", "conditional"})


def _relation(scope: Scope, node: ast.expr) -> Relation:
    word = scope.word(node.func) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or word not in KINDS:
        raise scope.refused(
            "P165",
            node,
            "this is not a neighbour relation",
            f"Write one of {', '.join(sorted(KINDS))}, such as each(1)",
        )
    wanted = 1 if word in DISTANCED else 0
    given = [keyword.arg for keyword in node.keywords] == ["given"] and word == "within"
    if len(node.args) != wanted or (node.keywords and not given):
        raise scope.refused(
            "P165", node, f"{word} takes {wanted or 'no'} distance", f"Write {word}({'1' if wanted else ''})"
        )
    return Relation("conditional" if given else cast(Kind, word))


def _parameter(
    scope: Scope, node: ast.arg, relations: dict[str, tuple[ast.expr, Relation | None]], returns: ir.Type | None
) -> ir.Parameter:
    scope.check_type(node.annotation)
    kind = read_function(node.annotation, returns) or read_type(node.annotation)
    if kind is None and is_function(node.annotation):
        raise scope.refused("P130", node, f"parameter '{node.arg}' is a function of another shape", FUNCTION)
    if kind is None:
        problem = f"parameter '{node.arg}' has no type of the language"
        raise scope.refused("P130", node, problem, f"{ANNOTATE}: '{node.arg}: float'")
    place, relation = relations.get(node.arg, (None, None))
    if relation is not None and place is not None:
        inside = kind.element if isinstance(kind, ir.List) else kind.result if isinstance(kind, ir.Oracle) else kind
        numbers, listed = types.is_number(inside), isinstance(kind, ir.List)
        shown = "within" if relation.kind in _SCALARS else relation.kind
        wrong = (relation.kind in LISTS_ONLY and not listed) or (relation.kind in _SCALARS and listed)
        wrong = wrong or (relation.kind == "answers") != isinstance(kind, ir.Oracle)
        if wrong or (relation.kind in DISTANCED | _SCALARS and not numbers):
            raise scope.refused(
                "P166",
                place,
                f"{shown} is for {_meant(relation.kind)}, and '{node.arg}' is {types.show(kind)}",
                "Write replaced()" if listed and not numbers else "Change the relation or the annotation",
            )
    return ir.Parameter(node.arg, kind, relation, span=scope.span(node))


def _meant(kind: str) -> str:
    if kind == "answers":
        return "a function that answers with numbers"
    return "a number" if kind in _SCALARS else "a list" if kind == "added" else "a list of numbers"


def _with_distance(
    frame: Frame, parameter: ir.Parameter, relations: dict[str, tuple[ast.expr, Relation | None]]
) -> ir.Parameter:
    if parameter.relation is None or parameter.relation.kind not in DISTANCED | _SCALARS:
        return parameter
    if parameter.relation.kind == "conditional":
        near = _with_distance(frame, replace(parameter, relation=Relation("within")), relations)
        return _with_condition(frame, near, cast(ast.Call, relations[parameter.name][0]).keywords[0].value)
    place = cast(ast.Call, relations[parameter.name][0]).args[0]
    distance = public_expression(frame, place, "a distance")
    if is_irrational(distance):
        raise frame.scope.refused(
            "P165", place, "a distance must be an exact number, without ln, exp and sqrt", "Use + - * / min max"
        )
    if walk.names(distance):
        if not (isinstance(place, ast.Constant) and isinstance(place.value, str)):
            raise frame.scope.refused(
                "P165", place, "a distance over parameters is an expression", "Write it in quotes"
            )
        return replace(parameter, relation=Relation(parameter.relation.kind, printer.show(distance)), distance=distance)
    try:
        value = evaluate.constant(distance)
        build = cast(Callable[[Fraction], Relation], getattr(neighbour_words, parameter.relation.kind))
        return replace(parameter, relation=build(value), distance=distance)
    except (InvalidInput, ZeroDivisionError):
        raise frame.scope.refused(
            "P165", place, "this distance is not a number of 0 or more", "Give a distance such as 1"
        ) from None


def _with_condition(frame: Frame, parameter: ir.Parameter, place: ast.expr) -> ir.Parameter:
    """The parameter whose distance counts only where a condition on numbers and truth values holds in either run."""
    given, kind = expressions.lower(frame, quoted(frame, place), None)
    listed = {each.name for each in frame.signature.parameters if isinstance(each.type, ir.List | ir.Tuple)}
    if kind != ir.Boolean() or walk.names(given) & listed:
        raise frame.scope.refused(
            "P165", place, "this is not a condition on numbers among the parameters", "Write something like 'gap > 0'"
        )
    if is_irrational(given):
        raise frame.scope.refused("P165", place, "a condition is without ln, exp and sqrt", "Use + - * / min max")
    assert parameter.relation is not None  # noqa: S101  # it is private
    relation = Relation("conditional", parameter.relation.distance, printer.show(given))
    return replace(parameter, relation=relation, distance=None, nearby=parameter.distance, given=given)


def public_expression(frame: Frame, node: ast.expr, what: str) -> ir.Expression:
    """A number over public parameters and public lengths, written as Python or in quotes."""
    expression, kind = expressions.lower(frame, quoted(frame, node), None)
    if not types.is_number(kind):
        raise frame.scope.refused("P132", node, f"{what} is a number, and this is {types.show(kind)}", "Give a number")
    check_public(frame, expression, node, what)
    return expression


def check_public(frame: Frame, expression: ir.Node, place: ast.AST, what: str) -> None:
    """Refuse private parameters, except for the length of a list whose neighbours all have the same."""
    match expression:
        case ir.Builtin("len", (ir.Name(name),)):
            parameter = next((each for each in frame.signature.parameters if each.name == name), None)
            if parameter is not None and parameter.as_long:
                return
        case ir.Name(name):
            if any(parameter.name == name and parameter.private for parameter in frame.signature.parameters):
                raise frame.scope.refused(
                    "P160",
                    place,
                    f"{what} mentions '{name}', which is private",
                    "Use public parameters only; clip(x, low, high) keeps a private number in its range",
                )
    for child in walk.children(expression):
        check_public(frame, child, place, what)


def quoted(frame: Frame, node: ast.expr) -> ast.expr:
    """The expression inside a string (every part of it placed where the string is), or ``node`` itself."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return node
    try:
        tree = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise frame.scope.refused(
            "P102", node, f"{_shortened(node.value)!r} is not a Python expression", "Write something like 'epsilon'"
        ) from None
    if too_deep(tree) is not None:
        raise frame.scope.refused(
            "P102", node, f"this expression is nested more than {MAX_DEPTH} deep", "Write something like 'epsilon'"
        )
    if rounded(node.value.strip(), tree):
        raise frame.scope.refused("P110", node, "a number in this expression has more digits than are read", REMEDY)
    for part in ast.walk(tree):
        ast.copy_location(part, node)
    return tree


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _claim(frame: Frame, node: ast.expr) -> ir.Claim:
    span = frame.scope.span(node)
    match node:
        case ast.Tuple(elts=[epsilon, delta]):
            return ir.ApproximateClaim(
                public_expression(frame, epsilon, "a claim"), public_expression(frame, delta, "a claim"), span=span
            )
        case ast.Call(func=function, args=[rho], keywords=[]) if frame.scope.word(function) == "zcdp":
            return ir.ZcdpClaim(public_expression(frame, rho, "a claim"), span=span)
        case ast.Constant(value=str() | int() | float()):
            return ir.PureClaim(public_expression(frame, node, "a claim"), span=span)
    raise frame.scope.refused(
        "P167", node, "this is not a claim", "Write 'epsilon', ('epsilon', 'delta') or zcdp('rho'), each in quotes"
    )


def _accuracy(frame: Frame, node: ast.Call) -> ir.Accuracy:
    betas = [keyword.value for keyword in node.keywords if keyword.arg == "beta"]
    if len(node.args) != 1 or len(node.keywords) != 1 or not betas:
        raise frame.scope.refused(
            "P168", node, "@accurate takes a condition and beta", "Write @accurate('…', beta='beta')"
        )
    return conditions.read_accuracy(frame, quoted(frame, node.args[0]), quoted(frame, betas[0]))


def _flow(frame: Frame, node: ast.expr) -> ir.Flow:
    call = cast(ast.Call, node)
    labels: list[tuple[str, str]] = []
    lattice = _lattice(frame, call)
    if frame.signature_has("result"):
        problem = "'result' means the answer in @flow, and is a parameter of the function"
        raise frame.scope.refused("P170", call, problem, "Rename the parameter")
    known = {parameter.name for parameter in frame.signature.parameters} | {"result"}
    for keyword in call.keywords:
        if keyword.arg == "lattice":
            continue
        if keyword.arg not in known:
            raise frame.scope.refused(
                "P162", keyword, f"'{keyword.arg}' is not a parameter", "Label parameters and result"
            )
        if not (isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)):
            raise frame.scope.refused("P169", keyword.value, "a label is text", "Write 'secret' or 'public'")
        if keyword.value.value not in lattice.labels:
            problem = f"'{_shortened(keyword.value.value)}' is none of the labels {', '.join(lattice.labels)}"
            raise frame.scope.refused("W104", keyword.value, problem, "Use one of them, or say lattice='low < high'")
        labels.append((keyword.arg, keyword.value.value))
    if not labels or call.args:
        raise frame.scope.refused(
            "P169", node, "@flow takes a label per name", "Write @flow(x='secret', result='public')"
        )
    return ir.Flow(tuple(labels), lattice, span=frame.scope.span(node))


def _lattice(frame: Frame, call: ast.Call) -> Lattice:
    """The order of labels that @flow names, or secret above public."""
    place = next((keyword.value for keyword in call.keywords if keyword.arg == "lattice"), None)
    if place is None:
        return TWO_LABELS
    if frame.signature_has("lattice"):
        problem = "'lattice' names the order of labels here, and a parameter of the function"
        raise frame.scope.refused("W105", place, problem, "Rename the parameter")
    if not (isinstance(place, ast.Constant) and isinstance(place.value, str)):
        raise frame.scope.refused("W101", place, "a lattice is text", "Write lattice='low < high'")
    try:
        return read_lattice(place.value)
    except InvalidInput as error:
        raise frame.scope.refused(error.code, place, error.problem, error.remedy) from None
