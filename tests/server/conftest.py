"""A server with accounts for a module's tests."""

import pytest

from tests.server.making import BY_REGION, PASSWORD, fast_passwords, serving


@pytest.fixture(autouse=True, scope="session")
def quick():
    with pytest.MonkeyPatch.context() as patched:
        fast_passwords(patched)
        yield


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """For tests that spend little, and change nothing that another relies on."""
    with serving(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture
def own_house(tmp_path):
    """For a test that spends, breaks or changes things."""
    with serving(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A house with a stranger, and with an answer that ana paid for."""
    with serving(tmp_path_factory.mktemp("town")) as house:
        house.accounts.add("sam", "analyst", PASSWORD, "test")
        paid = house.run(house.bearer("ana"), BY_REGION, epsilon="1/10")
        yield house, paid.json()["receipt"]["sequence"]
