"""Comparisons: what each computes, what holds where it does not, and how it reads from the other side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from lapwing.kernel.program.ir import Order

COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
NEGATED: Mapping[str, Order] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
MIRRORED: Mapping[str, Order] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
