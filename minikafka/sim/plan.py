"""What one seed means: the cluster, its load, and everything that will go wrong.

A swarm: every seed draws which faults it has at all, so that some runs are full of one kind and
free of the others. Faults come in pairs of doing and undoing; at the end of the plan all is healed.
"""

from dataclasses import dataclass, replace
from enum import Enum
from random import Random


class Fault(Enum):
    """What can go wrong, and how it ends."""

    KILL = "kill"
    POWER = "power"
    POWER_ALL = "power-all"
    RESTART = "restart"
    PAUSE = "pause"
    CUT = "cut"
    CUT_ONE_WAY = "cut-one-way"
    ISOLATE = "isolate"
    SLOW = "slow"
    CLOCK = "clock"
    SLOW_DISK = "slow-disk"
    WIPE = "wipe"


class Happening(Enum):
    """What operators do meanwhile."""

    ELECT = "elect-preferred"
    MIN_ISR = "min-isr"
    REASSIGN = "reassign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One thing that happens `at_ms`, to a node (0: no node), and is undone after `for_ms`."""

    at_ms: int
    what: Fault | Happening
    node: int = 0
    other: int = 0
    for_ms: int = 0

    def __str__(self) -> str:
        """One line of a schedule."""
        whom = f" {self.node}" if self.node else ""
        peer = f"-{self.other}" if self.other else ""
        held = f" for {self.for_ms} ms" if self.for_ms else ""
        return f"{self.at_ms:>8} ms  {self.what.value}{whom}{peer}{held}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run. `incidents` are in the order of their times."""

    seed: int
    brokers: int
    replication_factor: int
    min_isr: int
    partitions: int
    separate_controller: bool
    elr: bool
    recovery_manager: bool
    strategy: str
    roll_ms: int
    producers: int
    idempotent: bool
    flush_messages: bool
    duration_ms: int
    incidents: tuple[Incident, ...] = ()

    @property
    def given(self) -> dict[str, str]:
        """The configuration of the nodes."""
        values = {
            "broker.session.timeout.ms": "3000",
            "broker.heartbeat.interval.ms": "500",
            "replica.lag.time.max.ms": "3000",
            "replica.fetch.backoff.ms": "200",
            "replica.socket.timeout.ms": "3000",
            "request.timeout.ms": "3000",
            "log.roll.ms": str(self.roll_ms),
            "unclean.recovery.manager.enabled": str(self.recovery_manager).lower(),
            "unclean.recovery.strategy": self.strategy,
            "unclean.recovery.timeout.ms": "20000",
            "min.insync.replicas": str(self.min_isr),
        }
        if self.flush_messages:
            values["log.flush.interval.messages"] = "1"
        return values


def draw(seed: int, duration_ms: int) -> Plan:
    """The plan of a seed."""
    rng = Random(f"plan/{seed}")
    brokers = rng.choice((3, 3, 3, 4, 5, 7))
    factor = rng.choice((3, 3, min(brokers, 4), 2))
    recovery_manager = rng.random() < 0.4
    kinds = [kind for kind in Fault if rng.random() < 0.4] or [Fault.KILL]
    happenings = [kind for kind in Happening if rng.random() < 0.3]
    plan = Plan(
        seed=seed,
        brokers=brokers,
        replication_factor=factor,
        min_isr=rng.choice((1, 2, 2, 2, factor)),
        partitions=rng.randint(1, 3),
        separate_controller=rng.random() < 0.7,
        elr=rng.random() < 0.85,
        recovery_manager=recovery_manager,
        strategy=rng.choice(("Balanced", "Aggressive", "None")),
        roll_ms=rng.choice((1 << 40, 1_000, 10_000)),
        producers=rng.randint(1, 3),
        idempotent=rng.random() < 0.5,
        flush_messages=rng.random() < 0.2,
        duration_ms=duration_ms,
    )
    incidents = _incidents(rng, plan, [*kinds, *kinds, *happenings])
    return replace(plan, incidents=tuple(incidents))


def _incidents(rng: Random, plan: Plan, kinds: list[Fault | Happening]) -> list[Incident]:
    found = []
    at_ms = rng.randint(2_000, 10_000)
    pace_ms = rng.choice((2_000, 6_000, 15_000))
    while at_ms < plan.duration_ms:
        what = rng.choice(kinds)
        node = rng.randint(1, plan.brokers)
        other = 1 + (node + rng.randint(0, plan.brokers - 2)) % plan.brokers
        found.append(
            Incident(
                at_ms=at_ms,
                what=what,
                node=node,
                other=other if what in (Fault.CUT, Fault.CUT_ONE_WAY, Fault.SLOW) else 0,
                for_ms=rng.choice((200, 2_000, 8_000, 30_000)) if isinstance(what, Fault) else 0,
            )
        )
        at_ms += rng.randint(1, 2 * pace_ms)
    return found
