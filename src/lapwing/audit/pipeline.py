"""Our own pipeline under attack: a query on tables that are made up from the policy. No row of real data is read.

The one idea: three things are attacked, each with a part of the permitted error, from the quickest to the slowest.
*What carries noise*, before anything is made of it: that says all that an answer could say, and more, and thousands of
runs take a moment. *The answer as it is shown*, with its margins and notes: there a mistake after the noise would show.
And *the whole road*, from the words of the query to the release, on the pair where its answers look least like the
others: there everything else would show, if it is not too rare for some hundred runs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.attack_steps import Work, attacked
from lapwing.audit.awkward import source_of
from lapwing.audit.finding import NOT_REFUTED, Finding
from lapwing.audit.made_up_query import Asked, Desk, Put
from lapwing.audit.made_up_tables import CROWDS, People, people_pairs
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.one_answer import Raised
from lapwing.audit.pair_attack import Claim, Listener, Progress
from lapwing.audit.ranking_pairs import most_promising
from lapwing.audit.seen_answers import Encoder
from lapwing.errors import InvalidInput
from lapwing.noise.uniform import uniform
from lapwing.policy import Policy, read_policy
from lapwing.session.policy_places import places
from lapwing.session.showing import people_needed

#: The parts of the time, and of the permitted error, for what carries noise, for answers and for the whole road.
TIMES, SHARES = (0.4, 0.3, 0.3), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
#: Runs of the last steps that are compared with some of the whole road, and pairs of runs of it where they differ.
BESIDE, UNLIKE = 15, 150
#: Runs of the whole road after some of them looked odd: half of them have to look odd again.
AGAIN = 6
#: People in a made-up table, where a group needs many to be shown.
LARGEST = 2000
#: An answer is unlike others if it lies so many times their whole range away from their middle.
FAR = 3.0


@dataclass(frozen=True, slots=True)
class Stamina:
    """How long an audit goes on: seconds, pairs of tables that are made up, and pairs of runs at most, by step.

    With 0 for the whole road it is attacked only where a few of its answers are unlike those of its last steps.
    """

    seconds: float
    tables: int = 24
    most: tuple[int | None, int | None, int | None] = (None, None, None)


def audit_query(
    source: str, sql: str, claim: Claim, *, seconds: float, squeeze: bool, seed: int | None, listen: Listener
) -> Finding:
    """Audit one query of our own: at this price, on made-up tables of this policy."""
    at = places(source)
    if not at.policy.is_file():
        problem = f"there is no policy {str(at.policy)!r}"
        raise InvalidInput("S121", problem, "Protect the table first: lapwing protect SOURCE --epsilon 1")
    return audit_policy(read_policy(at.policy), sql, claim, Stamina(seconds), squeeze=squeeze, seed=seed, listen=listen)


def audit_policy(
    policy: Policy,
    sql: str,
    claim: Claim,
    effort: Stamina,
    *,
    squeeze: bool = False,
    seed: int | None = None,
    listen: Listener = lambda _: None,
) -> Finding:
    """Audit a query under a policy; a query that would be refused for every table is refused here."""
    if claim.epsilon == 0:
        raise InvalidInput("S131", "the price is 0, and an answer for nothing says nothing", "Give an epsilon above 0")
    question = Put(sql, claim.epsilon)
    began = time.monotonic()
    with Desk.of(policy) as desk:
        delta, needed = _priced(desk, question)
        crowds = CROWDS if needed is None else (min(needed, LARGEST) - 1, *CROWDS)
        made = _some(people_pairs(desk.policy, seed, crowds=crowds), effort.tables, seed)
        if claim.delta not in (0, delta):
            problem = f"the query costs a delta of {delta}, and {claim.delta} is claimed"
            raise InvalidInput("Y216", problem, "Leave the delta out: the price says it")
        pairs = _asked(desk, made, question, listen, began + effort.seconds / 4)
        seconds = max(effort.seconds / 2, effort.seconds - (time.monotonic() - began))  # making tables takes time, too
        work = Work(None, None, replace(claim, delta=delta), seconds, squeeze, seed, sql, listen, tables=True)
        return _in_turn(work, pairs, effort)


def _some(pairs: list[Pair], count: int, seed: int | None) -> list[Pair]:
    """So many of them, at random."""
    source = source_of(seed)
    return [pairs.pop(uniform(len(pairs), source=source)) for _ in range(min(count, len(pairs)))]


def _asked(desk: Desk, made: Sequence[Pair], question: Put, listen: Listener, deadline: float) -> list[Pair]:
    """The pairs with the question asked of both of their tables; as many as there is time for, and one at least."""
    found: list[Pair] = []
    for number, pair in enumerate(made):
        left = deadline - time.monotonic()
        if found and left < 0:
            break
        listen(Progress(f"asking pair {number + 1} of {len(made)}", number, 0.0, "", 0.0, 1.0, left))
        found.append(replace(pair, left=_side(desk, pair.left, question), right=_side(desk, pair.right, question)))
    return found


def _side(desk: Desk, people: object, question: Put) -> Asked:
    assert isinstance(people, People)  # noqa: S101  # made up
    return desk.asked(people, question)


def _in_turn(work: Work, pairs: Sequence[Pair], effort: Stamina) -> Finding:
    """The three attacks; the first that refutes ends them, and so does Ctrl-C."""

    def step(number: int, tried: Sequence[Pair], **run: Any) -> Finding:  # noqa: ANN401  # a callable
        seconds, share = work.seconds * TIMES[number], SHARES[number]
        most = UNLIKE if effort.most[number] == 0 else effort.most[number]
        return attacked(replace(work, seconds=seconds, share=share, most=most, **run), tried)

    noise = step(0, pairs, many=_measured)
    if _is_over(noise):
        return noise
    answers = step(1, _most_different(work, pairs, effort), function=_answer)
    if answers.refuted:
        return answers
    told = [f"The answer as it is shown was attacked with {_strength(answers)} besides"]
    steps = [noise, answers]
    if not _is_over(answers):
        pair, unlike = _least_alike(pairs)
        first = answers.shown["pair"]
        if unlike or effort.most[2] != 0:
            road = step(2, [pair if unlike else first], function=_whole)  # type: ignore[list-item]  # it is a pair
            if road.refuted:
                return road
            told.append(f"The whole road, from the query to its release, was attacked with {_strength(road)}")
            steps.append(road)
    told_all = replace(noise, notes=(*noise.notes, *told))
    return told_all.showing(interrupted=steps[-1].shown.get("interrupted"), steps=steps)


def _strength(finding: Finding) -> str:
    """How many pairs of runs there were, and whether they could have refuted anything."""
    return f"{finding.pairs:,} pairs{'' if finding.verdict == NOT_REFUTED else ' (too few to refute anything)'}"


def _is_over(finding: Finding) -> bool:
    return finding.refuted or finding.shown.get("interrupted") is not None


def _most_different(work: Work, pairs: Sequence[Pair], effort: Stamina) -> list[Pair]:
    """The pair whose answers look most different after a few runs."""
    sampler = replace(work, function=_answer).sampler
    return most_promising(pairs, sampler, work.claim, work.seconds * TIMES[1], work.listen, most=effort.most[1])[:1]


def _least_alike(pairs: Sequence[Pair]) -> tuple[Pair, bool]:
    """The pair on which a few runs of the whole road look least like its last steps, and whether they are unlike.

    The largest of many numbers is far from the rest now and then: what looks odd is asked again, and has to stay so.
    """
    sides = [(pair, side) for pair in pairs for side in (pair.left, pair.right) if isinstance(side, Asked)]
    oddness = [_oddness(side, side.walked).max() for _, side in sides]
    worst = int(np.argmax(oddness))
    pair, side = sides[worst]
    if oddness[worst] <= FAR:
        return pair, False
    again = _oddness(side, [side.whole() for _ in range(AGAIN)])
    return pair, bool(np.median(again, axis=0).max() > FAR)


def _oddness(asked: Asked, whole: Sequence[object]) -> NDArray[np.float64]:
    """How far each answer by the whole road is from those by its last steps, number by number.

    The first number is about its form: infinite, if none of those has it.
    """
    encoder = Encoder()
    found = encoder.encode(whole)
    last = encoder.encode([asked.answer() for _ in range(BESIDE)])
    width = min(found.values.shape[1], last.values.shape[1])
    spread = np.ptp(last.values[:, :width], axis=0)
    away = np.abs(found.values[:, :width] - np.median(last.values[:, :width], axis=0)) / np.maximum(spread, 1e-9)
    forms = np.where(np.isin(found.tags, last.tags), 0.0, np.inf)
    return np.column_stack([forms, np.nan_to_num(away)])


def _priced(desk: Desk, question: Put) -> tuple[Fraction, int | None]:
    """The δ of the query's price, and how many people a group needs; refuses what would be refused for any table."""
    people = people_pairs(desk.policy, 0, 1)[0].left
    assert isinstance(people, People)  # noqa: S101  # made up
    with desk.session(people) as session:
        compound = session._priced(question.sql, question.epsilon, None, None)
    price: Any = compound.price
    return Fraction(getattr(price, "delta", 0)), people_needed(compound)


def _measured(asked: object, runs: int) -> Any:  # noqa: ANN401  # a list or an array
    assert isinstance(asked, Asked)  # noqa: S101  # made above
    return asked.measured(runs)


def _answer(asked: object) -> object:
    assert isinstance(asked, Asked)  # noqa: S101  # made above
    return _or_raised(asked.answer())


def _whole(asked: object) -> object:
    assert isinstance(asked, Asked)  # noqa: S101  # made above
    return _or_raised(asked.whole())


def _or_raised(answer: object) -> object:
    if isinstance(answer, Raised):
        raise _named(answer.kind)
    return answer


def _named(kind: str) -> Exception:
    """An exception of this name: that is all an observer of the attack sees."""
    made: type[Exception] = type(kind.replace(" ", "_"), (Exception,), {})
    return made()
