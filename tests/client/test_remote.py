"""A session over HTTP is a session: the same answers, prices, plans and refusals as on the file."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import lapwing
from lapwing.client import calling
from lapwing.errors import BudgetExceeded, InvalidInput, LapwingError
from tests.cli.invoke import lapwing as command
from tests.cli.invoke import objects
from tests.server.making import BY_REGION, COUNT, fast_passwords, make_folder
from tests.server.running import running

NOBODYS = "lpw_" + "0" * 64


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """A running server and its accounts."""
    folder = tmp_path_factory.mktemp("remote")
    with pytest.MonkeyPatch.context() as patched:
        fast_passwords(patched)
        accounts = make_folder(folder)
    with running(folder, "--pace", 0.05) as server:
        yield server, accounts, folder


@pytest.fixture(scope="module")
def token(there):
    return there[1].new_token("ana", "ask", 1, "test")


@pytest.fixture(scope="module")
def session(there, token):
    return lapwing.connect(there[0].url, token=token)


@pytest.mark.parametrize(
    "path", ["", "/", "/people", "/tables/people", "/api/tables/people", "/api/tables", "/people/"]
)
def test_addresses(there, token, path):
    assert lapwing.connect(there[0].url + path, token=token).table == "people"


def test_an_account_with_several_tables_names_one(there):
    token = there[1].new_token("bo", "ask", 1, "test")
    with pytest.raises(InvalidInput, match=r"D143 .*other, people"):
        lapwing.connect(there[0].url, token=token)
    assert lapwing.connect(there[0].url, token=token, table="other").table == "other"
    with pytest.raises(InvalidInput, match="D143"):
        lapwing.connect(f"{there[0].url}/nothing", token=token)


def test_quotes_and_plans_are_those_of_the_file(there, session):
    with lapwing.open(there[2] / "people.parquet", analyst="ana") as local:
        assert session.explain(BY_REGION) == local.explain(BY_REGION)
        for wish in ({"epsilon": "1/3"}, {"within": 20, "rows": 400}, {}):
            here, far = local.quote(BY_REGION, **wish), session.quote(BY_REGION, **wish)
            assert far.to_json() == here.to_json()
            assert str(far) == str(here)
        assert session.remaining == local.remaining
        assert session.analyst == "ana"
        assert session.columns["age"] == "integer"


def test_an_answer_is_a_release(there, session):
    release = session.sql(BY_REGION, epsilon="1/4")
    assert release.columns == ["region", "n", "age"]
    assert release.spent == {"epsilon": "1/4"}
    assert not release.repeated
    again = session.sql(BY_REGION, epsilon=0.25)
    assert again.repeated
    assert again.to_arrow().equals(release.to_arrow())
    with lapwing.open(there[2] / "people.parquet", analyst="ana") as local:
        assert local.sql(BY_REGION, epsilon=0.25).repeated  # one ledger, here and there
        assert local.remaining == session.remaining


def test_refusals_are_the_exceptions_of_a_session(session):
    with pytest.raises(InvalidInput, match="Q104"):
        session.sql("SELECT SUM(person) FROM people", epsilon=1)
    with pytest.raises(BudgetExceeded, match="L113"):
        session.sql(COUNT, epsilon=9)
    with pytest.raises(InvalidInput, match="A001"):
        session.sql(COUNT, epsilon="much")


def test_tokens_that_open_nothing(there):
    with pytest.raises(InvalidInput, match="D121"):
        lapwing.connect(there[0].url, token=NOBODYS)
    for bad in ("", "  ", "a\nb", "ä", None):
        with pytest.raises(InvalidInput, match="D141"):
            lapwing.connect(there[0].url, token=bad)


@pytest.mark.parametrize(
    "url", ["people.parquet", "ftp://x", "http://", "https://a:b@c/", "http://stat.example/people"]
)
def test_addresses_that_are_none(url):
    with pytest.raises(InvalidInput, match="D141"):
        lapwing.connect(url, token=NOBODYS)


def test_the_token_is_not_shown(session, token):
    assert token not in repr(session)
    assert token not in repr(session.server)


def test_the_command_line_asks_a_server(there, token, monkeypatch):
    url = f"{there[0].url}/people"
    assert "D144" in command("quote", url, COUNT).stderr
    monkeypatch.setenv("LAPWING_TOKEN", token)
    [found] = objects(command("run", url, COUNT, "--epsilon", "0.2", "--json"))
    assert found["spent"] == 0.2
    assert found["receipt"]["analyst"] == "ana"
    assert command("quote", url, COUNT).exit_code == 0
    assert command("explain", url, COUNT).exit_code == 0
    assert "D144" in command("run", url, COUNT, "--epsilon", "0.2", "--analyst", "bo").stderr


def test_parts_are_refused_in_words(session):
    with pytest.raises(InvalidInput, match=r"D146 .*GROUP BY region"):
        session.partition("region")


class Flaky(BaseHTTPRequestHandler):
    """Hangs up on the first question, as a network does; notes the keys that it was given."""

    keys: tuple = ()
    answer = b'{"code": "X", "problem": "p", "remedy": "r"}'

    def do_GET(self):
        self._say(b'{"tables": [{"name": "people"}]}', 200)

    def do_POST(self):
        type(self).keys += (self.headers["Idempotency-Key"],)
        if len(self.keys) > 1:
            self._say(self.answer, 409)

    def _say(self, body, status):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_question_is_sent_again_under_its_key(monkeypatch):
    monkeypatch.setattr(calling, "_PAUSE", 0)
    with HTTPServer(("127.0.0.1", 0), Flaky) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        session = lapwing.connect(f"http://127.0.0.1:{server.server_port}", token=NOBODYS)
        with pytest.raises(BudgetExceeded):
            session.sql(COUNT, epsilon=1)
        with pytest.raises(BudgetExceeded):
            session.sql(COUNT, epsilon=1)
        server.shutdown()
    first, again, other = Flaky.keys
    assert first == again
    assert first is not None
    assert other != first  # another question has another key
    with pytest.raises(LapwingError, match="D140"):
        session.sql(COUNT, epsilon=1)


def test_something_else_that_answers(monkeypatch):
    monkeypatch.setattr(calling, "_PAUSE", 0)

    class Elsewhere(Flaky):
        def do_GET(self):
            self._say(b"<html>", 200)

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(LapwingError, match="D142"):
            lapwing.connect(f"http://127.0.0.1:{server.server_port}", token=NOBODYS)
        server.shutdown()


def test_plans_advice_and_mechanisms_are_those_of_the_file(there, session):
    wishes = [
        {"name": "all", "sql": COUNT, "within": 20},
        (BY_REGION, {"n": 60}),
        {"sql": COUNT, "weight": 2, "name": "w"},
    ]
    with lapwing.open(there[2] / "people.parquet", analyst="ana") as local:
        here, far = local.plan(wishes, epsilon="2/5"), session.plan(wishes, epsilon="2/5")
        assert here.to_json() == far.to_json()
        report = far.run()
        assert report.spent == far.price
        assert report.names == ["all", "question 2", "w"]
        assert not report.repeated
        assert here.run().repeated  # what was paid for there is free here
        assert far.run().repeated
        advice = session.advise(epsilon="1/10", columns=["age"])
        assert [each.column for each in advice.ranges] == ["age"]
        assert local.advise(epsilon="1/10", columns=["age"]).repeated
        applied = session.apply(lapwing.library.noisy_max, [COUNT, COUNT], epsilon="1/20", sensitivity=1)
        assert applied.spent == {"epsilon": "1/20"}
        assert lapwing.check(applied.to_json(), source=there[2] / "people.parquet").price.epsilon == pytest.approx(0.05)
        with pytest.raises(InvalidInput, match="S150"):
            session.apply(len, [COUNT])
        with pytest.raises(InvalidInput, match="S170"):
            session.plan([])


def test_commands_plan_and_advise_on_a_server(there, token, tmp_path, monkeypatch):
    monkeypatch.setenv("LAPWING_TOKEN", token)
    file = tmp_path / "wishes.toml"
    file.write_text(f'[[question]]\nname = "n"\nsql = "{COUNT}"\nwithin = 30\n')
    address = f"{there[0].url}/people"
    planned = command("plan", file, address)
    assert planned.exit_code == 0, planned.output
    paid = command("plan", file, address, "--run", "--report", tmp_path / "r.html", "--output", tmp_path / "r.json")
    assert paid.exit_code == 0, paid.output
    assert command("check", tmp_path / "r.json").exit_code == 0
    advised = command("advise", address, "--epsilon", "0.05")
    assert advised.exit_code == 0, advised.output
    refused = command("advise", address, "--epsilon", "0.05", "--write")
    assert (refused.exit_code, "S174" in refused.output) == (2, True)
