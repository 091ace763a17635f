"""Proving privacy claims: sensitivities first, then couplings. What comes out is a certificate, not yet a verdict.

The one idea: this room only searches. :func:`attempts` yields certificates; *proved* is said by whoever also sees
``lapwing.check``, and only when that accepts one of them.
"""

from lapwing.prove.attempts import attempts
from lapwing.prove.outcome import Failed

__all__ = ["Failed", "attempts"]
