"""First runs take a process each: a few of them are enough where they are not what a test is about."""

import pytest

from lapwing.audit import first_runs


@pytest.fixture(autouse=True)
def few_first_runs(request, monkeypatch):
    if request.module.__name__.rpartition(".")[2] != "test_innocent":
        monkeypatch.setattr(first_runs, "FEWEST", 8)
        monkeypatch.setattr(first_runs, "SECONDS", 0.0)
