"""Random lists made of lists: whether a run fails, and with which words, is the same for every private input."""

import random

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.source.original import Source
from lapwing.source.parse import parse_text
from lapwing.source.run import Runnable
from tests.conftest import EXPLORE

HEAD = "@mechanism(q=added(), x=within(1))\ndef program(q: list[float], x: float, p: list[float], k: int) -> float:\n"


class Writer:
    """Writes random expressions over what is in scope: few words, deeply nested."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.made = 0
        self.numbers = ["x", "k"]

    def pick(self, *choices):
        return self.chance.choice(choices)()

    def number(self, depth):
        if depth == 0:
            return self.chance.choice([*self.numbers, "1", "2"])
        deeper = depth - 1
        return self.pick(
            lambda: self.chance.choice(self.numbers),
            lambda: f"({self.number(deeper)} / ({self.public()}))",
            lambda: f"({self.number(deeper)} {self.chance.choice('+-*')} {self.number(deeper)})",
            lambda: f"{self.chance.choice(['sum', 'max', 'len'])}({self.listed(deeper)})",
            lambda: f"{self.listed(deeper)}[{self.public()}]",
            lambda: f"({self.number(deeper)} if {self.condition(deeper)} else {self.number(deeper)})",
        )

    def public(self):
        """Often public: what a division or an index may be by."""
        return self.chance.choice(["k", "k - 1", "len(p)", "len(p) - k", "len(q)", self.numbers[-1]])

    def condition(self, depth):
        compared = f"{self.number(depth)} {self.chance.choice(['<', '>', '=='])} {self.number(depth)}"
        return f"({compared} and {self.condition(depth - 1)})" if depth and self.chance.random() < 0.3 else compared

    def listed(self, depth):
        if depth == 0:
            return self.chance.choice(["q", "p", "q[k:]", "p[:k]"])
        self.made += 1
        first, second = f"a{self.made}", f"b{self.made}"
        names, source = self.pick(
            lambda: ([first], f"{first} in {self.listed(depth - 1)}"),
            lambda: ([first], f"{first} in range({self.chance.choice(['k', 'len(q)', 'len(p)', '3'])})"),
            lambda: ([first, second], f"{first}, {second} in zip({self.listed(depth - 1)}, {self.listed(depth - 1)})"),
            lambda: ([first, second], f"{first}, {second} in enumerate({self.listed(depth - 1)})"),
        )
        outside = list(self.numbers)
        self.numbers += names
        test = f" if {self.condition(depth - 1)}" if self.chance.random() < 0.5 else ""
        element = self.number(depth - 1)
        self.numbers = outside
        return f"[{element} for {source}{test}]"


def ending(runnable, inputs):
    try:
        runnable.run(inputs, bits=2)
    except InvalidInput as error:
        return str(error)
    return "answered"


def test_lists_of_lists_fail_for_public_reasons_only():
    read = failing = 0
    for seed in range(1500 if EXPLORE else 200):
        write = Writer(seed)
        text = f"{HEAD}    y = {write.number(3)}\n    return {write.number(2)} + laplace(1)\n"
        try:
            parse_text(text)
        except InvalidProgram:
            continue
        read += 1
        runnable, chance = Runnable("program", Source(text)), random.Random(seed)
        for k in (0, 1, 2):
            inputs = [
                {"q": [chance.randint(-2, 2) for _ in range(length)], "x": chance.randint(-1, 1), "p": [1, 0], "k": k}
                for length in (0, 1, 2, 3)
            ]
            endings = {ending(runnable, each) for each in inputs}
            assert len(endings) == 1, f"{text}\n{endings}"
            failing += endings != {"answered"}
    assert read > 20  # so that the test can fail
    assert failing > 5
