# make run    set up and run the main job         make check  ruff and mypy
# make test   set up and run the tests            make bench  speed, as ratios measured in one run
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test check bench clean
run: $(VENV)/core
	$(BIN)/heats demo

test: $(VENV)/dev
	$(BIN)/python -m pytest -n auto

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "heats needs Python 3.11 or newer; say which with: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml | $(BIN)/python
	$(PIP) -e .
	@touch $@

$(VENV)/dev: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/core

$(VENV)/bench: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[dev,bench]'
	@touch $@ $(VENV)/dev $(VENV)/core
