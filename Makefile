# Everything that is done with this repository. `make help` lists it; settings are environment variables, e.g.
#   KB_PORT=8001 KB_STATE_DIR=/tmp/kb make up

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
export PYTHONPATH := layers/core:.
# Tests run as in a clean shell: a stack's settings are the tests' own to make.
SETTINGS := $(filter-out KB_TEST_% KB_REQUIRE_%,$(filter KB_%,$(.VARIABLES)))
LOCAL := $(PY) -m infra.local
PYTEST := env $(addprefix -u ,$(SETTINGS)) $(PY) -m pytest
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url
ARGS ?=
LLM ?=
CHAT := $(if $(filter local,$(LLM)),setup-chat)
CHAT_SETTING := $(if $(LLM),KB_LLM=$(LLM))

##@ Run

.PHONY: run up down status
run: setup $(CHAT) ## Start the stack, read in the sample documents, stream two answers, serve until Ctrl-C
	@$(CHAT_SETTING) exec $(LOCAL) run

up: setup $(CHAT) ## Start the same stack in the background; returns when it is ready. LLM=local: with a small chat model
	@$(CHAT_SETTING) $(LOCAL) up

down: setup ## Stop the stack in the background
	@$(LOCAL) down

status: setup ## Say whether the stack runs, and where
	@$(LOCAL) status

.PHONY: opensearch
opensearch: setup ## Start a real OpenSearch on this machine, for KB_INDEX=opensearch
	@exec $(PY) -m infra.local.opensearch $(ARGS)

##@ Check

.PHONY: test test-fast test-e2e check format
test: test-fast test-e2e ## Run every test that this machine can run; says what it skipped and why

test-fast: setup ## Run the tests that need no stack
	@$(PYTEST) -rs -n auto --dist loadgroup --ignore tests/e2e $(ARGS)

test-e2e: setup ## Run the tests that start a stack of their own
	@if ls tests/e2e/test_*.py > /dev/null 2>&1; then $(PYTEST) -rs tests/e2e $(ARGS); fi

check: setup ## Check format, lint, types, imports, the templates, and that what is generated is up to date
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/cfn-lint template.yaml infra/*.yaml
	@$(PY) -m infra.openapi --check
	@$(PY) -m infra.openapi.client_models --check
	@$(PY) -m infra.messages --check

format: setup ## Format the code, and repair what the linter can repair
	@$(VENV)/bin/ruff format .
	@$(VENV)/bin/ruff check --fix .

.PHONY: openapi bench eval lock
openapi: setup ## Write infra/openapi/<dialect>.yaml, infra/messages/*.json and the Python client's models anew
	@$(PY) -m infra.openapi
	@$(PY) -m infra.openapi.client_models
	@$(PY) -m infra.messages

bench: setup ## Measure, everything or e.g. ARGS=readers; see docs/benchmarks.md
	@$(PY) -m tests.bench $(ARGS)

eval: setup ## Measure how well questions are searched and answered; ARGS=--help says what of it
	@$(PY) -m tests.eval $(ARGS)

lock: ## Pin the requirements anew, with hashes; needs uv
	@command -v uv > /dev/null || { echo "This needs uv: pipx install uv" >&2; exit 1; }
	uv pip compile $(LOCK) requirements-dev.in -o requirements-dev.txt
	for layer in dependencies parsing ocr; do \
		uv pip compile $(LOCK) -c requirements-dev.txt layers/$$layer/requirements.in -o layers/$$layer/requirements.txt; \
	done
	uv pip compile $(LOCK) --no-deps infra/local/chat_requirements.in -o infra/local/chat_requirements.txt
	uv pip compile $(LOCK) -c requirements-dev.txt tests/bench/requirements.in -o tests/bench/requirements.txt
	uv pip compile $(LOCK) tests/bench/index_requirements.in -o tests/bench/index_requirements.txt

##@ AWS

.PHONY: build deploy admin-key
build: ## Build for AWS; needs the SAM CLI
	@command -v sam > /dev/null || { echo "This needs the SAM CLI: pipx install aws-sam-cli" >&2; exit 1; }
	env -u PYTHONPATH sam build

deploy: build ## Deploy to AWS; asks for the parameters once, and remembers them in samconfig.toml
	env -u PYTHONPATH sam deploy $(if $(wildcard samconfig.toml),,--guided) \
		--capabilities CAPABILITY_IAM CAPABILITY_NAMED_IAM CAPABILITY_AUTO_EXPAND $(ARGS)

admin-key: setup ## Make the first operator key of a deployed stack: make admin-key STACK=my-stack
	@$(PY) -m infra.admin_key $(or $(STACK),$(error say which stack: make admin-key STACK=my-stack)) $(ARGS)

##@ Housekeeping

.PHONY: setup setup-chat clean help
setup: ## Make the virtual environment, or bring it up to date; costs nothing if it is
	@./infra/local/setup.sh $(VENV) requirements-dev.txt

setup-chat: ## Fetch a small chat model and its server, 90 MB, for LLM=local
	@./infra/local/setup.sh .venv-llm infra/local/chat_requirements.txt

clean: ## Stop the stack and delete its state, build results and caches; the virtual environment stays
	@if [ -x $(PY) ]; then $(LOCAL) down; fi
	@if [ -f "$${KB_STATE_DIR:-.local}/FORMAT" ]; then rm -rf "$${KB_STATE_DIR:-.local}"; fi
	rm -rf .aws-sam build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +

help: ## List what can be made
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
