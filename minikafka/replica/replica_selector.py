"""The replica that a consumer of a rack should read from (KIP-392).

Source: `ReplicaManager.findPreferredReadReplica`, `RackAwareReplicaSelector`, `ReplicaView`.
"""

from collections.abc import Mapping
from typing import Final

from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.replica.partition import Partition

NO_REPLICA: Final = -1


def preferred_read_replica(
    partition: Partition, *, rack: str, listener: str, fetch_offset: int
) -> int:
    """Return the follower that a consumer in `rack` should read from; NO_REPLICA for this broker.

    It is in sync, has the record at `fetch_offset` or ends there, and is in `rack`. Of several it
    is the one with the greatest log end offset, then the one that was caught up last.
    """
    in_sync = partition.isr.committed
    followers = partition.followers
    return max(
        (
            (followers[broker].log_end_offset, followers[broker].last_caught_up_ms, broker)
            for broker in followers_in(rack, partition, listener)
            if broker in in_sync
            and followers[broker].log_start_offset
            <= fetch_offset
            <= followers[broker].log_end_offset
        ),
        default=(0, 0, NO_REPLICA),
    )[-1]


def followers_in(rack: str, partition: Partition, listener: str) -> list[int]:
    """Return the followers in `rack` that this leader may name.

    There are none if this broker does not lead the partition, or is in that rack itself.
    """
    brokers = partition.view.image.brokers
    if not partition.is_leader or _rack_of(brokers, partition.broker_id, listener) == rack:
        return []
    return [each for each in partition.followers if _rack_of(brokers, each, listener) == rack]


def _rack_of(brokers: Mapping[int, BrokerRegistration], broker: int, listener: str) -> str | None:
    """The rack of a broker that clients of a listener can reach."""
    registration = brokers.get(broker)
    if registration is None or registration.fenced or registration.endpoint(listener) is None:
        return None
    return registration.rack
