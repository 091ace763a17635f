"""One person more, with rows of every kind: every count that advice or a plan asks for moves by what was claimed."""

import random

import pyarrow as pa
import pyarrow.parquet
import pytest

import lapwing
from lapwing.session import noising
from lapwing.session.protecting import Wishes, protect

REALS = [0.0, -0.0, float("nan"), float("inf"), -1e300, 5e-324, None]
WHOLE = [None, 0, -(2**63), 2**63 - 1]
KINDS = {"person": pa.int64(), "x": pa.float64(), "k": pa.int64(), "t": pa.string(), "b": pa.bool_()}


def crowd(seed):
    r = random.Random(seed)
    for person in range(r.randint(3, 20)):
        for _ in range(r.choice([1, 1, 2, 5, 40])):
            yield (
                person,
                r.choice([*REALS, r.uniform(-100, 100)]),
                r.choice([*WHOLE, r.randint(-9, 9)]),
                r.choice(["a", "b", "", None, "é"]),
                r.random() < 0.5,
            )


def measured(folder, rows, monkeypatch):
    """What the questions of some advice and of a plan measure before noise, and what one person was said to change."""
    folder.mkdir()
    table = pa.table({name: pa.array([row[at] for row in rows], KINDS[name]) for at, name in enumerate(KINDS)})
    pa.parquet.write_table(table, folder / "t.parquet")
    protect(folder / "t.parquet", Wishes("person", 10))
    found, plain = [], noising.noisy

    def looking(certificate, tables):
        for part in certificate.measurements:
            fetched = next(each for each in tables if part.measurement.name in each.statement.values)
            columns = [fetched.table.column(at).to_pylist() for at in range(len(certificate.keys))]
            values = fetched.value(part.measurement.name).tolist()
            keys = list(zip(*columns, strict=True)) or [()] * len(values)
            found.append((part.change.l1, dict(zip(keys, values, strict=True))))
        return plain(certificate, tables)

    with monkeypatch.context() as patched:
        patched.setattr(noising, "noisy", looking)
        with lapwing.open(folder / "t.parquet") as session:
            str(session.advise(epsilon=1))
            session.plan([("SELECT COUNT(*) AS n FROM t", 50), ("SELECT COUNT(DISTINCT person) AS n FROM t", 9)]).run()
    return found


@pytest.mark.parametrize("seed", range(6))
def test_one_person_moves_no_count_further_than_was_claimed(tmp_path, monkeypatch, seed):
    rows = list(crowd(seed))
    victim = random.Random(seed).choice(rows)[0]
    with_them = measured(tmp_path / "with", rows, monkeypatch)
    without = measured(tmp_path / "without", [row for row in rows if row[0] != victim], monkeypatch)
    moved = []
    for (claimed, one), (same, two) in zip(with_them, without, strict=True):
        assert claimed == same
        distance = sum(abs(one.get(key, 0) - two.get(key, 0)) for key in {*one, *two})
        assert distance <= claimed
        moved.append(distance)
    assert sum(moved) > 0
