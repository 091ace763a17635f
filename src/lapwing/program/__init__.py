"""Programs: mechanisms as ordinary Python functions, read once into a small IR that everything else works on.

Reading: ``parse_file``, ``parse_text`` → :class:`~lapwing.program.ir.Module`; ``show_module`` prints it back and
``fingerprint`` names it. Running: ``@mechanism`` and ``load`` give a callable that interprets the IR.
"""

from lapwing.program.draws import choose, clip, exponential, flip, gaussian, laplace, match, uniform
from lapwing.program.neighbours import Relation, added, each, falls, monotone, one, replaced, rises, within
from lapwing.program.parse import mechanism_names, parse_file, parse_text
from lapwing.program.printer import fingerprint, show_mechanism, show_module
from lapwing.program.run import Runnable, accurate, flow, load, mechanism, zcdp

__all__ = [
    "Relation",
    "Runnable",
    "accurate",
    "added",
    "choose",
    "clip",
    "each",
    "exponential",
    "falls",
    "fingerprint",
    "flip",
    "flow",
    "gaussian",
    "laplace",
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
    "show_mechanism",
    "show_module",
    "uniform",
    "within",
    "zcdp",
]
