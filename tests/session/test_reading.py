"""What people read in Python: no fractions, no stack in a notebook, and words of Python rather than of the shell."""

import pytest

import lapwing
import lapwing.library
from tests.session.tables import protected


def test_what_is_left_reads_as_a_sentence(tmp_path):
    with protected(tmp_path, epsilon="1/3") as session:
        assert repr(session.remaining) == "epsilon 0.333333 left"


def test_a_ledger_and_a_guarantee_read_as_sentences(tmp_path):
    with protected(tmp_path, epsilon=3) as session:
        session.sql("SELECT COUNT(*) AS n FROM people", epsilon="0.5")
        ledger = session.ledger
        assert repr(ledger.accounts()[0]) == "the table: epsilon 2.5 left after 1 charge"
        assert repr(ledger) == f"Ledger '{tmp_path / 'people.lapwing.ledger'}'"
    assert repr(lapwing.library.sparse_vector.guarantee) == "sparse_vector loses at most epsilon"


def test_a_refusal_in_a_notebook_is_its_message(tmp_path):
    with protected(tmp_path) as session, pytest.raises(lapwing.LapwingError) as refusal:
        session.sql("SELECT SUM(nobody) FROM people", epsilon=1)
    shown = refusal.value._render_traceback_()
    assert shown[0].startswith("Q114 ")
    assert any("^" in line for line in shown)


def test_a_quote_speaks_python(tmp_path):
    with protected(tmp_path) as session:
        text = str(session.quote("SELECT AVG(income) AS pay FROM people", epsilon=1))
    assert 'expect={"NAME": VALUE}' in text
    assert "--expect" not in text


def test_parts_say_what_they_share(tmp_path):
    with protected(tmp_path, unit="person", rows_per_unit=3) as session:
        part = session.partition("region")["north"]
        assert "a person may be in 3 parts, and each part is charged 3 times" in repr(part)


def test_a_release_says_what_is_left_in_both_currencies(tmp_path):
    with protected(tmp_path, epsilon=4, delta="1e-5") as session:
        pure = session.sql("SELECT COUNT(*) AS n FROM people", epsilon="0.5")
        assert list(pure.remaining) == ["epsilon", "delta", "rho"]
        mixed = session.sql("SELECT COUNT(*) AS n FROM people", rho="0.1")
        assert list(mixed.remaining) == ["rho", "epsilon"]
        assert "ρ 0.17" in str(mixed)
        assert "ε 1.42" in str(mixed)
