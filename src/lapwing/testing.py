"""Privacy in a test suite, from both sides: proofs of what we can read, attacks on what we can only run.

:func:`assert_private` proves a mechanism, or fails the test with the reason: a test that passes is a proof for all
inputs and parameters, confirmed by the checker; one that fails shows two inputs and how likely an answer is on each, or
says where the proof stopped. Nothing is sampled.

:func:`assert_not_refuted` attacks any callable, also another library's: a test that fails shows two inputs and an event
that is too much likelier on one of them, and is wrong at most once in a million tests; one that passes proves nothing.
:func:`audited` marks a function for the pytest plugin, which then audits it as a test of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from lapwing.algebra.exact import Number, exact
from lapwing.audit.awkward import added, numbers, replaced, within
from lapwing.audit.in_test_suites import assert_not_refuted, audited
from lapwing.decide.privacy import LIMIT, bare, decide_text
from lapwing.decide.verdict import Verdict
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show_mechanism
from lapwing.library.certifying import Certified, named
from lapwing.search.violation.witness_story import brief
from lapwing.source import Runnable
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module

__all__ = ["added", "assert_not_refuted", "assert_private", "audited", "numbers", "replaced", "within"]

_PLACE = re.compile(r"\bline (\d+)")


def assert_private(
    mechanism: Runnable | Certified | str,
    epsilon: Number | None = None,
    *,
    rho: Number | None = None,
    seconds: float = LIMIT,
) -> None:
    """Pass if the mechanism is proved to be as private as it claims, or as is said here; raise AssertionError if not.

    ``mechanism`` is a decorated function, or ``"PATH::NAME"``. ``epsilon`` (or ``rho``, for zero-concentrated privacy)
    takes the place of the claim in the source: a number, or an expression over public parameters such as
    ``"2 * epsilon"``. ``seconds`` is how long to look for a proof, and then for a violation.
    """
    __tracebackhide__ = True
    runnable = mechanism.runnable if type(mechanism) is Certified else named(mechanism)
    text = _program(runnable, epsilon, rho)
    if bare(parse_text(text, only=runnable.name), runnable.name) != bare(runnable.module, runnable.name):
        raise AssertionError(f"{runnable.name} does not read back as it was printed; please report this program")
    decision = decide_text(text, runnable.name, runnable.source.name, seconds)
    if decision.verdict != "proved":
        raise AssertionError(_story(decision, runnable, text))


def _program(runnable: Runnable, epsilon: Number | None, rho: Number | None) -> str:
    """The program that a call runs, printed, with the claim that is to be proved."""
    name, module = runnable.name, runnable.module
    if epsilon is not None and rho is not None:
        raise InvalidInput("Y107", "epsilon and rho are both given", "Give one: a proof is in one measure")
    if epsilon is not None:
        claim = repr(_expression(epsilon, "epsilon"))
    elif rho is not None:
        claim = f"zcdp({_expression(rho, 'rho')!r})"
    elif runnable.claim is not None:
        return show_module(module)
    else:
        raise InvalidInput("Y107", f"{name} claims nothing, so there is nothing to prove", "Say epsilon=... or rho=...")
    unclaimed = bare(module, name)
    whole = show_mechanism(unclaimed[name])
    decorator, _, rest = whole.partition("\n")
    claimed = f"{decorator.removesuffix(')')}, claim={claim})\n{rest}"
    extra = "" if rho is None else "from lapwing import zcdp\n"
    return extra + show_module(unclaimed).replace(whole, claimed)


def _expression(value: Number, name: str) -> str:
    return value if isinstance(value, str) else str(exact(value, name))


# --- what a failure says -----------------------------------------------------------------------------------


def _story(decision: Verdict, runnable: Runnable, text: str) -> str:
    mechanism, source = runnable.ir, runnable.source
    where = f"{source.name}:{mechanism.span.line} {decision.function}"
    instead = "" if decision.bound is None else f"Proved instead: {decision.bound}"
    if decision.verdict == "refuted":
        again = "\n\nTo see it again:"  # by loading it by name, which what is inside a function has not
        story = decision.story if _has_a_name(runnable) else decision.story.partition(again)[0]
        return f"{where} is not private at {decision.claim}\n\n{story}\n\n{instead}".rstrip()
    lines = _lines(runnable, text)
    reason = _PLACE.sub(lambda found: f"line {lines.get(int(found[1]), int(found[1]))}", decision.reason or "")
    said = f"{where} is not proved at {decision.claim}: {reason}"
    blocked = None if decision.blocked is None else lines.get(decision.blocked)
    if blocked is not None:
        said += f"\n  {source.name}:{blocked}\n    {source.line(blocked).strip()}"
    loss = "" if decision.loss is None else f"Largest {brief(decision.loss)}"
    advice = "" if decision.remedy is None else f"What would work: {decision.remedy}"
    return "\n".join(part for part in (said, advice, instead, loss) if part)


def _has_a_name(runnable: Runnable) -> bool:
    """Whether the mechanism of this name in the file is this one."""
    try:
        return parse_text(runnable.source.text, runnable.source.name, runnable.name) == runnable.module
    except LapwingError:
        return False


def _lines(runnable: Runnable, text: str) -> Mapping[int, int]:
    """From lines of the printed program to those of the source it was read from: both are the same tree."""
    own = runnable.module
    printed = parse_text(text, only=runnable.name)
    found: dict[int, int] = {}
    for mechanism in own:
        pairs = zip(_places(printed[mechanism.name]), _places(mechanism), strict=True)
        found |= {theirs: ours for theirs, ours in pairs if ours}
    return found


def _places(mechanism: ir.Mechanism) -> list[int]:
    unclaimed = replace(mechanism, claim=None)
    return [node.span.line for node in walk.nodes(unclaimed)]
