"""The rules of evidence that `--lenient` may leave out; `verdict.evidence_rules` has all rules."""

from collections.abc import Sequence

LENIENT = (
    "acknowledged",
    "unknown",
    "producers",
    "silence",
    "faults",
    "failover",
    "changes",
    "nodes",
    "whole",
    "replicas",
    "replica-ends",
    "timestamps",
    "elr",
)
"""The names of the rules that `--lenient` may leave out, in the order of the verdict's reasons."""


def unknown_rules(names: Sequence[str]) -> list[str]:
    """Return the names that are not in `LENIENT`."""
    return [name for name in names if name not in LENIENT]
