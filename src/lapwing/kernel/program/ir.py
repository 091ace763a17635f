"""What a mechanism is once read: a small typed program that everything else works on.

The one idea: expressions are pure. Every noise draw (:class:`Sample`) and every call of another mechanism
(:class:`Call`) is a statement of its own with its own ``site``, in the order in which Python would evaluate
them; so an expression has one value per state, and a proof or a distribution walks statements only.

Meaning, where it differs from Python: lists are values (the front end refuses aliasing, so nobody can tell);
arithmetic is exact; and evaluation is total, because an error that depends on private data would be an
answer. ``xs[i]`` outside the list is the zero of its type, and so is ``min`` or ``max`` of an empty list. Scales,
probabilities and what :class:`Arithmetic` divides by are public, and a run refuses bad ones before anything private is
looked at; the quotient by another number is a function (:class:`Builtin`) that is 0 where that is 0.

Equality ignores spans: two programs are equal when they do the same thing in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from lapwing.kernel.program.labels import TWO_LABELS, Lattice
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.program.spans import NOWHERE, Span

# --- types -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Real:
    """A number. The prover reads a real; a run uses exact rationals."""


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number; may stand wherever a Real may."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or False; never a number."""


@dataclass(frozen=True, slots=True)
class List:
    """A list of any length with elements of one type."""

    element: Type


@dataclass(frozen=True, slots=True)
class Tuple:
    """A fixed number of values, each with its own type."""

    elements: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Oracle:
    """Somebody's function, as a parameter only: given released values, it answers with one of ``result``."""

    arguments: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, slots=True)
class Unknown:
    """The element of a list nothing was put into yet. Only inside the front end: a finished program has none."""


Type = Real | Integer | Boolean | List | Tuple | Oracle | Unknown

# --- expressions: pure, total ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything that has a place in the source."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as written: not negative, and a finite decimal. ``2.0`` is the number 2, but no whole number."""

    value: Fraction
    real: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """``True`` or ``False``."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A parameter, a variable, or the variable of an enclosing comprehension."""

    name: str


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """``-operand``."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """``left op right`` on numbers; a divisor is always public."""

    operator: Literal["+", "-", "*", "/"]
    left: Expression
    right: Expression


Order = Literal["<", "<=", ">", ">=", "==", "!="]


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """One comparison of two numbers, or (``==`` and ``!=``) of two truth values. Chains become :class:`And`."""

    operator: Order
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class And(Node):
    """True when every operand is; at least two operands."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """True when some operand is; at least two operands."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """``not operand``."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """``then if condition else otherwise``."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Builtin(Node):
    """A pure function of the language.

    ``abs(x)``, ``min``/``max`` of one list or of several numbers, ``len(xs)``, ``sum(xs)``, ``clip(x, low, high)``,
    ``match(a, b)`` (the authorisation check: whether a equals b); in claims also ``ln``, ``exp`` and ``sqrt``, which in
    programs are ``~ln``, ``~exp`` and ``~sqrt``: of a public number, rounded away from 0 (:mod:`algebra.outward`).
    Between two whole numbers, of which the second is public and not 0, stand ``//``, the quotient rounded down, and
    ``%``, what is left of the first, with the sign of the second. ``/`` is the quotient of two numbers of which the
    second need not be public; where it is 0, the quotient is 0.
    """

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Index(Node):
    """``sequence[index]``; a negative index counts from the end.

    ``element`` is the type of what the list holds: an index outside the list gives the zero of it (0, False or []).
    """

    sequence: Expression
    index: Expression
    element: Type


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """``sequence[start:stop]`` as Python cuts it: never fails, ``None`` is an open end."""

    sequence: Expression
    start: Expression | None
    stop: Expression | None


@dataclass(frozen=True, slots=True)
class Item(Node):
    """Component ``position`` of a tuple."""

    record: Expression
    position: int


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """``[a, b, …]``."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TupleOf(Node):
    """``(a, b, …)``: two or more values."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Over(Node):
    """Walk lists in step, to the end of the shortest: ``for index, (x, y) in enumerate(zip(xs, ys))``.

    ``items`` pairs each variable with its list; ``index`` is the counter of ``enumerate``, if there is one. The
    lists are evaluated once, before the first step.
    """

    items: tuple[tuple[str, Expression], ...]
    index: str | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        """Every variable this sets, the counter first."""
        names = tuple(name for name, _ in self.items)
        return names if self.index is None else (self.index, *names)


@dataclass(frozen=True, slots=True)
class Range(Node):
    """Count: ``for target in range(start, stop)``."""

    target: str
    start: Expression
    stop: Expression

    @property
    def targets(self) -> tuple[str, ...]:
        """The one variable this sets."""
        return (self.target,)


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """``[element for … in … if condition]``, pure. Its variables exist nowhere else in the mechanism's scope."""

    element: Expression
    source: Over | Range
    condition: Expression | None = None


Expression = (
    Number
    | Truth
    | Name
    | Negate
    | Arithmetic
    | Compare
    | And
    | Or
    | Not
    | Conditional
    | Builtin
    | Index
    | Slice
    | Item
    | ListOf
    | TupleOf
    | Comprehension
)

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def number(value: Fraction | int) -> Expression:
    """A number as an expression."""
    return Number(Fraction(value)) if value >= 0 else Negate(Number(Fraction(-value)))


# --- statements ------------------------------------------------------------------------------------------

NoiseKind = Literal[
    "laplace",
    "exponential",
    "gaussian",
    "discrete_laplace",
    "discrete_gaussian",
    "flip",
    "uniform",
    "choose",
]


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """``target = value``."""

    target: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Sample(Node):
    """``target`` becomes a fresh draw. ``site`` numbers the draws and calls of a mechanism from 1, in program order.

    Arguments are public, except the scores (first argument) of ``choose``.
    """

    target: str
    kind: NoiseKind
    arguments: tuple[Expression, ...]
    site: int


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``target`` becomes the answer of another mechanism; one argument per parameter, in the callee's order."""

    target: str
    mechanism: str
    arguments: tuple[Expression, ...]
    site: int


@dataclass(frozen=True, slots=True)
class Asking(Node):
    """``target`` becomes what a function answers, which is the first argument, a parameter; it is told the others.

    A private function is an adversary's: whoever calls hands it everything about the data, and it may remember what it
    was asked. So a question has no value of its own, like a draw: asked twice, it may be answered differently.
    """

    target: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Append(Node):
    """``target.append(value)``; ``target`` is a variable that holds a list nobody else holds."""

    target: str
    value: Expression


@dataclass(frozen=True, slots=True)
class If(Node):
    """``if condition: then else: otherwise``; ``elif`` is an If inside ``otherwise``."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Node):
    """A loop over lists (:class:`Over`, "for each") or over numbers (:class:`Range`).

    ``number`` counts the loops of a mechanism from 1, in program order.
    """

    source: Over | Range
    body: tuple[Statement, ...]
    number: int


@dataclass(frozen=True, slots=True)
class While(Node):
    """``while condition: body``; numbered as :class:`For` is."""

    condition: Expression
    body: tuple[Statement, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Break(Node):
    """Leave the innermost loop."""


@dataclass(frozen=True, slots=True)
class Continue(Node):
    """Go on with the next round of the innermost loop."""


@dataclass(frozen=True, slots=True)
class Return(Node):
    """Answer, and stop."""

    value: Expression


Statement = Assign | Sample | Call | Asking | Append | If | For | While | Break | Continue | Return

# --- mechanisms ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """A parameter; private when it has a ``relation``, whose ``distance`` is an expression over public parameters.

    A distance that counts only where something is ``given`` is in ``nearby``, and not a distance otherwise.
    """

    name: str
    type: Type
    relation: Relation | None = None
    distance: Expression | None = None
    nearby: Expression | None = None
    given: Expression | None = None

    @property
    def private(self) -> bool:
        """Whether neighbours may differ in it."""
        return self.relation is not None

    @property
    def as_long(self) -> bool:
        """Whether neighbours have lists of one length here."""
        return self.relation is None or self.relation.keeps_length


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable with its inferred type.

    ``public``: its value is the same on neighbouring inputs whatever noise was drawn; ``public_length``: so is the
    length of the list it holds.
    """

    name: str
    type: Type
    public: bool
    public_length: bool


@dataclass(frozen=True, slots=True)
class PureClaim(Node):
    """ε-differential privacy."""

    epsilon: Expression


@dataclass(frozen=True, slots=True)
class ApproximateClaim(Node):
    """(ε, δ)-differential privacy."""

    epsilon: Expression
    delta: Expression


@dataclass(frozen=True, slots=True)
class ZcdpClaim(Node):
    """ρ-zero-concentrated differential privacy."""

    rho: Expression


Claim = PureClaim | ApproximateClaim | ZcdpClaim


def claimed(mechanism: Mechanism) -> tuple[Expression, ...]:
    """The numbers of a mechanism's claim: it runs only where none of them is below 0."""
    match mechanism.claim:
        case PureClaim(value) | ZcdpClaim(value):
            return (value,)
        case ApproximateClaim(epsilon, delta):
            return (epsilon, delta)
    return ()


@dataclass(frozen=True, slots=True)
class Accuracy(Node):
    """``condition`` on the parameters and ``result`` fails with probability at most ``beta``."""

    condition: Expression
    beta: Expression


@dataclass(frozen=True, slots=True)
class Flow(Node):
    """Security labels: of parameters, and of ``result``, from a lattice (secret above public if none is named)."""

    labels: tuple[tuple[str, str], ...]
    lattice: Lattice = TWO_LABELS

    @property
    def secrets(self) -> frozenset[str]:
        """The names that not everybody may see."""
        return frozenset(name for name, label in self.labels if label != self.lattice.bottom)


@dataclass(frozen=True, slots=True)
class Mechanism(Node):
    """One mechanism. ``preconditions`` hold of the public parameters (and lengths) whenever it answers at all."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    preconditions: tuple[Expression, ...]
    body: tuple[Statement, ...]
    claim: Claim | None = None
    accuracy: tuple[Accuracy, ...] = ()
    flow: Flow | None = None
    variables: tuple[Variable, ...] = ()
    documentation: str = field(default="", compare=False)

    @property
    def names(self) -> frozenset[str]:
        """The parameters and the local variables."""
        return frozenset(each.name for each in self.parameters) | {each.name for each in self.variables}

    def parameter(self, name: str) -> Parameter | None:
        """The parameter called ``name``, if there is one."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def is_private(self, name: str) -> bool:
        """Whether ``name`` is a parameter in which neighbours may differ."""
        parameter = self.parameter(name)
        return parameter is not None and parameter.private

    def variable(self, name: str) -> Variable | None:
        """The local variable called ``name``, if there is one."""
        return next((variable for variable in self.variables if variable.name == name), None)


@dataclass(frozen=True, slots=True)
class Module:
    """The mechanisms of one source, callees before callers."""

    mechanisms: tuple[Mechanism, ...]

    def __iter__(self) -> Iterator[Mechanism]:
        return iter(self.mechanisms)

    def __getitem__(self, name: str) -> Mechanism:
        for mechanism in self.mechanisms:
            if mechanism.name == name:
                return mechanism
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(mechanism.name == name for mechanism in self.mechanisms)
