# Everything works from a fresh clone with Python >= 3.11 and make; the first run builds .venv.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo test check bench spark clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Build .venv with everything the other commands need

$(READY): pyproject.toml requirements.lock
	@test -n "$(PYTHON)" || { echo "Lapwing needs Python 3.11 or newer. Install it, or run: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) (once; about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## Take the guided tour
	@$(BIN)/lapwing demo

# Tests start hundreds of processes, which would read all of Lapwing's text again where no bytecode is kept.
test: export PYTHONDONTWRITEBYTECODE =
test: $(READY) ## Run all tests
	@$(BIN)/python -m pytest -n auto --dist worksteal -q || { test $$? = 1 && \
	  echo "What failed, once more and one at a time: a test that passes now depends on time or chance, and needs mending." && \
	  $(BIN)/python -m pytest -q --last-failed --last-failed-no-failures none; }

check: $(READY) ## Lint, type-check, and check the architecture
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(READY) ## Measure against peers; prints ratios, fails when a target is missed
	@$(BIN)/python -m benchmarks

spark: $(READY) ## Bring Spark for its tests and its benchmark (500 MB; needs Java 17)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-spark.lock
	@command -v java >/dev/null || echo "Spark needs Java 17 or later: apt-get install openjdk-17-jre-headless"

clean: ## Remove everything that was built
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
