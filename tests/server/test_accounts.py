"""Accounts: what is kept of passwords and tokens, who is let in, and the chain of what happened."""

import sqlite3

import pytest

from lapwing.errors import InvalidInput, LapwingError
from lapwing.server.accounts import FILE, Accounts, vault
from lapwing.server.accounts.questions import Begun
from tests.server.making import PASSWORD


@pytest.fixture
def accounts(tmp_path):
    found = Accounts.of(tmp_path)
    found.add("eva", "curator", PASSWORD, "test")
    found.add("ana", "analyst", PASSWORD, "test")
    return found


def content(accounts):
    return accounts.path.read_bytes()


def refusal(code, work):
    with pytest.raises(LapwingError) as found:
        work()
    assert found.value.code == code
    return found.value


def test_the_file_is_its_owners_alone_and_holds_nothing_that_opens(accounts):
    token = accounts.new_token("ana", "ask", 1, "test")
    cookie, _ = accounts.log_in("ana")
    assert accounts.path.stat().st_mode & 0o777 == 0o600
    for opening in (PASSWORD, token, token.removeprefix("lpw_"), cookie):
        assert opening.encode() not in content(accounts)
    assert b"$argon2id$" in content(accounts)
    assert token.startswith("lpw_")
    assert len(token) == 4 + 64


def test_passwords(accounts):
    assert accounts.is_password("ana", PASSWORD)
    assert not accounts.is_password("ana", PASSWORD + "x")
    assert not accounts.is_password("ana", "")
    assert not accounts.is_password("nobody", PASSWORD)
    assert not accounts.is_password("ana", "x" * 100_000)
    refusal("D110", lambda: accounts.set_password("ana", "short", "test"))
    accounts.set_password("ana", "another long one", "test")
    assert accounts.is_password("ana", "another long one")
    assert not accounts.is_password("ana", PASSWORD)


def test_a_new_password_ends_the_sessions_of_the_old_one(accounts):
    cookie, _ = accounts.log_in("ana")
    accounts.set_password("ana", "another long one", "test")
    assert accounts.by_cookie(cookie) is None


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 61, " ana", "eva ", None])
def test_names_that_are_none(accounts, name):
    with pytest.raises(InvalidInput):
        accounts.add(name, "analyst", PASSWORD, "test")


@pytest.mark.parametrize(
    "name", ["(command line)", "(no such token)", "-x", "=1+1", "..", "<b>", "\u0430na", "a\u0301na", "\uff41na"]
)
def test_names_that_could_be_taken_for_others(accounts, name):
    """A note of the record, a letter of another alphabet, another way to write the same letter."""
    refusal("D112", lambda: accounts.add(name, "analyst", PASSWORD, "test"))


@pytest.mark.parametrize("name", ["José", "Анна", "山田たろう", "o'brien", "kim.lee@stat.example", "team 2", "7"])
def test_names_of_all_the_world(accounts, name):
    accounts.add(name, "analyst", PASSWORD, "test")
    refusal("D113", lambda: accounts.add(name.upper(), "analyst", PASSWORD, "test"))


@pytest.mark.parametrize("name", ["analyst", "Analyst"])
def test_nobody_has_the_name_that_a_table_is_open_to_where_none_was_said(accounts, name):
    """Whoever had it could spend the whole budget of such a table, and nobody would have given it to them."""
    refusal("D112", lambda: accounts.add(name, "analyst", PASSWORD, "test"))


def test_two_people_have_two_names(accounts):
    refusal("D113", lambda: accounts.add("ana", "analyst", PASSWORD, "test"))
    refusal("D113", lambda: accounts.add("ANA", "analyst", PASSWORD, "test"))
    refusal("D112", lambda: accounts.add("kim", "root", PASSWORD, "test"))
    refusal("D114", lambda: accounts.named("Ana"))


def test_tokens_have_a_scope_and_an_end(accounts, monkeypatch):
    token = accounts.new_token("ana", "quote", 1, "test")
    account, kept = accounts.by_token(token)
    assert (account.name, kept.scope) == ("ana", "quote")
    assert accounts.by_token(token[:-1] + ("0" if token[-1] != "0" else "1")) is None
    assert accounts.by_token("lpw_") is None
    assert accounts.by_token("\udcff") is None
    refusal("D111", lambda: accounts.new_token("ana", "everything", 1, "test"))
    refusal("D111", lambda: accounts.new_token("ana", "ask", 0, "test"))
    from lapwing.server.accounts import tokens

    monkeypatch.setattr(tokens, "now", lambda: "9999-01-01T00:00:00+00:00")
    assert accounts.by_token(token) is None  # it is over
    assert accounts.tokens("ana") == []


def test_a_revoked_token_opens_nothing_and_only_ones_own_can_be_revoked(accounts):
    token = accounts.new_token("ana", "ask", 1, "test")
    [listed] = accounts.tokens("ana")
    refusal("D117", lambda: accounts.revoke("eva", listed.mark, "eva"))
    assert accounts.by_token(token) is not None
    accounts.revoke("ana", listed.mark, "ana")
    assert accounts.by_token(token) is None
    refusal("D117", lambda: accounts.revoke("ana", listed.mark, "ana"))


def test_a_disabled_account_is_out_at_once_and_comes_back_with_nothing(accounts):
    token, (cookie, _) = accounts.new_token("ana", "ask", 1, "test"), accounts.log_in("ana")
    accounts.set_disabled("ana", True, "eva")
    assert accounts.by_token(token) is None
    assert accounts.by_cookie(cookie) is None
    assert not accounts.is_password("ana", PASSWORD)
    refusal("D116", lambda: accounts.new_token("ana", "ask", 1, "test"))
    accounts.set_disabled("ana", False, "eva")
    assert accounts.by_token(token) is None
    assert accounts.by_cookie(cookie) is None
    assert accounts.is_password("ana", PASSWORD)


def test_the_last_curator_stays(accounts):
    refusal("D115", lambda: accounts.set_disabled("eva", True, "eva"))
    accounts.add("kim", "curator", PASSWORD, "eva")
    accounts.set_disabled("eva", True, "kim")
    refusal("D115", lambda: accounts.set_disabled("kim", True, "kim"))


def test_a_login_gets_a_new_cookie_each_time_and_ends(accounts):
    one, two = accounts.log_in("ana"), accounts.log_in("ana")
    assert one[0] != two[0]
    assert one[1].form != two[1].form
    accounts.log_out(one[0], "ana")
    assert accounts.by_cookie(one[0]) is None
    assert accounts.by_cookie(two[0]).account.name == "ana"
    token = accounts.new_token("ana", "ask", 1, "test")
    accounts.log_out_everywhere("ana")
    assert accounts.by_cookie(two[0]) is None
    assert accounts.by_token(token) is None


def test_events_are_chained_and_a_change_is_noticed(accounts):
    accounts.log_in("ana")
    assert accounts.broken_at() is None
    assert next(event.what for event in accounts.events()) == "logged in"
    db = sqlite3.connect(accounts.path)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("UPDATE events SET account = 'eva' WHERE sequence = 2")
    db.execute("DROP TRIGGER no_update")
    db.execute("UPDATE events SET account = 'eva' WHERE sequence = 2")
    db.commit()
    assert accounts.broken_at() == 2
    db.execute("DROP TRIGGER no_delete")
    db.execute("DELETE FROM events WHERE sequence = 1")
    db.commit()
    assert accounts.broken_at() == 1


def test_a_key_is_begun_once(accounts):
    first = Begun("question", "people", 7, None)
    assert accounts.begin("ana", "k", first) is None
    assert accounts.begin("ana", "k", Begun("other", "people", 9, None)) == first
    assert accounts.begin("eva", "k", first) is None  # keys of others are others
    accounts.finish("ana", "k", 8)
    assert accounts.begin("ana", "k", first) == Begun("question", "people", 7, 8)
    assert accounts.claimed("ana", "people") == {8}
    accounts.finish("eva", "k", None)
    assert accounts.begin("eva", "k", first) is None


def test_files_that_are_no_accounts(tmp_path):
    refusal("D104", lambda: Accounts.of(tmp_path / "nowhere"))
    (tmp_path / FILE).write_text("hello " * 1000)
    refusal("D101", lambda: Accounts.of(tmp_path))
    (tmp_path / FILE).unlink()
    sqlite3.connect(tmp_path / FILE).execute("CREATE TABLE mine (x)")
    refusal("D101", lambda: Accounts.of(tmp_path))
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    refusal("D103", lambda: Accounts.of(tmp_path))


def test_a_file_that_another_process_holds(accounts, monkeypatch):
    monkeypatch.setattr(vault, "_PATIENCE", 0.05)
    other = sqlite3.connect(accounts.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refusal("D102", lambda: accounts.note("ana", "knocked"))
