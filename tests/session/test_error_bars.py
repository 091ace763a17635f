"""A release as a picture: well-formed, every bar where its interval is, and nothing that a label could smuggle in."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pyarrow as pa
import pytest

from lapwing.errors import InvalidInput
from lapwing.session.release import Release
from tests.session.tables import protected


def drawn(release, column=None):
    return ElementTree.fromstring(release.plot(column).svg)  # noqa: S314  # our own


def made(values, margins, low=None, high=None, labels=None):
    labels = labels or [f"g{at}" for at in range(len(values))]
    table = pa.table({"k": labels, "n": pa.array(values, pa.float64())})
    none = pa.nulls(len(values), pa.float64())

    def beside(found):
        return pa.table({"k": none, "n": pa.array(found, pa.float64())})

    ends = {"low": beside(low), "high": beside(high)} if low else {}
    return Release(table, beside(margins), 0.95, {"epsilon": "1"}, {"epsilon": "1"}, {}, (), {}, **ends)


def lines(root):
    return [each for each in root.iter() if each.tag.endswith("line") and each.get("stroke-width") == "2"]


def test_every_answer_has_its_bar(tmp_path):
    with protected(tmp_path) as session:
        release = session.sql("SELECT region, COUNT(*) AS n, AVG(income) AS pay FROM people GROUP BY region", epsilon=1)
    assert len(lines(drawn(release))) == 4
    assert "pay" in release.plot("pay").svg
    assert release.plot()._repr_svg_().startswith("<svg")
    assert release.plot().save(tmp_path / "a.svg").read_text() == release.plot().svg


def test_bars_reach_from_low_to_high_on_one_scale():
    root = drawn(made([10.0, 20.0], [5.0, 4.0], [9.0, 16.0], [15.0, 24.0]))
    widths = [float(each.get("x2")) - float(each.get("x1")) for each in lines(root)]
    assert widths[1] / widths[0] == pytest.approx(8 / 6, rel=0.01)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 0.0],
        [-5.0, 3.0],
        [1e12, 1e12 + 5],
        [1e-9, 2e-9],
        [np.inf, 2.0],
        [None, 2.0],
        list(range(200)),
        [],
    ],
)
def test_any_numbers_are_drawn(values):
    release = made(values, [1.0] * len(values))
    if not values:
        with pytest.raises(InvalidInput, match="S155"):
            release.plot()
        return
    root = drawn(release)
    assert len(lines(root)) <= 60
    for each in lines(root):
        assert 170 <= float(each.get("x1")) <= float(each.get("x2")) <= 600


def test_what_is_not_known_is_said():
    assert "not known" in made([1.0, 2.0], [None, 1.0]).plot().svg


def test_labels_are_text_and_nothing_else():
    odd = ["<script>alert(1)</script>", 'a"b&c\x00\x1b']
    root = drawn(made([1.0, 2.0], [1.0, 1.0], labels=odd))
    assert not [each for each in root.iter() if "script" in each.tag]


def test_a_column_without_noise_and_other_endings_are_refused(tmp_path):
    release = made([1.0], [1.0])
    for column in ("k", "other"):
        with pytest.raises(InvalidInput, match="S155"):
            release.plot(column)
    with pytest.raises(InvalidInput, match="F002"):
        release.plot().save(tmp_path / "a.png")
    with pytest.raises(InvalidInput, match="F003"):
        release.plot().save(tmp_path / "none" / "a.svg")
