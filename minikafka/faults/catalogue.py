"""Every fault of this package by family, and its names in each place where faults are injected.

A word means the same wherever it is used. A test compares the names with those that exist.
"""

from typing import Final, NamedTuple


class FaultFamily(NamedTuple):
    """Faults that are alike.

    `node` are kinds of answers, fields of commands and files (`server.fault_control`,
    `server.debug_hooks`), `dev` actions of `minikafka dev`, `verify` kinds of a schedule,
    `simulator` incidents of a plan.
    """

    name: str
    node: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    simulator: tuple[str, ...] = ()


FAMILIES: Final = (
    FaultFamily(
        "answers",
        ("error", "delay", "drop", "half", "close", "reset", "throttle", "corrupt", "stale_leader"),
        ("fault",),
        (),
        ("abort",),
    ),
    FaultFamily("cut links", ("cut",), ("cut",), ("cut", "isolate"),
                ("cut", "cut-one-way", "isolate", "cut-clients", "cut-controller", "cut-leaders")),
    FaultFamily("slow links", ("slow_ms",), ("slow",), ("slow-node", "loss", "bandwidth"),
                ("slow", "slow-node", "clog")),
    FaultFamily("wrong clocks", ("offset_ms", "wall-offset-ms"), ("clock",), ("clock",),
                ("clock",)),
    FaultFamily("drifting clocks", ("rate",), ("clock",), (), ("drift",)),
    FaultFamily("crashes", (), ("kill", "start"), ("kill",),
                ("kill", "crash-in-step", "crash-in-move", "crash-after-rejoin",
                 "crash-after-log-info")),
    FaultFamily("controlled restarts", (), ("stop", "start"), ("restart", "rolling-restart"),
                ("restart", "rolling-restart")),
    FaultFamily("pauses", (), ("pause", "resume"), ("pause",), ("pause",)),
    FaultFamily("lost power", ("sync-journal",), ("power-cut",), ("power-cut",),
                ("power-cut", "power-cut-all", "power-cut-in-stop", "bit-flip")),
    FaultFamily("full disks", ("disk-full",), ("full-disk",), ("full-disk",),
                ("full-disk", "no-space-once")),
    FaultFamily("slow disks", ("slow-sync-ms",), ("slow-disk",), ("slow-disk",), ("slow-disk",)),
    FaultFamily("failing disks", (), (), (),
                ("disk-error", "error-once", "few-files", "directory-error", "directory-out")),
    FaultFamily("lost disks", (), (), ("wipe", "old-voter"),
                ("wipe", "restore", "wipe-voter", "old-voter", "lost-quorum-state")),
    FaultFamily("damaged data", (), (), (),
                ("rot", "data-rot", "lost-write", "misdirected-write")),
    FaultFamily("operators", (), (), ("min-isr", "elr-off", "elect"),
                ("min-isr", "feature", "elect-preferred", "elect-now", "strategy", "reassign",
                 "swap-leaders", "topic", "change-voters", "alter-log-dirs",
                 "transaction-version", "swap-transactions")),
    FaultFamily("Spark", (), (), ("stream-restart", "stream-kill"), ()),
)  # fmt: skip
"""In the order in which the documents list them."""


def family_table() -> list[str]:
    """Return the rows of the table of families in the documents."""
    rows = [
        "| faults | in a node | `minikafka dev` | `minikafka verify` | simulator |",
        "| --- | --- | --- | --- | --- |",
    ]
    for family in FAMILIES:
        cells = (", ".join(f"`{name}`" for name in names) for names in family[1:])
        rows.append(f"| {family.name} | {' | '.join(cells)} |")
    return [row.replace("|  |", "| |").replace("|  |", "| |") for row in rows]
