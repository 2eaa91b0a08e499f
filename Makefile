# Every target does its own set-up: from a fresh clone, with Python, pip and
# make, `make serve` and `make test` just work.

PYTHON ?= python3
WORKERS ?= 2
ARGS ?=

BIN := .venv/bin
STAMP := .venv/.installed
UV_VERSION := 0.13.7

.DEFAULT_GOAL := help
.PHONY: help install serve test check fix bench soak lock clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP) ## Make .venv with everything locked, and .venv/bin/keypact

serve: $(STAMP) ## Serve DynamoDB's wire protocol on the data in ./keypact-data
	@$(BIN)/keypact dynamodb --data ./keypact-data $(ARGS)

test: $(STAMP) ## Run the tests, but for the long random ones
	@$(BIN)/pytest -n $(WORKERS) --dist loadgroup $(ARGS)

check: $(STAMP) ## Formatting, lint, strict types, import rules and house rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/unit/test_house.py

fix: $(STAMP) ## Format, and repair what lint can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## Print the speed ratios, with rivals in the same run
	@$(BIN)/python -m bench $(ARGS)

soak: $(STAMP) ## Run the long random tests: kills, histories, differences
	@KEYPACT_PROPERTIES=soak $(BIN)/pytest -m soak --timeout 3600 $(ARGS)

# Resolved for every Python from 3.11 on, and without a word about which index was asked.
COMPILE = $(BIN)/uv pip compile --upgrade --quiet --universal --python-version 3.11 \
	--no-emit-index-url --custom-compile-command "make lock"
WITNESSES := ministack moto awscli nodejs clients

lock: $(STAMP) ## Resolve all lock files anew
	$(BIN)/pip install --quiet uv==$(UV_VERSION)
	$(COMPILE) pyproject.toml --extra dev --generate-hashes --output-file requirements.lock
	cd tests/witnesses/locks && for name in $(WITNESSES); do \
		../../../$(COMPILE) $$name.in --no-annotate --output-file $$name.txt || exit 1; done
	cd tests/witnesses/locks && npm install --package-lock-only \
		--omit-lockfile-registry-resolved --no-audit --no-fund

clean: ## Remove what make installed; data and witnesses stay
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

# --no-build-isolation: the build backend comes from the lock, too.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "keypact needs Python 3.11 or newer; try make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
