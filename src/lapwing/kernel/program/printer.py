"""The IR as Python text that reads back as the same IR."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction

from lapwing.algebra.exact import exact
from lapwing.kernel.program import ir, walk, written_types
from lapwing.kernel.program.labels import TWO_LABELS
from lapwing.kernel.program.vocabulary import INFIX

# binding strength, loosest first: conditional, or, and, not, comparison, sum, product, negation, atom
_CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _NEGATE, _ATOM = range(9)
_STRENGTH = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}


def show(expression: ir.Expression, strength: int = _CONDITIONAL) -> str:
    """An expression as Python text, in parentheses if it binds looser than ``strength``."""
    text, own = _expression(expression)
    return f"({text})" if own < strength else text


def number(value: Fraction) -> str:
    """A number as Python writes it, digit for digit; values that no decimal holds become a quotient."""
    if value.denominator == 1:
        return str(value.numerator)
    near = float(value)
    if exact(near) == value:
        return repr(near)
    return f"{value.numerator} / {value.denominator}"


def _expression(expression: ir.Expression) -> tuple[str, int]:
    match expression:
        case ir.Number(value, real):
            return number(value) + ".0" * (real and value.denominator == 1), _ATOM
        case ir.Truth(value):
            return str(value), _ATOM
        case ir.Name(name):
            return name, _ATOM
        case ir.Negate(operand):
            return f"-{show(operand, _NEGATE)}", _NEGATE
        case ir.Arithmetic(operator, left, right):
            own = _STRENGTH[operator]
            return f"{show(left, own)} {operator} {show(right, own + 1)}", own
        case ir.Compare(operator, left, right):
            return f"{show(left, _SUM)} {operator} {show(right, _SUM)}", _COMPARE
        case ir.And(operands):
            return " and ".join(show(each, _NOT) for each in operands), _AND
        case ir.Or(operands):
            return " or ".join(show(each, _AND) for each in operands), _OR
        case ir.Not(operand):
            return f"not {show(operand, _NOT)}", _NOT
        case ir.Conditional(condition, then, otherwise):
            text = f"{show(then, _OR)} if {show(condition, _OR)} else {show(otherwise, _OR)}"
            return text, _CONDITIONAL
        case ir.Builtin(function, (left, right)) if function in INFIX:
            return f"{show(left, _PRODUCT)} {function} {show(right, _PRODUCT + 1)}", _PRODUCT
        case ir.Builtin(function, arguments):
            word = function.removeprefix("~")  # in a program ln(…) is rounded, and in a claim it is not
            return f"{word}({', '.join(show(each) for each in arguments)})", _ATOM
        case ir.Index(sequence, index):
            return f"{show(sequence, _ATOM)}[{show(index)}]", _ATOM
        case ir.Slice(sequence, start, stop):
            ends = ("" if end is None else show(end) for end in (start, stop))
            return f"{show(sequence, _ATOM)}[{':'.join(ends)}]", _ATOM
        case ir.Item(record, position):
            return f"{show(record, _ATOM)}[{position}]", _ATOM
        case ir.ListOf(elements):
            return f"[{', '.join(show(each) for each in elements)}]", _ATOM
        case ir.TupleOf(elements):
            return f"({', '.join(show(each) for each in elements)})", _ATOM
        case ir.Comprehension(element, source, condition):
            test = "" if condition is None else f" if {show(condition, _OR)}"
            return f"[{show(element)} for {_source(source)}{test}]", _ATOM
    raise AssertionError(expression)


def show_head(loop: ir.For | ir.While) -> str:
    """The first line of a loop."""
    return f"while {show(loop.condition)}:" if isinstance(loop, ir.While) else f"for {_source(loop.source)}:"


def _source(source: ir.Over | ir.Range) -> str:
    if isinstance(source, ir.Range):
        zero = source.start == ir.ZERO
        return f"{source.target} in range({'' if zero else show(source.start) + ', '}{show(source.stop)})"
    lists = [show(value, _OR) for _, value in source.items]
    walked = lists[0] if len(lists) == 1 else f"zip({', '.join(lists)})"
    names = ", ".join(name for name, _ in source.items)
    if source.index is None:
        return f"{names} in {walked}"
    return f"{source.index}, {names if len(lists) == 1 else f'({names})'} in enumerate({walked})"


def _block(block: Sequence[ir.Statement], depth: int) -> list[str]:
    margin = "    " * depth
    lines: list[str] = []
    for statement in block:
        match statement:
            case ir.Assign(target, value):
                lines.append(f"{margin}{target} = {show(value)}")
            case ir.Sample(target, kind, arguments, _):
                lines.append(f"{margin}{target} = {kind}({', '.join(show(each) for each in arguments)})")
            case ir.Call(target, mechanism, arguments, _):
                lines.append(f"{margin}{target} = {mechanism}({', '.join(show(each) for each in arguments)})")
            case ir.Asking(target, (function, *told)):
                lines.append(f"{margin}{target} = {show(function)}({', '.join(show(each) for each in told)})")
            case ir.Append(target, value):
                lines.append(f"{margin}{target}.append({show(value)})")
            case ir.If():
                lines.extend(_if(statement, depth, "if"))
            case ir.For(_, body) | ir.While(_, body):
                lines.append(f"{margin}{show_head(statement)}")
                lines.extend(_block(body, depth + 1))
            case ir.Break():
                lines.append(f"{margin}break")
            case ir.Continue():
                lines.append(f"{margin}continue")
            case ir.Return(value):
                lines.append(f"{margin}return {show(value)}")
    return lines or [f"{margin}pass"]


def _if(statement: ir.If, depth: int, word: str) -> list[str]:
    margin = "    " * depth
    lines = [f"{margin}{word} {show(statement.condition)}:", *_block(statement.then, depth + 1)]
    match statement.otherwise:
        case ():
            pass
        case (ir.If() as inner,):
            lines.extend(_if(inner, depth, "elif"))
        case otherwise:
            lines.extend([f"{margin}else:", *_block(otherwise, depth + 1)])
    return lines


def show_mechanism(mechanism: ir.Mechanism) -> str:
    """A mechanism as a decorated Python function."""
    lines = [_decorator(mechanism)] if any(parameter.private for parameter in mechanism.parameters) else []
    lines += [f"@accurate({show(each.condition)!r}, beta={show(each.beta)!r})" for each in mechanism.accuracy]
    if mechanism.flow is not None:
        words = [f"{name}={label!r}" for name, label in mechanism.flow.labels]
        if mechanism.flow.lattice != TWO_LABELS:
            words.insert(0, f"lattice={str(mechanism.flow.lattice)!r}")
        lines.append(f"@flow({', '.join(words)})")
    parameters = ", ".join(f"{each.name}: {written_types.show(each.type)}" for each in mechanism.parameters)
    lines.append(f"def {mechanism.name}({parameters}) -> {written_types.show(mechanism.returns)}:")
    lines.extend(f"    assert {show(condition)}" for condition in mechanism.preconditions)
    lines.extend(_block(mechanism.body, 1))
    return "\n".join(lines) + "\n"


def _decorator(mechanism: ir.Mechanism) -> str:
    keywords = [f"{each.name}={relation_words(each)}" for each in mechanism.parameters if each.private]
    match mechanism.claim:
        case ir.PureClaim(epsilon):
            keywords.append(f"claim={show(epsilon)!r}")
        case ir.ApproximateClaim(epsilon, delta):
            keywords.append(f"claim=({show(epsilon)!r}, {show(delta)!r})")
        case ir.ZcdpClaim(rho):
            keywords.append(f"claim=zcdp({show(rho)!r})")
    return f"@mechanism({', '.join(keywords)})"


def relation_words(parameter: ir.Parameter) -> str:
    """How neighbours differ in a private parameter, as it is written in a program."""
    assert parameter.relation is not None  # noqa: S101  # only called for private parameters
    apart = parameter.distance if parameter.given is None else parameter.nearby
    distance = "" if apart is None else show(apart)
    if apart is not None and not isinstance(apart, ir.Number):
        distance = repr(distance)
    if parameter.given is not None:
        return f"within({distance}, given={show(parameter.given)!r})"
    return f"{parameter.relation.kind}({distance})"


def fingerprint(module: ir.Module, name: str) -> str:
    """SHA-256 of a mechanism and of every mechanism it calls, as printed: what a certificate is tied to.

    Layout and comments do not count; anything that changes what runs or what is claimed does.
    """
    needed: dict[str, None] = {}

    def visit(each: str) -> None:
        for node in walk.statements(module[each].body):
            if isinstance(node, ir.Call):
                visit(node.mechanism)
        needed[each] = None

    visit(name)
    text = "\n\n".join(show_mechanism(module[each]) for each in needed)
    return hashlib.sha256(text.encode()).hexdigest()
