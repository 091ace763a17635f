"""The one road: what the kernel does not confirm is not charged, what it derives is, and nobody looks before."""

import sqlite3
from dataclasses import replace

import pytest

from lapwing import library
from lapwing.algebra.measures import PureDP
from lapwing.errors import LapwingError
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release import adding
from lapwing.kernel.release import release as release_rule
from lapwing.ledger.stores import sqlite as store
from lapwing.query import sensitivity
from lapwing.session import applying, asking, compounding, noising, pricing
from lapwing.session.road import protection_of
from tests.session.tables import protected

COUNT = "SELECT COUNT(*) FROM people WHERE age > 30"
BY_REGION = "SELECT region, COUNT(*) AS n, AVG(income) AS pay FROM people GROUP BY region"


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path, epsilon=100) as session:
        yield session


def untouched(session, ask):
    """The question is refused, nothing is written into the ledger, and the engine is not asked."""
    before, left = session.ledger.head(), session.remaining
    fetched = []
    session.engine.fetch = lambda *given: fetched.append(given)
    with pytest.raises(LapwingError, match="S149") as refused:
        ask()
    assert (session.ledger.head(), session.remaining, fetched) == (before, left, [])
    assert "nothing was charged" in str(refused.value)
    assert "report" in refused.value.remedy


def test_a_wrong_price_is_not_charged(session, monkeypatch):
    """Pricing is not believed: here it asks for a tenth of what its noise costs."""
    certificate = compounding.certificate

    def cheap(*given):
        made = certificate(*given)
        return replace(made, price=PureDP(made.price.epsilon / 10))

    monkeypatch.setattr(compounding, "certificate", cheap)
    untouched(session, lambda: session.sql(BY_REGION, epsilon=1))


def test_a_wrong_sensitivity_is_not_charged(session, monkeypatch):
    """Nor is the planner: here it forgets that an income is not 0 or 1."""
    monkeypatch.setattr(sensitivity, "contribution", lambda _: (0, 1))
    untouched(session, lambda: session.sql("SELECT SUM(income) FROM people", epsilon=1))
    session.ledger.head()


def test_a_plan_that_forgets_the_person_is_not_charged(tmp_path, monkeypatch):
    from lapwing.policy import Table

    with protected(tmp_path, epsilon=100, unit="person", rows_per_unit=3) as session:
        prepare = asking.prepare

        def forgetful(text, policy):
            tables = [replace(each, unit=None, rows_per_unit=None) for each in policy.tables]
            assert all(isinstance(each, Table) for each in tables)
            return prepare(text, replace(policy, tables=tuple(tables)))

        monkeypatch.setattr(asking, "prepare", forgetful)
        untouched(session, lambda: session.sql(COUNT, epsilon=1))


def test_a_query_outside_of_the_part_is_not_charged(session, monkeypatch):
    part = session.partition("region")["north"]
    monkeypatch.setattr(asking, "within", lambda query, _: query)
    untouched(part, lambda: part.sql(COUNT, epsilon=1))


def test_noise_is_that_of_the_certificate_whose_plan_runs(session, monkeypatch):
    """There is no plan to hand in beside it; one that the certificate is given instead of its own is checked."""
    released = noising.released

    def other(proofs, *rest):
        [proof] = proofs
        return released([replace(proof, measurements=())], *rest)

    monkeypatch.setattr(asking, "released", other)
    untouched(session, lambda: session.sql(COUNT, epsilon=1))


def test_the_plans_that_run_are_those_that_the_kernel_checked(session, monkeypatch):
    """Whatever a session means to ask: here the kernel is shown another certificate, and that one is what runs."""
    elsewhere = session._priced("SELECT COUNT(*) FROM people WHERE age > 200", 1, None, None)
    other = elsewhere.certificate(session.policy.neighbours)
    monkeypatch.setattr(noising, "check_several", lambda _, policy: adding.check_several(other, policy))
    seen = []
    fetch = session.engine.fetch
    session.engine.fetch = lambda receipt, statements, *rest: (
        seen.extend(statements) or fetch(receipt, statements, *rest)
    )
    session.sql(COUNT, epsilon=1)
    assert seen
    assert all("200" in each for each in seen)


def test_a_mechanism_for_answers_that_move_too_far_is_not_charged(session, monkeypatch):
    """The session does not look how far a sum moves; the kernel does."""
    monkeypatch.setattr(applying, "_check_distance", lambda *_: None)
    sums = ["SELECT SUM(income) FROM people", "SELECT SUM(age) FROM people"]
    untouched(session, lambda: session.apply(library.noisy_max, sums, epsilon=1, sensitivity=1))


def test_the_price_that_is_charged_is_the_one_derived(session, monkeypatch):
    """Were the kernel to derive more than was asked, more would be charged."""
    monkeypatch.setattr(
        noising,
        "check_several",
        lambda *given: replace(adding.check_several(*given), price=PureDP(5)),
    )
    session.sql(COUNT, epsilon=1)
    charges = [each for each in session.ledger.entries() if each.kind == "charge"]
    assert charges[-1].price == "epsilon 5"


def test_the_kernel_is_asked_before_the_ledger(session, monkeypatch):
    order = []
    monkeypatch.setattr(noising, "check_several", lambda *given: order.append("check") or adding.check_several(*given))
    ledger = type(session.ledger)
    for name in ("charge", "keep"):
        act = getattr(ledger, name)
        monkeypatch.setattr(
            ledger, name, lambda *given, act=act, name=name, **more: order.append(name) or act(*given, **more)
        )
    fetch = session.engine.fetch
    session.engine.fetch = lambda *given: order.append("look") or fetch(*given)
    session.sql(COUNT, epsilon=1)
    assert order == ["check", "charge", "look", "keep"]
    assert [each.kind for each in session.ledger.entries()][-3:] == ["charge", "run", "release"]
    order.clear()
    session.sql(COUNT, epsilon=1)  # again, for nothing: but not unchecked
    assert order == ["check"]


@pytest.mark.parametrize("ask", ["sql", "apply"])
def test_a_question_opens_the_ledger_once(session, monkeypatch, ask):
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr(store.sqlite3, "connect", lambda *given, **more: opened.append(1) or connect(*given, **more))
    if ask == "sql":
        session.sql(BY_REGION, epsilon=1)
    else:
        session.apply(library.noisy_max, [COUNT], epsilon=1, sensitivity=1)
    assert len(opened) == 1


def test_pricing_and_kernel_agree_on_ordinary_questions(session):
    for text in (COUNT, BY_REGION, "SELECT MEDIAN(age), VARIANCE(income) FROM people"):
        priced = pricing.price(session._prepared(text), session.policy.neighbours, PureDP("1/3"), None)
        proof = compounding.certificate(priced, session.policy.neighbours)
        found = release_rule.check_release(proof, protection_of(session.policy))
        assert not isinstance(found, Rejected)
        assert found.price == priced.price
