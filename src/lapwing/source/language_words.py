"""The words of the language in Python's syntax, and what to write instead of the words that are not in it."""

from __future__ import annotations

from lapwing.kernel.program.ir import NoiseKind
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS

#: Noise, with the names of its arguments.
NOISE: dict[NoiseKind, tuple[str, ...]] = {
    "laplace": ("scale",),
    "exponential": ("scale",),
    "gaussian": ("sigma",),
    "discrete_laplace": ("scale",),
    "discrete_gaussian": ("sigma",),
    "flip": ("p",),
    "uniform": ("n",),
    "choose": ("scores", "scale"),
}
#: Samples of records, with the names of their arguments: loops that flip a coin for each record.
SAMPLING: dict[str, tuple[str, ...]] = {"sample": ("records", "p")}
#: Pure functions, with the least and the greatest number of arguments.
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "abs": (1, 1),
    "min": (1, None),
    "max": (1, None),
    "len": (1, 1),
    "sum": (1, 1),
    "clip": (3, 3),
    "match": (2, 2),
}
#: Words from truth values to numbers and back.
CONVERSIONS = frozenset({"int", "float", "bool"})
#: What the condition of an accuracy claim may use besides: every element.
CONDITION_FUNCTIONS = frozenset({"all"})
ITERATORS = frozenset({"range", "enumerate", "zip", "reversed"})
DECORATORS = frozenset({"mechanism", "accurate", "flow"})
NEIGHBOURS = frozenset({"within", "each", "one", "rises", "falls", "monotone", "replaced", "added", "answers"})

#: Names that mean the same in every mechanism, so that no variable may have them.
RESERVED = frozenset(NOISE) | frozenset(FUNCTIONS) | ITERATORS | CONVERSIONS
#: Names that must come from lapwing when a file imports them at all.
OURS = frozenset(NOISE) | frozenset(SAMPLING) | DECORATORS | NEIGHBOURS | CLAIM_FUNCTIONS | {"clip", "match", "zcdp"}

#: The nearest supported form, for Python's own syntax by the name of its tree node, and for calls by name.
INSTEAD: dict[str, str] = {
    "Pow": "Write a whole power from 0 to 8, such as x ** 2, or one by the counter of a loop over a range",
    "MatMult": "Write the sum as a loop",
    "BitAnd": "Write 'and' between truth values",
    "BitOr": "Write 'or' between truth values",
    "BitXor": "Write a != b on truth values",
    "LShift": "Multiply by a number",
    "RShift": "Divide by a number",
    "Invert": "Write 'not'",
    "Is": "Write ==",
    "IsNot": "Write !=",
    "In": "Write the test by itself: x in xs",
    "NotIn": "Write the test by itself: x not in xs",
    "Lambda": "Write the expression where it is used",
    "Dict": "Use two lists of the same length and zip",
    "Set": "Use a list",
    "DictComp": "Use two lists of the same length and zip",
    "SetComp": "Use a list comprehension",
    "JoinedStr": "Return numbers, truth values, lists or tuples",
    "Attribute": "Use plain names: parameters, variables and the language's functions",
    "Starred": "Write the elements out",
    "NamedExpr": "Assign on a line of its own",
    "Await": "Write an ordinary function",
    "Yield": "Collect the values with append and return the list",
    "YieldFrom": "Collect the values with append and return the list",
    "Try": "Remove it: nothing in the language raises on private data",
    "TryStar": "Remove it: nothing in the language raises on private data",
    "Raise": "State what must hold of public parameters as a leading assert",
    "With": "Remove it: a mechanism touches nothing outside",
    "Global": "Pass the value as a parameter and return it",
    "Nonlocal": "Pass the value as a parameter and return it",
    "Import": "Import at the top of the file",
    "ImportFrom": "Import at the top of the file",
    "FunctionDef": "Write a function of its own beside the mechanism and call it",
    "AsyncFunctionDef": "Write an ordinary function",
    "ClassDef": "Use numbers, truth values, lists and tuples",
    "Delete": "Leave the variable; it ends with the mechanism",
    "Match": "Write if/elif/else",
    "AsyncFor": "Write an ordinary for",
    "AsyncWith": "Remove it: a mechanism touches nothing outside",
    "TypeAlias": "Write the type where it is used",
    "random": "Draw with flip(p), uniform(n) or laplace(scale)",
    "randint": "Draw with uniform(n): 0 to n - 1",
    "randrange": "Draw with uniform(n): 0 to n - 1",
    "choice": "Draw an index with uniform(len(xs)), or with choose(scores, scale)",
    "gauss": "Draw with gaussian(sigma)",
    "normal": "Draw with gaussian(sigma)",
    "normalvariate": "Draw with gaussian(sigma)",
    "expovariate": "Draw with exponential(scale)",
    "bernoulli": "Draw with flip(p)",
    "int": "Annotate the parameter as int, or compare instead of rounding; int(x > 0) is 1 or 0",
    "round": "Leave it out and round the released answer",
    "floor": "Leave it out and round the released answer",
    "ceil": "Leave it out and round the released answer",
    "sorted": "Write the loop that finds what is needed, such as the largest",
    "pow": "Write x ** 2",
    "any": "Noise inside it stands alone in a statement, or write a loop that sets a variable to True",
    "all": "Noise inside it stands alone in a statement, or write a loop that sets a variable to False",
    "map": "Write a comprehension",
    "filter": "Write a comprehension with if",
    "step": "Leave it out: noise is real, and there is no lattice",
    "print": "Remove it: what is printed is released too",
    "list": "Write [x for x in xs], or list(xs) for a copy",
    "tuple": "Write (a, b)",
    "isinstance": "Annotate the parameter with its type",
    "pop": "Take a slice: xs[1:]",
    "extend": "Append in a loop",
    "insert": "Append, and build lists from front to back",
    "sort": "Write the loop that finds what is needed, such as the largest",
    "count": "Write sum(1 for x in xs if x == value)",
}


def instead(*names: str) -> str:
    """The remedy for the first of ``names`` that has one."""
    for name in names:
        if name in INSTEAD:
            return INSTEAD[name]
    return "See docs/reference/language.md for what is in the language"
