"""``python -m lapwing.library``: prove every shipped mechanism again and store the certificates."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from lapwing.kernel.evidence.certificate import Certificate, write_certificate
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.library.shelf import NAMES, certificate_file, source_file
from lapwing.search.privacy import attempts
from lapwing.source.parse import parse_text


def proved(name: str) -> Certificate | None:
    """The first certificate of a shipped mechanism that the prover finds and the checker accepts."""
    file = source_file(name)
    source = file.read_text(encoding="utf-8")
    module = parse_text(source, str(file), only=name)
    for attempt in attempts(module, name, str(file)):
        if isinstance(attempt, Certificate) and isinstance(check_certificate(attempt, module), Proved):
            # where ``lapwing check`` finds the program, seen from the certificate
            return replace(attempt, file=f"../{file.parent.name}/{file.name}")
    return None


def main() -> int:
    """Write the certificate of every mechanism that is proved; 1 when one is not."""
    failed = 0
    for name in NAMES:
        start = time.perf_counter()
        certificate = proved(name)
        if certificate is not None:
            certificate_file(name).write_text(write_certificate(certificate), encoding="utf-8")
        failed += certificate is None
        said = "NOT PROVED" if certificate is None else f"{certificate.bound:10} by {certificate.method}"
        sys.stderr.write(f"{name:24} {said:24} {time.perf_counter() - start:5.2f} s\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
