"""Questions to a function among the parameters: an adversary who picks the next query from what was released.

The one idea: asked the same in both runs, the adversary picks one query, of which neighbouring data give answers that
are d apart. So the answers are *any* two numbers that are d apart, and nothing else is known of them: not what was
answered before, nor in which direction they move, nor what the adversary does with what he is told.

Claim: what is shown holds for every adversary, with memory and with coins of his own. Fix his coins. Then each query is
a function of the questions so far. V₁ and V₂ are the probabilities of one answer of the mechanism *and* one sequence of
questions; a first run that asks something else has V₁ = 0, and wherever it asks this, so does the second. So the
questions are released with the answer, at no further price; average over the coins.
"""

from __future__ import annotations

from lapwing.kernel.doubt import at
from lapwing.kernel.program import ir
from lapwing.kernel.relational import answers
from lapwing.kernel.relational.runs import State
from lapwing.kernel.relational.setting import Setting


def function_of(mechanism: ir.Mechanism, statement: ir.Asking) -> ir.Parameter:
    """The parameter that is asked; its answers are related by a distance, or public."""
    match statement.arguments:
        case (ir.Name(name), *_) if (found := mechanism.parameter(name)) is not None:
            related = found.relation is None or (found.relation.kind == "answers" and found.distance is not None)
            if isinstance(found.type, ir.Oracle) and related:
                return found
    raise at(statement, "what is asked is not a function among the parameters")


def asked(setting: Setting, statement: ir.Asking, state: State) -> State:
    """Both runs ask, and with the same values; a public function gives one answer, a private one two."""
    terms, parameter = setting.terms, function_of(setting.mechanism, statement)
    assert isinstance(parameter.type, ir.Oracle)  # noqa: S101  # it is one
    # what is released is seen now: lists that the adversary is shown are the same by now, not by the end of the round
    state = answers.settled(setting, state)
    if not all(state.active):
        setting.ask(state, terms.truth(False), statement, "one run may ask alone")
        return state
    look = setting.look(state)
    for argument in statement.arguments[1:]:
        setting.ask(state, look.same(argument), statement, "what is asked may differ between the runs")
    pair = [terms.fresh(parameter.type.result, statement.target)] * 2
    if parameter.relation is not None:
        pair = [terms.fresh(parameter.type.result, name) for name in (statement.target, f"{statement.target}'")]
        most, apart = setting.inputs.distances[parameter.name], terms.arithmetic("-", *pair)
        state = state.knowing(terms.compare("<=", terms.magnitude(apart), most))
    return setting.set(state, statement.target, pair.__getitem__)
