"""Answers as files, for tools that come with a token: one's own, with the ±, and nothing a spreadsheet would run."""

import csv
import io
import json

import pyarrow.parquet
import pytest

from lapwing.server.downloads import as_file
from lapwing.server.statuses import Refusal
from tests.cli.invoke import lapwing


def test_a_dashboards_token_gets_files_and_pays_for_nothing(town, tmp_path):
    house, charge = town
    reader, base = house.bearer("ana", "quote"), f"/api/tables/people/releases/{charge}"
    before = len(house.charges())
    files = {
        kind: house.client.get(f"{base}/{kind}", headers=reader) for kind in ("csv", "parquet", "json", "certificate")
    }
    assert {each.status_code for each in files.values()} == {200}
    whole = files["json"].json()
    rows = list(csv.DictReader(io.StringIO(files["csv"].text)))
    table = pyarrow.parquet.read_table(io.BytesIO(files["parquet"].content))
    assert [row["region"] for row in rows] == table["region"].to_pylist() == [row["region"] for row in whole["rows"]]
    assert "n ±" in table.column_names or any("n" in name and name != "n" for name in table.column_names)
    assert 'filename="people-' in files["csv"].headers["content-disposition"]
    (tmp_path / "certificate.json").write_text(files["certificate"].text)
    assert lapwing("check", tmp_path / "certificate.json").exit_code == 0
    assert len(house.charges()) == before
    for kind in ("page", "exe", "csv%00"):
        assert house.client.get(f"{base}/{kind}", headers=reader).status_code == 404
    assert house.client.get(f"{base}/csv", headers=house.bearer("bo")).status_code == 404  # somebody else's
    assert house.client.get(f"{base}/csv").status_code == 401


def test_keys_and_names_that_are_formulas_are_text(town):
    house, charge = town
    found = json.loads(house.ledger().kept_for(charge))
    for row in found["rows"]:
        row["region"] = "=HYPERLINK(1)"
    content = as_file(found, "csv", "x").body.decode()
    assert "'=HYPERLINK(1)" in content
    assert "\n=" not in content
    with pytest.raises(Refusal, match="D123"):
        as_file(found, "xlsx", "x")
