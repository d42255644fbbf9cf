"""Mixes of incidents that are known to interact; a kind is drawn as often as it stands there."""

from random import Random

from minikafka.sim.drive.incidents import (
    DAMAGE,
    DIRECTORY_FAULTS,
    VOTER_DISKS,
    Fault,
    OperatorAction,
)

Mix = tuple[Fault | OperatorAction, ...]
MIXES: tuple[Mix, ...] = (
    # Messages arrive late, after everything has changed.
    (Fault.CLOG, Fault.CLOG, Fault.SLOW, Fault.POWER, Fault.PAUSE, OperatorAction.ELECT),
    (
        Fault.CLOG,
        Fault.SLOW,
        Fault.SLOW_NODE,
        OperatorAction.SWAP,
        OperatorAction.SWAP,
        OperatorAction.SWAP,
    ),
    (Fault.SLOW, Fault.SLOW_NODE, OperatorAction.SWAP, OperatorAction.SWAP),
    # Followers leave the ISR and come back, while everything is slow.
    (Fault.SLOW_NODE, Fault.SLOW_NODE, Fault.SLOW_DISK, Fault.KILL, Fault.ISOLATE, Fault.PAUSE),
    (Fault.CRASH_AFTER_REJOIN, Fault.CRASH_AFTER_REJOIN, Fault.SLOW),
    # The ISR changes all the time, and requests about it are sent twice.
    (Fault.ABORT, Fault.ABORT, Fault.SLOW_NODE, Fault.SLOW_NODE, Fault.PAUSE, Fault.SLOW),
    (Fault.SLOW_NODE, Fault.SLOW_NODE, Fault.SLOW, Fault.SLOW, OperatorAction.SWAP),
    # Disks keep fewer bytes than were written.
    (Fault.POWER, Fault.POWER, Fault.BIT_FLIP, Fault.RESTORE, Fault.FULL_DISK, Fault.DISK_ERROR),
    # No replica is left with all records.
    (Fault.POWER_ALL, Fault.POWER, Fault.BIT_FLIP, Fault.KILL, OperatorAction.STRATEGY),
    (Fault.CUT_CONTROLLER, Fault.CUT_CONTROLLER, Fault.POWER, Fault.KILL, Fault.SLOW),
    # Disks have not flushed when the power fails.
    (Fault.SLOW_DISK, Fault.SLOW_DISK, Fault.POWER, Fault.KILL, OperatorAction.SWAP),
    # Brokers restart while the ISR is small.
    (
        Fault.KILL,
        Fault.RESTART,
        Fault.SLOW_DISK,
        Fault.SLOW_NODE,
        Fault.SLOW,
        OperatorAction.MIN_ISR,
    ),
    # Actions of operators.
    (
        OperatorAction.ROLL,
        OperatorAction.REASSIGN,
        OperatorAction.TOPIC,
        OperatorAction.FEATURE,
        Fault.KILL,
    ),
    (
        OperatorAction.ELECT,
        OperatorAction.ELECT_NOW,
        OperatorAction.STRATEGY,
        Fault.POWER,
        Fault.POWER_ALL,
    ),
)

RECOVERING: Mix = (
    *(Fault.POWER_ALL, Fault.POWER, Fault.POWER, Fault.WIPE, Fault.KILL, Fault.KILL),
    *(Fault.CRASH_AFTER_LOG_INFO, Fault.CRASH_AFTER_LOG_INFO, Fault.CRASH_AFTER_LOG_INFO),
)
"""Unclean recoveries whose answers become stale."""
RESIZING: Mix = (
    *(OperatorAction.REASSIGN, OperatorAction.REASSIGN, OperatorAction.REASSIGN),
    *(Fault.KILL, Fault.RESTART, Fault.POWER),
)
"""Partitions of one topic with different numbers of replicas, and small ISRs."""
ORPHANING: Mix = (
    *(Fault.KILL, Fault.KILL, Fault.KILL, Fault.POWER, Fault.ISOLATE, Fault.CUT_CONTROLLER),
    *(OperatorAction.STRATEGY, OperatorAction.ELECT_NOW),
)
"""Partitions without leader while live brokers may not lead, or not yet."""
MOVING: Mix = (
    *(Fault.PAUSE, Fault.PAUSE, Fault.SLOW_NODE, Fault.KILL),
    *(OperatorAction.SWAP, OperatorAction.SWAP, OperatorAction.REASSIGN, OperatorAction.ELECT),
)
"""Followers that do not fetch while leaders of other partitions move."""
STOPPING: Mix = (Fault.POWER_IN_STOP, Fault.POWER_IN_STOP, Fault.POWER_IN_STOP, Fault.RESTART)
"""Controlled shutdowns, most of which are interrupted."""
ROTTING: Mix = (Fault.ROT, Fault.ROT, Fault.KILL)
"""Metadata directories with bit rot."""
DELETING: Mix = (*[OperatorAction.TOPIC] * 6, Fault.SLOW_DISK, Fault.SLOW_DISK, Fault.KILL)
"""Topics that are deleted while they are written and flushed."""
SHORT_OF_FILES: Mix = (
    *[Fault.FEW_FILES] * 6,
    *(OperatorAction.TOPIC, OperatorAction.ROLL, OperatorAction.SWAP, Fault.KILL, Fault.ISOLATE),
)
"""Nodes without file descriptors while logs are created, rolled and truncated."""
CRASHING: Mix = (
    *[Fault.CRASH_IN_STEP] * 6,
    *(
        Fault.ISOLATE,
        Fault.PAUSE,
        OperatorAction.SWAP,
        OperatorAction.TOPIC,
        OperatorAction.REASSIGN,
    ),
)
"""Crashes of processes and machines between any two disk operations."""
SHRINKING: Mix = (
    *[Fault.KILL] * 4, *[Fault.PAUSE] * 2, *[Fault.ISOLATE] * 2, Fault.RESTART, Fault.SLOW_NODE
)  # fmt: skip
"""ISRs that shrink below min ISR until they are empty, and only the ELR is left."""
FEATURING: Mix = (
    OperatorAction.FEATURE,
    OperatorAction.FEATURE,
    Fault.KILL,
    Fault.POWER,
    Fault.ISOLATE,
)
"""The ELR feature is switched off and on while brokers restart."""
LINKING: Mix = (
    *(Fault.CUT, Fault.CUT_ONE_WAY, Fault.CUT_CLIENTS, Fault.CLOG, Fault.CLOG, Fault.ABORT),
    *(Fault.RESTORE, Fault.RESTORE, Fault.CLOCK),
)
"""Faults that few other mixes have."""
FAILING: Mix = (
    *[Fault.ERROR_ONCE] * 6, *[Fault.NO_SPACE_ONCE] * 2,
    *(Fault.SLOW_DISK, Fault.RESTART, Fault.RESTART, OperatorAction.SWAP, OperatorAction.ROLL),
)  # fmt: skip
"""Transient disk errors, also just before a shutdown."""
VOTING: Mix = (
    *[OperatorAction.VOTERS] * 8,
    *(Fault.KILL, Fault.POWER, Fault.ISOLATE, Fault.CUT, Fault.PAUSE, Fault.CRASH_IN_STEP),
    *(Fault.SLOW, Fault.SLOW_DISK, Fault.WIPE_VOTER, Fault.WIPE_VOTER),
)
"""Voters are added and removed while controllers fail, and lose their disks."""
FORGETTING: Mix = (
    *[Fault.OLD_VOTER] * 4,
    *[Fault.LOST_QUORUM_STATE] * 2,
    *(Fault.KILL, Fault.POWER, Fault.ISOLATE, Fault.PAUSE),
)
"""Voters whose disks forget, while controllers fail."""
RIVALLING: Mix = (*[Fault.CUT_LEADERS] * 6, Fault.SLOW, Fault.SLOW_DISK, Fault.KILL, Fault.POWER)
"""Leaders of the quorum that are cut off before they commit, and come back as its followers."""
RELOCATING: Mix = (
    *[OperatorAction.ALTER_DIRS] * 8, *[Fault.CRASH_IN_MOVE] * 4, *[Fault.DIRECTORY_ERROR] * 2,
    *[Fault.DIRECTORY_OUT] * 3,
    *(Fault.KILL, Fault.POWER, Fault.CRASH_IN_STEP, Fault.SLOW_DISK, Fault.CUT_CONTROLLER),
    *[OperatorAction.TOPIC] * 3,
    *(OperatorAction.SWAP, OperatorAction.REASSIGN),
)  # fmt: skip
"""Replicas move between the log directories of brokers that crash, or lose a directory.

Topics are deleted and created again meanwhile.
"""
UPGRADING: Mix = (
    *[OperatorAction.TRANSACTION_VERSION] * 4,
    *(Fault.KILL, Fault.ISOLATE, Fault.CUT_CONTROLLER, Fault.PAUSE),
)
"""The transaction version changes while brokers and clients know different ones."""
COORDINATING: Mix = (
    *[OperatorAction.SWAP_TRANSACTIONS] * 8,
    *(Fault.KILL, Fault.ISOLATE, Fault.CUT_CONTROLLER, Fault.SLOW),
)
"""Coordinators of transactions, and leaders with open transactions, move while brokers fail."""
DAMAGING: Mix = (
    *[Fault.DATA_ROT] * 3, *[Fault.LOST_WRITE] * 3, *[Fault.MISDIRECTED_WRITE] * 2,
    *[OperatorAction.SWAP] * 8, *(OperatorAction.ROLL, Fault.KILL),
)  # fmt: skip
"""Damaged data, and leaders that serve it."""
_DRAWN_APART = (
    Fault.CRASH_AFTER_LOG_INFO, Fault.POWER_IN_STOP, Fault.ROT, Fault.FEW_FILES,
    Fault.CRASH_IN_STEP, Fault.ERROR_ONCE, Fault.NO_SPACE_ONCE, *DAMAGE, *VOTER_DISKS,
    *DIRECTORY_FAULTS, Fault.CUT_LEADERS, OperatorAction.VOTERS, OperatorAction.ALTER_DIRS,
    OperatorAction.TRANSACTION_VERSION, OperatorAction.SWAP_TRANSACTIONS,
)  # fmt: skip
"""Incidents with separate entropy: seeds without them are the same as before these were added."""


def draw_mix(rng: Random) -> Mix:
    """Return one of `MIXES`, or a mix of kinds that are drawn one by one."""
    if rng.random() < 0.5:
        return rng.choice(MIXES)
    faults = [kind for kind in Fault if kind not in _DRAWN_APART and rng.random() < 0.3]
    actions = [kind for kind in OperatorAction if kind not in _DRAWN_APART and rng.random() < 0.2]
    return (*(faults or [Fault.KILL]) * 2, *actions)
