"""Schedules drawn from a seed (S3).

Most profiles draw faults that do not overlap: each is healed, and the cluster settles, before the
next one begins. `harsh` draws faults that overlap, but only combinations that acks=all with min ISR
2 must survive: one broker loses its unflushed data, not two; and one of three controllers is away.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from minikafka.harness.plan.engines import SPARK
from minikafka.harness.plan.external import impossible_faults
from minikafka.harness.plan.schedule import (
    BROKERS,
    CLIENTS,
    CONTROLLER,
    EXCLUSIVE,
    OF_STREAM,
    STANDBY,
    FaultTarget,
    ParameterValue,
    PlannedFault,
    Schedule,
    read_schedule,
)
from minikafka.harness.plan.settings import RunSettings

_Drawn = tuple[str, tuple[FaultTarget, ...], dict[str, ParameterValue]]
_LEADER = "leader of 0"


def draw_schedule(settings: RunSettings) -> Schedule:
    """Draw the schedule for these settings from their seed; equal settings give equal schedules.

    Without ELR, the faults that switch it off are left out, with the local engine those of Spark's
    stream, and all others stay.
    """
    rng = random.Random(f"faults/{settings.seed}")
    drawn = _DRAWS[settings.profile](rng, settings)
    left_out = {*(() if settings.elr == "on" else ("elr-off",))}
    left_out |= {*(() if settings.engine == SPARK else OF_STREAM)}
    faults = tuple(fault for fault in drawn if fault.kind not in left_out)
    return Schedule(faults=faults, seed=settings.seed, seconds=settings.seconds)


def planned(
    settings: RunSettings, nodes: Sequence[int] | None, file: Path | None = None
) -> tuple[Schedule, list[str]]:
    """Draw or read the schedule of a run; return it with a sentence for each invalid entry.

    `file` takes precedence over the settings: the schedule of a run that is repeated. `nodes` are
    the ids that targets may have; None if they are unknown.

    Raises:
        HarnessError: if the schedule's file cannot be read.
    """
    path = file or settings.schedule
    schedule = draw_schedule(settings) if path is None else read_schedule(path)
    partitions = settings.partitions * settings.topics
    problems = schedule.problems(seconds=settings.seconds, nodes=nodes, partitions=partitions)
    if settings.engine != SPARK:
        problems += _stream_problems(schedule)
    return schedule, problems or impossible_faults(settings, schedule)


def _stream_problems(schedule: Schedule) -> list[str]:
    """Return one sentence for each kind of fault that only Spark's stream can have."""
    kinds = {fault.kind for fault in schedule.faults}
    return [
        f"fault '{kind}' needs --engine spark: the local engine has no query with a checkpoint."
        for kind in OF_STREAM
        if kind in kinds
    ]


def _one_killed_leader(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    seconds = settings.seconds
    at_s = round(seconds * rng.uniform(0.38, 0.5), 3)
    away_s = round(min(20.0, seconds * rng.uniform(0.2, 0.3)), 3)
    yield PlannedFault(kind="kill", at_s=at_s, duration_s=away_s, targets=(_LEADER,))


def _mixed(rng: random.Random, settings: RunSettings, slot_s: float) -> Iterator[PlannedFault]:
    """A killed leader first, then every kind once in random order; then the same again.

    With several controllers every fourth fault is one of the active controller, or of a voter that
    loses its metadata.
    """
    brokers = settings.brokers
    kinds = _kinds(settings)
    of_controllers: list[Callable[[random.Random, list[int]], _Drawn]] = []
    count = 0
    last_s = settings.seconds * 0.85
    at_s = settings.seconds * rng.uniform(0.08, 0.12)
    bag: list[Callable[[random.Random, list[int]], _Drawn]] = []
    while at_s + slot_s * 0.6 <= last_s:
        count += 1
        if len(settings.voters) > 1 and count % _OF_CONTROLLERS_EVERY == 0:
            if not of_controllers:
                of_controllers = rng.sample(_OF_CONTROLLERS, len(_OF_CONTROLLERS))
            draw = of_controllers.pop()
        else:
            if not bag:
                bag = rng.sample(kinds, len(kinds))
                bag.append(_kill_leader)  # comes first
            draw = bag.pop()
        kind, targets, parameters = draw(rng, brokers)
        if kind in EXCLUSIVE and at_s + slot_s * 2 > last_s:
            break
        duration_s = slot_s * rng.uniform(0.35, 0.55)
        if kind == "rolling-restart":
            duration_s = 0.2  # for each broker; most of the time is spent on the starts
        yield PlannedFault(
            kind=kind,
            at_s=round(at_s, 3),
            duration_s=round(duration_s, 3),
            targets=targets,
            parameters=parameters,
        )
        # What a voter lost is copied to it again before the next fault.
        at_s += slot_s * rng.uniform(0.9, 1.1) * (2 if kind in EXCLUSIVE else 1)


def _smoke(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    return _mixed(rng, settings, min(9.0, settings.seconds * 0.27))


def _standard(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    return _mixed(rng, settings, min(12.0, settings.seconds * 0.27))


def _harsh(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    """The last ISR member loses power while the others are away; then two pairs of faults.

    One of the pairs is of the active controller and a leader.
    """
    unit_s = settings.seconds / _HARSH_UNITS
    nodes = rng.sample(settings.brokers, 3)
    pairs = rng.sample((rng.choice(_PAIRS), _controller_and_leader), 2)
    groups = [_last_member(rng, nodes), *(pair(rng, nodes) for pair in pairs)]
    for begin, group in zip(_HARSH_BEGINS, groups, strict=True):
        for kind, at, duration, targets, parameters in group:
            yield PlannedFault(
                kind=kind,
                at_s=round((begin + at) * unit_s, 3),
                duration_s=round(duration * unit_s, 3),
                targets=targets,
                parameters=parameters,
            )


_Timed = tuple[str, float, float, tuple[FaultTarget, ...], dict[str, ParameterValue]]
"""Kind, begin (in units after the begin of the group), duration (in units), targets, parameters."""

_HARSH_UNITS = 50
_HARSH_BEGINS = (3, 26, 38)


def _last_member(rng: random.Random, nodes: list[int]) -> Iterator[_Timed]:
    """Two brokers leave, the last ISR member loses power, and the others return before it does.

    When the second broker leaves, the ISR becomes smaller than min ISR, and the broker joins the
    ELR. It must not be killed: after an unclean shutdown it would leave the ELR when it registers.
    """
    first, second, last = nodes
    kind = rng.choice(("pause", "isolate", "restart", "kill"))
    yield kind, 0, 11, (first,), _FROM_CLIENTS if kind == "isolate" else {}
    jitter = rng.uniform(0, 0.8)
    kind = rng.choice(("pause", "isolate", "restart"))
    yield kind, 4.4 + jitter, 9.2, (second,), _FROM_CLIENTS if kind == "isolate" else {}
    yield "power-cut", 9.2 + jitter, 7.5, (last,), {"when_whole": False}


def _partition_and_kill(rng: random.Random, nodes: list[int]) -> Iterator[_Timed]:
    """Two brokers cannot reach each other, and one of them or the leader is killed."""
    first, second = rng.sample(nodes, 2)
    one_way: dict[str, ParameterValue] = {"one_way": True} if rng.random() < _ONE_WAY_SHARE else {}
    pair: tuple[FaultTarget, ...] = (first, second)
    yield "cut", 0, 6, pair, one_way
    victim: FaultTarget = rng.choice((first, _LEADER))
    yield "kill", rng.uniform(1.0, 3.0), 4, (victim,), {}


def _slow_disk_and_leader_change(rng: random.Random, nodes: list[int]) -> Iterator[_Timed]:
    """The fsyncs of a broker are slow while leaders change."""
    parameters: dict[str, ParameterValue] = {"ms": rng.randint(200, 1_000)}
    yield "slow-disk", 0, 7, (_broker_or_leader(rng, nodes),), parameters
    begin = rng.uniform(1.0, 2.5)
    yield rng.choice(("pause", "restart", "kill")), begin, 3.5, (_LEADER,), {}
    yield "elect", begin + 1.5, 0, (), {"type": "preferred"}


def _controller_and_leader(rng: random.Random, nodes: list[int]) -> Iterator[_Timed]:
    """The active controller fails, then a leader: the next controller must elect another one."""
    kind, _, parameters = rng.choice(_OF_CONTROLLERS)(rng, nodes)
    # A controller that is no broker has no replicas that must be in sync.
    yield kind, 0, 4, (CONTROLLER,), {**parameters, "when_whole": False} if parameters else {}
    begin = rng.uniform(0.5, 2.0)
    yield rng.choice(("kill", "pause")), begin, 5, (_broker_or_leader(rng, nodes),), {}


def _loss_and_isolation(rng: random.Random, nodes: list[int]) -> Iterator[_Timed]:
    """Every broker's network is lossy or slow while one broker is isolated."""
    kind, name, low, high = rng.choice((("loss", "percent", 2, 15), ("slow-node", "ms", 10, 80)))
    yield kind, 0, 7, (BROKERS,), {name: rng.randint(low, high)}
    yield "isolate", rng.uniform(1.0, 2.5), 4, (_broker_or_leader(rng, nodes),), {}


def _broker_or_leader(rng: random.Random, nodes: list[int]) -> FaultTarget:
    choices: list[FaultTarget] = [*nodes, _LEADER]
    return rng.choice(choices)


_ONE_WAY_SHARE = 0.4
_FROM_CLIENTS: dict[str, ParameterValue] = {"from_clients": True}
"""A former leader must not be the only broker that clients can ask for metadata."""
_PAIRS: tuple[Callable[[random.Random, list[int]], Iterator[_Timed]], ...] = (
    _partition_and_kill,
    _slow_disk_and_leader_change,
    _loss_and_isolation,
)


def _unclean(_rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    """The other brokers are killed, then broker 1, which wrote alone; an old follower leads."""
    unit = settings.seconds / 10
    first, *others = settings.brokers
    yield PlannedFault(kind="kill", at_s=2 * unit, duration_s=4 * unit, targets=tuple(others))
    yield PlannedFault(kind="kill", at_s=5 * unit, duration_s=4 * unit, targets=(first,))


def _kill_leader(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "kill", (_LEADER,), {}


def _kill_several(rng: random.Random, brokers: list[int]) -> _Drawn:
    return "kill", tuple(sorted(rng.sample(brokers, max(1, len(brokers) - 1)))), {}


def _kill_all(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "kill", (BROKERS,), {}


def _kill_controller(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "kill", (CONTROLLER,), {}


def _pause_controller(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "pause", (CONTROLLER,), {}


def _isolate_controller(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "isolate", (CONTROLLER,), {}


def _cut_controller(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "power-cut", (CONTROLLER,), {"when_whole": True}


def _wipe_voter(rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "wipe", (rng.choice((CONTROLLER, STANDBY)),), {}


def _old_voter(rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "old-voter", (rng.choice((CONTROLLER, STANDBY)),), {}


def _on_one(kind: str, **ranges: tuple[int, int]) -> Callable[[random.Random, list[int]], _Drawn]:
    """Return a function that draws a broker, and each parameter from its range."""

    def draw(rng: random.Random, brokers: list[int]) -> _Drawn:
        parameters: dict[str, ParameterValue] = {
            name: rng.randint(low, high) for name, (low, high) in ranges.items()
        }
        return kind, (rng.choice(brokers),), parameters

    return draw


def _rolling_restart(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "rolling-restart", (BROKERS,), {}


def _partition(rng: random.Random, brokers: list[int]) -> _Drawn:
    first, second = rng.sample(brokers, 2)
    return "cut", (first, second), {}


def _one_way(rng: random.Random, brokers: list[int]) -> _Drawn:
    first, second = rng.sample(brokers, 2)
    return "cut", (first, second), {"one_way": True}


def _from_controller(rng: random.Random, brokers: list[int]) -> _Drawn:
    return "cut", (rng.choice(brokers), CONTROLLER), {}


def _between_controllers(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "cut", (STANDBY, CONTROLLER), {}


def _from_clients(rng: random.Random, brokers: list[int]) -> _Drawn:
    return "cut", (rng.choice(brokers), CLIENTS), {}


def _min_isr(_rng: random.Random, brokers: list[int]) -> _Drawn:
    # Never lower: with a lower min ISR less is promised, and a loss would not be a violation.
    return "min-isr", (), {"value": min(3, len(brokers))}


def _elr_off(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "elr-off", (), {}


def _elect(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "elect", (), {"type": "preferred"}


def _stream_restart(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "stream-restart", (), {}


def _stream_kill(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "stream-kill", (), {}


_ALONE = (
    _on_one("restart"),
    _on_one("pause"),
    _on_one("slow-node", ms=(10, 200)),
    _on_one("slow-disk", ms=(50, 1_000)),
    _on_one("clock", seconds=(-3_600, 3_600)),
    _stream_restart,
    _stream_kill,
)

_KINDS = (
    *_ALONE,
    _kill_several,
    _kill_all,
    _rolling_restart,
    _on_one("power-cut"),
    _partition,
    _one_way,
    _from_clients,
    _on_one("isolate"),
    _on_one("loss", percent=(1, 30)),
    _on_one("bandwidth", kbit_s=(500, 8_000)),
    _on_one("full-disk"),
    _min_isr,
    _elr_off,
    _elect,
)

_OF_CONTROLLERS = (
    _kill_controller,
    _pause_controller,
    _isolate_controller,
    _cut_controller,
    _wipe_voter,
    _old_voter,
)
_OF_CONTROLLERS_EVERY = 4


def _kinds(settings: RunSettings) -> list[Callable[[random.Random, list[int]], _Drawn]]:
    """Return the faults that are possible for these nodes, except those of a quorum's leader."""
    kinds = [*(_KINDS if settings.nodes > 1 else _ALONE)]
    if len(settings.voters) == 1:
        kinds.append(_kill_controller)
    if settings.is_combined:
        return [*kinds, _between_controllers]
    return [*kinds, _from_controller] if settings.nodes > 1 else kinds


_DRAWS: dict[str, Callable[[random.Random, RunSettings], Iterator[PlannedFault]]] = {
    "": _one_killed_leader,
    "smoke": _smoke,
    "standard": _standard,
    "harsh": _harsh,
    "soak": _standard,
    "unclean-demo": _unclean,
}
