"""Every file of the house has an answer to: where is it tested?"""

import pytest

from tests.house.counting import HOUSE
from tests.house.where import TESTS, THROUGH, by_name, through

FILES = [path for path in sorted(HOUSE.glob("**/*.py")) if path.name not in ("__init__.py", "__main__.py")]


def test_every_file_is_tested_by_name_or_through_something_that_is_said():
    lost = [path.relative_to(HOUSE).as_posix() for path in FILES if not by_name(path) and through(path) is None]
    assert not lost, f"write a test of that name, or say in THROUGH what they are tested through: {lost}"


def test_what_is_said_is_there_and_needed():
    used = {through(path) for path in FILES if not by_name(path)}
    assert set(THROUGH) == used, f"nothing is tested through these any more: {set(THROUGH) - used}"
    for place in THROUGH.values():
        assert (TESTS / place).exists(), place


@pytest.mark.parametrize(
    ("name", "test"),
    [("kernel/prices/prices.py", "kernel/test_prices.py"), ("session/road.py", "session/test_road.py")],
)
def test_it_can_be_asked(name, test):
    found = [each.relative_to(TESTS).as_posix() for each in by_name(HOUSE / name)]
    assert test in found
