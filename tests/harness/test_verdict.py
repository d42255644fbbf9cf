"""The rules on Spark: the tests that `tests/unit/harness/verdict` runs on the local engine."""

from tests.unit.harness.verdict.test_join import *  # noqa: F403
