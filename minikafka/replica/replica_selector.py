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

    It is in sync, has the record at `fetch_offset` or ends there, and is in `rack`. Only a leader
    that is in another rack names one: of several the one with the greatest log end offset, then the
    one that was caught up last.
    """
    if not partition.is_leader or leads_in_rack(partition, rack=rack, listener=listener):
        return NO_REPLICA
    brokers = partition.view.image.brokers
    in_sync = partition.isr.committed
    return max(
        (
            (follower.log_end_offset, follower.last_caught_up_ms, broker)
            for broker, follower in partition.followers.items()
            if broker in in_sync
            and follower.log_start_offset <= fetch_offset <= follower.log_end_offset
            and _rack_of(brokers, broker, listener) == rack
        ),
        default=(0, 0, NO_REPLICA),
    )[-1]


def leads_in_rack(partition: Partition, *, rack: str, listener: str) -> bool:
    """True if this broker leads the partition, and is in `rack`."""
    return (
        partition.is_leader
        and _rack_of(partition.view.image.brokers, partition.broker_id, listener) == rack
    )


def _rack_of(brokers: Mapping[int, BrokerRegistration], broker: int, listener: str) -> str | None:
    """The rack of a broker that clients of a listener can reach."""
    registration = brokers.get(broker)
    if registration is None or registration.fenced or registration.endpoint(listener) is None:
        return None
    return registration.rack
