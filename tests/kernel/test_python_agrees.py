"""A run and Python itself: the same source and the same noise give the same answer, or the program is refused.

Python runs the text with decorators that do nothing; both are given the same numbers for noise. Set LAPWING_PROGRAMS
to run more of the fixed sequence than the default.
"""

import os
import random

from hypothesis import given, settings

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.inputs import answer
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.source.aliasing import NAME, programs, seeded

COUNT = int(os.environ.get("LAPWING_PROGRAMS", "200"))
#: What keeps a program from being read here: sharing, and the callee's public parameter given private data.
SHARED, OTHER = {"P174", "P175"}, {"P131", "P184"}


class Script:
    """Given numbers instead of noise."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.kinds = []

    def draw(self, kind, _arguments):
        self.kinds.append(kind)
        if kind == "flip":
            return self.chance.random() < 0.5
        return self.chance.randrange(3)


def as_python(text, q, script):
    """What Python makes of the text."""

    def nothing(**_):
        return lambda function: function

    def word(kind):
        return lambda *arguments: script.draw(kind, arguments)

    space = {kind: word(kind) for kind in ("flip", "uniform", "discrete_laplace")}
    space |= {"mechanism": nothing, "each": id, "added": list, "match": lambda a, b: a == b}
    exec(text.split("\n", 1)[1], space)  # noqa: S102  # our own generated text
    return space[NAME](list(q))


def as_run(module, q, script):
    """What a run makes of the program."""
    found = program(module, NAME, script.draw)({"q": tuple(q)}, Meter(10**6))
    return answer(found, module[NAME].returns, 20)


def compare(text, q, seed):
    """ "same", or why there was nothing to compare; fails on a difference."""
    try:
        module = parse_text(text)
    except InvalidProgram as error:
        if error.code not in SHARED | OTHER:
            raise
        return error.code
    pythons, ours = Script(seed), Script(seed)
    try:
        wanted = as_python(text, q, pythons)
    except IndexError:  # the language is total there
        return "outside"
    try:
        found = as_run(module, q, ours)
    except InvalidInput as error:  # a public index, looked at before it is known whether it is used
        if error.code != "P202":
            raise
        return "outside"
    assert found == wanted, text
    assert ours.kinds == pythons.kinds, text
    return "same"


def test_programs_of_the_fixed_sequence():
    found = [compare(*seeded(seed), seed) for seed in range(COUNT)]
    assert found.count("same") > COUNT // 4
    assert found.count("P174") > COUNT // 20
    assert sum(found.count(code) for code in OTHER) < COUNT // 4


@given(programs())
@settings(max_examples=100 if EXPLORE else 30, deadline=None)
def test_random_programs(generated):
    compare(*generated, seed=1)


def test_a_program_that_would_differ_is_found():
    """The comparison sees what it is for: with growing in place, or without the refusal, answers differ."""
    text = (
        "from lapwing import each, mechanism\n\n\n@mechanism(q=each(1))\ndef program(q: list[int]) -> list[int]:\n"
        "    out = []\n    seen = (out, 1)[0]\n    out.append(q[0])\n    return seen\n"
    )
    assert as_python(text, [1], Script(0)) == [1]
    assert compare(text, [1], 0) == "P174"
