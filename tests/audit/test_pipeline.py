"""Our own SQL under attack, on made-up tables: it holds, and planted bugs are found."""

import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.audit import made_up_query, pipeline, repeated_runs
from lapwing.audit.finding import NOT_REFUTED, REFUTED
from lapwing.audit.made_up_tables import People, people_pairs, table_pairs
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.pair_attack import Claim
from lapwing.audit.pipeline import Stamina, audit_policy
from lapwing.errors import InvalidInput, LapwingError
from lapwing.noise.laplace import Laplace
from lapwing.policy import write_policy
from lapwing.session import noising, road
from lapwing.session.asking import Session
from tests.audit.queries import policy

CLAIM = Claim(Fraction(1), Fraction(0), Fraction(1, 10**6))
#: So long that a busy machine ends no audit early: pairs of runs end it. What is slow is left out, or is all there is.
QUICK = (400, 60, 120)
SHORT = (4000, 120, 0)


def audited(sql, seed=1, pairs=5, effort=SHORT, **keywords):
    return audit_policy(policy(**keywords), sql, CLAIM, Stamina(900, pairs, effort), seed=seed)


def rows(pair, side):
    return getattr(pair, side).tables["people"]


@pytest.mark.parametrize("unit", ["person", None])
@pytest.mark.parametrize("neighbours", Neighbours)
def test_made_up_tables_differ_by_one_person(neighbours, unit):
    pairs = people_pairs(policy(neighbours, unit), seed=3)
    assert len(pairs) >= 20
    for pair in pairs:
        left, right = ({str(row) for row in rows(pair, side)} for side in ("left", "right"))
        if unit is None:
            more = len(rows(pair, "right")) - len(rows(pair, "left"))
            assert more == (1 if neighbours is Neighbours.ADDED else 0)
        else:
            apart = [row for side in ("left", "right") for row in rows(pair, side) if str(row) in left ^ right]
            assert len({row["person"] for row in apart}) <= 1
            ids = [{row["person"] for row in rows(pair, side)} for side in ("left", "right")]
            assert len(ids[1] - ids[0]) == (1 if neighbours is Neighbours.ADDED else 0)
    assert any(len(rows(pair, "left")) == 0 for pair in pairs) or neighbours is Neighbours.REPLACED
    assert repr(people_pairs(policy(neighbours, unit), seed=3)) == repr(pairs)


def test_somebody_has_more_rows_than_count():
    pairs = people_pairs(policy(rows=2), seed=3)
    most = max(sum(row["person"] == person for row in rows(pair, "right")) for pair in pairs for person in range(11))
    assert most > 2


@pytest.mark.parametrize(
    "sql", ["SELECT COUNT(*) AS n FROM people", "SELECT region, SUM(age) AS s FROM people GROUP BY region"]
)
@pytest.mark.parametrize("neighbours", Neighbours)
def test_our_own_queries_hold(sql, neighbours):
    finding = audited(sql, neighbours=neighbours, pairs=2)
    assert not finding.refuted
    assert finding.verdict == NOT_REFUTED


def test_groups_with_unknown_keys_are_audited_with_their_delta():
    finding = audited("SELECT city, COUNT(*) AS n FROM people GROUP BY city", pairs=3)
    assert finding.delta == Fraction(1, 100_000)
    assert not finding.refuted


# --- planted bugs: in the code that answers everybody, stage by stage -------------------------------------------


def refuted(sql, **keywords):
    finding = audited(sql, **keywords)
    assert finding.verdict == REFUTED, finding
    return finding


def test_a_wrong_scale_is_found(monkeypatch):
    true = Laplace.release
    monkeypatch.setattr(Laplace, "release", lambda self, values: true(Laplace(self.scale / 3), values))
    refuted("SELECT COUNT(*) AS n FROM people")


def test_a_wrong_scale_in_the_whole_road_alone_is_found(monkeypatch):
    """The steps that are repeated are right here, so only the slow attack can see it."""
    true = noising.noisy

    def noisy(certificate, tables):
        parts = [replace(part, mechanism=Laplace(part.mechanism.scale / 50)) for part in certificate.measurements]
        return true(replace(certificate, measurements=tuple(parts)), tables)

    monkeypatch.setattr(noising, "noisy", noisy)  # the repeated steps have their own name for it
    finding = refuted("SELECT COUNT(*) AS n FROM people", effort=QUICK)
    assert finding.share == pipeline.SHARES[2]


def test_a_missing_clip_is_found(monkeypatch):
    true = road.lower

    def unclipped(*given):
        found = true(*given)
        clip = re.compile(r'CASE WHEN ("a"."[.]age") < .*? ELSE "a"."[.]age" END AS INT')
        statements = [replace(each, sql=clip.sub(r"\1 AS BIGINT", each.sql)) for each in found.statements]
        assert statements[0].sql != found.statements[0].sql
        return replace(found, statements=tuple(statements))

    monkeypatch.setattr(road, "lower", unclipped)
    refuted("SELECT SUM(age) AS s FROM people")


def test_a_group_that_shows_itself_by_being_there_is_found(monkeypatch):
    def only_full_groups(true):
        def noisy(certificate, tables):
            groups, values = true(certificate, tables)
            full = np.unique(groups.places(tables[0]))
            columns = tuple(column.take(pa.array(full)) for column in groups.columns)
            return replace(groups, columns=columns, count=len(full)), {n: each[full] for n, each in values.items()}

        return noisy

    for place in (repeated_runs, made_up_query, noising):
        monkeypatch.setattr(place, "noisy", only_full_groups(place.noisy))
    refuted("SELECT region, COUNT(*) AS n FROM people GROUP BY region")


def test_a_threshold_that_is_left_out_is_found(monkeypatch):
    true = noising.chosen_groups
    monkeypatch.setattr(noising, "chosen_groups", lambda keys, found, people, _: true(keys, found, people, -(10**6)))
    refuted("SELECT city, COUNT(*) AS n FROM people GROUP BY city")


def test_a_threshold_that_is_too_low_is_found(monkeypatch):
    """Tables have about as many people as a group needs: without them no group is ever shown, rightly or wrongly."""
    true = noising.chosen_groups
    monkeypatch.setattr(
        noising, "chosen_groups", lambda keys, found, people, least: true(keys, found, people, least // 10)
    )
    refuted("SELECT city, COUNT(*) AS n FROM people GROUP BY city")


def test_an_error_for_one_value_is_found(monkeypatch):
    true = road.Road._fetched

    def fails(self, receipt, lowered, progress):
        found = true(self, receipt, lowered, progress)
        rows = pq.read_table(next(Path(self.ledger.path).parent.glob("people.parquet"))).to_pylist()
        if any(row["income"] is not None and math.isnan(row["income"]) for row in rows):
            raise InvalidInput("E190", "NaN", "none")
        return found

    monkeypatch.setattr(road.Road, "_fetched", fails)
    finding = refuted("SELECT AVG(income) AS a FROM people", pairs=12)
    left, right, pairs = finding.counts
    assert {left, right} == {0, pairs}  # it always ends so on one side, and never on the other


def test_a_note_about_the_data_is_found(monkeypatch):
    """After the noise, in what is made of it: a number that never had any, which a bug found lying about."""
    lying_about = []
    true_noise, true_release = made_up_query.noisy, made_up_query.made_release

    def noisy(certificate, tables):
        lying_about[:] = [tables[0].table.to_pydict()]
        return true_noise(certificate, tables)

    def telling(*given):
        release = true_release(*given)
        return replace(release, notes=(*release.notes, f"Exactly {lying_about}"))

    monkeypatch.setattr(made_up_query, "noisy", noisy)
    monkeypatch.setattr(made_up_query, "made_release", telling)
    refuted("SELECT COUNT(*) AS n FROM people")


def test_a_mistake_outside_of_what_is_repeated_is_found(monkeypatch):
    """Only the whole road goes through a session's ``sql``."""
    true = Session.sql

    def leaking(self, text, **keywords):
        release = true(self, text, **keywords)
        rows = pq.read_metadata(next(Path(self.ledger.path).parent.glob("people.parquet"))).num_rows
        return replace(release, notes=(*release.notes, "Few people." if rows < 4 else "Many people."))

    monkeypatch.setattr(Session, "sql", leaking)
    finding = refuted("SELECT COUNT(*) AS n FROM people", effort=QUICK)
    assert finding.share == pipeline.SHARES[2]


class Told(made_up_query.Asked):
    """Answers by the whole road that were thought of beforehand, beside last steps that answer 0 to 9."""

    def answer(self):
        return [next(self.people) % 10]

    def whole(self):
        return [next(self.question)]


@pytest.mark.parametrize(("again", "is_unlike"), [((5, 1, 999, 3, 8, 4), False), ((999, 1, 999, 999, 999, 4), True)])
def test_the_whole_road_is_attacked_where_its_answers_stay_odd(again, is_unlike):
    def told(walked):
        return Told(None, itertools.count(), iter(again), None, walked)

    usual, odd = Pair(told(([1],)), told(([7],)), ""), Pair(told(([3],)), told(([2], [999])), "")
    assert pipeline._least_alike([usual, odd]) == (odd, is_unlike)
    assert pipeline._least_alike([usual])[1] is False


def test_what_would_be_refused_for_everybody_is_refused():
    with pytest.raises(LapwingError) as refused:
        audited("SELECT SUM(person) AS s FROM people")
    assert refused.value.code.startswith("Q")
    with pytest.raises(InvalidInput) as refused:
        audit_policy(
            policy(), "SELECT COUNT(*) AS n FROM people", Claim(Fraction(1), Fraction(1, 2), Fraction(1, 9)), Stamina(1)
        )
    assert refused.value.code == "Y216"
    with pytest.raises(InvalidInput) as refused:
        audit_policy(
            policy(), "SELECT COUNT(*) AS n FROM people", Claim(Fraction(0), Fraction(0), Fraction(1, 9)), Stamina(1)
        )
    assert refused.value.code == "S131"


# --- tables for a callable --------------------------------------------------------------------------------------


def test_a_callable_gets_tables_from_a_policy_and_never_real_rows(tmp_path):
    file = tmp_path / "people.lapwing.toml"
    write_policy(policy(), file)

    def of_lists(table):
        return len(table["age"])

    def of_frames(table: "pandas.DataFrame"):  # only its name is read
        return len(table)

    assert isinstance(table_pairs(of_lists, str(file), None, 1)[0].left, dict)
    pandas = pytest.importorskip("pandas")
    assert isinstance(table_pairs(of_frames, str(file), "added", 1)[0].left, pandas.DataFrame)
    for place, neighbours, code in ((str(tmp_path / "people.parquet"), None, "Y206"), (str(file), "replaced", "Y207")):
        with pytest.raises(InvalidInput) as refused:
            table_pairs(of_lists, place, neighbours, 1)
        assert refused.value.code == code


def test_people_are_shown_by_their_rows():
    assert repr(People({"people": [{"a": 1, "b": None}]})) == "people: [(1, None)]"
