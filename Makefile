# make run    set up and run the main job         make check  ruff and mypy
# make test   set up and run the tests            make bench  speed, as ratios measured in one run
# make slow   the slow tests, which CI runs too   make soak   ten minutes of attacks, which must find nothing
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Every program that is started here is a Python that would else compile all of heats again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test slow soak check bench clean
INSTANCES := swgcp --fewest 1500 --most 1600 --degree 4 --colours 3 --lp 6
run: $(VENV)/sat
	$(BIN)/heats $(INSTANCES) --count 16 --seed 1 --out examples/saps/instances >/dev/null
	$(BIN)/heats $(INSTANCES) --count 20 --seed 2 --out examples/saps/test >/dev/null
	$(BIN)/heats race examples/saps/race.toml --html examples/saps/race.html

TEST := $(BIN)/python -m pytest -n auto --dist worksteal
test: $(VENV)/dev
	$(TEST) -m "not slow"

slow: $(VENV)/dev
	$(TEST) -m slow

soak: $(VENV)/dev
	$(BIN)/python -m tests.hostile.soak

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

# SAPS is compiled when it is first imported: here, so that no run of a race has to wait for it, nor fails because there
# is no C compiler: then one is had from pip.
COMPILE := $(BIN)/python -c 'import heats.sat.kernel' 2>/dev/null || \
  { $(PIP) ziglang && $(BIN)/python -c 'import heats.sat.kernel'; }

$(VENV)/sat: pyproject.toml src/heats/sat/kernel.c | $(BIN)/python
	$(PIP) -e '.[sat]'
	@$(COMPILE)
	@touch $@

$(VENV)/dev: pyproject.toml src/heats/sat/kernel.c | $(BIN)/python
	$(PIP) -e '.[dev]'
	@$(COMPILE)
	@touch $@

$(VENV)/bench: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[dev,bench]'
	@touch $@ $(VENV)/dev
