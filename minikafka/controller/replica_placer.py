"""Placement of new replicas: round robin over racks and brokers, from a random start.

Source: `StripedReplicaPlacer` (what it guarantees, not its exact order).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import lcm
from random import Random

from minikafka.common.errors import InvalidReplicationFactorError
from minikafka.metadata.broker_registration import BrokerRegistration


@dataclass(slots=True)
class _Rack:
    """The brokers of a rack, in random order; fenced ones are used after all unfenced ones."""

    unfenced: list[int]
    fenced: list[int]

    def order(self, turn: int) -> list[int]:
        """Return the brokers to use, best first; each turn starts at the next broker.

        After each full round the order behind the first broker changes, so that the same pairs of
        brokers do not share every partition.
        """
        return _rotated(self.unfenced, turn) + _rotated(self.fenced, turn)


def _rotated(brokers: list[int], turn: int) -> list[int]:
    if not brokers:
        return []
    rounds, start = divmod(turn, len(brokers))
    first, *rest = brokers[start:] + brokers[:start]
    shift = rounds % len(rest) if rest else 0
    return [first, *rest[shift:], *rest[:shift]]


def place(
    brokers: Iterable[BrokerRegistration], *, partitions: int, replication_factor: int, rng: Random
) -> list[tuple[int, ...]]:
    """Return the replicas of each new partition, the preferred leader first.

    A broker is not used during its controlled shutdown, but afterwards as any fenced one: it will
    return. The first replica is never fenced, replicas are spread over as many racks as possible,
    and no partition has a broker twice.

    Raises:
        InvalidReplicationFactorError: there are too few brokers, or none is unfenced.
    """
    usable = [broker for broker in brokers if broker.fenced or not broker.in_controlled_shutdown]
    _check(usable, replication_factor)
    racks = _racks(usable, rng)
    start = rng.randrange(len(racks) * len(usable))
    period = _period(racks)
    turns = [
        _place_one(racks, start + turn, replication_factor)
        for turn in range(min(partitions, period))
    ]
    return [turns[partition % period] for partition in range(partitions)]


def _period(racks: list[_Rack]) -> int:
    """Return the number of partitions after which the placement repeats."""
    rounds = [
        len(brokers) * max(len(brokers) - 1, 1)
        for rack in racks
        for brokers in (rack.unfenced, rack.fenced)
        if brokers
    ]
    return len(racks) * lcm(*rounds)


def _check(usable: list[BrokerRegistration], replication_factor: int) -> None:
    if replication_factor <= 0:
        raise InvalidReplicationFactorError(
            f"Invalid replication factor {replication_factor}: the replication factor must be "
            "positive."
        )
    if all(broker.fenced for broker in usable):
        raise InvalidReplicationFactorError("All brokers are currently fenced.")
    if replication_factor > len(usable):
        raise InvalidReplicationFactorError(
            f"The target replication factor of {replication_factor} cannot be reached because only "
            f"{len(usable)} broker(s) are registered or some brokers have all their log "
            "directories cordoned."
        )


def _racks(usable: list[BrokerRegistration], rng: Random) -> list[_Rack]:
    by_name: dict[str, _Rack] = {}
    for broker in sorted(usable, key=lambda broker: broker.broker_id):
        rack = by_name.setdefault(broker.rack or "", _Rack([], []))
        (rack.fenced if broker.fenced else rack.unfenced).append(broker.broker_id)
    racks = [by_name[name] for name in sorted(by_name)]
    for rack in racks:
        rng.shuffle(rack.unfenced)
        rng.shuffle(rack.fenced)
    return racks


def _place_one(racks: list[_Rack], turn: int, replication_factor: int) -> tuple[int, ...]:
    first = turn % len(racks)
    ordered = racks[first:] + racks[:first]
    leads = next(at for at, rack in enumerate(ordered) if rack.unfenced)
    ordered = ordered[leads:] + ordered[:leads]
    queues = [rack.order(turn // len(racks)) for rack in ordered]
    chosen: list[int] = []
    while len(chosen) < replication_factor:
        for queue in queues:
            if queue and len(chosen) < replication_factor:
                chosen.append(queue.pop(0))
    return tuple(chosen)
