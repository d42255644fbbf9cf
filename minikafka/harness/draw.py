"""Schedules drawn from a seed.

The faults of a drawn schedule come one after the other, each healed and with time to settle before
the next: what a cluster owes its clients while several failures meet depends on which, and is
for schedules that somebody wrote.
"""

import random
from collections.abc import Callable, Iterator

from minikafka.harness.schedule import (
    BROKERS,
    CLIENTS,
    CONTROLLER,
    PlannedFault,
    Schedule,
    Target,
    Value,
    read_schedule,
)
from minikafka.harness.settings import RunSettings
from minikafka.testing.nodes import CONTROLLER as OWN_CONTROLLER

_Drawn = tuple[str, tuple[Target, ...], dict[str, Value]]
_LEADER = "leader of 0"


def draw_schedule(settings: RunSettings) -> Schedule:
    """The schedule that the seed gives for these settings; the same for the same."""
    rng = random.Random(f"faults/{settings.seed}")
    draw = _DRAWS[settings.profile]
    faults = tuple(draw(rng, settings))
    return Schedule(faults=faults, seed=settings.seed, seconds=settings.seconds)


def planned(settings: RunSettings) -> tuple[Schedule, list[str]]:
    """The schedule of a run, drawn or read, and a sentence for each entry that cannot be.

    Raises:
        HarnessError: if the file that has it cannot be read.
    """
    if settings.schedule is None:
        schedule = draw_schedule(settings)
    else:
        schedule = read_schedule(settings.schedule)
    nodes = None if settings.bootstrap_servers else [*settings.brokers, OWN_CONTROLLER]
    partitions = settings.partitions * settings.topics
    problems = schedule.problems(seconds=settings.seconds, nodes=nodes, partitions=partitions)
    return schedule, problems


def _one_killed_leader(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    seconds = settings.seconds
    at_s = round(seconds * rng.uniform(0.38, 0.5), 3)
    away_s = round(min(20.0, seconds * rng.uniform(0.2, 0.3)), 3)
    yield PlannedFault(kind="kill", at_s=at_s, duration_s=away_s, targets=(_LEADER,))


def _mixed(rng: random.Random, settings: RunSettings, slot_s: float) -> Iterator[PlannedFault]:
    """A killed leader first, then every kind once in an order of its own, then again."""
    brokers = settings.brokers
    last_s = settings.seconds * 0.85
    at_s = settings.seconds * rng.uniform(0.08, 0.12)
    bag: list[Callable[[random.Random, list[int]], _Drawn]] = []
    while at_s + slot_s * 0.6 <= last_s:
        if not bag:
            bag = list(_KINDS if len(brokers) > 1 else _ALONE)
            rng.shuffle(bag)
            bag.append(_kill_leader)  # comes first
        kind, targets, parameters = bag.pop()(rng, brokers)
        duration_s = slot_s * rng.uniform(0.35, 0.55)
        if kind == "rolling-restart":
            duration_s = 0.2  # of each broker: what takes its time are the starts
        yield PlannedFault(
            kind=kind,
            at_s=round(at_s, 3),
            duration_s=round(duration_s, 3),
            targets=targets,
            parameters=parameters,
        )
        at_s += slot_s * rng.uniform(0.9, 1.1)


def _smoke(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    return _mixed(rng, settings, min(9.0, settings.seconds * 0.27))


def _standard(rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    return _mixed(rng, settings, min(12.0, settings.seconds * 0.27))


def _unclean(_rng: random.Random, settings: RunSettings) -> Iterator[PlannedFault]:
    """The followers of partition 0 go, the leader writes alone and goes; an old follower leads."""
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


def _on_one(kind: str, **ranges: tuple[int, int]) -> Callable[[random.Random, list[int]], _Drawn]:
    """A fault of one broker that is drawn, its parameters within these ranges."""

    def draw(rng: random.Random, brokers: list[int]) -> _Drawn:
        parameters: dict[str, Value] = {
            name: rng.randint(low, high) for name, (low, high) in ranges.items()
        }
        return kind, (rng.choice(brokers),), parameters

    return draw


def _rolling_restart(_rng: random.Random, _brokers: list[int]) -> _Drawn:
    return "rolling-restart", (BROKERS,), {}


def _partition(rng: random.Random, brokers: list[int]) -> _Drawn:
    first, second = rng.sample(brokers, 2)
    return "partition", (first, second), {}


def _one_way(rng: random.Random, brokers: list[int]) -> _Drawn:
    first, second = rng.sample(brokers, 2)
    return "partition", (first, second), {"one_way": True}


def _from_controller(rng: random.Random, brokers: list[int]) -> _Drawn:
    return "partition", (rng.choice(brokers), CONTROLLER), {}


def _from_clients(rng: random.Random, brokers: list[int]) -> _Drawn:
    return "partition", (rng.choice(brokers), CLIENTS), {}


def _min_isr(_rng: random.Random, brokers: list[int]) -> _Drawn:
    # Never lower: then less would be promised, and a loss were none.
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
    _kill_controller,
    _on_one("restart"),
    _on_one("pause"),
    _on_one("latency", ms=(10, 200)),
    _on_one("slow-fsync", ms=(50, 1_000)),
    _on_one("clock-offset", seconds=(-3_600, 3_600)),
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
    _from_controller,
    _from_clients,
    _on_one("isolate"),
    _on_one("loss", percent=(1, 30)),
    _on_one("bandwidth", kbit_s=(500, 8_000)),
    _on_one("full-disk"),
    _min_isr,
    _elr_off,
    _elect,
)

_DRAWS: dict[str, Callable[[random.Random, RunSettings], Iterator[PlannedFault]]] = {
    "": _one_killed_leader,
    "smoke": _smoke,
    "standard": _standard,
    "soak": _standard,
    "unclean-demo": _unclean,
}
