"""The page on the library is whole and true."""

import re
from pathlib import Path

from lapwing import library

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "library.md").read_text()
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| .* \| `(\w+)` \| `(.+)` \|$", re.MULTILINE)


def test_every_mechanism_has_a_row_with_its_neighbours_and_bound():
    rows = {name: row[1:] for row in ROW.findall(PAGE) for name in re.findall(r"\w+", row[0])}
    assert set(rows) == set(library.NAMES)
    for name, (kind, bound) in rows.items():
        mechanism = getattr(library, name)
        assert {str(relation).partition("(")[0] for relation in mechanism.private.values()} == {kind}, name
        assert mechanism.guarantee.stated == bound, name


def test_the_examples_print_what_the_page_says(capsys):
    for code, text in re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL):
        exec(code, {})  # noqa: S102  # the page's own example
        assert capsys.readouterr().out == text


def test_everything_a_certified_mechanism_has_is_listed():
    names = re.findall(r"^\| `f\.(\w+)` \|", PAGE, re.MULTILINE)
    own = {name for name in vars(library.Certified) if not name.startswith("_")} | {"runnable"}
    assert set(names) == own - {"certificate_file"}


def test_proofs_by_hand_are_the_ones_the_page_speaks_of():
    folder = Path(library.__file__).parent / "mechanisms"
    by_hand = {path.name.split(".")[0] for path in folder.glob("*.json")}
    assert by_hand == {"tree_counter"}
