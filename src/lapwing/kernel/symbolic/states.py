"""What a walk carries along a way through the program, and what it leaves behind to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import Span
from lapwing.kernel.symbolic.meanings import Entry, Scope
from lapwing.kernel.symbolic.terms import ONE, TRUE, Term

#: What may be assumed of a draw: it is within its margin; a coin shows this side; nothing.
ASSUMPTIONS = ("margin", "true", "false", "nothing")
#: Which of these make sense for which noise.
SENSIBLE: Mapping[str, tuple[str, ...]] = {
    "laplace": ("margin", "nothing"),
    "exponential": ("margin", "nothing"),
    "gaussian": ("margin", "nothing"),
    "discrete_laplace": ("margin", "nothing"),
    "discrete_gaussian": ("margin", "nothing"),
    "choose": ("margin", "nothing"),
    "flip": ("true", "false", "nothing"),
    "uniform": ("nothing",),
}


@dataclass(frozen=True, slots=True)
class Draws:
    """What is assumed of the draws of one site, and how many there are at most (a formula over public parameters)."""

    assumed: str
    count: ir.Expression = ONE


@dataclass(frozen=True, slots=True)
class Assumed:
    """The invariant of ``loop``, known of the state in which its head was reached."""

    loop: int
    scope: Scope


Fact = ir.Expression | Assumed


@dataclass(frozen=True, slots=True)
class Goal:
    """``shown`` has to follow from ``facts``: a formula, or the invariant of a loop in a scope."""

    facts: tuple[Fact, ...]
    shown: Fact
    reason: str
    span: Span
    #: the site whose number of draws this is about
    site: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Where the run is."""

    variables: Mapping[str, Entry]
    words: Mapping[str, Term]
    facts: tuple[Fact, ...] = ()

    def knowing(self, *facts: Fact) -> State:
        """The state on a way where these hold too."""
        return replace(self, facts=(*self.facts, *(fact for fact in facts if fact != TRUE)))

    def setting(self, **entries: Entry) -> State:
        """The state after variables were set."""
        return replace(self, variables={**self.variables, **entries})

    def saying(self, words: Mapping[str, Term]) -> State:
        """The state after words changed."""
        return replace(self, words={**self.words, **words})


@dataclass(slots=True)
class Ways:
    """The states in which a block can be left, by how."""

    onward: list[State] = field(default_factory=list)
    broken: list[State] = field(default_factory=list)
    continued: list[State] = field(default_factory=list)

    def add(self, other: Ways) -> None:
        """Note the ways on which another block was left early."""
        self.broken += other.broken
        self.continued += other.continued
