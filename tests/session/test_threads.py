"""Threads that share a session: each is answered, and the last of the budget is spent exactly once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from lapwing.errors import BudgetExceeded, LapwingError
from tests.session.tables import protected


def test_eight_threads_share_a_session_and_spend_the_last_epsilon_exactly(tmp_path):
    with protected(tmp_path, epsilon=6) as session:

        def ask(number):
            try:
                session.sql(f"SELECT COUNT(*) AS n, AVG(age) AS a FROM people WHERE age > {number}", epsilon="0.25")
            except BudgetExceeded:
                return "refused"
            except LapwingError as failed:
                return failed.code
            return "answered"

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(ask, range(32)))
        assert {word: found.count(word) for word in set(found)} == {"answered": 24, "refused": 8}
        assert session.remaining.epsilon == 0


@pytest.mark.parametrize("times", range(3))
def test_quotes_and_joins_beside_answers(tmp_path, times):
    with protected(tmp_path, epsilon=100) as session:

        def ask(number):
            if number % 2:
                return session.quote("SELECT AVG(income) AS pay FROM people", epsilon=1).price
            return session.sql(f"SELECT COUNT(*) AS n FROM people WHERE age > {number + times}", epsilon=1).spent

        with ThreadPoolExecutor(8) as pool:
            assert len(list(pool.map(ask, range(24)))) == 24
