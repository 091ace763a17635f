"""Hundreds of changed documents about one proof, which is checked once where nobody touched it."""

from lapwing.decide import texts
from lapwing.kernel.relational import certificate as checker


def check_proofs_once(monkeypatch):
    """Check here, and not in a process for each document, which would forget what it found out about the proof."""
    check, known = checker.check_certificate, []

    def remembering(proof, module):
        for of, about, verdict in known:
            if of == proof and about == module:
                return verdict
        known.append((proof, module, check(proof, module)))
        return known[-1][-1]

    monkeypatch.setattr(checker, "check_certificate", remembering)
    monkeypatch.setattr(texts, "confined", lambda check: check())
