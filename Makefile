# Every target does its own set-up; CI calls the same ones.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip says what it downloads: the first installation takes minutes
PIP := $(BIN)/python -m pip --disable-pip-version-check
PORT ?= 8000

# Compiled modules are kept: without them every server and every command that a test starts compiles Lanner anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo browser test test-python test-browser test-metrics soak check audit bench docs clean
.DEFAULT_GOAL := help

help:
	@echo "make setup   environment with everything for development in $(VENV)"
	@echo "make demo    a campaign with simulated judges, a judging page and a report, served on this machine (PORT=8150)"
	@echo "make test    all tests, with a real browser and a real PostgreSQL"
	@echo "make soak    the long form: 50 kills on each database with two tabs a judge, PostgreSQL restarted, new examples"
	@echo "             for every fuzz test, faults put into the source"
	@echo "make test-metrics  COMET checkpoints beside the reference implementation, in an environment of its own"
	@echo "make check   lint, strict types, architecture, docs"
	@echo "make audit   known vulnerabilities of what is installed (needs a network; exits with 2 where it cannot look)"
	@echo "make bench   benchmarks: ours, the peer, the ratio"

$(VENV)/.core: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Lanner into $(VENV). The first time takes a few minutes ..."
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/.core
	@echo "Installing development tools into $(VENV) ..."
	@$(PIP) install -c constraints.txt -e ".[dev]"
	@touch $@

setup: $(VENV)/.dev

demo: $(VENV)/.core
	@$(BIN)/lanner demo --port $(PORT)

browser: $(VENV)/.dev
	@sh tests/browser/install-chromium.sh
	@sh tests/js/install-tools.sh

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/pytest -q tests/test_architecture.py tests/test_docs.py tests/js

# Three processes on two cores: tests wait for databases, servers and pages, and a third has work meanwhile. Small
# matrices and tables take less work without threads of their own (an eighth less of the statistics' tests).
# The browser's driver keeps an event loop of its own, which is why its tests have a process of their own; and they wait
# for numbers made at low priority, which is why nothing else runs beside them.
test: test-python test-browser

test-python test-browser: export OPENBLAS_NUM_THREADS := 1
test-python test-browser: export POLARS_MAX_THREADS := 1

test-python: setup browser
	@$(BIN)/pytest -q -n 3 --dist loadfile --no-loadscope-reorder --ignore=tests/browser

test-browser: setup browser
	@$(BIN)/pytest -q -n 3 --dist worksteal -p no:schemathesis tests/browser

soak: setup
	@LANNER_SOAK=50 $(BIN)/pytest -q -s --timeout 0 tests/soak
	@LANNER_SOAK=50 $(BIN)/pytest -q --timeout 0 -m soak --ignore=tests/browser --ignore=tests/soak
	@LANNER_SOAK=50 $(BIN)/pytest -q --timeout 0 -m soak tests/browser
	@$(PIP) install -c constraints.txt -e ".[ray]"
	@$(BIN)/pytest -q -s tests/judges/test_ray_cluster.py  # three nodes, of which a worker and a node are killed
	@LANNER_SOAK=50 $(BIN)/pytest -q --timeout 0 tests/web/test_openapi.py tests/judges/test_interrupted.py
	@LANNER_SOAK=50 LANNER_SEED=$${LANNER_SEED:-$$(date +%F)} $(BIN)/pytest -q --timeout 0 tests/browser/test_walk.py  # another walk each day
	@LANNER_SOAK=50 $(BIN)/pytest -q --timeout 0 tests/browser/test_saving.py  # a page left more often
	@$(BIN)/python tests/soak/mutate.py  # faults that no test notices are listed, to be read
	@LANNER_FUZZ=1 $(BIN)/pytest -q -n 2 --timeout 0 --ignore=tests/browser --ignore=tests/soak

test-metrics:
	@PYTHON="$(PYTHON)" sh tests/metrics/run.sh

audit: setup
	@PYTHON="$(PYTHON)" sh tests/audit/run.sh $(VENV)

docs: setup
	@$(BIN)/mkdocs build --strict --quiet

bench: setup
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) .venv-metrics .venv-audit .mypy_cache .pytest_cache .ruff_cache site build dist
