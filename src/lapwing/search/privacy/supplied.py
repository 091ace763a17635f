"""A proof a person wrote: the steps of a certificate in a file next to the source, for the checker to judge.

The one idea: where the search fails, a person may still know the alignment. The file holds what a certificate's
``method``, ``bound`` and ``proof`` fields hold; what ties a certificate to its source is filled in here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.certificate import FORMAT, Certificate
from lapwing.kernel.evidence.witness import read_json
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint
from lapwing.search.privacy.outcome import claim_of, claimed_delta


def proof_file(source: Path, name: str) -> Path:
    """Where a proof of mechanism ``name`` is looked for: ``sparse.sparse_vector.json`` beside ``sparse.py``."""
    return source.with_name(f"{source.stem}.{name}.json")


def by_hand(module: ir.Module, name: str, file: str) -> Certificate | None:
    """The certificate with the steps of the proof file; None when there is no such file.

    A file that cannot be read is refused at once: who wrote it wants to hear of that, not of what a search finds.
    """
    path = proof_file(Path(file), name)
    if not path.is_file():
        return None
    mechanism = module[name]
    try:
        data = read_json(path.read_text(encoding="utf-8"))
        steps = dict(data) if isinstance(data, Mapping) else {}
        in_rho, two = isinstance(mechanism.claim, ir.ZcdpClaim), isinstance(steps.get("bound"), list)
        measure = "rho" if in_rho else "approximate" if two else "epsilon"
        claim, delta = claim_of(mechanism), claimed_delta(mechanism)
        stated = claim if delta is None else [claim, delta]
        tied = {"file": file, "function": name, "source": fingerprint(module, name), "claim": stated}
        return Certificate.from_json({"kind": "certificate", "format": FORMAT, "measure": measure, **steps, **tied})
    except (LapwingError, UnicodeDecodeError) as error:
        problem = error.problem if isinstance(error, LapwingError) else "it is not text"
        raise InvalidInput(
            "V101", f"the proof by hand in {path} cannot be read: {problem}", "Correct that file, or move it away"
        ) from None
