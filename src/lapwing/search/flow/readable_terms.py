"""Solver terms as Python expressions that a person can read."""

from __future__ import annotations

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program.comparisons import MIRRORED, NEGATED
from lapwing.search.flow.terms import Scalar

# binding strength, loosest first
_CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _NEGATE, _ATOM = range(9)
_COMPARISONS = {z3.Z3_OP_LE: "<=", z3.Z3_OP_GE: ">=", z3.Z3_OP_LT: "<", z3.Z3_OP_GT: ">", z3.Z3_OP_EQ: "=="}


def written(term: Scalar) -> str:
    """``term`` as Python; refuses what has no reading there."""
    return _show(term, _CONDITIONAL)


def _show(term: Scalar, strength: int) -> str:
    text, own = _text(term)
    return f"({text})" if own < strength else text


def _text(term: Scalar) -> tuple[str, int]:
    if z3.is_int_value(term) or z3.is_rational_value(term):
        value = str(term.as_fraction()) if z3.is_rational_value(term) else str(term.as_long())
        return value, _NEGATE if value.startswith("-") else _PRODUCT if "/" in value else _ATOM
    kind, parts = term.decl().kind(), term.children()
    if kind == z3.Z3_OP_TRUE or kind == z3.Z3_OP_FALSE:
        return str(kind == z3.Z3_OP_TRUE), _ATOM
    if kind == z3.Z3_OP_UNINTERPRETED and not parts:
        name = term.decl().name()
        return (f"len({name[4:]})" if name.startswith("len ") else name), _ATOM
    if kind in _COMPARISONS:
        return _comparison(_COMPARISONS[kind], parts)
    match kind:
        case z3.Z3_OP_NOT:
            inner = parts[0].decl().kind()
            if inner in _COMPARISONS:
                return _comparison(NEGATED[_COMPARISONS[inner]], parts[0].children())
            return f"not {_show(parts[0], _NOT)}", _NOT
        case z3.Z3_OP_DISTINCT if len(parts) == 2:
            return _comparison("!=", parts)
        case z3.Z3_OP_AND:
            return " and ".join(_show(part, _NOT) for part in parts), _AND
        case z3.Z3_OP_OR:
            return " or ".join(_show(part, _AND) for part in parts), _OR
        case z3.Z3_OP_ADD:
            return " + ".join(_show(part, _SUM) for part in parts).replace("+ -", "- "), _SUM
        case z3.Z3_OP_SUB:
            return " - ".join(_show(part, _PRODUCT) for part in parts), _SUM
        case z3.Z3_OP_MUL:
            if len(parts) == 2 and str(parts[0]) == "-1":
                return f"-{_show(parts[1], _NEGATE)}", _NEGATE
            return " * ".join(_show(part, _NEGATE) for part in parts), _PRODUCT
        case z3.Z3_OP_DIV:
            return f"{_show(parts[0], _PRODUCT)} / {_show(parts[1], _NEGATE)}", _PRODUCT
        case z3.Z3_OP_UMINUS:
            return f"-{_show(parts[0], _NEGATE)}", _NEGATE
        case z3.Z3_OP_TO_REAL:
            return _text(parts[0])
        case z3.Z3_OP_ITE:
            shown = f"{_show(parts[1], _OR)} if {_show(parts[0], _OR)} else {_show(parts[2], _OR)}"
            return shown, _CONDITIONAL
        case z3.Z3_OP_SELECT:
            name = _show(parts[0], _ATOM)
            return f"{name.removesuffix('[]')}[{_show(parts[1], _CONDITIONAL)}]", _ATOM
    raise Unproved("the formula cannot be written as Python")


def _comparison(operator: str, sides: list[Scalar]) -> tuple[str, int]:
    """A comparison with the number, if there is one, on the right."""
    if z3.is_int_value(sides[0]) or z3.is_rational_value(sides[0]):
        sides, operator = [sides[1], sides[0]], MIRRORED[operator]
    return f"{_show(sides[0], _SUM)} {operator} {_show(sides[1], _SUM)}", _COMPARE
