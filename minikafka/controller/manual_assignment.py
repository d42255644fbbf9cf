"""Checks of replicas that an administrator chose.

Source: `ReplicationControlManager.validateManualPartitionAssignment`. Kafka's clients and their
tests compare the texts.
"""

from collections.abc import Sequence

from minikafka.common.errors import InvalidReplicaAssignmentError
from minikafka.controller.view import View

_SUBJECT = "The manual partition assignment includes"


def check_brokers(view: View, replicas: Sequence[int]) -> None:
    """Check that replicas are different brokers; as Kafka, in the order of their ids.

    Raises:
        InvalidReplicaAssignmentError: they are not; clients compare the text.
    """
    if not replicas:
        raise InvalidReplicaAssignmentError(f"{_SUBJECT} an empty replica list.")
    for replica in sorted(replicas):
        if replica not in view.image.brokers:
            raise InvalidReplicaAssignmentError(
                f"{_SUBJECT} broker {replica}, but no such broker is registered."
            )
        if replicas.count(replica) > 1:
            raise InvalidReplicaAssignmentError(f"{_SUBJECT} the broker {replica} more than once.")


def check_replicas(
    view: View, replicas: Sequence[int], *, factor: int | None, partition: int
) -> None:
    """Check that brokers can be the replicas of a partition.

    Raises:
        InvalidReplicaAssignmentError: they cannot, for the reason in the message.
    """
    check_brokers(view, replicas)
    if factor is not None and len(replicas) != factor:
        raise InvalidReplicaAssignmentError(
            f"{_SUBJECT} a partition with {len(replicas)} replica(s), but this is not consistent "
            f"with previous partitions, which have {factor} replica(s)."
        )
    if not any(view.image.broker_is_active(replica) for replica in replicas):
        raise InvalidReplicaAssignmentError(
            "All brokers specified in the manual partition assignment for partition "
            f"{partition} are fenced or in controlled shutdown."
        )
