# Each target builds the virtual environment that it needs.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo docs test check slow mutants versions bench format clean

$(BIN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[postgres,database,spark,demo,images]" --group dev
	touch $@

demo: $(BIN)/.ready          ## release histograms of a real data set, with defaults that need nothing else
	$(BIN)/python examples/demo.py demo

docs: $(BIN)/.ready          ## the documentation as a site; open build/site/index.html
	$(BIN)/python docs/site/build.py build/site

test: $(BIN)/.ready          ## all tests that a developer waits for
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

slow: $(BIN)/.ready          ## the long ones
	$(BIN)/python -m pytest -m slow

mutants: $(BIN)/.ready       ## plant every bug that a proof names, one at a time; MUTANTS="privacy", MUTANTS="--write"
	$(BIN)/python tests/mutants/run.py $(MUTANTS)

versions: $(BIN)/.ready      ## the lowest and the highest versions of everything, into docs/versions.md; takes an hour
	$(BIN)/python -m pip install --quiet "uv>=0.5"
	$(BIN)/python tests/versions/run.py --record docs/versions.md

bench: $(BIN)/.ready         ## time and quality beside peers, into benchmarks/RESULTS.md; BENCH="--quick" for minutes
	$(BIN)/python benchmarks/suite.py $(BENCH)

check: $(BIN)/.ready         ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check --no-cache .
	$(BIN)/mypy

format: $(BIN)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) demo build dist
