"""Up to bad: noise that is assumed not to lie in a tail, at the price of the tail's probability.

The one idea: let V₁ and V₂ be the probabilities that the two runs give one fixed answer from related states. Then
V₁ ≤ e^(B - c) · V₂ + β + γ · V₁, where β is the probability that the *first* run meets a tail of its own and gives that
answer, and γ what is left to pay for tails of the second. Added up over any set of answers, δ = P₁(bad) + γ.

* One δ serves all answers only because whether the first run meets a tail is its own affair: conditions speak of its
  state and of the inputs of both runs, never of the second run's state, the ghost, or prices.
* Each draw is independent of the past, so P₁(bad) is at most the number of draws made under the condition, times the
  probability of the tail from ``least`` on. All such draws count, not only the bad ones.
* Of a draw that the second run makes alone, V₂ ≥ ∫ over the rest of the line, and V₁ = P(rest) V₁ + P(tail) V₁.
* Tails that are counted together cost what the dearest of them does, as often as there are such draws: whatever the
  first run draws, with the answer that it gives and anything that the second run draws, they are no more in number.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.approximate import Tail
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.runs import FIRST, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.solver import Term

#: Words by which the condition of a tail of the first run may look at the inputs of both runs, and what they are about.
_OF_INPUTS = ("%hat", "%other")
_OWN_WORDS = frozenset({*_OF_INPUTS, "%where", "%rising", "%round", "%width"})
_FUNCTIONS = frozenset({"abs", "min", "max", "clip", "len"})


def not_in_tails(setting: Setting, draw: ir.Sample, state: State, noise: Term, run: int) -> State:
    """The state after ``run`` drew ``noise``, which lies in no tail that the certificate names of it."""
    terms = setting.terms
    for entry in setting.tails_at(draw.site):
        tail = setting.tails[entry]
        if tail.run - 1 != run:
            continue
        if run == FIRST:
            confirm_own(setting, tail, state)
        look = setting.look(state)
        given, start = look.formula(tail.given), look.formula(tail.start)
        here = state.knowing(given)
        least = look.formula(tail.least)
        setting.ask(here, terms.compare(">=", start, least), draw, f"the tail may begin before {tail.least[:60]}")
        counter = setting.counters[entry]
        count = terms.arithmetic("+", state.tries[counter], terms.number(1))
        within = terms.compare("<=", count, setting.total(setting.counts[counter]))
        setting.ask(here, within, draw, f"there may be more than {tail.count[:60]} draws that might be bad")
        tried = terms.choose(given, count, state.tries[counter])
        state = replace(state, tries={**state.tries, counter: tried})
        state = state.knowing(terms.implies(given, _outside(setting, tail, noise, start)))
    return state


def _outside(setting: Setting, tail: Tail, noise: Term, start: Term) -> Term:
    """That noise is not in the tail, of which its beginning is a part."""
    terms = setting.terms
    above, below = terms.compare("<", noise, start), terms.compare(">", noise, terms.minus(start))
    return {"above": above, "below": below, "beyond": terms.both((above, below))}[tail.side]


def confirm_own(setting: Setting, tail: Tail, state: State) -> None:
    """Refuse a tail of the first run that depends on anything but its own state and the inputs."""
    for text in (tail.given, tail.start):
        _own(setting, formula(text), state, text)


def _own(setting: Setting, node: ir.Expression, state: State, text: str) -> None:
    refusal = Unproved(f"what is bad depends on more than the first run and the inputs: {text[:60]!r}")
    match node:
        case ir.Builtin(function, (operand,)) if function in _OF_INPUTS:
            _input(setting, operand, state, refusal)
            return
        case ir.Builtin("%round", (ir.Number(loop),)) if loop not in state.inside:
            raise refusal
        case ir.Builtin(function) if function not in _OWN_WORDS | _FUNCTIONS:
            raise refusal
    for part in walk.children(node):
        _own(setting, part, state, text)  # type: ignore[arg-type]  # parts of formulas are formulas


def _input(setting: Setting, node: ir.Expression, state: State, refusal: Unproved) -> None:
    """An input, or an element of one at a place that both runs share: all that is read in the second run."""
    private = setting.inputs
    match node:
        case ir.Name(name) if name in private.scalars:
            return
        case ir.Index(ir.Name(name), index) if name in private.elements and name not in private.held:
            for part in walk.nodes(index):
                match part:
                    case ir.Number() | ir.Arithmetic() | ir.Negate():
                        continue
                    case ir.Builtin("%round", (ir.Number(loop),)) if loop in state.inside:
                        continue
                    case ir.Builtin("%where", (ir.Name(),)):
                        continue
                    case ir.Name(inner) if inner in private.elements and inner not in private.held:
                        continue  # the list of where(…)
                    case ir.Name(inner) if inner in private.scalars and not private.mechanism.is_private(inner):
                        continue
                raise refusal
            return
        case ir.Arithmetic() | ir.Compare() | ir.Negate() | ir.And() | ir.Or() | ir.Not() | ir.Number():
            for part in walk.children(node):
                _input(setting, part, state, refusal)  # type: ignore[arg-type]  # parts of formulas are formulas
            return
    raise refusal
