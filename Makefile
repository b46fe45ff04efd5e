# Two commands matter: `make site` builds the demo site, `make test` checks everything.
# Each sets up what it needs in .venv from an empty checkout.

PYTHON  ?= python3
WORKERS ?= auto
N       ?= 8000
RUNS    ?= 3
VENV    := .venv
BIN     := $(VENV)/bin

.PHONY: help site test quick lint types bench clean
.DEFAULT_GOAL := help

help:
	@echo "make site    build the demo site from content/ into build/site"
	@echo "make test    ruff, mypy and all tests (quick ones first)"
	@echo "make quick   ruff, mypy and the quick tests, under a minute"
	@echo "make bench   N=8000 runs, measured RUNS=3 times beside Hugo and the disk; the report goes to build/bench"
	@echo "make clean   delete what was built; content/ is left alone"

site: $(VENV)/site.stamp
	$(BIN)/leaderpress build
	@echo "The demo site is in $(CURDIR)/build/site; to read it: $(PYTHON) -m http.server -d build/site"

test: lint types
	$(BIN)/python -m pytest -n $(WORKERS)

quick: lint types
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not browser"

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .

types: $(VENV)/test.stamp
	$(BIN)/mypy

bench: $(VENV)/bench.stamp
	$(BIN)/python tests/scale/bench.py --runs $(N) --repeat $(RUNS)
	$(BIN)/python tests/scale/report.py build/bench

clean:
	find build -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "leaderpress needs Python 3.11 or newer; name one with: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/site.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[zstd]'
	@touch $@

$(VENV)/bench.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@ $(VENV)/site.stamp

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/site.stamp
