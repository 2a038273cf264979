# Each target builds the virtual environment that it needs.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
VERSIONS ?= --record docs/versions.md
UV := "uv>=0.8,<1"
# Processes that tests start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# A file's fixtures are made once by one worker; what shares a cluster or a browser shares a worker.
QUICK := $(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"
SLOW := $(BIN)/python -m pytest -n 2 --dist loadgroup -m slow

.PHONY: demo docs test check slow slow-list coverage mutants fuzz versions bench vega lock lock-check dist hooks format clean

# With LOCKED=1 the versions are those of uv.lock, and not the newest ones that pyproject.toml allows.
$(BIN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
ifdef LOCKED
	$(BIN)/python -m pip install --quiet $(UV)
	UV_PROJECT_ENVIRONMENT=$(VENV) $(BIN)/python -m uv sync --quiet --locked --inexact --all-extras
else
	$(BIN)/python -m pip install --quiet --editable ".[postgres,database,files,spark,demo,images,second-opinion,studio]" --group dev
endif
	touch $@

demo: $(BIN)/.ready          ## release histograms of a real data set, with defaults that need nothing else
	rm -rf demo
	$(BIN)/python -m reaedp demo demo

docs: $(BIN)/.ready          ## the documentation as a site; open build/site/index.html
	$(BIN)/python docs/site/build.py build/site

test: $(BIN)/.ready          ## all tests that a developer waits for
	$(QUICK)

slow: $(BIN)/.ready          ## the long ones, and those that need a server, a cluster or a browser
	$(SLOW)

slow-list: $(BIN)/.ready     ## which tests are slow, and which planted bugs each of them catches
	$(BIN)/python tests/mutants/slow.py

coverage: $(BIN)/.ready      ## which lines and branches `make test` runs; fails below the floor in pyproject.toml
	$(QUICK) --cov --cov-report=term:skip-covered

mutants: $(BIN)/.ready       ## plant every bug that a proof names, one at a time; MUTANTS="privacy", MUTANTS="--write"
	$(BIN)/python tests/mutants/run.py $(MUTANTS)

fuzz: $(BIN)/.ready          ## generated inputs of every format, released; FUZZ="--inputs 100000 --seed 1"
	$(BIN)/python tests/fuzz/run.py $(FUZZ)

versions: $(BIN)/.ready      ## the lowest and the highest versions of everything, into docs/versions.md; takes an hour
	$(BIN)/python -m pip install --quiet $(UV)
	$(BIN)/python tests/versions/run.py $(VERSIONS)

bench: $(BIN)/.ready         ## time and quality beside peers, into benchmarks/RESULTS.md; BENCH="--quick" for minutes
	$(BIN)/python benchmarks/suite.py $(BENCH)

lock: $(BIN)/.ready          ## write uv.lock anew, with the newest versions
	$(BIN)/python -m pip install --quiet $(UV)
	$(BIN)/python -m uv lock --upgrade

lock-check: $(BIN)/.ready    ## uv.lock is in step with pyproject.toml
	$(BIN)/python -m pip install --quiet $(UV)
	$(BIN)/python -m uv lock --check

dist: $(BIN)/.ready          ## wheel and sdist into dist/, checked; the demo runs from the wheel without this folder
	rm -rf dist
	$(BIN)/python -m pip install --quiet "build>=1.2,<2" "twine>=6,<8"
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tests/packages/run.py dist

hooks: $(BIN)/.ready         ## format, lint, types and the subject are looked at by every commit
	$(BIN)/python -m pip install --quiet "pre-commit>=4,<5"
	$(BIN)/python -m pre_commit install

check: $(BIN)/.ready         ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check --no-cache .
	$(BIN)/mypy

format: $(BIN)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

vega: $(BIN)/.ready          ## Vega as one script, from the installed vl-convert into the package
	$(BIN)/python packaging/vega.py

clean:
	rm -rf $(VENV) demo build dist .coverage*
