"""A mechanism together with its proof: it runs, and has a guarantee, only if the proof is of the code that runs.

The one idea: a certificate is never taken at its word. Before the first call, and before a guarantee is handed out, the
checker confirms it against the program that the call interprets; a certificate of any other program is refused.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.guarantee import Guarantee
from lapwing.kernel.evidence.witness import read_json
from lapwing.kernel.program import types
from lapwing.kernel.program.printer import fingerprint
from lapwing.source import Relation, Runnable, load


@final
@dataclass(frozen=True, eq=False)
class Certified:
    """A mechanism with its certificate. Call it like the function it was made from."""

    runnable: Runnable
    certificate_file: Path = field(repr=False)

    def __post_init__(self) -> None:
        mechanism = _plain(self.runnable).ir
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(p.name, kind, annotation=types.show(p.type)) for p in mechanism.parameters]
        # what functools.update_wrapper would set, on an object that is frozen from here on
        vars(self).update(
            __name__=mechanism.name,
            __qualname__=mechanism.name,
            __doc__=mechanism.documentation or None,
            __signature__=inspect.Signature(parameters, return_annotation=types.show(mechanism.returns)),
        )

    def __call__(self, *arguments: object, **keywords: object) -> object:
        """Run on these inputs, with exact noise, if the certificate holds."""
        _ = self.guarantee
        return self.runnable(*arguments, **keywords)

    @property
    def source(self) -> str:
        """The text of the file that the mechanism was read from."""
        return self.runnable.source.text

    @property
    def private(self) -> dict[str, Relation]:
        """How neighbours differ, by private parameter."""
        return self.runnable.neighbours

    @property
    def public(self) -> tuple[str, ...]:
        """The names of the public parameters."""
        return tuple(parameter.name for parameter in self.runnable.ir.parameters if not parameter.private)

    @functools.cached_property
    def certificate(self) -> Certificate:
        """The proof, as it was stored."""
        try:
            certificate = Certificate.from_json(read_json(self.certificate_file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise self._unread(str(reason)) from None
        except LapwingError as error:
            raise self._unread(error.problem) from None
        if certificate.function != self.runnable.name:
            raise self._unread(f"it is about {certificate.function}")
        return certificate

    @functools.cached_property
    def guarantee(self) -> Guarantee:
        """What the checker confirms of the program that a call runs; anything less raises."""
        # the solver takes a moment to load, and only those who ask for a guarantee need it
        from lapwing.kernel.confined import confined
        from lapwing.kernel.rejected import Rejected
        from lapwing.kernel.relational.certificate import check_certificate

        certificate, module = self.certificate, self.runnable.module
        mechanism = module[self.runnable.name]
        # what is checked is the program that runs: not a file that may have changed since it was read
        verdict = confined(lambda: check_certificate(certificate, module))
        if isinstance(verdict, Rejected):
            raise InvalidInput(
                "Y105",
                f"the certificate of {mechanism.name} does not hold: {verdict.reason}",
                "Prove the mechanism again with lapwing prove --certificates",
            )
        source = fingerprint(module, mechanism.name)
        return Guarantee(mechanism, certificate.measure, certificate.bound, source, certificate.delta)

    def _unread(self, reason: str) -> InvalidInput:
        return InvalidInput(
            "Y104",
            f"there is no certificate of {self.runnable.name} in {self.certificate_file.name}: {reason}",
            "Give the file that lapwing prove --certificates wrote for it",
        )


def certified(mechanism: Runnable | str, certificate: str | Path) -> Certified:
    """A mechanism with the certificate that ``lapwing prove --certificates`` wrote for it.

    ``mechanism`` is a decorated function, or ``"PATH::NAME"``. The certificate is read now; it is checked before the
    first call, and when the guarantee is asked for.
    """
    made = Certified(named(mechanism), Path(certificate))
    _ = made.certificate
    return made


def named(mechanism: Runnable | str) -> Runnable:
    """The mechanism that a decorated function is, or that ``"PATH::NAME"`` means."""
    if isinstance(mechanism, str):
        path, separator, name = mechanism.partition("::")
        if not separator:
            raise InvalidInput("Y106", f"{mechanism!r} names no mechanism", "Write PATH::NAME")
        return load(path, name)
    return _plain(mechanism)


def _plain(mechanism: Runnable) -> Runnable:
    if type(mechanism) is not Runnable:  # not even a subclass: it may run something else than what is proved
        raise InvalidInput("Y106", f"a {type(mechanism).__name__} is no mechanism", "Put @mechanism(...) on a function")
    return mechanism
