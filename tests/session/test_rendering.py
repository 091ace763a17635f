"""A release as a table of the terminal: columns line up, and a key is shown as the text it is."""

import pyarrow as pa

from lapwing.session.release import Release
from lapwing.session.rendering import SHOWN


def release(keys, counts):
    table = pa.table({"town": keys, "n": pa.array(counts, pa.int64())})
    margins = pa.table({"town": pa.nulls(len(keys), pa.float64()), "n": pa.array([9.0] * len(keys))})
    return Release(table, margins, 0.95, {"epsilon": "1/2"}, {"epsilon": "3/2"}, {"sequence": 1}, ("Rounded.",), {})


def test_numbers_stand_under_their_names():
    assert str(release(["north", "南"], [3538, 7])).splitlines() == [
        "town       n  ± noise 95%",
        "north  3,538          9.0",
        "南         7          9.0",  # as wide as two letters
        "spent ε 0.5; ε 1.5 left",
        "note: Rounded.",
    ]


def test_a_key_is_text_and_not_markup_or_a_command_to_the_terminal():
    for key in ("[bold]", "[/]", ":smile:", "[link=file:///]x[/link]"):
        assert str(release([key], [1])).splitlines()[1].split()[0] == key
    shown = str(release(["a\nb\tc\x1b[31m"], [1]))
    assert "\x1b" not in shown
    assert shown.splitlines()[1].startswith("a b c [31m")


def test_long_tables_are_shown_in_part():
    lines = str(release([str(i) for i in range(SHOWN + 5)], list(range(SHOWN + 5)))).splitlines()
    assert len(lines) == 1 + SHOWN + 2
    assert lines[-2] == "5 more rows; spent ε 0.5; ε 1.5 left"


def test_no_rows_are_a_table_too():
    assert str(release([], [])).splitlines()[0].split() == ["town", "n"]
