# Targets: demo, demo-elr, test, quick, check, simulate, processes, mutants, soak, attacks, generate, bench, oracle, clean. CONTRIBUTING.md says what each is for.

# The system's Python, if it is new enough and complete: it is often faster than a build with a shared library (docs/performance.md).
FIT := import ensurepip, os, sys, sysconfig; sys.exit(sys.version_info < (3, 11) or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
SYSTEM_PYTHON := /usr/bin/python3
PYTHON ?= $(shell $(SYSTEM_PYTHON) -c '$(FIT)' 2>/dev/null && echo $(SYSTEM_PYTHON) || echo python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Spark, and the browser of the tests, for the targets that start clusters.
SPARK := $(VENV)/.installed-processes
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
SEED ?=
MINUTES ?= 60
RESULTS := out/tests
PYTEST := $(BIN)/python -m pytest -q
# Tests that start processes wait half of the time, so more of them run than there are cores. `tests/side_by_side.py` says what stays together.
SIDE_BY_SIDE := -n 3 --dist loadgroup --no-loadscope-reorder

.PHONY: demo demo-elr test fresh quick check simulate processes mutants soak attacks generate unit integration harness bench oracle clean
.NOTPARALLEL:

$(STAMP): requirements/check.lock pyproject.toml setup.py minikafka/records/_compaction.c minikafka/records/_summary.c
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; " + sys.executable + " is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/check.lock
	$(PIP) --no-deps -e .
	$(BIN)/python -m compileall -q minikafka
	@touch $@

$(SPARK): $(STAMP) requirements/processes.lock
	$(PIP) --no-deps --require-hashes -r requirements/processes.lock
	@touch $@

# Three brokers, real clients, a killed leader, and Spark's verdict.
demo: $(SPARK)
	$(BIN)/minikafka verify --nodes 3 $(if $(SEED),--seed $(SEED))

# The same failure twice: acknowledged records are lost without eligible leader replicas.
demo-elr: $(STAMP)
	$(BIN)/minikafka demo-elr

# All tests; at the end a table of what was run. It fails where a kind of test or data is missing.
test: fresh check simulate processes
	$(BIN)/python -m tests.summary $(RESULTS)

fresh:
	rm -rf $(RESULTS)

# Format, lint, types, and the unit tests that a change affects.
quick: $(STAMP)
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy
	@tests=$$($(BIN)/python -m tools.affected_tests) && echo $$tests && \
	if test -n "$$tests"; then $(PYTEST) -n 2 $$tests; fi

# Everything that needs neither Java, nor a running cluster, nor hundreds of simulated runs.
check: $(STAMP)
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/tidy.py
	$(BIN)/python tools/generate_messages.py --check
	$(BIN)/python tools/write_tables.py --check
	$(BIN)/python tools/spec_coverage.py --check
	$(BIN)/python tools/write_sbom.py
	$(PYTEST) -n 2 --junitxml=$(RESULTS)/check.xml tests/unit tests/property tests/conformance tests/log_directories tests/scenario tests/fuzz

# Simulated clusters under faults: every promise holds, and each weakened rule is noticed.
simulate: $(STAMP)
	$(PYTEST) -n 2 --junitxml=$(RESULTS)/simulate.xml tests/simulation
	$(BIN)/python -m tests.simulation.floors --json $(RESULTS)/floors.json

# Clusters of real processes with real clients, and the verification run with Spark.
processes: $(SPARK)
	$(PYTEST) $(SIDE_BY_SIDE) --junitxml=$(RESULTS)/processes.xml tests/harness tests/integration tests/fault tests/golden tests/attacks

# Weakens one rule after the other, until the simulator objects; prints how many seeds that took.
mutants: $(STAMP)
	$(BIN)/python -m tests.simulation.mutants --starts 1,100001,200001

# Random seeds of the simulator for MINUTES; leaves a report in out/soak.md.
soak: $(STAMP)
	$(BIN)/python -m tests.simulation.soak --minutes $(MINUTES)

# What costs a broker more than its client, with an honest producer beside it; about ten minutes.
attacks: $(STAMP)
	$(BIN)/python -m tests.attacks $(if $(VERSUS),--versus $(VERSUS))

integration: $(SPARK)
	$(PYTEST) $(SIDE_BY_SIDE) tests/integration tests/fault tests/golden tests/attacks

harness: $(SPARK)
	$(PYTEST) $(SIDE_BY_SIDE) tests/harness

generate: $(STAMP)
	$(BIN)/python tools/generate_messages.py
	$(BIN)/python tools/write_tables.py
	$(BIN)/python tools/spec_coverage.py

# One node of this folder beside one of the last commit that differs from it: HEAD, or HEAD~1 if everything is committed.
# BEFORE names another commit, MINIKAFKA_ORACLE the folder of an Apache Kafka's tools, or VERSUS a cluster that runs.
BEFORE ?= $(shell git diff --quiet HEAD && echo HEAD~1 || echo HEAD)
bench: $(STAMP)
	rm -rf out/before
	$(PIP) --no-deps --target out/before "git+file://$(CURDIR)@$$(git rev-parse $(BEFORE))"
	$(BIN)/minikafka bench --start-nodes 1 --before out/before $(if $(VERSUS),--versus $(VERSUS),$(if $(MINIKAFKA_ORACLE),--kafka-tools $(MINIKAFKA_ORACLE))) $(OPTIONS)

# For developers who have an Apache Kafka: MINIKAFKA_ORACLE names the folder of its tools.
oracle: $(SPARK)
	@test -n "$(MINIKAFKA_ORACLE)" || { echo "make oracle: set MINIKAFKA_ORACLE to a folder with kafka-cluster and kafka-run-class" >&2; exit 2; }
	$(BIN)/python tests/conformance/check_with_kafka.py
	$(BIN)/python -m tests.conformance.compare_transactions
	$(BIN)/python -m tests.conformance.record_authorization --check
	$(BIN)/python -m tests.conformance.record_tokens --check
	$(BIN)/python -m tests.java checks
	$(BIN)/python -m tests.java groups
	$(BIN)/python -m tests.java faults
	$(BIN)/python -m tests.java copier --kills 6
	$(BIN)/python -m tests.java streams --kills 6
	$(BIN)/python -m tests.golden.run
	$(BIN)/python -m tests.mixed

clean:
	rm -rf $(VENV) build dist out
