"""Accuracy: how far an answer strays from the truth, except with probability β, for all sizes and parameters.

The one idea: union bound logic. Every noise draw may leave its margin with a small probability; these add up to β, and
where no draw does, a solver shows the condition. This room only searches: what it finds, ``check`` confirms.
"""

from lapwing.search.accuracy.finding_proofs import Failed, attempts
from lapwing.search.accuracy.standard import standard_conditions

__all__ = ["Failed", "attempts", "standard_conditions"]
