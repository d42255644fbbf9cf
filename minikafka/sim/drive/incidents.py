"""The incidents of a run: kinds of faults, actions of operators, and when they happen."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

_CREATED_AGAIN_MS: Final = (2_500, 3_500)


class Fault(Enum):
    """The kinds of faults; the values are used in plan files."""

    KILL = "kill"
    POWER = "power-cut"
    POWER_ALL = "power-cut-all"
    BIT_FLIP = "bit-flip"
    CRASH_AFTER_REJOIN = "crash-after-rejoin"
    RESTART = "restart"
    PAUSE = "pause"
    CUT = "cut"
    CUT_ONE_WAY = "cut-one-way"
    CUT_CLIENTS = "cut-clients"
    CUT_CONTROLLER = "cut-controller"
    ISOLATE = "isolate"
    SLOW = "slow"
    SLOW_NODE = "slow-node"
    CLOG = "clog"
    ABORT = "abort"
    CLOCK = "clock"
    DRIFT = "drift"
    SLOW_DISK = "slow-disk"
    FULL_DISK = "full-disk"
    DISK_ERROR = "disk-error"
    WIPE = "wipe"
    RESTORE = "restore"
    CRASH_AFTER_LOG_INFO = "crash-after-log-info"
    POWER_IN_STOP = "power-cut-in-stop"
    ROT = "rot"
    FEW_FILES = "few-files"
    CRASH_IN_STEP = "crash-in-step"
    ERROR_ONCE = "error-once"
    NO_SPACE_ONCE = "no-space-once"
    DATA_ROT = "data-rot"
    LOST_WRITE = "lost-write"
    MISDIRECTED_WRITE = "misdirected-write"
    WIPE_VOTER = "wipe-voter"
    OLD_VOTER = "old-voter"
    LOST_QUORUM_STATE = "lost-quorum-state"
    DIRECTORY_ERROR = "directory-error"
    DIRECTORY_OUT = "directory-out"
    CRASH_IN_MOVE = "crash-in-move"
    CUT_LEADERS = "cut-leaders"


class OperatorAction(Enum):
    """The actions of operators during a run; the values are used in plan files."""

    ELECT = "elect-preferred"
    ELECT_NOW = "elect-now"
    MIN_ISR = "min-isr"
    STRATEGY = "strategy"
    FEATURE = "feature"
    REASSIGN = "reassign"
    SWAP = "swap-leaders"
    TOPIC = "topic"
    ROLL = "rolling-restart"
    VOTERS = "change-voters"
    ALTER_DIRS = "alter-log-dirs"
    TRANSACTION_VERSION = "transaction-version"
    SWAP_TRANSACTIONS = "swap-transactions"


LINK_FAULTS = (Fault.CUT, Fault.CUT_ONE_WAY, Fault.SLOW, Fault.CLOG)
"""Faults of a link."""
DAMAGE = (Fault.DATA_ROT, Fault.LOST_WRITE, Fault.MISDIRECTED_WRITE)
"""Faults of synced data. They leave one sound copy, which other faults must not remove."""
VOTER_DISKS = (Fault.WIPE_VOTER, Fault.OLD_VOTER, Fault.LOST_QUORUM_STATE)
"""Faults of the disks of a voter, which is drawn when they happen."""
DIRECTORY_FAULTS = (Fault.DIRECTORY_ERROR, Fault.DIRECTORY_OUT, Fault.CRASH_IN_MOVE)
"""Faults of brokers with several log directories; no effect with one directory."""
BROKERS_ONLY = (Fault.WIPE, Fault.RESTORE, *DAMAGE, *DIRECTORY_FAULTS)
"""Faults of brokers only: a single controller that loses its log has lost all metadata."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A fault or an action at `at_ms`, of a node (0: no node), undone after `for_ms`."""

    at_ms: int
    what: Fault | OperatorAction
    node: int = 0
    other: int = 0
    for_ms: int = 0

    def __str__(self) -> str:
        """Return a line of a schedule."""
        whom = f" {self.node}" if self.node else ""
        peer = f"-{self.other}" if self.other else ""
        held = f" for {self.for_ms} ms" if self.for_ms else ""
        return f"{self.at_ms:>8} ms  {self.what.value}{whom}{peer}{held}"


def topics_created_again(incidents: Iterable[Incident], end_ms: int) -> list[Incident]:
    """Two actions for each directory that is out: a topic is deleted and created, or created."""
    added = [
        Incident(at_ms=each.at_ms + after_ms, what=OperatorAction.TOPIC, node=each.node)
        for each in incidents
        if each.what is Fault.DIRECTORY_OUT
        for after_ms in _CREATED_AGAIN_MS
    ]
    return [each for each in added if each.at_ms < end_ms]
