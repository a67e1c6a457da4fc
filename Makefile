# Everything sets itself up: Python 3.11 to 3.13, make and a package index are enough.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Only what is imported need be compiled, which Python does by itself at the first import.
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq install --no-compile

.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs browser bench clean
.DELETE_ON_ERROR:

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.core ## train a decentralized recommender, show what it recommends, write a report
	@$(BIN)/sottovoce demo
	@echo; echo "To use it in this shell: . $(VENV)/bin/activate"; echo "Then for example: sottovoce recipes"

test: lint ## all checks and tests (PYTEST="-k name" chooses)
	@$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal $(PYTEST)

lint: $(VENV)/.dev ## formatting, linting and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "Some files are not formatted: run make format."; exit 1; }
	@$(BIN)/mypy

format: $(VENV)/.dev ## reformat the code, and fix what can be fixed
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

docs: $(VENV)/.dev ## build the documentation into build/docs, and check all its links
	@$(BIN)/python -m docs.generate
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env docs build/docs
	@echo "documentation: $(CURDIR)/build/docs/index.html"

browser: ## install Chromium, in which tests look at pages (Debian, Ubuntu; needs root or sudo)
	@for name in chromium chromium-browser google-chrome; do \
	  if command -v $$name >/dev/null; then echo "browser: $$(command -v $$name)"; exit 0; fi; done; \
	if ! command -v apt-get >/dev/null; then \
	  echo "This is neither Debian nor Ubuntu: install Chromium from your distribution's packages."; \
	  echo "Tests look for chromium, chromium-browser or google-chrome on the PATH."; exit 1; fi >&2; \
	$$([ "$$(id -u)" = 0 ] || echo sudo) sh -c 'apt-get -qq update && \
	  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends chromium fonts-dejavu-core'

bench: $(VENV)/.core ## measure speed and memory into benchmarks/results.json (ONLY=prefix chooses)
	@$(BIN)/python -m benchmarks $(ONLY)

clean: ## remove the environment and what tools left behind; keeps runs
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@found=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); \
	case "$$found" in 3.11|3.12|3.13) ;; *) \
	  echo "Sottovoce needs Python 3.11, 3.12 or 3.13; $(PYTHON) is $${found:-not to be found here}."; \
	  echo "Name another one, for example: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)"; exit 1; esac >&2
	@echo "Setting up $(VENV) with $$($(PYTHON) -V) …"
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; } >&2
	@touch $@

$(VENV)/.core: pyproject.toml | $(VENV)/.made
	@echo "Installing Sottovoce and what it needs …"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	@echo "Installing Sottovoce and what its tests need …"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.core
