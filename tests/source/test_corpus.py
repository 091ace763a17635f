"""Every program of the corpus reads, prints, reads back and runs."""

import runpy

import pytest

from lapwing.kernel.program import ir
from lapwing.source import load
from lapwing.source.parse import parse_file, parse_text
from lapwing.source.printed_modules import show_module
from tests import corpus

ALL = corpus.programs()
every = pytest.mark.parametrize("program", ALL, ids=lambda program: program.label)


def test_the_benchmark_table_is_covered():
    assert len(ALL) >= 45
    assert len(corpus.programs("proved")) >= 20
    assert len(corpus.programs("refuted")) >= 18


@every
def test_reads_prints_and_reads_back(program):
    module = parse_file(program.path)
    assert parse_text(show_module(module)) == module


@every
def test_has_a_claim_and_a_truth(program):
    assert parse_file(program.path)[program.mechanism].claim is not None


@every
def test_the_written_bound_is_the_claim_of_proved_programs(program):
    claim = parse_file(program.path)[program.mechanism].claim
    if program.verdict == "proved":
        wanted = {
            ir.PureClaim: lambda c: (c.epsilon,),
            ir.ApproximateClaim: lambda c: (c.epsilon, c.delta),
            ir.ZcdpClaim: lambda c: (c.rho,),
        }[type(claim)](claim)
        parameters = parse_file(program.path)[program.mechanism].parameters
        names = ", ".join(
            f"{each.name}: {'list[float]' if isinstance(each.type, ir.List) else 'float'}" for each in parameters
        )
        private = next(each for each in parameters if each.private)
        text = (
            f"@mechanism({private.name}=replaced(), claim=({program.bound!r}, '0'))\n"
            if len(wanted) == 1
            else f"@mechanism({private.name}=replaced(), claim=({', '.join(map(repr, program.bound.split(', ')))}))\n"
        )
        read = parse_text(f"{text}def f({names}) -> float:\n    return 0\n")["f"].claim
        assert (read.epsilon, read.delta)[: len(wanted)] == wanted


@every
def test_imports_as_ordinary_python(program):
    space = runpy.run_path(str(program.path))
    mechanism = space[program.mechanism]
    assert mechanism.ir == load(program.path, program.mechanism).ir
    assert _has_type(mechanism(**program.example), mechanism.ir.returns)


@every
def test_runs_on_its_example(program):
    mechanism = load(program.path, program.mechanism)
    answer = mechanism(**program.example)
    assert _has_type(answer, mechanism.ir.returns)


def test_randomized_response_tells_the_truth_three_times_in_four():
    mechanism = load(corpus.ROOT / "proved" / "randomized_response.py", "randomized_response")
    runs = 6000
    truths = sum(mechanism(True) for _ in range(runs))
    assert abs(truths - runs * 3 / 4) < 6 * (runs * 3 / 16) ** 0.5  # six standard deviations: 2 in 10^9


def _has_type(value, kind):
    match kind:
        case ir.Real():
            return isinstance(value, float)
        case ir.Integer():
            return type(value) is int
        case ir.Boolean():
            return isinstance(value, bool)
        case ir.List(element):
            return isinstance(value, list) and all(_has_type(each, element) for each in value)
        case ir.Tuple(elements):
            return isinstance(value, tuple) and all(map(_has_type, value, elements))
    raise AssertionError(kind)
