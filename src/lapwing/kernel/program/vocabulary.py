"""The functions that formulas have and programs have not, and those that are written as operators."""

from __future__ import annotations

from lapwing.kernel.program import ir, walk

#: Functions a claim may use besides those of programs; ``log`` is another spelling of ``ln``.
CLAIM_FUNCTIONS = frozenset({"ln", "log", "exp", "sqrt"})
#: Functions that are written between their two operands: the quotient of whole numbers, rounded down, and the rest; and
#: the quotient by a number that need not be public.
INFIX = frozenset({"//", "%", "/"})
#: Functions of public numbers in programs: the same words, but exact numbers, rounded away from 0 (algebra.outward).
#: They have names of their own in the IR, since a claim's ``sqrt(2)`` is another number than a program's.
OUTWARD = frozenset({"~ln", "~exp", "~sqrt"})


def is_irrational(node: ir.Node) -> bool:
    """Whether the real ln, exp or sqrt stands in something."""
    return any(isinstance(part, ir.Builtin) and part.function in CLAIM_FUNCTIONS for part in walk.nodes(node))
