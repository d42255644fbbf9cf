"""The election types of ElectLeaders.

Source: `ElectionType`, KIP-966 Public Interfaces; docs/rules.md A2.
"""

from enum import IntEnum


class ElectionType(IntEnum):
    """The type of an election (A2)."""

    PREFERRED = 0
    UNCLEAN = 1
    DESIGNATION = 2
    LONGEST_LOG_BALANCED = 3
    LONGEST_LOG_AGGRESSIVE = 4
