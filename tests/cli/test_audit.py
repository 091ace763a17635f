"""``lapwing audit``: verdicts, exit codes, evidence that ``check`` takes, and bad input on one line."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing import audit
from lapwing.policy import write_policy
from tests.audit.queries import policy
from tests.cli.invoke import ROOT, inside, lapwing, objects
from tests.cli.tables import refused

WARDS = ROOT / "corpus" / "audited" / "wards.py"
MEAN, SUM = f"{WARDS}:noisy_mean", f"{WARDS}:rounded_sum"
PAIR = ("--left", "[0.0]", "--right", "[1.0]")

MODULE = """
import time
import random
from hypothesis import strategies as st

pairs = st.tuples(st.just([]), st.lists(st.floats(0, 1), min_size=1, max_size=1))

def seeded(x):
    return x + random.Random(4).gauss(0, 1)

def slow(x):
    time.sleep(0.05)
    return round(x + random.gauss(0, 9))

def fails(x):
    raise ValueError

def hangs(x):
    try:
        time.sleep(1000)
    except Exception:
        return 0

def leaves(x):
    raise SystemExit(1) if x else SystemExit(0) if random.random() < 0.5 else ValueError

def ends(x):
    import os
    if x and random.random() < 0.9:
        os._exit(0)
    return round(random.gauss(0, 1))

def prints(x):
    print("a row of the table")
    return round(x + random.gauss(0, 9))

left = 50

def spends(x):
    global left
    left -= 1
    if left < 0:
        raise RuntimeError("the budget is spent")
    return round(x + random.gauss(0, 9))

def scaled(x, factor):
    return round(factor * x + random.expovariate(1) - random.expovariate(1), 2)

def count(table):
    return len(table["age"]) + round(random.gauss(0, 0.1))

def noisy(value):
    return round((value + random.expovariate(1) - random.expovariate(1)) * 1024) / 1024

def trusting_sum(values):
    return noisy(sum(values))

def trusting_count(table):
    return noisy(len(table["age"]))

def trusting_total(table):
    return noisy(sum(table["age"]) / 100)

broken = 5
"""

#: Says when it was called often enough for an audit to have begun to bet.
TELLING = """
import pathlib, random
calls = 0

def rounded(x):
    global calls
    calls += 1
    if calls == 8000:
        pathlib.Path({begun!r}).touch()
    return round(x[0] + random.expovariate(1) - random.expovariate(1))
"""


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "ours_to_audit", raising=False)
    (tmp_path / "ours_to_audit.py").write_text(MODULE)
    (tmp_path / "exits_at_import.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "computes_names.py").write_text("def __getattr__(name):\n    raise SystemExit(1)\n")
    with inside(tmp_path):
        yield tmp_path
    sys.modules.pop("ours_to_audit", None)


def test_a_leak_is_refuted_and_its_finding_is_checked(tmp_path):
    file = tmp_path / "finding.json"
    done = lapwing("audit", MEAN, "--epsilon", 1, "--left", "[]", "--right", "[0.5]", "--seconds", 5, "--finding", file)
    assert done.exit_code == 1
    assert "is not 1-differentially private" in done.stdout
    assert "the callable raises ZeroDivisionError" in done.stdout
    assert "To see it again: lapwing audit" in done.stdout
    checked = lapwing("check", file)
    assert checked.exit_code == 0
    assert "accepted" in checked.stdout
    data = json.loads(file.read_text())
    for name, value in (("epsilon", "9"), ("at_least", "99"), ("target", "another")):
        file.write_text(json.dumps({**data, name: value}))
        assert lapwing("check", file).exit_code == 1
    file.write_text(json.dumps({**data, "chunks": 3}))
    assert lapwing("check", file).exit_code == 2


def test_what_holds_is_not_refuted():
    done = lapwing("audit", SUM, "--epsilon", 1, *PAIR, "--seconds", 1, "--json")
    assert done.exit_code == 0
    (result,) = objects(done)
    assert result["verdict"] == "not refuted"
    assert "proves nothing" in done.stderr


def test_awkward_inputs_are_made_up():
    done = lapwing(
        "audit", MEAN, "--epsilon", 1, "--neighbours", "replaced", "--bounds", "0:1", "--seconds", 8, "--seed", 1
    )
    assert done.exit_code == 1
    assert "one row changed" in done.stdout


@pytest.mark.usefixtures("desk")
def test_nothing_outside_the_bounds_is_made_up_unless_asked_for():
    words = ("audit", "ours_to_audit:trusting_sum", "--epsilon", 1, "--neighbours", "added", "--bounds", "0:1")
    done = lapwing(*words, "--seconds", 1)
    assert done.exit_code == 0, done.output
    assert "one row more (numbers in [0, 1])" in done.stdout
    assert lapwing(*words, "--seconds", 4, "--outside").exit_code == 1


def test_nobody_has_more_rows_than_the_policy_says_unless_asked_for(desk):
    """Two rows of a person count: a count with noise of scale 1 is 2-private by person, and 1-private by row."""
    write_policy(policy(), desk / "people.lapwing.toml")
    like = ("--like", "people.lapwing.toml", "--seed", 1)
    for name in ("trusting_count", "trusting_total"):
        words = ("audit", f"ours_to_audit:{name}", *like)
        done = lapwing(*words, "--epsilon", 2, "--seconds", 1)
        assert done.exit_code == 0, done.output
        assert "one person more" in done.stdout
        done = lapwing(*words, "--epsilon", 1, "--seconds", 1, "--by", "row")
        assert done.exit_code == 0, done.output
        assert "one row more" in done.stdout
    assert lapwing(*words, "--epsilon", 2, "--seconds", 5, "--outside").exit_code == 1


def test_nan_is_left_out_on_request():
    done = lapwing(
        "audit", SUM, "--epsilon", 1, "--neighbours", "added", "--bounds", "0:1", "--no-nan", "--seconds", 2, "--json"
    )
    assert done.exit_code == 0
    assert "nan" not in objects(done)[0]["left"]


def test_other_ways_to_give_inputs(desk):
    words = ("--within", 1, "--bounds", "0:10", "--set", "factor=4", "--seconds", 3)
    assert lapwing("audit", "ours_to_audit:scaled", "--epsilon", 1, *words).exit_code == 1
    assert lapwing("audit", MEAN, "--epsilon", 1, "--inputs", "ours_to_audit:pairs", "--seconds", 3).exit_code == 1
    words = ("--left", "0", "--right", "1", "--set", "factor=4", "--seconds", 3)
    assert lapwing("audit", "ours_to_audit:scaled", "--epsilon", 1, *words).exit_code == 1
    write_policy(policy(), desk / "people.lapwing.toml")
    like = ("--like", "people.lapwing.toml", "--seconds", 3)
    assert lapwing("audit", "ours_to_audit:count", "--epsilon", 1, *like).exit_code == 1


@pytest.mark.usefixtures("desk")
def test_too_few_runs_and_only_exceptions_could_not_have_refuted():
    done = lapwing("audit", "ours_to_audit:slow", "--epsilon", 4, "--left", "0", "--right", "1", "--seconds", 1.5)
    assert done.exit_code == 3
    assert "could not have refuted" in done.stdout
    assert (
        lapwing("audit", "ours_to_audit:fails", "--epsilon", 1, "--left", "0", "--right", "1", "--seconds", 1).exit_code
        == 3
    )


@pytest.mark.usefixtures("desk")
def test_a_run_that_never_ends_is_interrupted():
    began = time.monotonic()
    result = lapwing("audit", "ours_to_audit:hangs", "--epsilon", 1, "--left", "0", "--right", "1", "--seconds", 1)
    assert result.exit_code == 3
    assert "could not have refuted" in result.output
    assert time.monotonic() - began < 60


@pytest.mark.usefixtures("desk")
def test_leaving_the_program_is_an_answer():
    words = ("--epsilon", 1, "--left", "0", "--right", "1", "--seconds", 2)
    result = lapwing("audit", "ours_to_audit:leaves", *words)
    assert result.exit_code == 1
    assert "SystemExit" in result.output or "ValueError" in result.output


@pytest.mark.usefixtures("desk")
def test_a_run_that_ends_the_process_does_not_say_not_refuted():
    leave = os._exit
    result = lapwing("audit", "ours_to_audit:ends", "--epsilon", 1, "--left", "0", "--right", "1", "--seconds", 5)
    assert result.exit_code == 1
    assert "SystemExit" in result.output
    assert os._exit is leave


@pytest.mark.usefixtures("desk")
def test_what_runs_print_is_not_what_the_audit_prints():
    words = ("--epsilon", 5, "--left", "0", "--right", "1", "--seconds", 1, "--json")
    assert len(objects(lapwing("audit", "ours_to_audit:prints", *words))) == 1


def test_our_own_query_is_audited_on_made_up_tables(desk):
    write_policy(policy(), desk / "people.lapwing.toml")
    sql = "SELECT region, COUNT(*) AS n FROM people GROUP BY region"
    done = lapwing("audit", "people.lapwing.toml", sql, "--epsilon", 1, "--seconds", 4)
    assert done.exit_code in (0, 3), done.output  # a busy machine makes too few runs in so little time
    assert not (desk / "people.lapwing.ledger").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nowhere:f", "--epsilon", 1, *PAIR), "Y214"), (("json:nothing", "--epsilon", 1, *PAIR), "Y213"),
        (("exits_at_import:f", "--epsilon", 1, *PAIR), "Y214"), (("computes_names:f", "--epsilon", 1, *PAIR), "Y213"),
        ((SUM, "--epsilon", 1, "--inputs", "exits_at_import:f"), "Y214"),
        ((SUM, "--epsilon", 1, "--delta", 1, *PAIR), "A102"),
        (("noisy_mean", "--epsilon", 1, *PAIR), "Y213"), (("missing.py:f", "--epsilon", 1, *PAIR), "Y214"),
        (("ours_to_audit:broken", "--epsilon", 1, *PAIR), "Y212"), ((SUM, "--epsilon", "much", *PAIR), "A001"),
        ((SUM, "--epsilon", 1), "Y201"), ((SUM, "--epsilon", 1, "--left", "[0]"), "Y201"),
        ((SUM, "--epsilon", 1, "--left", "[0", "--right", "[1]"), "Y215"),
        ((SUM, "--epsilon", 1, *PAIR, "--set", "3=4"), "Y215"),
        ((SUM, "--epsilon", 1, "--neighbours", "added", "--bounds", "3"), "Y215"),
        ((SUM, "--epsilon", 1, *PAIR, "--inputs", "a:b"), "Y201"),
        ((SUM, "--epsilon", 1, *PAIR, "--confidence", 1), "Y211"),
        ((SUM, "--epsilon", 1, "--like", "people.parquet"), "Y206"),
        ((SUM, "--epsilon", 1, *PAIR, "--plot", "x.gif"), "F002"),
        ((SUM, "--epsilon", 1, *PAIR, "--finding", "no/where.json"), "F003"),
        (("ours_to_audit:seeded", "--epsilon", 1, "--left", "0", "--right", "1"), "Y203"),
        (("ours_to_audit:spends", "--epsilon", 1, "--left", "0", "--right", "1"), "Y204"),
        (("people.parquet", "SELECT COUNT(*) AS n FROM people", "--epsilon", 1), "S121"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("desk")
def test_bad_input_is_refused_on_one_line(words, code):
    assert refused(lapwing("audit", *words), code)


def test_a_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "audit.png"
    done = lapwing("audit", MEAN, "--epsilon", 1, "--left", "[]", "--right", "[0.5]", "--seconds", 2, "--plot", file)
    assert done.exit_code == 1
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_picture_shows_the_number_of_the_event_and_no_bound_that_is_rounded_up():
    pytest.importorskip("matplotlib")
    from lapwing.cli.pictures import audit_histograms

    found = audit(lambda x: [round(random.random(), 2), x + random.randrange(9)], 0, 5, epsilon="0.1", seconds=2)
    figure = audit_histograms(replace(found, at_least=Fraction(15778, 10000)))
    assert found.event.startswith(f"{figure.axes[0].get_xlabel()} is at ")
    assert figure.get_supxlabel().endswith("certified at least 1.577")


def test_ctrl_c_prints_the_bound_so_far(tmp_path):
    begun, file = tmp_path / "begun", tmp_path / "telling.py"
    file.write_text(TELLING.format(begun=str(begun)))
    words = ["audit", f"{file}:rounded", "--epsilon", "1", *PAIR, "--seconds", "60", "--json"]
    running = subprocess.Popen(
        [sys.executable, "-m", "lapwing", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not begun.exists() and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, told = running.communicate(timeout=30)
    assert running.returncode == 130, told
    assert json.loads(out)["verdict"] == "not refuted"
    assert "interrupted" in told


def test_a_name_is_printed_as_it_is(desk):
    (desk / "ours_to_audit.py").write_text(f"{MODULE}\nok = fails\n")
    done = lapwing("audit", "ours_to_audit:ok", "--epsilon", 1, "--left", 0, "--right", 1, "--seconds", 1)
    assert done.stdout.startswith("ours_to_audit:ok: ")
