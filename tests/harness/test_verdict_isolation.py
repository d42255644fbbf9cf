"""The rules on Spark: the tests that `tests/unit/harness/verdict` runs on the local engine."""

from tests.unit.harness.verdict.test_isolation import *  # noqa: F403
