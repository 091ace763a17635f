"""``lapwing account``: accounts, shares and tokens, by whoever holds the folder."""

import pytest
from click.testing import CliRunner

from lapwing.cli import main
from lapwing.ledger import Ledger
from lapwing.policy import read_policy
from lapwing.server.accounts import Accounts
from tests.cli.invoke import lapwing, objects
from tests.cli.tables import protected, refused
from tests.server.making import PASSWORD, fast_passwords


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    fast_passwords(monkeypatch)


def add(folder, *words, password=PASSWORD):
    given = [str(word) for word in (folder, *words)]
    return CliRunner().invoke(main, ["account", "add", *given, "--password-stdin"], input=f"{password}\n")


def test_an_account_with_shares(tmp_path):
    protected(tmp_path)
    assert add(tmp_path, "ana", "--role", "analyst", "--share", "people=2").exit_code == 0
    policy = read_policy(tmp_path / "people.lapwing.toml")
    assert policy.analyst("ana").epsilon == 2
    Ledger.open(tmp_path / "people.lapwing.ledger").check_policy(policy)  # the ledger agrees
    assert Accounts.of(tmp_path).is_password("ana", PASSWORD)
    [found] = objects(lapwing("account", "list", tmp_path, "--json"))
    assert [(each["name"], each["role"], each["disabled"]) for each in found["accounts"]] == [("ana", "analyst", False)]
    assert "ana" in lapwing("account", "list", tmp_path).stdout


def test_a_share_can_be_changed(tmp_path):
    protected(tmp_path)
    add(tmp_path, "ana", "--role", "analyst", "--share", "people=2")
    assert lapwing("account", "share", tmp_path, "ana", "people=1/2").exit_code == 0
    assert read_policy(tmp_path / "people.lapwing.toml").analyst("ana").epsilon * 2 == 1
    assert Ledger.open(tmp_path / "people.lapwing.ledger").verify().intact


def test_a_token_is_alone_on_its_line_and_works(tmp_path):
    protected(tmp_path)
    add(tmp_path, "ana", "--role", "analyst")
    done = lapwing("account", "token", tmp_path, "ana")
    [token] = done.stdout.splitlines()
    assert done.stderr == ""
    assert Accounts.of(tmp_path).by_token(token)[0].name == "ana"
    [found] = objects(lapwing("account", "token", tmp_path, "ana", "--scope", "quote", "--days", 3, "--json"))
    assert Accounts.of(tmp_path).by_token(found["token"])[1].scope == "quote"


def test_disable_enable_and_password(tmp_path):
    add(tmp_path, "ana", "--role", "analyst")
    assert lapwing("account", "disable", tmp_path, "ana").exit_code == 0
    assert refused(lapwing("account", "token", tmp_path, "ana"), "D116")
    assert lapwing("account", "enable", tmp_path, "ana").exit_code == 0
    given = ["account", "password", str(tmp_path), "ana", "--password-stdin"]
    assert CliRunner().invoke(main, given, input="another long one\n").exit_code == 0
    assert Accounts.of(tmp_path).is_password("ana", "another long one")


def test_what_is_refused_changes_nothing(tmp_path):
    protected(tmp_path)
    policy, ledger = ((tmp_path / f"people.lapwing.{kind}").read_bytes() for kind in ("toml", "ledger"))
    assert refused(add(tmp_path, "ana", "--role", "analyst", "--share", "nothing=1"), "D118")
    assert refused(add(tmp_path, "ana", "--role", "analyst", "--share", "people"), "D118")
    assert refused(add(tmp_path, "ana", "--role", "analyst", "--share", "people=0"), "D118")
    assert refused(add(tmp_path, "ana", "--role", "analyst", "--share", "people=much"), "S105")
    assert refused(add(tmp_path, "ana", "--role", "analyst", "--share", "../people=1"), "D118")
    assert refused(add(tmp_path, "ana", "--role", "analyst", password="short"), "D110")  # noqa: S106  # refused
    assert refused(add(tmp_path / "nowhere", "ana", "--role", "analyst"), "D104")
    assert refused(lapwing("account", "token", tmp_path, "nobody"), "D114")
    assert refused(lapwing("account", "token", tmp_path, "nobody", "--days", 0), "D114")
    assert refused(lapwing("account", "share", tmp_path, "nobody", "people=1"), "D114")
    assert Accounts.of(tmp_path).all() == []
    assert (tmp_path / "people.lapwing.toml").read_bytes() == policy
    assert (tmp_path / "people.lapwing.ledger").read_bytes() == ledger


def test_what_the_command_line_did_is_in_the_chain(tmp_path):
    protected(tmp_path)
    add(tmp_path, "ana", "--role", "analyst", "--share", "people=2")
    lapwing("account", "token", tmp_path, "ana")
    events = Accounts.of(tmp_path).events()
    assert [event.what for event in events] == ["token made", "share given", "account added"]
    assert {event.account for event in events} == {"(command line)"}


def test_who_may_ask_what_is_said(tmp_path):
    """A table protected for nobody in particular is open to no account, and this is said where it is noticed."""
    protected(tmp_path)
    added = add(tmp_path, "ana", "--role", "analyst")
    assert f"may ask no table yet; give a share with: lapwing account share {tmp_path} ana" in added.output
    assert "may ask people (ε 2)" in add(tmp_path, "bo", "--role", "analyst", "--share", "people=2").output
    assert "may ask" not in add(tmp_path, "eva", "--role", "curator").output
    [found] = objects(lapwing("account", "list", tmp_path, "--json"))
    assert [each["shares"] for each in found["accounts"]] == [{}, {"people": "2"}, {}]
    listed = lapwing("account", "list", tmp_path).stdout
    assert "no table" in listed
    assert "people (ε 2)" in listed


def test_a_policy_that_cannot_be_read_keeps_nobody_out(tmp_path):
    protected(tmp_path)
    (tmp_path / "broken.lapwing.toml").write_text("name = ")
    assert "people (ε 1)" in add(tmp_path, "ana", "--role", "analyst", "--share", "people=1").output
