# Any Python from 3.11 on will do; name one with `make PYTHON=/path/to/python3.12 ...`.
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# `make lock` keeps every pin that still fits; `make lock UPGRADE=--upgrade` takes the newest.
UPGRADE ?=
UV_VERSION := 0.13.9
COMPILE := pip compile --quiet --no-config --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" $(UPGRADE)

# As many tests at once as there are cores; who is done takes over what others have left.
WORKERS := --numprocesses auto --dist worksteal

.DEFAULT_GOAL := help
.NOTPARALLEL:
.SILENT:
.PHONY: help check test lint verify bench bench-small lock clean java

help:
	echo "make check   explore every model in its default scope and check what must hold"
	echo "make test    lint and every test; needs Java 17 or later"
	echo "make lint    formatting, lint rules, types"
	echo "make verify  the large scopes, the proofs, the twins and the long tests; needs Java 17 or later"
	echo "make bench   lockstep beside TLC, SPIN, Stateright and C++; bench-small in small scopes"
	echo "make lock    resolve the dependencies again into the lock files"
	echo "make clean   remove the environment and everything that was generated"

check: $(VENV)/.installed
	$(BIN)/lockstep check

# Lint runs beside the tests, and what it printed is shown below theirs; both have to pass.
test: java $(VENV)/.installed $(VENV)/.spark
	lint=$$(mktemp) || exit 1; \
	$(MAKE) --no-print-directory lint >"$$lint" 2>&1 & beside=$$!; \
	trap 'kill $$beside 2>/dev/null; rm -f "$$lint"' EXIT; trap 'exit 130' INT TERM; \
	$(BIN)/pytest $(WORKERS); tests=$$?; \
	wait $$beside; beside_ended=$$?; cat "$$lint"; \
	[ $$tests -eq 0 ] && [ $$beside_ended -eq 0 ]

lint: $(VENV)/.installed $(VENV)/.spark
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

verify: java $(VENV)/.installed $(VENV)/.spark
	$(BIN)/lockstep check --scope large --liveness --no-cache
	$(BIN)/lockstep prove --no-cache
	$(BIN)/lockstep twin --no-cache
	$(BIN)/pytest $(WORKERS) -m verify

# A peer that is not installed is reported as not measured.
bench: $(VENV)/.installed
	$(BIN)/python -m bench

bench-small: $(VENV)/.installed
	$(BIN)/python -m bench --scope small --repeats 1 --results bench/build

# Prints the first interpreter that can make the environment: the tested versions first, then later ones.
define find_python
candidates="$(PYTHON)"; \
[ -n "$$candidates" ] || candidates="python3 python3.13 python3.12 python3.11 python python3.14 python3.15"; \
for newest in 13 999; do for candidate in $$candidates; do \
	if "$$candidate" -c "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, $$newest))" \
		>/dev/null 2>&1; then echo "$$candidate"; exit; fi; \
done; done; \
echo "lockstep needs Python 3.11 or later with its venv module, and none of these is one: $$candidates." >&2; \
echo "Install one (on Debian and Ubuntu also python3-venv), or name it: make PYTHON=/path/to/python3." >&2; \
exit 1
endef

$(VENV)/.locked: requirements.lock
	python=$$($(find_python)) || exit 1; \
	echo "Making $(VENV) with $$("$$python" --version) and the packages of requirements.lock (well under a minute)."; \
	"$$python" -m venv --clear $(VENV)
	$(PIP) install --require-hashes --only-binary :all: -r requirements.lock
	touch $@

# Without isolation the build uses the locked hatchling; `pip check` fails when pyproject.toml asks
# for something that requirements.lock does not give.
$(VENV)/.installed: $(VENV)/.locked pyproject.toml hatch_build.py
	$(PIP) install --no-deps --no-build-isolation --editable .
	$(PIP) check
	touch $@

# PySpark comes as source only: setuptools, from requirements.lock, builds it.
$(VENV)/.spark: $(VENV)/.locked requirements-spark.lock
	echo "Adding PySpark to $(VENV) (about 450 MB to download, once)."
	$(PIP) install --require-hashes --no-build-isolation --use-pep517 -r requirements-spark.lock
	touch $@

# Asked before anything is installed, and in the order in which `lockstep twin` looks.
java:
	for java in $${JAVA_HOME:+"$$JAVA_HOME/bin/java"} java; do \
		major=$$("$$java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'); \
		[ "$${major:-0}" -lt 17 ] || exit 0; \
		found="$${found:+$$found; }$$java is $${major:+Java }$${major:-not there}"; \
	done; \
	echo "Java 17 or later is needed by make test and make verify ($$found): install one, or set JAVA_HOME." >&2; \
	exit 1

lock:
	python=$$($(find_python)) || exit 1; \
	uv=$$(mktemp -d) && trap 'rm -rf "$$uv"' EXIT && "$$python" -m venv "$$uv" && \
	"$$uv/bin/python" -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION) && \
	"$$uv/bin/uv" $(COMPILE) --group dev --output-file requirements.lock pyproject.toml && \
	"$$uv/bin/uv" $(COMPILE) --group spark --constraints requirements.lock --output-file requirements-spark.lock

clean:
	rm -rf $(VENV) build dist bench/build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
