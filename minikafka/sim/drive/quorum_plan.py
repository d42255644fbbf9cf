"""Plans for the quorum of controllers: many faults of controllers, one broker, hardly any load.

A run takes a tenth of the time of a plan of `drawing.draw`, and its incidents are ten times as
dense: changes of voters, lost disks and elections meet each other more often.
"""

from operator import attrgetter
from random import Random
from typing import Final

from minikafka.common.budget import STEP_UNITS
from minikafka.sim.drive.drawing import draw_detection
from minikafka.sim.drive.incidents import LINK_FAULTS, VOTER_DISKS, Fault, Incident, OperatorAction
from minikafka.sim.drive.mixes import Mix
from minikafka.sim.drive.plan import Plan
from minikafka.sim.world.sim_cluster import CONTROLLER_ID

_KINDS: Final[Mix] = (
    *(Fault.KILL, Fault.POWER, Fault.POWER_ALL, Fault.RESTART, Fault.PAUSE, Fault.CRASH_IN_STEP),
    *(Fault.CUT, Fault.CUT_ONE_WAY, Fault.ISOLATE, Fault.CUT_CONTROLLER, Fault.CUT_LEADERS),
    *(Fault.SLOW, Fault.SLOW_NODE, Fault.CLOG, Fault.ABORT, Fault.CLOCK, Fault.DRIFT),
    *(Fault.SLOW_DISK, Fault.FULL_DISK, Fault.ERROR_ONCE, Fault.NO_SPACE_ONCE, Fault.FEW_FILES),
    *(Fault.POWER_IN_STOP, Fault.ROT, *VOTER_DISKS, OperatorAction.VOTERS),
)
_MAX_KINDS: Final = 6
_DYNAMIC_SHARE: Final = 0.7
_AUTO_JOIN_SHARE: Final = 0.3
_PACES_MS: Final = (100, 300, 700, 1_500)
_LASTING_MS: Final = ((50, 300), (200, 1_000, 3_000), (2_000, 6_000))


def draw_quorum_plan(seed: int, duration_ms: int) -> Plan:
    """Return the plan of a seed: two to five voters, and up to three controllers beside them."""
    rng = Random(f"quorum/{seed}")
    voters, is_dynamic = rng.choice((2, 3, 3, 3, 4, 5)), rng.random() < _DYNAMIC_SHARE
    plan = Plan.of(
        seed=seed,
        brokers=1,
        replication_factor=1,
        min_isr=1,
        partitions=1,
        separate_controller=True,
        elr=True,
        recovery_manager=False,
        strategy="None",
        roll_ms=1 << 40,
        producers=1,
        idempotent=False,
        flush_messages=False,
        duration_ms=duration_ms,
        pace_ms=rng.choice((2_000, 10_000)),
        detection=draw_detection(seed),
        voters=voters,
        dynamic_quorum=is_dynamic,
        spares=rng.randint(0, 3) if is_dynamic else 0,
        auto_join=is_dynamic and rng.random() < _AUTO_JOIN_SHARE,
        snapshot_bytes=rng.choice((0, 200, 200, 1_000)),
        step_units=rng.choice((STEP_UNITS, 0, 3)),
        work_ms=rng.choice((20, 1_000)),
    )
    incidents = sorted(_incidents(rng, plan), key=attrgetter("at_ms"))
    return plan.changed(incidents=tuple(incidents))


def _incidents(rng: Random, plan: Plan) -> list[Incident]:
    # Topics that are created and deleted are what the metadata log gets.
    kinds = [*rng.sample(_KINDS, rng.randint(2, _MAX_KINDS)), OperatorAction.TOPIC]
    if plan.cluster.dynamic_quorum:
        kinds += [OperatorAction.VOTERS] * rng.choice((0, 1, 3))
    controllers = [each for each in plan.cluster.nodes if each >= CONTROLLER_ID]
    pace_ms, lasting_ms = rng.choice(_PACES_MS), rng.choice(_LASTING_MS)
    found = []
    at_ms = rng.randint(1_500, 4_000)
    while at_ms < plan.duration_ms:
        what, node = rng.choice(kinds), rng.choice(controllers)
        others = [each for each in plan.cluster.nodes if each != node]
        found.append(
            Incident(
                at_ms=at_ms,
                what=what,
                node=node,
                other=rng.choice(others) if what in LINK_FAULTS else 0,
                for_ms=rng.choice(lasting_ms) if isinstance(what, Fault) else 0,
            )
        )
        at_ms += rng.randint(1, 2 * pace_ms)
    return found
