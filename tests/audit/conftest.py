"""First runs take a process each: a few of them are enough where they are not what a test is about."""

import pytest

from lapwing.audit import firstruns


@pytest.fixture(autouse=True)
def few_first_runs(request, monkeypatch):
    if request.module.__name__.rpartition(".")[2] != "test_innocent":
        monkeypatch.setattr(firstruns, "FEWEST", 8)
        monkeypatch.setattr(firstruns, "SECONDS", 0.0)
