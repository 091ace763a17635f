"""Every program of corpus/flow gets the verdict, and the kind of proof, that is written in it."""

import json
import runpy
from pathlib import Path

import pytest

from lapwing.decide.flow import decide_flow
from lapwing.decide.texts import check_flow
from lapwing.kernel.evidence.flow import flow_from_json
from lapwing.kernel.flow import Confirmed
from lapwing.search.flow.typing import typed
from lapwing.source.parse import parse_file, parse_text
from lapwing.source.printed_modules import show_module

FOLDER = Path(__file__).resolve().parents[3] / "corpus" / "flow"
FILES = sorted(FOLDER.glob("*.py"))


def header(path):
    lines = (line[3:] for line in path.read_text().splitlines() if line.startswith("#: "))
    return dict(line.split(maxsplit=1) for line in lines)


def test_there_are_enough_of_every_kind():
    verdicts = [header(path)["expect"] for path in FILES]
    assert len(FILES) >= 20
    assert set(verdicts) == {"no flow", "only by match", "only by noise", "leak", "unknown"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdict_and_method(path):
    truth = header(path)
    found = decide_flow(str(path), path.stem)
    assert (found.verdict, found.how or "-") == (truth["expect"], truth["how"]), found.reason
    evidence = found.certificate or found.witness
    if found.how in ("typing", "self-composition", "enumeration", "two runs"):
        again = flow_from_json(json.loads(json.dumps(evidence.to_json())))
        assert again == evidence
        assert isinstance(check_flow(again, path.read_text()), Confirmed)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reads_back_and_runs(path):
    module = parse_file(path)
    assert parse_text(show_module(module)) == module
    runpy.run_path(str(path))[path.stem](**json.loads(header(path)["example"]))


@pytest.mark.parametrize(
    "name",
    ["times_zero", "both_branches", "overwritten", "balanced_loop", "counting_down", "list_of_zeros", "noise_only"],
)
def test_typing_alone_is_too_coarse_for(name):
    assert not typed(parse_file(FOLDER / f"{name}.py"), name, match=True).holds
