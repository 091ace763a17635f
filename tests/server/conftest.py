"""A server with accounts for a module's tests."""

import tempfile
from pathlib import Path

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


@pytest.fixture
def in_memory(tmp_path):
    """A folder whose disk is memory, where there is one: for tests of many writes that are not about the disk."""
    memory = Path("/dev/shm")  # noqa: S108  # a folder of our own is made in it
    if not memory.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="lapwing-test-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A house with a stranger, and with an answer that ana paid for."""
    with serving(tmp_path_factory.mktemp("town")) as house:
        house.accounts.add("sam", "analyst", PASSWORD, "test")
        paid = house.run(house.bearer("ana"), BY_REGION, epsilon="1/10")
        yield house, paid.json()["receipt"]["sequence"]
