"""Programs: mechanisms as ordinary Python functions, read once into a small IR that everything else works on.

Reading: ``parse_file``, ``parse_text`` → :class:`~lapwing.kernel.program.ir.Module`; ``show_module`` prints it back and
``fingerprint`` names it. Running: ``@mechanism`` and ``load`` give a callable that interprets the IR.
"""

from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.program.printer import fingerprint, show_mechanism
from lapwing.kernel.run.draws import (
    choose,
    clip,
    discrete_gaussian,
    discrete_laplace,
    exp,
    exponential,
    flip,
    gaussian,
    laplace,
    ln,
    match,
    sample,
    sqrt,
    uniform,
)
from lapwing.source.decorators import accurate, flow, mechanism, zcdp
from lapwing.source.neighbour_words import added, answers, each, falls, monotone, one, replaced, rises, within
from lapwing.source.parse import mechanism_names, parse_file, parse_text
from lapwing.source.printed_modules import show_module
from lapwing.source.run import Runnable, load

__all__ = [
    "Relation",
    "Runnable",
    "accurate",
    "added",
    "answers",
    "choose",
    "clip",
    "discrete_gaussian",
    "discrete_laplace",
    "each",
    "exp",
    "exponential",
    "falls",
    "fingerprint",
    "flip",
    "flow",
    "gaussian",
    "laplace",
    "ln",
    "load",
    "match",
    "mechanism",
    "mechanism_names",
    "monotone",
    "one",
    "parse_file",
    "parse_text",
    "replaced",
    "rises",
    "sample",
    "show_mechanism",
    "show_module",
    "sqrt",
    "uniform",
    "within",
    "zcdp",
]
